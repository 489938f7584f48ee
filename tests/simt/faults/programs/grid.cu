// Races on global memory, inside and between blocks.

#include "fault.h"

//: between_blocks | race | - | a block reads what another one has just written
__global__ void halo(int *data, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    FAULTY(data[i] = i + 1;) // AND HERE
    out[i] = data[(i + blockDim.x) % n]; // HERE
}
CASE(between_blocks)
{
    halo<<<4, 64>>>(zeros<int>(256), zeros<int>(256));
}

//: neighbour_in_the_block | race | - | a thread reads its neighbour's result, without a barrier
__global__ void smooth(int *data, int *out)
{
    int i = threadIdx.x;
    data[i] = i; // AND HERE
    RIGHT(__syncthreads();)
    out[i] = data[i ^ 32]; // HERE
}
CASE(neighbour_in_the_block)
{
    smooth<<<1, 64>>>(zeros<int>(64), zeros<int>(64));
}

//: stencil_in_place | race | - | a stencil that writes where its neighbours read
__global__ void average(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int right = in[i + 1]; // AND HERE
    if (i < n)
        out[i] = right + 1; // HERE
}
CASE(stencil_in_place)
{
    int *in = zeros<int>(257);
    average<<<4, 64>>>(in, PICK(in, zeros<int>(256)), 256);
}

//: sum_without_atomic | race | - | every block adds to one number
__global__ void sum(int *total)
{
    if (threadIdx.x == 0)
        PICK(*total += blockIdx.x + 1, atomicAdd(total, blockIdx.x + 1)); // HERE, AND HERE
}
CASE(sum_without_atomic)
{
    sum<<<4, 32>>>(zeros<int>(1));
}

//: last_block_without_fence | race | - | the last block adds up what the others did not publish
__global__ void last_block(int *parts, unsigned *come, int *total)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = blockIdx.x; // AND HERE
        RIGHT(__threadfence();)
        last = atomicAdd(come, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        RIGHT(__threadfence();)
        int all = 0;
        for (unsigned i = 0; i < gridDim.x; i++)
            all += ((volatile int *)parts)[i]; // HERE
        *total = all;
    }
}
CASE(last_block_without_fence)
{
    last_block<<<4, 32>>>(zeros<int>(4), zeros<unsigned>(1), zeros<int>(1));
}

//: fence_of_a_block | race | - | a fence that reaches only the own block
__global__ void narrow_fence(int *parts, unsigned *come, int *total)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = blockIdx.x; // AND HERE
        PICK(__threadfence_block(), __threadfence());
        last = atomicAdd(come, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        __threadfence();
        int all = 0;
        for (unsigned i = 0; i < gridDim.x; i++)
            all += ((volatile int *)parts)[i]; // HERE
        *total = all;
    }
}
CASE(fence_of_a_block)
{
    narrow_fence<<<4, 32>>>(zeros<int>(4), zeros<unsigned>(1), zeros<int>(1));
}

//: flag_polled_plainly | race | - | a flag of another block that is neither atomic nor volatile
__global__ void hand_over(int *flag, int *out)
{
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0)
        PICK(*flag = 1, atomicExch(flag, 1)); // AND HERE
    else
        out[0] = PICK(*flag, atomicAdd(flag, 0)); // HERE
}
CASE(flag_polled_plainly)
{
    hand_over<<<2, 32>>>(zeros<int>(1), zeros<int>(1));
}

//: atomic_of_a_block | race | - | atomics of block scope from several blocks
__global__ void narrow_atomic(int *total)
{
    PICK(atomicAdd_block(total, 1), atomicAdd(total, 1)); // HERE, AND HERE
}
CASE(atomic_of_a_block)
{
    narrow_atomic<<<4, 32>>>(zeros<int>(1));
}

//: data_behind_a_flag | race | - | the flag is atomic, what it guards is not published
__global__ void message(int *data, int *flag, int *out)
{
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        *data = 42; // AND HERE
        RIGHT(__threadfence();)
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0)
            ;
        RIGHT(__threadfence();)
        *out = *(volatile int *)data; // HERE
    }
}
CASE(data_behind_a_flag)
{
    message<<<2, 32>>>(zeros<int>(1), zeros<int>(1), zeros<int>(1));
}

//: two_blocks_one_row | race | - | grids that overlap by one row
__global__ void rows(int *out, int each)
{
    for (int r = 0; r < PICK(each + 1, each); r++)
        out[(blockIdx.x * each + r) * 32 + threadIdx.x] = blockIdx.x; // HERE, AND HERE
}
CASE(two_blocks_one_row)
{
    rows<<<4, 32>>>(zeros<int>(17 * 32), 4);
}
