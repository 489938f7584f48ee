// Asks for 2048 threads a block.
// outcome: wrong
// words: (2048,1,1)>>>
// at: 18

#include <cuda_runtime.h>

static __global__ void kernel(const float *in, float *out, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * in[i];
}

extern "C" int twice(const float *d_in, float *d_out, size_t n)
{
    if (n)
        kernel<<<(n + 2047) / 2048, 2048>>>(d_in, d_out, n);
    return cudaGetLastError();
}
