// Takes the first half twice.
// outcome: wrong
// words: no kernel read 127 of the 255 elements of in: in[128] to in[254]
// case: 2

#include <cuda_runtime.h>

static __global__ void kernel(const float *in, float *out, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * in[i < n / 2 ? i : i - n / 2];
}

extern "C" int twice(const float *d_in, float *d_out, size_t n)
{
    if (n)
        kernel<<<(n + 255) / 256, 256>>>(d_in, d_out, n);
    return cudaGetLastError();
}
