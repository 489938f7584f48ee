// The third file: a table of the others' functions, and a class.

#include <new>

#include "parts.h"

__device__ unary *const chosen[2] = {twice, from_each};

__device__ int square::corners() const
{
    return 4;
}

__device__ const shape *make_square(void *room)
{
    return new (room) square;
}

__global__ void third(int *out)
{
    out[threadIdx.x] = shared_by_all() * 100 + from_each((int)threadIdx.x);
}

void launch_third(int *out)
{
    third<<<1, 64>>>(out);
}
