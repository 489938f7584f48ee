// A program of three files, linked by nvlink: functions, variables, constants, tables of
// functions and virtual calls across them.

#include "../say.h"
#include "parts.h"

static __device__ int hidden = 1; // each file has one
__device__ int total = 100;

static __device__ __noinline__ int own(int x)
{
    return x + hidden;
}

__device__ __noinline__ int twice(int x)
{
    return 2 * x;
}

__global__ void first(int *out)
{
    out[threadIdx.x] = own(twice((int)threadIdx.x)) + table[threadIdx.x % 4] + (int)(factors[1] * 10);
    if (threadIdx.x == 0) {
        shared_by_all() += 1;
        both_sides += 5;
    }
}

__global__ void calls(int *out)
{
    __shared__ long long room[2];
    const shape *s = make_square(room);
    out[threadIdx.x] = chosen[threadIdx.x % 2]((int)threadIdx.x) + s->corners() * 1000;
}

int main()
{
    int *d, h[64], value;
    must(cudaMalloc(&d, sizeof h));
    both_sides = 7;
    first<<<1, 64>>>(d);
    must(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    printf("first %d %d %d\n", h[0], h[1], h[63]);
    launch_second(d);
    must(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    printf("second %d %d\n", h[0], h[63]);
    launch_third(d);
    must(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    printf("third %d %d\n", h[0], h[63]);
    calls<<<1, 64>>>(d);
    must(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    printf("calls %d %d\n", h[10], h[11]);
    must(cudaMemcpyFromSymbol(&value, total, sizeof value));
    printf("total %d, both sides %d\n", value, both_sides);
    value = 3;
    must(cudaMemcpyToSymbol(table, &value, sizeof value, 4));
    first<<<1, 64>>>(d);
    must(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    printf("first %d %d\n", h[0], h[1]);
    SAY(cudaDeviceSynchronize());
}
