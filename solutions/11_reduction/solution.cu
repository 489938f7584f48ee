// Exercise 11: where is the greatest number?
//
// The tree of chapter 11, with another operation in its nodes. The sum of two numbers
// does not say where they came from; a winner must bring its index along:
//
//     index      0    1    2    3
//     value      5    9    2    9
//     round 1    (9, 1)    (9, 3)
//     round 2    (9, 1)              the lower index of two equals
//
// The rule is one function, better(). If it puts any two candidates in order, the
// winner does not depend on who meets whom first.
//
//   make exercise11                  grade all steps
//   make exercise11 STEP=duels       one of them
//   make hint11 KIND=exercise        one hint at a time

#include "kernel.h"

static __device__ candidate nothing(void)
{
    return candidate{__int_as_float(0xff800000), NOWHERE}; // -inf
}

// Of two candidates, the one that wins.
static __device__ candidate better(candidate a, candidate b)
{
    // TODO(duels): the rules of kernel.h. A NaN is what differs from itself. (6 lines)
    // BEGIN duels
    bool a_nan = a.value != a.value, b_nan = b.value != b.value;
    if (a_nan != b_nan)
        return a_nan ? a : b;
    if (!a_nan && a.value != b.value)
        return a.value > b.value ? a : b;
    return a.index < b.index ? a : b;
    // INSTEAD
    // return a;
    // END duels
}

static __global__ void duel(const candidate *a, const candidate *b, candidate *out,
                            size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = better(a[i], b[i]);
}

int duels(const candidate *d_a, const candidate *d_b, candidate *d_out, size_t n)
{
    if (n > 0)
        duel<<<(unsigned)((n + BLOCK - 1) / BLOCK), BLOCK>>>(d_a, d_b, d_out, n);
    return cudaGetLastError();
}

// ---- One winner a block -------------------------------------------------------------

// The winner of a block's candidates, one a thread; thread 0 gets it. All threads of
// the block call this.
static __device__ candidate block_best(candidate mine)
{
    // TODO(argmax_block): within each warp by shuffles (the value and the index, each);
    // lane 0 of each warp leaves its winner in shared memory; behind a barrier, the
    // first warp does the same with those. A second call must not overwrite what is
    // still being read. (20 lines)
    // BEGIN argmax_block
    __shared__ candidate of_warp[32];
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int round = 0; round < 2; round++) {
        for (int offset = 16; offset > 0; offset /= 2) {
            candidate other;
            other.value = __shfl_down_sync(0xffffffffu, mine.value, offset);
            other.index = __shfl_down_sync(0xffffffffu, mine.index, offset);
            mine = better(mine, other);
        }
        if (round == 1)
            break;
        __syncthreads(); // of_warp may still be read from the last call
        if (lane == 0)
            of_warp[warp] = mine;
        __syncthreads();
        if (warp > 0)
            break;
        mine = lane < blockDim.x / 32 ? of_warp[lane] : nothing();
    }
    return mine;
    // INSTEAD
    // return mine;
    // END argmax_block
}

static __global__ void best_of_block(const float *in, candidate *partial, size_t n)
{
    // TODO(argmax_block): this thread's candidate, or nothing() from n on; then
    // block_best; thread 0 writes. (7 lines)
    // BEGIN argmax_block
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    candidate mine = nothing();
    if (i < n)
        mine = candidate{in[i], i};
    mine = block_best(mine);
    if (threadIdx.x == 0)
        partial[blockIdx.x] = mine;
    // END argmax_block
}

int argmax_block(const float *d_in, candidate *d_partial, size_t n)
{
    unsigned blocks = (unsigned)((n + BLOCK - 1) / BLOCK);
    if (n > 0)
        best_of_block<<<blocks, BLOCK>>>(d_in, d_partial, n);
    return cudaGetLastError();
}

// ---- One winner of all --------------------------------------------------------------

// Eight blocks a multiprocessor, but no more than are needed when each thread takes
// `each` elements, and no more than MAX_BLOCKS; at least 1.
static int grid_for(size_t n, size_t each, unsigned *blocks)
{
    int device, sms = 0;
    int error = cudaGetDevice(&device);
    if (!error)
        error = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    size_t most = 8 * (size_t)sms, needed = (n + BLOCK * each - 1) / (BLOCK * each);
    most = needed < most ? needed : most;
    *blocks = most < 1 ? 1 : most > MAX_BLOCKS ? MAX_BLOCKS : (unsigned)most;
    return error;
}

// The best of the elements that this thread takes when the whole grid walks over in.
static __device__ candidate thread_best(const float *in, size_t n)
{
    candidate mine = nothing();
    // TODO(argmax_two_launches): a grid-stride loop. (3 lines)
    // BEGIN argmax_two_launches
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        mine = better(mine, candidate{in[i], i});
    // END argmax_two_launches
    return mine;
}

