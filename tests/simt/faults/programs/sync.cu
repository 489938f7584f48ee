// Barriers and warp operations at which not all meet.

#include "fault.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

//: barrier_in_a_branch | barrier | synccheck | half of a warp goes to another barrier
__global__ void branch(int *out)
{
    __shared__ int all[32];
    int i = threadIdx.x;
    all[i] = i;
    if (PICK(i < 16, i < 32)) {
        __syncthreads(); // HERE
        out[i] = all[31 - i];
    } else {
        __syncthreads(); // AND HERE
        out[i] = all[i];
    }
}
CASE(barrier_in_a_branch)
{
    branch<<<1, 32>>>(zeros<int>(32));
}

//: barrier_of_half_a_warp | barrier | synccheck | the other half passes the barrier by
__global__ void half_of_it(int *out)
{
    int i = threadIdx.x;
    if (PICK(i < 16, i < 64)) { // AND HERE
        out[i] = i;
        __syncthreads(); // HERE
    }
    out[i] += 1;
}
CASE(barrier_of_half_a_warp)
{
    half_of_it<<<1, 64>>>(zeros<int>(64));
}

//: part_of_a_warp_returns | barrier | synccheck | an early return for the last elements
__global__ void early(int *out, int n)
{
    int i = threadIdx.x;
    if (PICK(i >= n, i >= 64)) // AND HERE
        return;
    out[i] = i;
    __syncthreads(); // HERE
    out[64 + i] = out[i ^ 1];
}
CASE(part_of_a_warp_returns)
{
    early<<<1, 64>>>(zeros<int>(128), 50);
}

//: whole_warp_returns | barrier | - | a warp leaves before the barrier: it happens to work
__global__ void leaves(int *out, int n)
{
    int i = threadIdx.x;
    if (PICK(i >= n, i >= 128)) // AND HERE
        return;
    out[i] = i;
    __syncthreads(); // HERE
    out[128 + i] = out[i ^ 1];
}
CASE(whole_warp_returns)
{
    leaves<<<1, 128>>>(zeros<int>(256), 64);
}

//: unequal_turns | barrier | synccheck | a loop with a barrier, not as long for all
__global__ void turns(const int *in, int *out)
{
    int i = threadIdx.x, sum = 0;
    for (int k = 0; k < PICK(in[i], in[0]); k++) { // AND HERE
        sum += k;
        __syncthreads(); // HERE
    }
    out[i] = sum;
}
CASE(unequal_turns)
{
    static int counts[64];
    for (int i = 0; i < 64; i++)
        counts[i] = 1 + i % 3;
    int *in = zeros<int>(64);
    cudaMemcpy(in, counts, sizeof counts, cudaMemcpyHostToDevice);
    turns<<<1, 64>>>(in, zeros<int>(64));
}

//: shuffle_mask_too_wide | shuffle | synccheck | a full mask in a branch of half the warp
__global__ void shuffled(int *out)
{
    int i = threadIdx.x;
    if (i < 16)
        out[i] = __shfl_xor_sync(PICK(0xffffffff, 0x0000ffff), i, 1); // HERE
    else
        out[i] = 0;
}
CASE(shuffle_mask_too_wide)
{
    shuffled<<<1, 32>>>(zeros<int>(32));
}

//: shuffle_of_a_lane_that_left | shuffle | synccheck | a value is taken from lanes that have returned
__global__ void left_behind(int *out)
{
    int i = threadIdx.x;
    if (PICK(i >= 16, i >= 32))
        return;
    out[i] = __shfl_down_sync(PICK(0xffffffff, __activemask()), i, 1); // HERE
}
CASE(shuffle_of_a_lane_that_left)
{
    left_behind<<<1, 32>>>(zeros<int>(32));
}

