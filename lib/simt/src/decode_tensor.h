// What the decoders of tensor instructions share.

#ifndef SIMT_DECODE_TENSOR_H
#define SIMT_DECODE_TENSOR_H

#include "decode.h"
#include "tensor.h"

// The modifiers that are tensor types, in order, and the shape.
typedef struct spelling {
    tensor_type type[4];
    int types;
    int m, n, k; // 0: no shape
} spelling;
spelling tensor_spell(decoder *d);

// The registers of operand i, at most TENSOR_REGISTERS; how many.
int tensor_registers(decoder *d, int i, bool results, int bytes, uint32_t *to);
void *tensor_keep(decoder *d, const void *what, size_t bytes); // in the module's memory

int tensor_bits(tensor_type t);
int tensor_word_bytes(tensor_type t);
// Does PTX have m, n, k for this type of A?
bool tensor_has_shape(const tensor *t, bool wmma);
// How many registers hold A or B with `rows` of k, here and in PTX; and C or D.
int tensor_fragment(tensor_type t, int rows, int k);
int tensor_fragment_ptx(tensor_type t, int rows, int k, bool wmma);
int tensor_accumulators(tensor_type t, int m, int n);
void tensor_multiply(decoder *d, bool wmma);

#endif
