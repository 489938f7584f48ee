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
    // BEGIN reduce_levels
    if (i < half)
        out[i] = in[i] + (i + half < m ? in[i + half] : 0);
    // END reduce_levels
}

int reduce_levels(const unsigned *d_in, unsigned *d_work, unsigned *d_out, size_t n)
{
    if (n == 0)
        return cudaMemsetAsync(d_out, 0, sizeof *d_out);
    // TODO(reduce_levels): launch one level after the other until one element is left,
    // from d_in to d_work, then to and fro between the two halves of d_work (a level
    // must not read what it writes); copy the last element to d_out. (10 lines)
    // BEGIN reduce_levels
    unsigned *next[2] = {d_work, d_work + (n + 1) / 2};
    const unsigned *from = d_in;
    for (int turn = 0; n > 1; turn ^= 1) {
        size_t half = (n + 1) / 2;
        level<<<ceil_div(half, BLOCK), BLOCK>>>(from, next[turn], n, half);
        from = next[turn];
        n = half;
    }
    cudaMemcpyAsync(d_out, from, sizeof *d_out, cudaMemcpyDeviceToDevice);
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
    // BEGIN reduce_v0
    sum[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        if (t % (2 * stride) == 0)
            sum[t] += sum[t + stride];
        __syncthreads();
    }
    if (t == 0)
        partial[blockIdx.x] = sum[0];
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
    // BEGIN reduce_mask
    sum[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        if ((t & (2 * stride - 1)) == 0)
            sum[t] += sum[t + stride];
        __syncthreads();
    }
    if (t == 0)
        partial[blockIdx.x] = sum[0];
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
    // BEGIN reduce_v1
    sum[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        unsigned at = 2 * stride * t;
        if (at < blockDim.x)
            sum[at] += sum[at + stride];
        __syncthreads();
    }
    if (t == 0)
        partial[blockIdx.x] = sum[0];
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
    // BEGIN reduce_v2
    sum[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (t < stride)
            sum[t] += sum[t + stride];
        __syncthreads();
    }
    if (t == 0)
        partial[blockIdx.x] = sum[0];
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
    // BEGIN reduce_v3
    sum[t] = (i < n ? in[i] : 0) + (i + blockDim.x < n ? in[i + blockDim.x] : 0);
    __syncthreads();
    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (t < stride)
            sum[t] += sum[t + stride];
        __syncthreads();
    }
    if (t == 0)
        partial[blockIdx.x] = sum[0];
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
    // BEGIN reduce_v4
    for (unsigned stride = 32; stride > 0; stride /= 2) {
        unsigned both = sum[t] + sum[t + stride];
        __syncwarp();
        sum[t] = both;
        __syncwarp();
    }
    // END reduce_v4
}

static __global__ void tree_last_warp(const unsigned *in, unsigned *partial, size_t n)
{
    __shared__ unsigned sum[BLOCK];
    unsigned t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * (2 * blockDim.x) + t;
    // TODO(reduce_v4): as reduce_v3, but stop the rounds of the block at stride 64; the
    // first warp does the rest with last_warp(). (12 lines)
    // BEGIN reduce_v4
    sum[t] = (i < n ? in[i] : 0) + (i + blockDim.x < n ? in[i + blockDim.x] : 0);
    __syncthreads();
    for (unsigned stride = blockDim.x / 2; stride > 32; stride /= 2) {
        if (t < stride)
            sum[t] += sum[t + stride];
        __syncthreads();
    }
    if (t < 32)
        last_warp(sum, t);
    if (t == 0)
        partial[blockIdx.x] = sum[0];
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
    // BEGIN reduce_v5
    sum[t] = (i < n ? in[i] : 0) + (i + THREADS < n ? in[i + THREADS] : 0);
    if (THREADS == 32)
        sum[t + 32] = 0;
    __syncthreads();
    if (THREADS >= 1024) {
        if (t < 512)
            sum[t] += sum[t + 512];
        __syncthreads();
    }
    if (THREADS >= 512) {
        if (t < 256)
            sum[t] += sum[t + 256];
        __syncthreads();
    }
    if (THREADS >= 256) {
        if (t < 128)
            sum[t] += sum[t + 128];
        __syncthreads();
    }
    if (THREADS >= 128) {
        if (t < 64)
            sum[t] += sum[t + 64];
        __syncthreads();
    }
    volatile unsigned *last = sum;
    if (t < 32) {
#pragma unroll
        for (unsigned stride = 32; stride > 0; stride /= 2) {
            unsigned both = last[t] + last[t + stride];
            __syncwarp();
            last[t] = both;
            __syncwarp();
        }
    }
    if (t == 0)
        partial[blockIdx.x] = sum[0];
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
    // BEGIN reduce_v5
    switch (block) {
    case 32: tree_unrolled<32><<<grid, 32>>>(d_in, d_partial, n); break;
    case 64: tree_unrolled<64><<<grid, 64>>>(d_in, d_partial, n); break;
    case 128: tree_unrolled<128><<<grid, 128>>>(d_in, d_partial, n); break;
    case 256: tree_unrolled<256><<<grid, 256>>>(d_in, d_partial, n); break;
    case 512: tree_unrolled<512><<<grid, 512>>>(d_in, d_partial, n); break;
    default: tree_unrolled<1024><<<grid, 1024>>>(d_in, d_partial, n);
    }
    // END reduce_v5
    return cudaGetLastError();
}

