// Adds to the answer, and nobody has set it.
// outcome: wrong
// words: byte 0 of the 4-byte buffer out (argument 2)
// case: 1
// line: 13

#include <cuda_runtime.h>

static __global__ void kernel(const float *in, float *out, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] += 2 * in[i];
}

extern "C" int twice(const float *d_in, float *d_out, size_t n)
{
    if (n)
        kernel<<<(n + 255) / 256, 256>>>(d_in, d_out, n);
    return cudaGetLastError();
}
