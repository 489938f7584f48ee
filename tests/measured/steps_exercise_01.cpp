// Exercise 1's steps. Rows of 1000 elements, a pitch of 4096 bytes.

#include "kernel.h"
#include "steps.h"

static const step_case list[] = {
    {"fill2d", STEP(fill2d((unsigned *)p->out, 4096, 1000, (int)n)), {1 << 10}},
    {"fill3d", STEP(fill3d((unsigned *)p->out, 4096, 1000, (int)(n / 8), 8)), {1 << 10}},
    {"spread", STEP(spread((const unsigned *)p->in, (unsigned *)p->out, 4096, 1000, (int)(n / 8), 8)), {1 << 10}},
    {"tiles", STEP(tiles((unsigned *)p->out, 4096, 1000, (int)n)), {1 << 10}},
};
STEPS(hello_exercise, list)
