// Exercise 11: where is the greatest number?
//
// A candidate is a number of the array and its index. Of two candidates one beats the
// other, by these rules, in this order:
//
//     1. NaN beats every number, and NaN is not told from NaN;
//     2. the greater number beats the smaller one; -0 and +0 are equal;
//     3. where neither is greater, the lower index wins.
//
// So there is one winner in every array, in whatever order the candidates meet: the
// first NaN if there is one, else the first of the greatest. Its value is the array's,
// bit for bit (but any NaN will do for a NaN). Among no candidates, nothing wins: the
// value is -inf and the index is NOWHERE, which is more than any index, so that it
// loses to all others.
//
// All functions take device pointers and return a cudaError_t (0 = success). Arrays of
// floats are 4-byte aligned and no more than that. n may be 0.

#ifndef KERNEL_H
#define KERNEL_H

#include <stddef.h>

enum {
    BLOCK = 256,       // threads a block
    MAX_BLOCKS = 4096, // candidates that a caller makes room for
};

#define NOWHERE (~(size_t)0)

typedef struct candidate {
    float value;
    size_t index;
} candidate;

#ifdef __cplusplus
extern "C" {
#endif

// d_out[i] = the winner of d_a[i] and d_b[i], for i below n.
int duels(const candidate *d_a, const candidate *d_b, candidate *d_out, size_t n);

// d_partial[b] = the winner of block b's BLOCK elements, for ceil(n / BLOCK) blocks,
// with indices of the whole array. With n = 0 nothing is launched.
int argmax_block(const float *d_in, candidate *d_partial, size_t n);

// *d_out = the winner of the array, in two launches: at most MAX_BLOCKS blocks leave
// their winners in d_partial (MAX_BLOCKS candidates), one more block finds the winner
// of those.
int argmax_two_launches(const float *d_in, candidate *d_partial, candidate *d_out,
                        size_t n);

// The same in one launch: the last block to finish finds the winner of all. *d_ticket
// is 0 before and after, so the next call needs no preparation.
int argmax_once(const float *d_in, candidate *d_partial, unsigned *d_ticket,
                candidate *d_out, size_t n);

// The same with 16-byte loads for all but the up to three elements before the first
// 16-byte boundary and the up to three behind the last.
int argmax_wide(const float *d_in, candidate *d_partial, unsigned *d_ticket,
                candidate *d_out, size_t n);

#ifdef __cplusplus
}
#endif

#endif
