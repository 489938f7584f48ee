// Is right but for n = 256, where it faults: the other cases are still graded.
// outcome: crashed
// words: past the end of the 1024-byte buffer
// passed: 5

#include <cuda_runtime.h>

static __global__ void kernel(const float *in, float *out, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n || (n == 256 && i == n))
        out[i] = 2 * in[i];
}

extern "C" int twice(const float *d_in, float *d_out, size_t n)
{
    if (n)
        kernel<<<n / 256 + 1, 256>>>(d_in, d_out, n);
    return cudaGetLastError();
}
