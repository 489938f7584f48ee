// The steps of the chapters and exercises as cases: the reference solutions' functions,
// which launch their kernels themselves.

#ifndef STEPS_H
#define STEPS_H

#include <cstddef>

struct pool { // device memory of MOST_WORDS words each; in: floats in [1, 2)
    float *in, *out, *work;
};

struct step_case {
    const char *name;
    int (*run)(const pool *p, size_t n); // a cudaError_t
    size_t n[4];                         // as in kernel_case
};

struct step_list {
    const step_case *cases;
    int count;
};

extern const step_list hello_steps, hello_exercise, add_steps, add_exercise, stride_steps,
    stride_exercise, reduction_steps, reduction_exercise;

#define STEPS(name, cases)                                                            \
    extern const step_list name;                                                      \
    const step_list name = {cases, (int)(sizeof cases / sizeof *cases)};

#define STEP(call) [](const pool *p, size_t n) -> int { (void)p; (void)n; return call; }

#endif
