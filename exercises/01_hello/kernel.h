// Exercise 1: rows with a gap between them.
//
// A pitched picture: rows of w unsigned numbers, each row beginning `pitch` bytes after
// the one before it. A pitched box is d layers of h such rows, layer after layer, so
// that element (x, y, z) lies
//
//     (z * h + y) * pitch + 4 * x
//
// bytes behind the start. pitch is a multiple of 4 and at least 4 * w. What lies
// between the end of a row and the next row is padding, and belongs to somebody else;
// behind the last row there is none.
//
// d_ pointers are device pointers. All functions return a cudaError_t (0 = success). w,
// h, d and n may be 0 (but in where_is only n): then nothing is launched. w, h and d
// are at most 100,000.

#ifndef KERNEL_H
#define KERNEL_H

#include <stddef.h>

enum {
    TILE_W = 8, // a tile is as wide as this
    TILE_H = 4, // and as high as this: 32 elements, one warp
};

#define NOWHERE 0xffffffffu

#ifdef __cplusplus
extern "C" {
#endif

// Element (x, y) = 1000 * y + x, by a thread an element.
int fill2d(unsigned *d_out, size_t pitch, int w, int h);

// Element (x, y, z) = 1000000 * z + 1000 * y + x, modulo 2^32, by a thread an element.
int fill3d(unsigned *d_out, size_t pitch, int w, int h, int d);

// The way back. Byte d_offset[i] of a box belongs to element (d_x[i], d_y[i], d_z[i]);
// if it lies in the padding or behind the box, all three are NOWHERE. For i below n.
int where_is(const size_t *d_offset, unsigned *d_x, unsigned *d_y, unsigned *d_z,
             size_t n, size_t pitch, int w, int h, int d);

// d_dense holds w * h * d numbers, x fastest, then y, then z, without gaps. Each goes
// to its place in the pitched box d_out, by a thread a number.
int spread(const unsigned *d_dense, unsigned *d_out, size_t pitch, int w, int h, int d);

// Cut the picture into tiles of TILE_W x TILE_H, the first at (0, 0). Tiles are
// numbered row by row from 0; so are the TILE_W * TILE_H elements of a tile. A tile
// that reaches over the picture's edge keeps all its numbers, though only some of them
// are used. Element (x, y) = TILE_W * TILE_H * its tile's number + its number in the
// tile.
int tiles(unsigned *d_out, size_t pitch, int w, int h);

#ifdef __cplusplus
}
#endif

#endif
