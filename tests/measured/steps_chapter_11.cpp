// The reduction ladder.

#include "kernel.h"
#include "steps.h"

enum : size_t { M1 = 1 << 20, M32 = 1 << 25 };

#define IN ((const unsigned *)p->in)
#define OUT ((unsigned *)p->out)
#define WORK ((unsigned *)p->work)

static const step_case list[] = {
    {"reduce_levels", STEP(reduce_levels(IN, WORK, OUT, n)), {M1, M32}},
    {"reduce_v0", STEP(reduce_v0(IN, WORK, n)), {M1, M32}},
    {"reduce_mask", STEP(reduce_mask(IN, WORK, n)), {M1, M32}},
    {"reduce_v1", STEP(reduce_v1(IN, WORK, n)), {M1, M32}},
    {"reduce_v2", STEP(reduce_v2(IN, WORK, n)), {M1, M32}},
    {"reduce_v3", STEP(reduce_v3(IN, WORK, n)), {M1, M32}},
    {"reduce_v4", STEP(reduce_v4(IN, WORK, n)), {M1, M32}},
    {"reduce_v5", STEP(reduce_v5(IN, WORK, n, 256)), {M1, M32}},
    {"reduce_v6", STEP(reduce_v6(IN, WORK, n)), {M1, M32}},
    {"reduce_groups", STEP(reduce_groups(IN, WORK, n)), {M1, M32}},
    {"reduce_stride", STEP(reduce_stride(IN, WORK, OUT, n)), {M1, M32}},
    {"reduce_v7", STEP(reduce_v7(IN, WORK, OUT, n)), {M1, M32}},
    {"reduce_unrolled", STEP(reduce_unrolled(IN, WORK, OUT, n)), {M1, M32}},
    {"reduce_every_thread", STEP(reduce_every_thread(IN, OUT, n)), {M1}},
    {"reduce_atomic", STEP(reduce_atomic(IN, OUT, n)), {M1, M32}},
    {"reduce_v8", STEP(reduce_v8(IN, WORK, WORK + MAX_BLOCKS, OUT, n)), {M1, M32}},
    {"reduce_v9", STEP(reduce_v9(p->in, p->work, WORK + MAX_BLOCKS, p->out, n, 1056)), {M1, M32}},
};
STEPS(reduction_steps, list)
