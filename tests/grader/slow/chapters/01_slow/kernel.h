// Kernels that are slow, each in one way: what the profile must say of them.
//
// All take n floats and return a cudaError_t.

#ifndef KERNEL_H
#define KERNEL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

int good_copy(const float *d_in, float *d_out, size_t n);
int strided_copy(const float *d_in, float *d_out, size_t n);
int shifted_copy(const float *d_in, float *d_out, size_t n);
int transpose(const float *d_in, float *d_out, size_t n);
int both_ways(const float *d_in, float *d_out, size_t n);
int hot_spot(const float *d_in, float *d_out, size_t n);
int local_array(const float *d_in, float *d_out, size_t n);
int remainders(const float *d_in, float *d_out, size_t n);
int doubles(const float *d_in, float *d_out, size_t n);
int big_blocks(const float *d_in, float *d_out, size_t n);
int one_block(const float *d_in, float *d_out, size_t n);
int last_wave(const float *d_in, float *d_out, size_t n);
int odd_blocks(const float *d_in, float *d_out, size_t n);
int many_barriers(const float *d_in, float *d_out, size_t n);
int many_launches(const float *d_in, float *d_out, size_t n);
int loads_again(const float *d_in, float *d_out, size_t n);
int few_lanes(const float *d_in, float *d_out, size_t n);

#ifdef __cplusplus
}
#endif

#endif
