// Trebles.
// outcome: wrong
// words: every element
// case: 2
// at: 13

#include <cuda_runtime.h>

static __global__ void kernel(const float *in, float *out, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 3 * in[i];
}

extern "C" int twice(const float *d_in, float *d_out, size_t n)
{
    if (n)
        kernel<<<(n + 255) / 256, 256>>>(d_in, d_out, n);
    return cudaGetLastError();
}
