// Chapter 3's steps.

#include "kernel.h"
#include "steps.h"

enum : size_t { M1 = 1 << 20, M32 = 1 << 25 };

static const step_case list[] = {
    {"saxpy_step", STEP(saxpy(n, 2, p->in, p->out, 528, 256)), {M1, M32}},
    {"saxpy_few", STEP(saxpy(n, 2, p->in, p->out, 16, 128)), {M1}},
    {"shares", STEP(shares(n, (unsigned *)p->out, 528, 256)), {M1}},
    {"saxpy_limited", STEP(saxpy_limited(n, 2, p->in, p->out, 1056)), {M1, M32}},
};
STEPS(stride_steps, list)
