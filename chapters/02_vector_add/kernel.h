// Chapter 2: adding two arrays, from one thread to all of them.
//
// d_ pointers are device pointers to n floats, 4-byte aligned and no more than that; h_
// pointers are host pointers. The int functions return a cudaError_t (0 = success). n
// may be 0. d_c may be d_a or d_b.

#ifndef KERNEL_H
#define KERNEL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// d_c[i] = d_a[i] + d_b[i]: by one thread; by one block of 256 threads; by a thread an
// element, in blocks of `block` threads (1 to 1024); by a thread for four elements, with
// 16-byte loads and stores where all three pointers allow it.
int add_v0(const float *d_a, const float *d_b, float *d_c, size_t n);
int add_v1(const float *d_a, const float *d_b, float *d_c, size_t n);
int add_v2(const float *d_a, const float *d_b, float *d_c, size_t n, int block);
int add_v3(const float *d_a, const float *d_b, float *d_c, size_t n);

// The whole way: host arrays in, host array out, device memory in between. Returns the
// first error that any call reports and leaves no device memory behind.
int add_host(const float *h_a, const float *h_b, float *h_c, size_t n);

// Bytes moved in a time, in GB/s (10^9 bytes a second); a time of 0 gives 0.
double gigabytes_per_second(size_t bytes_read, size_t bytes_written, double milliseconds);
// 1 if a device that moves at most `peak` GB/s could have moved so many bytes in that
// time, else 0: a figure above the peak is a mistake in the measuring.
double is_possible(size_t bytes, double milliseconds, double peak);

#ifdef __cplusplus
}
#endif

#endif
