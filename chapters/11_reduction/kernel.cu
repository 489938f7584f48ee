// Chapter 11: summing an array, from one idea a step to the speed of memory.
//
// A block adds up its elements in a tree: each round halves the number of sums.
//
//     8 values   a b c d e f g h
//     round 1    a+b  c+d  e+f  g+h
//     round 2    a+b+c+d   e+f+g+h
//     round 3    the sum
//
// Every step below computes the same sums; what changes is who adds what, and when.
//
//   make chapter11                    grade all steps
//   make chapter11 STEP=reduce_v0     one of them
//   make hint11                       one hint at a time

#include "kernel.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

static __host__ __device__ unsigned ceil_div(size_t n, size_t by)
{
    return (unsigned)((n + by - 1) / by);
}

// ---- In global memory ---------------------------------------------------------------

// out[i] = in[i] + in[i + half]; the middle one of an odd m has no partner.
static __global__ void level(const unsigned *in, unsigned *out, size_t m, size_t half)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    // TODO(reduce_levels): add the upper half of the m elements onto the lower half,
    // for every i below half. (2 lines)
    // END reduce_levels
}

int reduce_levels(const unsigned *d_in, unsigned *d_work, unsigned *d_out, size_t n)
{
    if (n == 0)
        return cudaMemsetAsync(d_out, 0, sizeof *d_out);
    // TODO(reduce_levels): launch one level after the other until one element is left,
    // from d_in to d_work, then to and fro between the two halves of d_work (a level
    // must not read what it writes); copy the last element to d_out. (10 lines)
    // END reduce_levels
    return cudaGetLastError();
}

// ---- Trees in shared memory ---------------------------------------------------------

// Even positions first: thread t works when t is a multiple of 2 * stride.
static __global__ void tree_modulo(const unsigned *in, unsigned *partial, size_t n)
{
    __shared__ unsigned sum[BLOCK];
    unsigned t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * blockDim.x + t;
    // TODO(reduce_v0): put this thread's element in sum[t], 0 from n on, and wait for
    // the others. Then for stride = 1, 2, 4, ... below blockDim.x: threads whose t is a
    // multiple of 2 * stride add sum[t + stride] to sum[t]; all wait. Thread 0 writes
    // the block's sum. (9 lines)
    // END reduce_v0
}

int reduce_v0(const unsigned *d_in, unsigned *d_partial, size_t n)
{
    if (n > 0)
        tree_modulo<<<ceil_div(n, BLOCK), BLOCK>>>(d_in, d_partial, n);
    return cudaGetLastError();
}

static __global__ void tree_mask(const unsigned *in, unsigned *partial, size_t n)
{
    __shared__ unsigned sum[BLOCK];
    unsigned t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * blockDim.x + t;
    // TODO(reduce_mask): the same tree, but find the multiples of 2 * stride without
    // dividing: its bits below that are zero. (9 lines)
    // END reduce_mask
}

int reduce_mask(const unsigned *d_in, unsigned *d_partial, size_t n)
{
    if (n > 0)
        tree_mask<<<ceil_div(n, BLOCK), BLOCK>>>(d_in, d_partial, n);
    return cudaGetLastError();
}

static __global__ void tree_strided(const unsigned *in, unsigned *partial, size_t n)
{
    __shared__ unsigned sum[BLOCK];
    unsigned t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * blockDim.x + t;
    // TODO(reduce_v1): the same pairs, but packed: thread t takes the t-th pair, at
    // position 2 * stride * t, as long as that lies in the block. (10 lines)
    // END reduce_v1
}

int reduce_v1(const unsigned *d_in, unsigned *d_partial, size_t n)
{
    if (n > 0)
        tree_strided<<<ceil_div(n, BLOCK), BLOCK>>>(d_in, d_partial, n);
    return cudaGetLastError();
}

static __global__ void tree_sequential(const unsigned *in, unsigned *partial, size_t n)
{
    __shared__ unsigned sum[BLOCK];
    unsigned t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * blockDim.x + t;
    // TODO(reduce_v2): other pairs: in each round the first stride threads add the
    // upper half, sum[t + stride], onto the lower one; stride = half the block first,
    // then half of that. (9 lines)
    // END reduce_v2
}

int reduce_v2(const unsigned *d_in, unsigned *d_partial, size_t n)
{
    if (n > 0)
        tree_sequential<<<ceil_div(n, BLOCK), BLOCK>>>(d_in, d_partial, n);
    return cudaGetLastError();
}

