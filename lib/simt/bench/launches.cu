// A million empty launches and one wait, by a program whose device is another process.
// Prints the seconds that it took; ends with 1 if they are too many.

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
    double took = seconds() - start;
    printf("  %-28s %7.2f s     at most 3.00%s\n", "a million launches, one wait", took,
           took > 3 ? "   MISSED" : "");
    return error != cudaSuccess || took > 3;
}
