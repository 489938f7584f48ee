// Exercise 3's steps.

#include "kernel.h"
#include "steps.h"

enum : size_t { M1 = 1 << 20, M4 = 1 << 22, M32 = 1 << 25 };

static const step_case list[] = {
    {"places", STEP(places(n, -3, (long long *)p->out, 528, 256)), {M1}},
    {"strided_copy", STEP(strided_copy(n, p->in, 3, p->out, 2, 528, 256)), {M1, M4}},
    {"strided_copy_back", STEP(strided_copy(n, p->in, -1, p->out, 1, 528, 256)), {M1}},
    {"axpby", STEP(axpby(n, 2, p->in, 1, 3, p->out, 1, 528, 256)), {M1, M32}},
    {"axpby_apart", STEP(axpby(n, 2, p->in, 5, 3, p->out, -3, 528, 256)), {M1, M4}},
    {"sectors_step", STEP(sectors(n, 3, 1, (unsigned *)p->out, 528, 256)), {M1}},
};
STEPS(stride_exercise, list)
