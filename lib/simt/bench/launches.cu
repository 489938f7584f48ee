// A million empty launches and one wait, by a program whose device is another process.
// Prints the seconds that it took.

#include <cstdio>
#include <ctime>

__global__ void nothing()
{
}

static double seconds()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main()
{
    nothing<<<1, 32>>>();
    if (cudaDeviceSynchronize())
        return 1;
    double start = seconds();
    for (int i = 0; i < 1000000; i++)
        nothing<<<1, 32>>>();
    cudaError_t error = cudaDeviceSynchronize();
    printf("%.3f\n", seconds() - start);
    return error != cudaSuccess;
}
