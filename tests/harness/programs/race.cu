// Reverses a tile twice without a barrier.
// outcome: wrong
// words: has a race
// line: 12

#include <cuda_runtime.h>

static __global__ void kernel(const float *in, float *out, size_t n)
{
    __shared__ float tile[256];
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    tile[255 - threadIdx.x] = i < n ? 2 * in[i] : 0;
    if (i < n)
        out[i] = tile[255 - (threadIdx.x ^ 32)];
}

extern "C" int twice(const float *d_in, float *d_out, size_t n)
{
    if (n)
        kernel<<<(n + 255) / 256, 256>>>(d_in, d_out, n);
    return cudaGetLastError();
}