//: caller_not_in_the_mask | shuffle | synccheck | the mask leaves out lanes that call
__global__ void outsiders(int *out)
{
    int i = threadIdx.x;
    unsigned mask = PICK(0x0000ffff, 0xffffffff);
    out[i] = __shfl_sync(mask, i, 0); // HERE
}
CASE(caller_not_in_the_mask)
{
    outsiders<<<1, 32>>>(zeros<int>(32));
}

//: syncwarp_in_a_branch | shuffle | synccheck | __syncwarp() of all, reached by a quarter
__global__ void quarter(int *out)
{
    int i = threadIdx.x;
    out[i] = i;
    if (i < 8) {
        __syncwarp(PICK(0xffffffff, 0x000000ff)); // HERE
        out[32 + i] = out[i ^ 1];
    } else {
        while (((volatile int *)out)[i] != i)
            ;
        __syncwarp(0xffffff00);
    }
}
CASE(syncwarp_in_a_branch)
{
    quarter<<<1, 32>>>(zeros<int>(64));
}

//: ballot_in_a_loop | shuffle | synccheck | lanes that are through do not come to the vote
__global__ void votes(const int *in, int *out)
{
    int i = threadIdx.x, seen = 0;
    for (int k = 0; k < in[i]; k++)
        seen += __popc(__ballot_sync(PICK(0xffffffff, __activemask()), 1)); // HERE
    out[i] = seen;
}
CASE(ballot_in_a_loop)
{
    static int counts[32];
    for (int i = 0; i < 32; i++)
        counts[i] = 1 + i / 16;
    int *in = zeros<int>(32);
    cudaMemcpy(in, counts, sizeof counts, cudaMemcpyHostToDevice);
    votes<<<1, 32>>>(in, zeros<int>(32));
}

//: named_barrier_count | barrier | synccheck | two warps come with different counts
__global__ void named(int *out)
{
    int i = threadIdx.x;
    if (i < 32)
        asm volatile("bar.sync 1, %0;" ::"r"(PICK(128, 64)) : "memory"); // AND HERE
    else
        asm volatile("bar.sync 1, %0;" ::"r"(64) : "memory"); // HERE
    out[i] = i;
}
CASE(named_barrier_count)
{
    named<<<1, 64>>>(zeros<int>(64));
}

//: named_barrier_too_few | deadlock | - | a producer's barrier counts a warp that never comes
__global__ void too_few(int *out)
{
    int i = threadIdx.x;
    if (i < 64)
        asm volatile("bar.sync 1, %0;" ::"r"(PICK(96, 64)) : "memory"); // HERE
    out[i] = i;
}
CASE(named_barrier_too_few)
{
    too_few<<<1, 96>>>(zeros<int>(96));
}

//: grid_sync_by_some | limit | - | one block leaves before grid.sync()
__global__ void grid_wide(int *out)
{
    cg::grid_group grid = cg::this_grid();
    if (blockIdx.x >= PICK(3, 4))
        return;
    if (threadIdx.x == 0)
        out[blockIdx.x] = 1;
    grid.sync(); // HERE
    if (threadIdx.x == 0)
        out[4 + blockIdx.x] = out[(blockIdx.x + 1) % 4];
}
CASE(grid_sync_by_some)
{
    int *out = zeros<int>(8);
    void *arguments[] = {&out};
    cudaLaunchCooperativeKernel((const void *)grid_wide, 4, 32, arguments, 0, 0);
}

//: cluster_sync_by_some | deadlock | - | a warp goes to another barrier than cluster.sync()
__global__ void __cluster_dims__(2, 1, 1) cluster_wide(int *out)
{
    int i = threadIdx.x;
    if (PICK(i < 32 || blockIdx.x == 0, true))
        cg::this_cluster().sync(); // HERE
    else
        __syncthreads(); // AND HERE
    out[blockIdx.x * 64 + i] = i + 1;
}
CASE(cluster_sync_by_some)
{
    cluster_wide<<<2, 64>>>(zeros<int>(128));
}
