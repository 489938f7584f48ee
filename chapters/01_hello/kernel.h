// Chapter 1: a first kernel, its errors, and who a thread is.
//
// Pointers named d_ are device pointers, h_ are host pointers. Every function returns a
// cudaError_t as an int (0 = success).

#ifndef KERNEL_H
#define KERNEL_H

#include <stddef.h>

enum { GREETING = 0x60DA0000 }; // hello adds a thread's number to it

// What device 0 says of itself.
typedef struct device_facts {
    int multiprocessors;
    int warp_size;           // threads that execute together
    int threads_per_block;   // at most
    int shared_per_block;    // bytes, without asking for more
    int major, minor;        // compute capability
} device_facts;

#ifdef __cplusplus
extern "C" {
#endif

// Fills *h_facts.
int device_query(device_facts *h_facts);

// `blocks` blocks of `threads` threads; the thread with number i in the grid writes
// GREETING + i to d_out[i]. Returns the launch's error if there is one.
int hello(unsigned *d_out, int blocks, int threads);

// The same launch, both of its errors told apart: *h_at_launch is what the launch itself
// reports, *h_at_end what comes out when the kernel is waited for (0 if the launch
// failed already). Returns 0.
int checked_launch(unsigned *d_out, int blocks, int threads, int *h_at_launch, int *h_at_end);

// A grid of `grid` blocks of `block` threads. At its number in the grid each thread
// writes that number, its block's, its warp's (within the block) and its lane.
int ids_1d(int *d_thread, int *d_block, int *d_warp, int *d_lane, int grid, int block);

// Grids and blocks of two and three dimensions; grid[i] and block[i] are x, y (and z).
// Threads of a block are numbered with x fastest, then y, then z; so are blocks of a
// grid. A thread's number in the grid is its block's number times the threads of a
// block, plus its number in the block. At that number it writes its warp (within the
// block) and its lane.
int ids_2d(int *d_warp, int *d_lane, int grid_x, int grid_y, int block_x, int block_y);
int ids_3d(int *d_warp, int *d_lane, int grid_x, int grid_y, int grid_z, int block_x,
           int block_y, int block_z);

// The other numbering: the thread's place in the picture that the grid covers. With
// x = blockIdx.x * blockDim.x + threadIdx.x and the same for y, d_out[y * width + x] =
// the thread's number in the grid, where width is the threads of the grid along x.
int positions(int *d_out, int grid_x, int grid_y, int block_x, int block_y);

#ifdef __cplusplus
}
#endif

#endif
