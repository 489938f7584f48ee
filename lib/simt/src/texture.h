// A texture or surface instruction, decoded: where its operands lie.

#ifndef SIMT_TEXTURE_H
#define SIMT_TEXTURE_H

#include "exec.h"

typedef struct texture_op { // op.extra
    enum texture_shape shape;
    bool layered, whole;    // whole: integer coordinates
    int sides;              // coordinates without the layer
    uint32_t object, layer, at[3];
    uint32_t lod;           // operand; 0: none
    bool gradients;
    uint32_t dx[3], dy[3];
    int gather;             // tld4's channel, or -1
    bool floats;            // the result's type
    int results;            // 1, 2 or 4
    uint32_t result[4], resident; // registers; resident: a predicate, or 0
    // Surfaces.
    uint32_t bytes, width;  // of an element in memory, of its register
    int outside;            // 0 trap, 1 clamp, 2 zero
} texture_op;

#endif
