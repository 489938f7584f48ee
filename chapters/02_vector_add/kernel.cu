// Chapter 2: adding two arrays, from one thread to all of them.
//
//     a   0 1 2 3 4 5 6 7 8 9         block 0  block 1  block 2
//     b   0 1 2 3 4 5 6 7 8 9         0 1 2 3  4 5 6 7  8 9 - -
//     c   one element a thread                              these two have nothing to do
//
// The number of threads is a multiple of the block's size; the number of elements need
// not be. So a thread first asks whether its element exists.
//
//   make chapter2                 grade all steps
//   make chapter2 STEP=add_v2     one of them
//   make hint2                    one hint at a time

#include "kernel.h"

static __global__ void add_by_one(const float *a, const float *b, float *c, size_t n)
{
    // TODO(add_v0): a loop over all elements, as on a CPU. (2 lines)
    // END add_v0
}

int add_v0(const float *d_a, const float *d_b, float *d_c, size_t n)
{
    // TODO(add_v0): launch one block of one thread. (1 line)
    // END add_v0
    return cudaGetLastError();
}

static __global__ void add_by_block(const float *a, const float *b, float *c, size_t n)
{
    // TODO(add_v1): the same loop, shared by the block: thread t takes elements t,
    // t + blockDim.x, t + 2 blockDim.x, ... (2 lines)
    // END add_v1
}

int add_v1(const float *d_a, const float *d_b, float *d_c, size_t n)
{
    add_by_block<<<1, 256>>>(d_a, d_b, d_c, n);
    return cudaGetLastError();
}

static __global__ void add_by_all(const float *a, const float *b, float *c, size_t n)
{
    // TODO(add_v2): this thread's element is its number in the grid, if that is below
    // n. The number can pass 2^32: let the arithmetic be that of size_t. (3 lines)
    // END add_v2
}

int add_v2(const float *d_a, const float *d_b, float *d_c, size_t n, int block)
{
    if (n == 0)
        return cudaSuccess; // a grid of 0 blocks cannot be launched
    // TODO(add_v2): as many blocks as n elements need, and not one more: n / block,
    // rounded up. (2 lines)
    // END add_v2
    return cudaGetLastError();
}

static __global__ void add_by_fours(const float *a, const float *b, float *c, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    // TODO(add_v3): if a, b and c lie on 16-byte boundaries, thread i adds the i-th
    // float4 of each, as long as it lies below n / 4, and the threads after those take
    // the up to three elements that are left. If not, threads i < n / 4 add four elements
    // each, one at a time, and the rest as before. (17 lines)
    // END add_v3
}

int add_v3(const float *d_a, const float *d_b, float *d_c, size_t n)
{
    if (n == 0)
        return cudaSuccess;
    size_t threads = n / 4 + n % 4;
    add_by_fours<<<(unsigned)((threads + 255) / 256), 256>>>(d_a, d_b, d_c, n);
    return cudaGetLastError();
}

int add_host(const float *h_a, const float *h_b, float *h_c, size_t n)
{
    float *d_a = NULL, *d_b = NULL, *d_c = NULL;
    size_t bytes = n * sizeof(float);
    if (n == 0)
        return cudaSuccess;
    // TODO(add_host): allocate three device arrays, copy two in, add, copy one out, free
    // all three. As soon as one call fails the rest is skipped, but the freeing is not
    // (cudaFree(NULL) does nothing). Return the first error. (17 lines)
    (void)h_a, (void)h_b, (void)h_c, (void)d_a, (void)d_b, (void)d_c, (void)bytes;
    return cudaSuccess;
    // END add_host
}

double gigabytes_per_second(size_t bytes_read, size_t bytes_written, double milliseconds)
{
    // TODO(accounting): bytes over time. 10^9 bytes a second are 10^6 bytes a
    // millisecond. (1 line)
    return 0;
    // END accounting
}

double is_possible(size_t bytes, double milliseconds, double peak)
{
    // TODO(accounting): is the rate at most the peak? (1 line)
    return 0;
    // END accounting
}
