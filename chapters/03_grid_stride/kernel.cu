// Chapter 3: loops that a grid of any size can share.
//
// A thread need not stop after one element. If it goes on in steps of the whole grid, any
// number of threads covers any number of elements:
//
//     grid of 2 blocks of 4:   thread   0 1 2 3   4 5 6 7
//     n = 19                   takes    0 1 2 3   4 5 6 7
//                                       8 9 10 11 12 13 14 15
//                                       16 17 18
//
//   make chapter3                 grade all steps
//   make chapter3 STEP=saxpy      one of them
//   make hint3                    one hint at a time

#include "kernel.h"

#include <stdio.h>

static __global__ void saxpy_kernel(size_t n, float a, const float *x, float *y)
{
    // TODO(saxpy): start at this thread's number in the grid, go on in steps of the
    // number of threads in the grid, in size_t. (4 lines)
    // END saxpy
}

int saxpy(size_t n, float a, const float *d_x, float *d_y, int grid, int block)
{
    saxpy_kernel<<<grid, block>>>(n, a, d_x, d_y);
    return cudaGetLastError();
}

static __global__ void count_kernel(size_t n, unsigned *count)
{
    // TODO(shares): run the same loop, counting its turns; write the count at this
    // thread's number. (6 lines)
    // END shares
}

int shares(size_t n, unsigned *d_count, int grid, int block)
{
    count_kernel<<<grid, block>>>(n, d_count);
    return cudaGetLastError();
}

int saxpy_limited(size_t n, float a, const float *d_x, float *d_y, int max_blocks)
{
    // TODO(saxpy_limited): ceil(n / 256) blocks, at most max_blocks; nothing to do, no
    // launch. (5 lines)
    // END saxpy_limited
    return cudaGetLastError();
}

static __global__ void double_kernel(int *values, size_t n)
{
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        values[i] *= 2;
}

int double_managed(int *h_values, size_t n)
{
    if (n == 0)
        return cudaSuccess;
    // TODO(double_managed): allocate n ints with cudaMallocManaged, fill them from
    // h_values, launch double_kernel, wait for it, read the results, free. Host and
    // device see the same memory, but the host must not look before the kernel is done.
    // (15 lines)
    (void)h_values;
    return cudaSuccess;
    // END double_managed
}

static __global__ void trace_kernel(const int *x, size_t n)
{
    // TODO(trace_sums): a grid-stride loop that prints each i (as %d) and the sum so far.
    // With one thread it is an ordinary loop, and its output is in order. (6 lines)
    // END trace_sums
}

int trace_sums(const int *d_x, size_t n)
{
    // TODO(trace_sums): launch it as one block of one thread, and wait: what a kernel
    // prints appears when the host waits for it. (2 lines)
    return cudaSuccess;
    // END trace_sums
}