// The winner of `count` candidates; thread 0 gets it.
static __device__ candidate best_of(const candidate *partial, unsigned count)
{
    candidate mine = nothing();
    // TODO(argmax_two_launches): the block walks over the candidates; block_best does
    // the rest. (3 lines)
    // BEGIN argmax_two_launches
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
        mine = better(mine, partial[i]);
    mine = block_best(mine);
    // END argmax_two_launches
    return mine;
}

static __global__ void first_launch(const float *in, candidate *partial, size_t n)
{
    candidate mine = block_best(thread_best(in, n));
    if (threadIdx.x == 0)
        partial[blockIdx.x] = mine;
}

static __global__ void second_launch(const candidate *partial, unsigned count,
                                     candidate *out)
{
    candidate mine = best_of(partial, count);
    if (threadIdx.x == 0)
        *out = mine;
}

int argmax_two_launches(const float *d_in, candidate *d_partial, candidate *d_out,
                        size_t n)
{
    unsigned blocks;
    int error = grid_for(n, 1, &blocks);
    if (error)
        return error;
    // TODO(argmax_two_launches): both launches. (2 lines)
    // BEGIN argmax_two_launches
    first_launch<<<blocks, BLOCK>>>(d_in, d_partial, n);
    second_launch<<<1, BLOCK>>>(d_partial, blocks, d_out);
    // END argmax_two_launches
    return cudaGetLastError();
}

// ---- One launch ---------------------------------------------------------------------

// The end of a kernel of one launch, called by all threads with their candidates.
static __device__ void finish(candidate mine, candidate *partial, unsigned *ticket,
                              candidate *out)
{
    // TODO(argmax_once): thread 0 writes the block's winner, makes it visible to the
    // device, draws a ticket, and tells the block whether it was the last one. The last
    // block puts the ticket back to 0, and finds the winner of all blocks' winners.
    // (16 lines)
    // BEGIN argmax_once
    __shared__ bool last;
    mine = block_best(mine);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = mine;
        __threadfence();
        last = atomicAdd(ticket, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last)
        return;
    __threadfence();
    mine = best_of(partial, gridDim.x);
    if (threadIdx.x == 0) {
        *out = mine;
        *ticket = 0;
    }
    // END argmax_once
}

static __global__ void once(const float *in, candidate *partial, unsigned *ticket,
                            candidate *out, size_t n)
{
    finish(thread_best(in, n), partial, ticket, out);
}

int argmax_once(const float *d_in, candidate *d_partial, unsigned *d_ticket,
                candidate *d_out, size_t n)
{
    unsigned blocks;
    int error = grid_for(n, 1, &blocks);
    if (error)
        return error;
    once<<<blocks, BLOCK>>>(d_in, d_partial, d_ticket, d_out, n);
    return cudaGetLastError();
}

// ---- Sixteen bytes a load -----------------------------------------------------------

static __global__ void wide(const float *in, candidate *partial, unsigned *ticket,
                            candidate *out, size_t n)
{
    candidate mine = nothing();
    size_t id = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t step = (size_t)gridDim.x * blockDim.x;
    // TODO(argmax_wide): the elements before the first 16-byte boundary (the head, at
    // most n), whole float4s, and those behind the last: the grid's first threads take
    // head and tail. Indices count from the start of the array. (16 lines)
    // BEGIN argmax_wide
    size_t head = (16 - (size_t)in % 16) % 16 / sizeof(float);
    head = head < n ? head : n;
    size_t vectors = (n - head) / 4, tail = head + 4 * vectors + id;
    const float4 *in4 = (const float4 *)(in + head);
    for (size_t i = id; i < vectors; i += step) {
        float4 v = in4[i];
        size_t at = head + 4 * i;
        mine = better(mine, candidate{v.x, at});
        mine = better(mine, candidate{v.y, at + 1});
        mine = better(mine, candidate{v.z, at + 2});
        mine = better(mine, candidate{v.w, at + 3});
    }
    if (id < head)
        mine = better(mine, candidate{in[id], id});
    if (tail < n)
        mine = better(mine, candidate{in[tail], tail});
    // END argmax_wide
    finish(mine, partial, ticket, out);
}

int argmax_wide(const float *d_in, candidate *d_partial, unsigned *d_ticket,
                candidate *d_out, size_t n)
{
    unsigned blocks;
    int error = grid_for(n, 4, &blocks);
    if (error)
        return error;
    wide<<<blocks, BLOCK>>>(d_in, d_partial, d_ticket, d_out, n);
    return cudaGetLastError();
}
