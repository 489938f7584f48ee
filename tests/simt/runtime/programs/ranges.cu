// Copies that leave their allocation: sizes that no device's granularity hides.

#include "say.h"

int main()
{
    const size_t big = 64u << 20;
    char *host = (char *)calloc(1, 2 * big), *d;
    must(cudaMalloc(&d, big));
    SAY(cudaMemcpy(host, d, big, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpy(host, d, 2 * big, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpy(d, host, 2 * big, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(d + 1, host, big, cudaMemcpyHostToDevice));
    SAY(cudaMemset(d, 0, 2 * big));
    SAY(cudaMemcpyAsync(host, d, 2 * big, cudaMemcpyDeviceToHost, 0));
    SAY(cudaDeviceSynchronize());
}
