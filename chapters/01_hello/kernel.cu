// Chapter 1: a first kernel, its errors, and who a thread is.
//
// A launch names a grid of blocks; each block has the same number of threads; each
// thread runs the kernel and finds out who it is from four variables.
//
//     kernel<<<3, 4>>>     block 0    block 1    block 2     blockIdx.x
//                          0 1 2 3    0 1 2 3    0 1 2 3     threadIdx.x
//                          0 1 2 3    4 5 6 7    8 9 . .     number in the grid
//
// Edit the parts marked TODO; leave the marks where they are.
//
//   make chapter1                 grade all steps
//   make chapter1 STEP=hello      one of them
//   make hint1                    one hint at a time

#include "kernel.h"

int device_query(device_facts *h_facts)
{
    // TODO(device_query): ask for the properties of device 0 with
    // cudaGetDeviceProperties and copy six of them to *h_facts; return its error. (10
    // lines)
    return cudaSuccess;
    // END device_query
}

static __global__ void greet(unsigned *out)
{
    // TODO(hello): work out this thread's number in the grid from blockIdx.x,
    // blockDim.x and threadIdx.x, and write GREETING plus that number. (2 lines)
    // END hello
}

int hello(unsigned *d_out, int blocks, int threads)
{
    // TODO(hello): launch greet with so many blocks and threads, and return what
    // cudaGetLastError() says of the launch. (2 lines)
    return cudaSuccess;
    // END hello
}

int checked_launch(unsigned *d_out, int blocks, int threads, int *h_at_launch, int *h_at_end)
{
    // TODO(checked_launch): launch greet. A launch that cannot be made is reported at
    // once, by cudaGetLastError(). What goes wrong inside the kernel comes out at the
    // next wait, from cudaDeviceSynchronize(). (5 lines)
    return cudaSuccess;
    // END checked_launch
}

static __global__ void who_1d(int *thread, int *block, int *warp, int *lane)
{
    // TODO(ids_1d): the thread's number in the grid, its block, and its warp and lane,
    // which are the quotient and the remainder of threadIdx.x and warpSize. (5 lines)
    // END ids_1d
}

int ids_1d(int *d_thread, int *d_block, int *d_warp, int *d_lane, int grid, int block)
{
    who_1d<<<grid, block>>>(d_thread, d_block, d_warp, d_lane);
    return cudaGetLastError();
}

static __global__ void who_2d(int *warp, int *lane)
{
    // TODO(ids_2d): number the thread within its block, x fastest; number the block
    // within the grid, x fastest; put the two together. Warps are cut from the numbers
    // within the block. (5 lines)
    // END ids_2d
}

int ids_2d(int *d_warp, int *d_lane, int grid_x, int grid_y, int block_x, int block_y)
{
    who_2d<<<dim3(grid_x, grid_y), dim3(block_x, block_y)>>>(d_warp, d_lane);
    return cudaGetLastError();
}

static __global__ void who_3d(int *warp, int *lane)
{
    // TODO(ids_3d): the same with three dimensions. (7 lines)
    // END ids_3d
}

int ids_3d(int *d_warp, int *d_lane, int grid_x, int grid_y, int grid_z, int block_x,
           int block_y, int block_z)
{
    // TODO(ids_3d): launch who_3d; dim3(x, y, z) makes a size of three. (2 lines)
    // END ids_3d
    return cudaGetLastError();
}

static __global__ void place(int *out)
{
    // TODO(positions): the thread's x and y in the picture, its number in the grid as in
    // ids_2d, and the width of the picture in threads. (6 lines)
    // END positions
}

int positions(int *d_out, int grid_x, int grid_y, int block_x, int block_y)
{
    place<<<dim3(grid_x, grid_y), dim3(block_x, block_y)>>>(d_out);
    return cudaGetLastError();
}
