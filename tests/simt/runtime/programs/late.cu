// A fault is seen by the next call that waits, whichever that is.

#include "say.h"

__global__ void stray(int *p)
{
    *p = 1;
}

int main(int argc, char **argv)
{
    int *d, host = 0;
    must(cudaMalloc(&d, 1024));
    const char *how = argc > 1 ? argv[1] : "";
    stray<<<1, 1>>>((int *)16);
    say_code("launch", cudaGetLastError());
    if (!strcmp(how, "copy"))
        SAY(cudaMemcpy(&host, d, 4, cudaMemcpyDeviceToHost));
    if (!strcmp(how, "stream"))
        SAY(cudaStreamSynchronize(0));
    if (!strcmp(how, "free"))
        SAY(cudaFree(d));
    if (!strcmp(how, "peek")) {
        SAY(cudaDeviceSynchronize());
        say_code("peek", cudaPeekAtLastError());
        say_code("last", cudaGetLastError());
    }
    if (!strcmp(how, "misaligned")) {
        return 0;
    }
}
