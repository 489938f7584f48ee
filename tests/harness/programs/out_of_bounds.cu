// Has no guard.
// outcome: crashed
// words: 0 bytes past the end of the 4-byte buffer
// line: 12
// launched: 18

#include <cuda_runtime.h>

static __global__ void kernel(const float *in, float *out, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    out[i] = 2 * in[i];
}

extern "C" int twice(const float *d_in, float *d_out, size_t n)
{
    if (n)
        kernel<<<(n + 255) / 256, 256>>>(d_in, d_out, n);
    return cudaGetLastError();
}
