// How long a launch would take on the device's GPU: an estimate from what it asked for.

#ifndef SIMT_DURATION_H
#define SIMT_DURATION_H

#include "work.h"

// What can hold a launch up: each has a time, and the largest is the limiter.
#define BOUNDS(B)                                                                     \
    B(ISSUE, "issue") B(ALU, "alu") B(FMA, "fma") B(FP64, "fp64") B(XU, "xu")         \
    B(LSU, "lsu") B(TENSOR, "tensor") B(L1, "l1") B(L2, "l2") B(DRAM, "dram")         \
    B(ATOMICS, "atomics") B(LATENCY, "latency") B(BLOCKS, "blocks")
enum bound {
#define B(id, name) BOUND_##id,
    BOUNDS(B)
#undef B
    BOUNDS_COUNT
};

typedef struct modelled {
    double ns;                  // from the kernel's start to its end
    double bound[BOUNDS_COUNT]; // ns, each as if it were the only one
    enum bound limiter;
} modelled;

extern const char *const bound_names[BOUNDS_COUNT];

modelled time_of(const simt_gpu *gpu, const work *w);

#endif
