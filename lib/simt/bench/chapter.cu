// How long chapter 11's program takes until its first kernel has run, from before its
// process is made (apart.c says when, in STARTED): loading its image, reading and decoding
// its PTX, and one block. Prints milliseconds; ends with 1 if they are too many.

#include "solution.cu"

#include <cstdio>
#include <cstdlib>
#include <ctime>

static double now()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

int main()
{
    double made = atof(getenv("STARTED") ? getenv("STARTED") : "0"), entered = now();
    unsigned *in, *partial;
    if (cudaMalloc(&in, BLOCK * sizeof *in) || cudaMalloc(&partial, sizeof *partial) ||
        cudaMemset(in, 0, BLOCK * sizeof *in) || cudaDeviceSynchronize())
        return 1;
    double began = now();
    if (reduce_v0(in, partial, BLOCK) || cudaDeviceSynchronize())
        return 1;
    double end = now(), took = entered - made + (end - began);
    printf("  %-28s %7.2f ms    at most 50.00%s\n", "chapter 11's first kernel", took,
           took > 50 ? "   MISSED" : "");
    return took > 50;
}