static __global__ void add_on_load(const unsigned *in, unsigned *partial, size_t n)
{
    __shared__ unsigned sum[BLOCK];
    unsigned t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * (2 * blockDim.x) + t;
    // TODO(reduce_v3): start with two elements a thread, i and i + blockDim.x, each
    // only below n; then the tree of reduce_v2. (10 lines)
    // END reduce_v3
}

int reduce_v3(const unsigned *d_in, unsigned *d_partial, size_t n)
{
    if (n > 0)
        add_on_load<<<ceil_div(n, 2 * BLOCK), BLOCK>>>(d_in, d_partial, n);
    return cudaGetLastError();
}

// One warp adds sum[0] ... sum[63]. Each lane reads, all lanes have read, each writes,
// all have written: __syncwarp() is what makes that so.
static __device__ void last_warp(volatile unsigned *sum, unsigned t)
{
    // TODO(reduce_v4): for stride = 32, 16, ..., 1: add sum[t] and sum[t + stride],
    // __syncwarp(), store the result in sum[t], __syncwarp(). (6 lines)
    // END reduce_v4
}

static __global__ void tree_last_warp(const unsigned *in, unsigned *partial, size_t n)
{
    __shared__ unsigned sum[BLOCK];
    unsigned t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * (2 * blockDim.x) + t;
    // TODO(reduce_v4): as reduce_v3, but stop the rounds of the block at stride 64; the
    // first warp does the rest with last_warp(). (12 lines)
    // END reduce_v4
}

int reduce_v4(const unsigned *d_in, unsigned *d_partial, size_t n)
{
    if (n > 0)
        tree_last_warp<<<ceil_div(n, 2 * BLOCK), BLOCK>>>(d_in, d_partial, n);
    return cudaGetLastError();
}

// The block size is known to the compiler, so no loop is left.
template <unsigned THREADS>
static __global__ void tree_unrolled(const unsigned *in, unsigned *partial, size_t n)
{
    __shared__ unsigned sum[THREADS < 64 ? 64 : THREADS];
    unsigned t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * (2 * THREADS) + t;
    // TODO(reduce_v5): write the rounds out, one `if (THREADS >= ...)` each for 1024,
    // 512, 256 and 128 threads, with a barrier in each; the first warp does the rest.
    // With 32 threads the upper half of its 64 sums must be 0. (20 lines)
    // END reduce_v5
}

int reduce_v5(const unsigned *d_in, unsigned *d_partial, size_t n, int block)
{
    if (block < 32 || block > 1024 || (block & (block - 1)) != 0)
        return cudaErrorInvalidValue;
    if (n == 0)
        return cudaSuccess;
    unsigned grid = ceil_div(n, 2 * (size_t)block);
    // TODO(reduce_v5): one case for each block size. (8 lines)
    // END reduce_v5
    return cudaGetLastError();
}

// ---- Registers instead of shared memory ---------------------------------------------

// The sum over the 32 lanes of a warp, in lane 0. All lanes must call it.
static __device__ unsigned warp_sum(unsigned x)
{
    // TODO(reduce_v6): for offset = 16, 8, 4, 2, 1: add what the lane `offset` further
    // up holds, with __shfl_down_sync and a full mask. (3 lines)
    return x;
    // END reduce_v6
}

// The sum over a block of up to 1024 threads, in thread 0: each warp's sum goes through
// one word of shared memory.
static __device__ unsigned block_sum(unsigned x)
{
    // TODO(reduce_v6): sum this warp, let its lane 0 put the sum in a shared array of 32
    // words, wait, and let the first warp sum those of the warps there are. (9 lines)
    return x;
    // END reduce_v6
}

static __global__ void shuffled(const unsigned *in, unsigned *partial, size_t n)
{
    size_t i = (size_t)blockIdx.x * (2 * blockDim.x) + threadIdx.x;
    unsigned x = (i < n ? in[i] : 0) + (i + blockDim.x < n ? in[i + blockDim.x] : 0);
    // TODO(reduce_v6): sum x over the block; thread 0 writes the result. (3 lines)
    // END reduce_v6
}

int reduce_v6(const unsigned *d_in, unsigned *d_partial, size_t n)
{
    if (n > 0)
        shuffled<<<ceil_div(n, 2 * BLOCK), BLOCK>>>(d_in, d_partial, n);
    return cudaGetLastError();
}

// The sum over any group of threads that can shuffle, in its thread 0.
template <typename Group> static __device__ unsigned group_sum(Group group, unsigned x)
{
    // TODO(reduce_groups): as warp_sum, with group.size() and group.shfl_down. (3 lines)
    return x;
    // END reduce_groups
}

