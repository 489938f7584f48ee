// Races on shared memory.

#include "fault.h"
#include <cuda_pipeline.h>

//: load_before_the_barrier | race | racecheck | read after write: no barrier between
__global__ void neighbour(int *out)
{
    __shared__ int all[64];
    int i = threadIdx.x;
    all[i] = i; // AND HERE
    RIGHT(__syncthreads();)
    out[i] = all[63 - i]; // HERE
}
CASE(load_before_the_barrier)
{
    neighbour<<<1, 64>>>(zeros<int>(64));
}

//: overwritten_too_early | race | racecheck | write after read: the tile's next turn comes too early
__global__ void reuse(int *out)
{
    __shared__ int all[64];
    int i = threadIdx.x;
    all[i] = i;
    __syncthreads();
    int sum = all[63 - i]; // AND HERE
    RIGHT(__syncthreads();)
    all[i] = sum + 1; // HERE
    __syncthreads();
    out[i] = all[i];
}
CASE(overwritten_too_early)
{
    reuse<<<1, 64>>>(zeros<int>(64));
}

//: two_writers | race | racecheck | write after write: who comes last wins
__global__ void last_wins(int *out)
{
    __shared__ int winner;
    if (PICK(threadIdx.x % 32 == 0, threadIdx.x == 0))
        winner = threadIdx.x; // HERE, AND HERE
    __syncthreads();
    out[threadIdx.x] = winner;
}
CASE(two_writers)
{
    last_wins<<<1, 64>>>(zeros<int>(64));
}

//: warp_without_syncwarp | race | racecheck | one warp's last steps of a sum, as before Volta
__global__ void warp_sum(int *out)
{
    __shared__ volatile int all[64];
    int i = threadIdx.x;
    all[i] = i;
    all[i + 32] = i;
    __syncwarp();
    int sum = all[i] + all[i + 16]; // AND HERE
    RIGHT(__syncwarp();)
    all[i] = sum; // HERE
    __syncwarp();
    out[i] = all[i ^ 1];
}
CASE(warp_without_syncwarp)
{
    warp_sum<<<1, 32>>>(zeros<int>(32));
}

//: tree_without_barrier | race | racecheck | a reduction whose loop has no barrier
__global__ void tree(int *out)
{
    __shared__ int all[256];
    int i = threadIdx.x;
    all[i] = i;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (i < half)
            all[i] += all[i + half]; // HERE, AND HERE
        RIGHT(__syncthreads();)
    }
    RIGHT(__syncthreads();)
    if (i == 0)
        out[0] = all[0];
}
CASE(tree_without_barrier)
{
    tree<<<1, 256>>>(zeros<int>(1));
}

//: one_buffer_for_two | race | racecheck | a double buffer whose turns are never taken
__global__ void two_tiles(const int *in, int *out, int tiles)
{
    __shared__ int all[2][64];
    int i = threadIdx.x, sum = 0;
    for (int t = 0; t < tiles; t++) {
        all[PICK(0, t & 1)][i] = in[t * 64 + i]; // HERE
        __syncthreads();
        sum += all[PICK(0, t & 1)][63 - i]; // AND HERE
    }
    out[i] = sum;
}
CASE(one_buffer_for_two)
{
    int *in = zeros<int>(4 * 64);
    static int numbers[4 * 64];
    for (int i = 0; i < 4 * 64; i++)
        numbers[i] = i;
    cudaMemcpy(in, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    two_tiles<<<1, 64>>>(in, zeros<int>(64), 4);
}

//: histogram_without_atomics | race | racecheck | two threads add to one bin
__global__ void histogram(int *out)
{
    __shared__ int bins[16];
    int i = threadIdx.x;
    if (i < 16)
        bins[i] = 0;
    __syncthreads();
    PICK(bins[i % 16]++, atomicAdd(&bins[i % 16], 1)); // HERE, AND HERE
    __syncthreads();
    if (i < 16)
        out[i] = bins[i];
}
CASE(histogram_without_atomics)
{
    histogram<<<1, 256>>>(zeros<int>(16));
}

//: copy_without_wait | race | - | cp.async, and no wait for it
__global__ void copy_tile(const int *in, int *out)
{
    __shared__ int tile[64];
    int i = threadIdx.x;
    tile[i] = 0;
    __syncthreads();
    __pipeline_memcpy_async(&tile[i], &in[i], sizeof(int)); // AND HERE
    __pipeline_commit();
    RIGHT(__pipeline_wait_prior(0);)
    __syncthreads();
    out[i] = tile[63 - i]; // HERE
}
CASE(copy_without_wait)
{
    int *in = zeros<int>(64);
    cudaMemset(in, 1, 64 * sizeof *in);
    copy_tile<<<1, 64>>>(in, zeros<int>(64));
}

//: copy_without_barrier | race | racecheck | each thread waits for its own cp.async, and reads another's
__global__ void copy_alone(const int *in, int *out)
{
    __shared__ int tile[64];
    int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[i], &in[i], sizeof(int)); // AND HERE
    __pipeline_commit();
    __pipeline_wait_prior(0);
    RIGHT(__syncthreads();)
    out[i] = tile[63 - i]; // HERE
}
CASE(copy_without_barrier)
{
    int *in = zeros<int>(64);
    cudaMemset(in, 1, 64 * sizeof *in);
    copy_alone<<<1, 64>>>(in, zeros<int>(64));
}

//: bulk_copy_without_wait | race | - | a bulk copy whose mbarrier nobody waits at
__global__ void bulk(const int *in, int *out)
{
    __shared__ alignas(128) int tile[64];
    __shared__ uint64_t full;
    unsigned to = (unsigned)__cvta_generic_to_shared(tile);
    unsigned barrier = (unsigned)__cvta_generic_to_shared(&full);
    tile[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barrier) : "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" ::"r"(barrier) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1], 256, [%2];" ::"r"(to), "l"(in), "r"(barrier) : "memory"); // AND HERE
    }
    RIGHT(asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;"
                       " @!p bra again; }" ::"r"(barrier) : "memory");)
    FAULTY(__syncthreads();)
    out[threadIdx.x] = tile[threadIdx.x]; // HERE
}
CASE(bulk_copy_without_wait)
{
    int *in = zeros<int>(64);
    cudaMemset(in, 1, 64 * sizeof *in);
    bulk<<<1, 64>>>(in, zeros<int>(64));
}
