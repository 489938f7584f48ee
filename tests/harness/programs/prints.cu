// Prints in its kernel, and is wrong.
// outcome: wrong
// words: never written
// printed: thread 0 sees 1

#include <cstdio>
#include <cuda_runtime.h>

static __global__ void kernel(size_t n)
{
    if (n == 1 && threadIdx.x == 0)
        printf("thread %d sees %d\n", threadIdx.x, (int)n);
}

extern "C" int twice(const float *d_in, float *d_out, size_t n)
{
    (void)d_in, (void)d_out;
    kernel<<<1, 32>>>(n);
    return cudaGetLastError();
}
