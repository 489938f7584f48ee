// Chapter 1's steps that launch kernels.

#include "kernel.h"
#include "steps.h"

static const step_case list[] = {
    {"hello", STEP(hello((unsigned *)p->out, (int)(n / 128), 128)), {1 << 16}},
    {"ids_1d", STEP(ids_1d((int *)p->out, (int *)p->work, (int *)p->out + n, (int *)p->work + n, (int)(n / 256), 256)), {1 << 16}},
    {"ids_2d", STEP(ids_2d((int *)p->out, (int *)p->work, (int)(n / 2048), 8, 32, 8)), {1 << 16}},
    {"ids_3d", STEP(ids_3d((int *)p->out, (int *)p->work, (int)(n / 2048), 4, 2, 8, 8, 4)), {1 << 16}},
    {"positions", STEP(positions((int *)p->out, (int)(n / 2048), 8, 32, 8)), {1 << 16}},
};
STEPS(hello_steps, list)