// ---- Registers instead of shared memory ---------------------------------------------

// The sum over the 32 lanes of a warp, in lane 0. All lanes must call it.
static __device__ unsigned warp_sum(unsigned x)
{
    // TODO(reduce_v6): for offset = 16, 8, 4, 2, 1: add what the lane `offset` further
    // up holds, with __shfl_down_sync and a full mask. (3 lines)
    // BEGIN reduce_v6
    for (int offset = 16; offset > 0; offset /= 2)
        x += __shfl_down_sync(0xffffffffu, x, offset);
    return x;
    // INSTEAD
    // return x;
    // END reduce_v6
}

// The sum over a block of up to 1024 threads, in thread 0: each warp's sum goes through
// one word of shared memory.
static __device__ unsigned block_sum(unsigned x)
{
    // TODO(reduce_v6): sum this warp, let its lane 0 put the sum in a shared array of 32
    // words, wait, and let the first warp sum those of the warps there are. (9 lines)
    // BEGIN reduce_v6
    __shared__ unsigned of_warp[32];
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    x = warp_sum(x);
    if (lane == 0)
        of_warp[warp] = x;
    __syncthreads();
    if (warp == 0)
        x = warp_sum(lane < blockDim.x / 32 ? of_warp[lane] : 0);
    return x;
    // INSTEAD
    // return x;
    // END reduce_v6
}

static __global__ void shuffled(const unsigned *in, unsigned *partial, size_t n)
{
    size_t i = (size_t)blockIdx.x * (2 * blockDim.x) + threadIdx.x;
    unsigned x = (i < n ? in[i] : 0) + (i + blockDim.x < n ? in[i + blockDim.x] : 0);
    // TODO(reduce_v6): sum x over the block; thread 0 writes the result. (3 lines)
    // BEGIN reduce_v6
    x = block_sum(x);
    if (threadIdx.x == 0)
        partial[blockIdx.x] = x;
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
    // BEGIN reduce_groups
    for (unsigned offset = group.size() / 2; offset > 0; offset /= 2)
        x += group.shfl_down(x, offset);
    return x;
    // INSTEAD
    // return x;
    // END reduce_groups
}

static __global__ void grouped(const unsigned *in, unsigned *partial, size_t n)
{
    __shared__ unsigned of_warp[32];
    size_t i = (size_t)blockIdx.x * (2 * blockDim.x) + threadIdx.x;
    unsigned x = (i < n ? in[i] : 0) + (i + blockDim.x < n ? in[i + blockDim.x] : 0);
    // TODO(reduce_groups): the block as a group, its tiles of 32 as groups, and what
    // block_sum does, said with them: group_sum, thread_rank, sync. (10 lines)
    // BEGIN reduce_groups
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    unsigned warps = block.size() / 32, mine = block.thread_rank() / 32;
    x = group_sum(warp, x);
    if (warp.thread_rank() == 0)
        of_warp[mine] = x;
    block.sync();
    if (mine == 0)
        x = group_sum(warp, warp.thread_rank() < warps ? of_warp[warp.thread_rank()] : 0);
    if (block.thread_rank() == 0)
        partial[blockIdx.x] = x;
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
    // BEGIN reduce_stride
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        x += in[i];
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
    // BEGIN reduce_stride
    sum_stride<<<blocks, BLOCK>>>(d_in, d_partial, n);
    sum_stride<<<1, BLOCK>>>(d_partial, d_out, blocks);
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
    // BEGIN reduce_v7
    size_t head = head_of(in, n), vectors = (n - head) / 4;
    const uint4 *in4 = (const uint4 *)(in + head);
    for (size_t i = id; i < vectors; i += step)
        x += sum4(in4[i]);
    if (id < head)
        x += in[id];
    if (head + vectors * 4 + id < n)
        x += in[head + vectors * 4 + id];
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
    // BEGIN reduce_unrolled
    size_t head = head_of(in, n), vectors = (n - head) / 4, i = id;
    const uint4 *in4 = (const uint4 *)(in + head);
    for (; i + 3 * step < vectors; i += 4 * step) {
        uint4 a = in4[i], b = in4[i + step], c = in4[i + 2 * step], d = in4[i + 3 * step];
        x += sum4(a) + sum4(b) + sum4(c) + sum4(d);
    }
    for (; i < vectors; i += step)
        x += sum4(in4[i]);
    if (id < head)
        x += in[id];
    if (head + vectors * 4 + id < n)
        x += in[head + vectors * 4 + id];
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
    // BEGIN reduce_every_thread
    if (i < n)
        atomicAdd(out, in[i]);
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
    // BEGIN reduce_atomic
    unsigned x = block_sum(thread_sum(in, n));
    if (threadIdx.x == 0)
        atomicAdd(out, x);
    // END reduce_atomic
}

