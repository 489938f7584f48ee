// Half of the block waits at one barrier, half at the next.
// outcome: crashed
// words: not every thread of the block reaches
// line: 16

#include <cuda_runtime.h>

static __global__ void kernel(const float *in, float *out, size_t n)
{
    __shared__ float tile[256];
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (threadIdx.x < 128) {
        __syncthreads();
        tile[threadIdx.x] = 2;
    }
    __syncthreads();
    if (i < n)
        out[i] = tile[threadIdx.x % 128] * in[i];
}

extern "C" int twice(const float *d_in, float *d_out, size_t n)
{
    if (n)
        kernel<<<(n + 255) / 256, 256>>>(d_in, d_out, n);
    return cudaGetLastError();
}
