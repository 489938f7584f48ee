// Matrices in the registers of a warp, as mma and wmma have them.
//
// Everything is made of blocks of 8 rows by 4 words: lane 4 g + t holds word t of row g,
// and a word of w bits holds P = w / bits elements that are neighbours in the row. Of A
// (rows of k) and B (columns of k), register r is block r % (rows / 8), 4 P (r / (rows / 8))
// elements on. Of C and D, rows by columns, a block of 8 by 8 is two registers: lane
// 4 g + t holds elements 2 t and 2 t + 1 of row g; blocks go down the rows first. These
// are the fragments that PTX prescribes for mma; those of wmma are ours to choose. They are
// the same but for the order of k (decode_tile.c), and what PTX gives them beyond these
// registers repeats them.

#ifndef SIMT_TENSOR_H
#define SIMT_TENSOR_H

#include <stdbool.h>
#include <stdint.h>

#define TENSOR_TYPES(T)                                                               \
    T(F16, "f16", 16) T(BF16, "bf16", 16) T(TF32, "tf32", 32) T(F32, "f32", 32)       \
    T(F64, "f64", 64) T(S32, "s32", 32) T(S8, "s8", 8) T(U8, "u8", 8) T(S4, "s4", 4)  \
    T(U4, "u4", 4) T(B1, "b1", 1) T(E4M3, "e4m3", 8) T(E5M2, "e5m2", 8)
typedef enum tensor_type {
#define T(id, name, bits) TENSOR_##id,
    TENSOR_TYPES(T)
#undef T
    TENSOR_NONE
} tensor_type;

enum { TENSOR_REGISTERS = 16, TENSOR_SIDE = 32, TENSOR_WORDS = 64 };

typedef struct tensor { // D = A B + C
    int m, n, k;
    tensor_type a_type, b_type, c_type, d_type;
    bool saturate, by_and;  // by_and: b1 with .and.popc, else .xor.popc
    uint32_t a[TENSOR_REGISTERS], b[TENSOR_REGISTERS], c[TENSOR_REGISTERS], d[TENSOR_REGISTERS];
} tensor;

typedef struct tile { // where each lane's word of a matrix in memory lies
    uint32_t major[32], minor[32]; // address = base + ((major * stride + minor) << shift) / 8
    int shift; // log2 of an element's bits
} tile;

#endif
