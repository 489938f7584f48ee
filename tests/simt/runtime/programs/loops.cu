// A kernel that does not end: with an argument it is the judge that must stop it.

#include "say.h"

__global__ void forever(volatile int *p)
{
    while (*p == 0)
        ;
}

int main()
{
    int *d;
    must(cudaMalloc(&d, 4));
    must(cudaMemset(d, 0, 4));
    forever<<<1, 1>>>(d);
    SAY(cudaDeviceSynchronize());
    SAY(cudaMemset(d, 1, 4));
}
