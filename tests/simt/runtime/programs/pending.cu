// Work that is not done yet: queries say so, once at least, and then it ends.

#include "say.h"

__global__ void slow(int *out, int n)
{
    int x = n;
    for (int i = 0; i < n; i++)
        x = x * 1664525 + 1013904223 + (x >> 7);
    *out = x | 1;
}

int main()
{
    int *d, value = 0;
    cudaEvent_t event;
    must(cudaMalloc(&d, 4));
    must(cudaEventCreate(&event));
    slow<<<1, 1>>>(d, 10);
    SAY(cudaDeviceSynchronize()); // the program is loaded
    slow<<<1, 1>>>(d, 3000000);
    must(cudaEventRecord(event));
    float ms;
    SAY(cudaEventElapsedTime(&ms, event, event));
    SAY(cudaEventQuery(event));
    slow<<<1, 1>>>(d, 3000000);
    SAY(cudaStreamQuery(0));
    cudaError_t code;
    while ((code = cudaStreamQuery(0)) == cudaErrorNotReady)
        ;
    say_code("in the end", code);
    must(cudaMemcpy(&value, d, 4, cudaMemcpyDeviceToHost));
    printf("%s\n", value ? "ran" : "did not run");
}
