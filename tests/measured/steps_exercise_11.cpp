// The arg-max exercise.

#include "kernel.h"
#include "steps.h"

enum : size_t { M1 = 1 << 20, M32 = 1 << 25 };

#define WORK ((candidate *)p->work)
#define TICKET ((unsigned *)(WORK + MAX_BLOCKS))

static const step_case list[] = {
    {"duels", STEP(duels((const candidate *)p->in, (const candidate *)p->in + n, (candidate *)p->out, n)), {1 << 18, M1}},
    {"argmax_block", STEP(argmax_block(p->in, WORK, n)), {M1}},
    {"argmax_two_launches", STEP(argmax_two_launches(p->in, WORK, (candidate *)p->out, n)), {M1, M32}},
    {"argmax_once", STEP(argmax_once(p->in, WORK, TICKET, (candidate *)p->out, n)), {M1, M32}},
    {"argmax_wide", STEP(argmax_wide(p->in, WORK, TICKET, (candidate *)p->out, n)), {M1, M32}},
};
STEPS(reduction_exercise, list)
