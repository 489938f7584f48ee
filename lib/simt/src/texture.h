// Textures and surfaces: one lane's request (texture.c) and the decoded instruction.

#ifndef SIMT_TEXTURE_H
#define SIMT_TEXTURE_H

#include "exec.h"

// What a texture unit does with one lane's request.
enum texture_shape { SHAPE_1D, SHAPE_2D, SHAPE_3D, SHAPE_CUBE };
typedef struct texture_read {
    enum texture_shape shape;
    bool layered, whole;  // whole: coordinates are integers
    float at[3];
    int32_t at_whole[3];
    uint32_t layer;
    float lod;
    int gather;           // tld4: which channel, or -1
} texture_read;
typedef struct texels { // that one request touched, and what came of them
    uint64_t address[16];
    int count;
    uint32_t bytes;       // of each
    float f[4];
    uint32_t u[4];        // integer formats
} texels;
const simt_texture *texture_at(const simt_device *device, uint64_t object);
// False: a texel lies outside every allocation; its address is the last one.
bool texture_sample(warp *w, const op *o, const simt_texture *t, const texture_read *r,
                    texels *x);
float texture_lod(const simt_texture *t, const texture_read *r, const float *dx,
                  const float *dy);
int texture_channels(const simt_texture *t, uint32_t *bytes); // and of a texel

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
