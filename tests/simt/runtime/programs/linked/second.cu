// The second file: it defines what the others read.

#include "parts.h"

static __device__ int hidden = 2;
__device__ int table[4] = {10, 20, 30, 40};
__constant__ float factors[2] = {0.5f, 1.5f};
__managed__ int both_sides = 1;

static __device__ __noinline__ int own(int x)
{
    return x * hidden;
}

__device__ __noinline__ int from_each(int x)
{
    return own(x) + total;
}

__global__ void second(int *out)
{
    out[threadIdx.x] = own((int)threadIdx.x) + shared_by_all();
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(&total, twice(11));
        shared_by_all() += 10;
    }
}

void launch_second(int *out)
{
    second<<<1, 64>>>(out);
}
