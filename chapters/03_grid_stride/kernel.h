// Chapter 3: loops that a grid of any size can share.
//
// d_ pointers are device pointers, 4-byte aligned; h_ pointers are host pointers. All
// functions return a cudaError_t (0 = success). n may be 0, and larger or smaller than
// the number of threads.

#ifndef KERNEL_H
#define KERNEL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// d_y[i] = a * d_x[i] + d_y[i], rounded once, by `grid` blocks of `block` threads; the
// same bits for every grid and block.
int saxpy(size_t n, float a, const float *d_x, float *d_y, int grid, int block);

// How many elements each thread of that launch takes: d_count[t] for each of the
// grid * block threads.
int shares(size_t n, unsigned *d_count, int grid, int block);

// saxpy with blocks of 256 threads and a grid of its own choosing: enough blocks for n,
// but at most max_blocks, and none if there is nothing to do.
int saxpy_limited(size_t n, float a, const float *d_x, float *d_y, int max_blocks);

// Doubles h_values[0 ... n) by way of managed memory, with 32 blocks of 256 threads.
int double_managed(int *h_values, size_t n);

// Prints "i: sum" for i = 0 ... n - 1, one a line, where sum = d_x[0] + ... + d_x[i]: in
// order, from a kernel of one thread.
int trace_sums(const int *d_x, size_t n);

#ifdef __cplusplus
}
#endif

#endif
