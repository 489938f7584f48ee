// A kernel that faults: where its error is seen, and how long it stays.

#include "say.h"

__global__ void stray(int *p)
{
    *p = 1;
}

__device__ int variable;

int main()
{
    int *d, *other, host = 0;
    must(cudaMalloc(&d, 1024));
    must(cudaMalloc(&other, 1024));
    cudaStream_t stream;
    cudaEvent_t event;
    must(cudaStreamCreate(&stream));
    must(cudaEventCreate(&event));
    stray<<<1, 1>>>((int *)16);
    SAY(cudaDeviceSynchronize());
    SAY(cudaPeekAtLastError());
    SAY(cudaGetLastError());
    SAY(cudaDeviceSynchronize());
    SAY(cudaMalloc(&other, 16));
    SAY(cudaFree(d));
    SAY(cudaMemcpy(&host, d, 4, cudaMemcpyDeviceToHost));
    SAY(cudaMemset(d, 0, 4));
    SAY(cudaStreamSynchronize(stream));
    SAY(cudaStreamQuery(stream));
    SAY(cudaEventRecord(event, stream));
    SAY(cudaEventQuery(event));
    SAY(cudaEventSynchronize(event));
    SAY(cudaStreamCreate(&stream));
    SAY(cudaEventCreate(&event));
    SAY(cudaMemcpyToSymbol(variable, &host, 4));
    SAY(cudaMallocHost(&other, 16));
    SAY(cudaMallocManaged(&other, 16));
    int count;
    SAY(cudaGetDeviceCount(&count));
    SAY(cudaGetDevice(&count));
    SAY(cudaSetDevice(0));
    cudaDeviceProp about;
    SAY(cudaGetDeviceProperties(&about, 0));
    cudaFuncAttributes attributes;
    SAY(cudaFuncGetAttributes(&attributes, stray));
    size_t available, total;
    SAY(cudaMemGetInfo(&available, &total));
    stray<<<1, 1>>>(d);
    say_code("launch", cudaPeekAtLastError());
    say_code("launch", cudaGetLastError());
    say_code("launch", cudaGetLastError());
    stray<<<1, 4096>>>(d);
    say_code("bad launch", cudaGetLastError());
    SAY(cudaDeviceReset());
    SAY(cudaMalloc(&d, 1024));
    SAY(cudaDeviceSynchronize());
    return 0;
}
