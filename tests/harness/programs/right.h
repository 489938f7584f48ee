// A right answer without a kernel, for programs that misbehave beside it.

#include <cuda_runtime_api.h>
#include <stdlib.h>

__attribute__((unused)) static int right(const float *d_in, float *d_out, size_t n)
{
    float *x = (float *)malloc(n * sizeof *x + 1);
    cudaMemcpy(x, d_in, n * sizeof *x, cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < n; i++)
        x[i] *= 2;
    int code = cudaMemcpy(d_out, x, n * sizeof *x, cudaMemcpyHostToDevice);
    free(x);
    return code;
}