static __global__ void grouped(const unsigned *in, unsigned *partial, size_t n)
{
    __shared__ unsigned of_warp[32];
    size_t i = (size_t)blockIdx.x * (2 * blockDim.x) + threadIdx.x;
    unsigned x = (i < n ? in[i] : 0) + (i + blockDim.x < n ? in[i + blockDim.x] : 0);
    // TODO(reduce_groups): the block as a group, its tiles of 32 as groups, and what
    // block_sum does, said with them: group_sum, thread_rank, sync. (10 lines)
    // END reduce_groups
}

int reduce_groups(const unsigned *d_in, unsigned *d_partial, size_t n)
{
    if (n > 0)
        grouped<<<ceil_div(n, 2 * BLOCK), BLOCK>>>(d_in, d_partial, n);
    return cudaGetLastError();
}

// ---- As many blocks as fit ----------------------------------------------------------

// How many blocks of this kernel the device can hold at once, but no more than are
// needed when each thread takes `each` elements or more, and no more than MAX_BLOCKS.
static int resident_blocks(const void *kernel, size_t n, size_t each, unsigned *blocks)
{
    int device, sms, per_sm;
    int error = cudaGetDevice(&device);
    if (!error)
        error = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    if (!error)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kernel, BLOCK, 0);
    if (error)
        return error;
    size_t most = (size_t)sms * per_sm, needed = (n + BLOCK * each - 1) / (BLOCK * each);
    most = needed < most ? needed : most;
    *blocks = most < 1 ? 1 : most > MAX_BLOCKS ? MAX_BLOCKS : (unsigned)most;
    return cudaSuccess;
}

static __global__ void sum_stride(const unsigned *in, unsigned *out, size_t n)
{
    unsigned x = 0;
    // TODO(reduce_stride): let the whole grid walk over the array: this thread adds
    // elements id, id + threads of the grid, ... below n. (4 lines)
    // END reduce_stride
    x = block_sum(x);
    if (threadIdx.x == 0)
        out[blockIdx.x] = x;
}

int reduce_stride(const unsigned *d_in, unsigned *d_partial, unsigned *d_out, size_t n)
{
    unsigned blocks;
    int error = resident_blocks((const void *)sum_stride, n, 1, &blocks);
    if (error)
        return error;
    // TODO(reduce_stride): sum d_in into d_partial with `blocks` blocks, then d_partial
    // into d_out with one. (2 lines)
    // END reduce_stride
    return cudaGetLastError();
}

// Elements before the first 16-byte boundary, at most n.
static __device__ size_t head_of(const void *in, size_t n)
{
    size_t head = (16 - (size_t)in % 16) % 16 / sizeof(unsigned);
    return head < n ? head : n;
}

static __device__ unsigned sum4(uint4 v)
{
    return v.x + v.y + v.z + v.w;
}

static __global__ void sum_vectors(const unsigned *in, unsigned *out, size_t n)
{
    size_t id = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t step = (size_t)gridDim.x * blockDim.x;
    unsigned x = 0;
    // TODO(reduce_v7): as sum_stride, but 16 bytes a load. The elements before the first
    // 16-byte boundary (head_of) and those behind the last whole vector are added one by
    // one, by the grid's first threads. (9 lines)
    // END reduce_v7
    x = block_sum(x);
    if (threadIdx.x == 0)
        out[blockIdx.x] = x;
}

int reduce_v7(const unsigned *d_in, unsigned *d_partial, unsigned *d_out, size_t n)
{
    unsigned blocks;
    int error = resident_blocks((const void *)sum_vectors, n, 4, &blocks);
    if (error)
        return error;
    sum_vectors<<<blocks, BLOCK>>>(d_in, d_partial, n);
    sum_vectors<<<1, BLOCK>>>(d_partial, d_out, blocks);
    return cudaGetLastError();
}

// What one thread adds of in[0 ... n): several vectors are on their way at once.
static __device__ unsigned thread_sum(const unsigned *in, size_t n)
{
    size_t id = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t step = (size_t)gridDim.x * blockDim.x;
    unsigned x = 0;
    // TODO(reduce_unrolled): as in sum_vectors, but while there is room for it load four
    // vectors, i, i + step, i + 2 step and i + 3 step, before adding any. (17 lines)
    // END reduce_unrolled
    return x;
}

static __global__ void sum_unrolled(const unsigned *in, unsigned *out, size_t n)
{
    unsigned x = block_sum(thread_sum(in, n));
    if (threadIdx.x == 0)
        out[blockIdx.x] = x;
}

