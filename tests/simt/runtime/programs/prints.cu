// printf from kernels: every byte arrives, in order, at the wait and not before.

#include "say.h"

__global__ void lines(int n)
{
    for (int i = 0; i < n; i++)
        printf("%06d 0123456789 0123456789 0123456789 0123456789\n", i);
}

int main()
{
    printf("first\n");
    lines<<<1, 1>>>(2000); // more than one reply holds
    printf("second\n");
    must(cudaDeviceSynchronize());
    printf("third\n");
    lines<<<1, 1>>>(1);
    printf("never waited for\n");
}
