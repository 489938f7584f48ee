// Managed pages that move: 16 pages of 64 KiB, touched by turns. What the emulator counts
// of it is in test_programs.c.

#include "say.h"

enum { PAGE = 65536 / 4, PAGES = 16 };

__global__ void add(int *p, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        p[i] += 1;
}

int main()
{
    int *p;
    cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
    cudaMemLocation host = {cudaMemLocationTypeHost, 0};
    must(cudaMallocManaged(&p, PAGES * PAGE * 4));
    for (int i = 0; i < PAGES * PAGE; i++)
        p[i] = i; // the host's, all of them
    add<<<1, 256>>>(p, PAGES * PAGE); // 16 faults, 16 pages to the device
    must(cudaDeviceSynchronize());
    printf("%d\n", p[5]); // one page back
    add<<<1, 256>>>(p, 2 * PAGE); // and there again: one fault
    must(cudaMemPrefetchAsync(p, PAGES * PAGE * 4, host, 0, 0)); // 16 pages back
    must(cudaMemPrefetchAsync(p, 4 * PAGE * 4, device, 0, 0)); // 4 there
    add<<<1, 256>>>(p, 4 * PAGE); // no fault
    must(cudaDeviceSynchronize());
    printf("%d %d\n", p[5], p[3 * PAGE]); // two pages back
    must(cudaFree(p));
}
