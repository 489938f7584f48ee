// Chapter 2's steps.

#include "kernel.h"
#include "steps.h"

enum : size_t { M1 = 1 << 20, M16 = 1 << 24, M32 = 1 << 25 };

static const step_case list[] = {
    {"add_v0", STEP(add_v0(p->in, p->work, p->out, n)), {1 << 12}},
    {"add_v1", STEP(add_v1(p->in, p->work, p->out, n)), {1 << 18, M1}},
    {"add_v2", STEP(add_v2(p->in, p->work, p->out, n, 256)), {M1, M32}},
    {"add_v2_odd_block", STEP(add_v2(p->in, p->work, p->out, n, 96)), {M1}},
    {"add_v3", STEP(add_v3(p->in, p->work, p->out, n)), {M1, M16}},
};
STEPS(add_steps, list)
