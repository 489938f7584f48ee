// Exercise 2: a colour picture in grey.
//
//     R G B R G B R G B . . .         w = 3, in_pitch = 12
//     R G B R G B R G B . . .
//     g g g . . . . .                 out_pitch = 8
//     g g g
//
// One thread a pixel, in blocks of two dimensions. The picture's edges are seldom the
// blocks' edges, and the rows of the two pictures are not equally long.
//
//   make exercise2                   grade all steps
//   make exercise2 STEP=grey_rgb     one of them
//   make hint2 KIND=exercise         one hint at a time

#include "kernel.h"

typedef unsigned char byte;

static __device__ byte grey(unsigned red, unsigned green, unsigned blue)
{
    // TODO(grey_rgb): the formula of kernel.h. (1 line)
    return 0;
    // END grey_rgb
}

static __global__ void rgb_kernel(const byte *in, size_t in_pitch, byte *out,
                                  size_t out_pitch, int w, int h)
{
    // TODO(grey_rgb): this thread's pixel, if it exists: three bytes of row y of the
    // one, one byte of row y of the other. (6 lines)
    // END grey_rgb
}

int grey_rgb(const byte *d_in, size_t in_pitch, byte *d_out, size_t out_pitch, int w,
             int h)
{
    // TODO(grey_rgb): blocks of 32 x 8, enough for the whole picture. (3 lines)
    // END grey_rgb
    return cudaGetLastError();
}

static __global__ void rgba_kernel(const byte *in, size_t in_pitch, byte *out,
                                   size_t out_pitch, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    // TODO(grey_rgba): load the pixel as one uchar4. (2 lines)
    // END grey_rgba
}

int grey_rgba(const byte *d_in, size_t in_pitch, byte *d_out, size_t out_pitch, int w,
              int h)
{
    dim3 block(32, 8), grid((w + 31) / 32, (h + 7) / 8);
    if (w > 0 && h > 0)
        rgba_kernel<<<grid, block>>>(d_in, in_pitch, d_out, out_pitch, w, h);
    return cudaGetLastError();
}

static __global__ void planar_kernel(const byte *red, const byte *green,
                                     const byte *blue, size_t in_pitch, byte *out,
                                     size_t out_pitch, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    // TODO(grey_planar): the same place in three pictures. (2 lines)
    // END grey_planar
}

int grey_planar(const byte *d_red, const byte *d_green, const byte *d_blue,
                size_t in_pitch, byte *d_out, size_t out_pitch, int w, int h)
{
    dim3 block(32, 8), grid((w + 31) / 32, (h + 7) / 8);
    if (w > 0 && h > 0)
        planar_kernel<<<grid, block>>>(d_red, d_green, d_blue, in_pitch, d_out,
                                       out_pitch, w, h);
    return cudaGetLastError();
}

static __global__ void fours_kernel(const byte *red, const byte *green,
                                    const byte *blue, size_t in_pitch, byte *out,
                                    size_t out_pitch, int w, int h)
{
    int x = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    // TODO(grey_fours): pixels x to x + 3 of row y. If all four exist and everything is
    // a multiple of 4: three uchar4 loads and one uchar4 store. Else those that exist,
    // one at a time. (12 lines)
    // END grey_fours
}

int grey_fours(const byte *d_red, const byte *d_green, const byte *d_blue,
               size_t in_pitch, byte *d_out, size_t out_pitch, int w, int h)
{
    // TODO(grey_fours): a thread for every four pixels of a row, rounded up. (4 lines)
    // END grey_fours
    return cudaGetLastError();
}

int grey_host(const byte *h_in, size_t in_pitch, byte *h_out, size_t out_pitch, int w,
              int h)
{
    byte *d_in = NULL, *d_out = NULL;
    size_t d_in_pitch = 0, d_out_pitch = 0;
    if (w == 0 || h == 0)
        return cudaSuccess;
    // TODO(grey_host): two pitched allocations, whose pitches the device chooses; copy
    // in row by row with one cudaMemcpy2D; grey_rgb; copy out; free both, whatever
    // happened. The widths that these calls take are bytes. (14 lines)
    (void)h_in, (void)in_pitch, (void)h_out, (void)out_pitch;
    (void)d_in, (void)d_out, (void)d_in_pitch, (void)d_out_pitch;
    return cudaSuccess;
    // END grey_host
}