int reduce_unrolled(const unsigned *d_in, unsigned *d_partial, unsigned *d_out, size_t n)
{
    unsigned blocks;
    int error = resident_blocks((const void *)sum_unrolled, n, 16, &blocks);
    if (error)
        return error;
    sum_unrolled<<<blocks, BLOCK>>>(d_in, d_partial, n);
    sum_unrolled<<<1, BLOCK>>>(d_partial, d_out, blocks);
    return cudaGetLastError();
}

// ---- One launch ---------------------------------------------------------------------

static __global__ void add_every_thread(const unsigned *in, unsigned *out, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    // TODO(reduce_every_thread): add this thread's element to *out with atomicAdd.
    // (2 lines)
    // END reduce_every_thread
}

int reduce_every_thread(const unsigned *d_in, unsigned *d_out, size_t n)
{
    int error = cudaMemsetAsync(d_out, 0, sizeof *d_out);
    if (error)
        return error;
    if (n > 0)
        add_every_thread<<<ceil_div(n, BLOCK), BLOCK>>>(d_in, d_out, n);
    return cudaGetLastError();
}

static __global__ void add_every_block(const unsigned *in, unsigned *out, size_t n)
{
    // TODO(reduce_atomic): sum thread_sum(in, n) over the block; one atomicAdd a block
    // does the rest. (3 lines)
    // END reduce_atomic
}

int reduce_atomic(const unsigned *d_in, unsigned *d_out, size_t n)
{
    unsigned blocks;
    int error = resident_blocks((const void *)add_every_block, n, 16, &blocks);
    // TODO(reduce_atomic): the sum starts at 0: set *d_out before the launch. (3 lines)
    // END reduce_atomic
    if (error)
        return error;
    add_every_block<<<blocks, BLOCK>>>(d_in, d_out, n);
    return cudaGetLastError();
}

// Called by all threads of a block when its partial sum is written: true in the block
// that comes last, for which the other blocks' partial sums are all there to read.
static __device__ bool is_last_block(unsigned *ticket)
{
    // TODO(reduce_v8): thread 0 makes its block's partial sum visible (__threadfence),
    // draws a ticket (atomicAdd) and says in shared memory whether it was the last of
    // gridDim.x; it then puts the ticket back to 0. All wait, and a fence keeps later
    // reads behind the ticket. (12 lines)
    return false;
    // END reduce_v8
}

static __global__ void sum_once(const unsigned *in, unsigned *partial, unsigned *ticket,
                                unsigned *out, size_t n)
{
    // TODO(reduce_v8): thread 0 writes the block's sum to partial; the last block adds
    // the gridDim.x partial sums into *out. Mind the shared array that block_sum uses
    // twice. (11 lines)
    // END reduce_v8
}

int reduce_v8(const unsigned *d_in, unsigned *d_partial, unsigned *d_ticket,
              unsigned *d_out, size_t n)
{
    unsigned blocks;
    int error = resident_blocks((const void *)sum_once, n, 16, &blocks);
    if (error)
        return error;
    sum_once<<<blocks, BLOCK>>>(d_in, d_partial, d_ticket, d_out, n);
    return cudaGetLastError();
}

// ---- One launch, the same bits every time ---------------------------------------------

enum { CHUNKS = 4096 }; // pieces of the array at most, however many blocks there are

static __device__ float block_sum_float(float x)
{
    // TODO(reduce_v9): block_sum for floats; the order of its additions never changes.
    // (13 lines)
    return x;
    // END reduce_v9
}

// What one thread adds of in[0 ... n), whole vectors four at a time, in an order that
// depends on n and on nothing else. The block's threads share the work.
static __device__ float chunk_sum(const float *in, size_t n)
{
    // TODO(reduce_v9): four independent float4 accumulators over vectors threadIdx.x,
    // threadIdx.x + BLOCK, ...; then the up to three elements behind the last vector;
    // then the accumulators in a fixed order. (18 lines)
    return 0;
    // END reduce_v9
}

static __global__ void sum_float(const float *in, float *partial, unsigned *ticket,
                                 float *out, size_t n)
{
    // TODO(reduce_v9): cut the array into at most CHUNKS pieces, of a length that depends
    // on n alone: a multiple of 4, and not less than 4 * BLOCK. Block b takes pieces b,
    // b + gridDim.x, ... and writes each one's sum to partial. The last block adds the
    // sums of all pieces, in an order that does not depend on gridDim.x. (20 lines)
    // END reduce_v9
}

int reduce_v9(const float *d_in, float *d_partial, unsigned *d_ticket, float *d_out,
              size_t n, int blocks)
{
    if (blocks < 1 || blocks > MAX_BLOCKS)
        return cudaErrorInvalidValue;
    sum_float<<<blocks, BLOCK>>>(d_in, d_partial, d_ticket, d_out, n);
    return cudaGetLastError();
}