int reduce_atomic(const unsigned *d_in, unsigned *d_out, size_t n)
{
    unsigned blocks;
    int error = resident_blocks((const void *)add_every_block, n, 16, &blocks);
    // TODO(reduce_atomic): the sum starts at 0: set *d_out before the launch. (3 lines)
    // BEGIN reduce_atomic
    if (!error)
        error = cudaMemsetAsync(d_out, 0, sizeof *d_out);
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
    // BEGIN reduce_v8
    __shared__ bool last;
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(ticket, 1) == gridDim.x - 1;
        if (last)
            *ticket = 0;
    }
    __syncthreads();
    __threadfence();
    return last;
    // INSTEAD
    // return false;
    // END reduce_v8
}

static __global__ void sum_once(const unsigned *in, unsigned *partial, unsigned *ticket,
                                unsigned *out, size_t n)
{
    // TODO(reduce_v8): thread 0 writes the block's sum to partial; the last block adds
    // the gridDim.x partial sums into *out. Mind the shared array that block_sum uses
    // twice. (11 lines)
    // BEGIN reduce_v8
    unsigned x = block_sum(thread_sum(in, n));
    if (threadIdx.x == 0)
        partial[blockIdx.x] = x;
    if (!is_last_block(ticket))
        return;
    x = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x)
        x += partial[i];
    x = block_sum(x);
    if (threadIdx.x == 0)
        *out = x;
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
    // BEGIN reduce_v9
    __shared__ float of_warp[32];
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int offset = 16; offset > 0; offset /= 2)
        x += __shfl_down_sync(0xffffffffu, x, offset);
    __syncthreads(); // of_warp may still be read from the last time
    if (lane == 0)
        of_warp[warp] = x;
    __syncthreads();
    if (warp == 0) {
        x = lane < blockDim.x / 32 ? of_warp[lane] : 0;
        for (int offset = 16; offset > 0; offset /= 2)
            x += __shfl_down_sync(0xffffffffu, x, offset);
    }
    return x;
    // INSTEAD
    // return x;
    // END reduce_v9
}

// What one thread adds of in[0 ... n), whole vectors four at a time, in an order that
// depends on n and on nothing else. The block's threads share the work.
static __device__ float chunk_sum(const float *in, size_t n)
{
    // TODO(reduce_v9): four independent float4 accumulators over vectors threadIdx.x,
    // threadIdx.x + BLOCK, ...; then the up to three elements behind the last vector;
    // then the accumulators in a fixed order. (18 lines)
    // BEGIN reduce_v9
    const float4 *in4 = (const float4 *)in;
    size_t vectors = n / 4, i = threadIdx.x;
    float4 zero = {0, 0, 0, 0}, a[4] = {zero, zero, zero, zero};
    for (; i < vectors; i += 4 * BLOCK) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            size_t at = i + k * BLOCK;
            float4 v = at < vectors ? in4[at] : zero;
            a[k].x += v.x;
            a[k].y += v.y;
            a[k].z += v.z;
            a[k].w += v.w;
        }
    }
    float rest = vectors * 4 + threadIdx.x < n ? in[vectors * 4 + threadIdx.x] : 0;
    float sum[4];
    for (int k = 0; k < 4; k++)
        sum[k] = (a[k].x + a[k].y) + (a[k].z + a[k].w);
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + rest;
    // INSTEAD
    // return 0;
    // END reduce_v9
}

static __global__ void sum_float(const float *in, float *partial, unsigned *ticket,
                                 float *out, size_t n)
{
    // TODO(reduce_v9): cut the array into at most CHUNKS pieces, of a length that depends
    // on n alone: a multiple of 4, and not less than 4 * BLOCK. Block b takes pieces b,
    // b + gridDim.x, ... and writes each one's sum to partial. The last block adds the
    // sums of all pieces, in an order that does not depend on gridDim.x. (20 lines)
    // BEGIN reduce_v9
    size_t length = ((n + CHUNKS - 1) / CHUNKS + 3) / 4 * 4;
    length = length < 4 * BLOCK ? 4 * BLOCK : length;
    unsigned chunks = ceil_div(n, length);
    for (unsigned chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
        size_t first = chunk * length, left = n - first;
        float x = block_sum_float(chunk_sum(in + first, left < length ? left : length));
        if (threadIdx.x == 0)
            partial[chunk] = x;
    }
    if (!is_last_block(ticket))
        return;
    float x = 0;
    for (unsigned i = threadIdx.x; i < chunks; i += BLOCK)
        x += partial[i];
    x = block_sum_float(x);
    if (threadIdx.x == 0)
        *out = x;
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
