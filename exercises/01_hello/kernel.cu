// Exercise 1: rows with a gap between them.
//
// Threads have two or three numbers, memory has one. With a gap behind each row the way
// from one to the other goes by bytes:
//
//     y = 0   0 1 2 3 4 . . .        w = 5, pitch = 32 bytes
//     y = 1   0 1 2 3 4 . . .        (3, 1) lies 1 * 32 + 3 * 4 bytes behind the start
//     y = 2   0 1 2 3 4              byte 60 is in the padding of row 1
//
//   make exercise1                 grade all steps
//   make exercise1 STEP=fill2d     one of them
//   make hint1 KIND=exercise       one hint at a time

#include "kernel.h"

static __global__ void fill2d_kernel(unsigned *out, size_t pitch, int w, int h)
{
    // TODO(fill2d): this thread's x and y; if the element exists, find its row (in
    // bytes, in size_t) and write 1000 * y + x. (4 lines)
    // END fill2d
}

int fill2d(unsigned *d_out, size_t pitch, int w, int h)
{
    // TODO(fill2d): blocks of 32 x 8 threads, as many as cover the picture, and none if
    // there is no picture. A grid is at most 65,535 blocks high. (3 lines)
    // END fill2d
    return cudaGetLastError();
}

static __global__ void fill3d_kernel(unsigned *out, size_t pitch, int w, int h, int d)
{
    // TODO(fill3d): the same with z: layer z begins z * h rows behind the start.
    // (7 lines)
    // END fill3d
}

int fill3d(unsigned *d_out, size_t pitch, int w, int h, int d)
{
    // TODO(fill3d): the launch. A block has at most 1024 threads and is at most 64
    // deep; a grid is at most 65,535 deep. (3 lines)
    // END fill3d
    return cudaGetLastError();
}

static __global__ void where_kernel(const size_t *offset, unsigned *out_x,
                                    unsigned *out_y, unsigned *out_z, size_t n,
                                    size_t pitch, int w, int h, int d)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    // TODO(where_is): the row is the quotient of the offset and the pitch, the place in
    // the row the remainder; then the same once more, with rows and layers. Offsets
    // pass 2^32. (5 lines)
    // END where_is
}

int where_is(const size_t *d_offset, unsigned *d_x, unsigned *d_y, unsigned *d_z,
             size_t n, size_t pitch, int w, int h, int d)
{
    unsigned blocks = (unsigned)((n + 255) / 256);
    if (n > 0)
        where_kernel<<<blocks, 256>>>(d_offset, d_x, d_y, d_z, n, pitch, w, h, d);
    return cudaGetLastError();
}

static __global__ void spread_kernel(const unsigned *dense, unsigned *out, size_t pitch,
                                     size_t w, size_t h, size_t d)
{
    // TODO(spread): number i in the dense array is element i % w of row i / w, and the
    // rows of all layers follow each other at the pitch. (4 lines)
    // END spread
}

int spread(const unsigned *d_dense, unsigned *d_out, size_t pitch, int w, int h, int d)
{
    size_t n = (size_t)w * h * d;
    unsigned blocks = (unsigned)((n + 255) / 256);
    if (n > 0)
        spread_kernel<<<blocks, 256>>>(d_dense, d_out, pitch, w, h, d);
    return cudaGetLastError();
}

static __global__ void tiles_kernel(unsigned *out, size_t pitch, int w, int h)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    // TODO(tiles): the tile's number, from the tiles of a row (rounded up), and the
    // number in the tile; write both, combined, at (x, y). (5 lines)
    // END tiles
}

int tiles(unsigned *d_out, size_t pitch, int w, int h)
{
    dim3 block(32, 8), grid((w + 31) / 32, (h + 7) / 8);
    if (w > 0 && h > 0)
        tiles_kernel<<<grid, block>>>(d_out, pitch, w, h);
    return cudaGetLastError();
}
