// Chapter 11: summing an array.
//
// All functions take device pointers and return a cudaError_t (0 = success). n may be
// 0. Sums of unsigned numbers wrap modulo 2^32, so their order does not matter. Inputs
// are 4-byte aligned and no more than that, unless a function says otherwise.

#ifndef KERNEL_H
#define KERNEL_H

#include <stddef.h>

enum {
    BLOCK = 256,       // threads a block, where a function does not take them
    MAX_BLOCKS = 4096, // partial sums that a caller makes room for
};

#ifdef __cplusplus
extern "C" {
#endif

// One launch a level: each halves the array in global memory. d_work: n + 2 words of
// scratch. *d_out = the sum.
int reduce_levels(const unsigned *d_in, unsigned *d_work, unsigned *d_out, size_t n);

// One partial sum a block: d_partial[b] = the sum of block b's BLOCK elements, for
// ceil(n / BLOCK) blocks. With n = 0 nothing is launched.
int reduce_v0(const unsigned *d_in, unsigned *d_partial, size_t n);
int reduce_mask(const unsigned *d_in, unsigned *d_partial, size_t n);
int reduce_v1(const unsigned *d_in, unsigned *d_partial, size_t n);
int reduce_v2(const unsigned *d_in, unsigned *d_partial, size_t n);

// The same for 2 * BLOCK elements a block, ceil(n / (2 * BLOCK)) blocks.
int reduce_v3(const unsigned *d_in, unsigned *d_partial, size_t n);
int reduce_v4(const unsigned *d_in, unsigned *d_partial, size_t n);
// Blocks of `block` threads and 2 * block elements; block is 32, 64, ..., 1024, else
// cudaErrorInvalidValue.
int reduce_v5(const unsigned *d_in, unsigned *d_partial, size_t n, int block);
int reduce_v6(const unsigned *d_in, unsigned *d_partial, size_t n);
int reduce_groups(const unsigned *d_in, unsigned *d_partial, size_t n);

// *d_out = the sum, in two launches: at most MAX_BLOCKS blocks leave partial sums in
// d_partial (MAX_BLOCKS words), one more block adds them up.
int reduce_stride(const unsigned *d_in, unsigned *d_partial, unsigned *d_out, size_t n);
int reduce_v7(const unsigned *d_in, unsigned *d_partial, unsigned *d_out, size_t n);
int reduce_unrolled(const unsigned *d_in, unsigned *d_partial, unsigned *d_out, size_t n);

// *d_out = the sum, by atomics: one for each thread, one for each block.
int reduce_every_thread(const unsigned *d_in, unsigned *d_out, size_t n);
int reduce_atomic(const unsigned *d_in, unsigned *d_out, size_t n);

// *d_out = the sum, in one launch: the last block to finish adds the partial sums.
// *d_ticket is 0 before and after, so the next call needs no preparation.
int reduce_v8(const unsigned *d_in, unsigned *d_partial, unsigned *d_ticket,
              unsigned *d_out, size_t n);

// The same for floats, with `blocks` blocks (1 to MAX_BLOCKS): the same bits for every
// number of blocks. d_in is 16-byte aligned.
int reduce_v9(const float *d_in, float *d_partial, unsigned *d_ticket, float *d_out,
              size_t n, int blocks);

#ifdef __cplusplus
}
#endif

#endif
