// Calls that are wrong, and what they return.

#include "say.h"

__global__ void nothing()
{
}

__global__ void __launch_bounds__(128) bounded()
{
}

__global__ void needs_shared()
{
    extern __shared__ int room[];
    room[threadIdx.x] = 1;
}

__global__ void one_argument(int *p)
{
    p[threadIdx.x] = 1;
}

#define LAUNCH(...)                                                                   \
    do {                                                                              \
        __VA_ARGS__;                                                                  \
        cudaError_t peek = cudaPeekAtLastError(), last = cudaGetLastError();          \
        printf("%s: %s %s %s\n", #__VA_ARGS__, cudaGetErrorName(peek),                \
               cudaGetErrorName(last), cudaGetErrorName(cudaGetLastError()));         \
    } while (0)

int main()
{
    char host[256] = {0}, *d, *other;
    must(cudaMalloc(&d, 1024));
    must(cudaMalloc(&other, 1024));

    LAUNCH(nothing<<<1, 2048>>>());
    LAUNCH(nothing<<<1, 1025>>>());
    LAUNCH(nothing<<<0, 32>>>());
    LAUNCH(nothing<<<1, 0>>>());
    LAUNCH(nothing<<<dim3(1, 65536), 32>>>());
    LAUNCH(nothing<<<dim3(65536), 32>>>());
    LAUNCH(nothing<<<1, dim3(1, 1, 65)>>>());
    LAUNCH(bounded<<<1, 256>>>());
    LAUNCH(bounded<<<1, 128>>>());
    LAUNCH(needs_shared<<<1, 32, 49152>>>());
    LAUNCH(needs_shared<<<1, 32, 49153>>>());
    LAUNCH(needs_shared<<<1, 32, 1 << 20>>>());
    LAUNCH(nothing<<<1, 32, 0, (cudaStream_t)0>>>());
    SAY(cudaFuncSetAttribute(needs_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             65536));
    LAUNCH(needs_shared<<<1, 32, 65536>>>());
    LAUNCH(needs_shared<<<1, 32, 65540>>>());
    SAY(cudaFuncSetAttribute(needs_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             1 << 20));
    SAY(cudaFuncSetAttribute(needs_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             -1));
    SAY(cudaLaunchKernel((const void *)nothing, 1, 2048, nullptr, 0, 0));
    SAY(cudaLaunchKernel((const void *)nothing, 0, 32, nullptr, 0, 0));
    SAY(cudaLaunchKernel((const void *)bounded, 1, 129, nullptr, 0, 0));
    SAY(cudaLaunchCooperativeKernel((const void *)nothing, 1 << 20, 32, nullptr, 0, 0));
    SAY(cudaLaunchKernel((const void *)host, 1, 1, nullptr, 0, 0));
    SAY(cudaLaunchKernel((const void *)nullptr, 1, 1, nullptr, 0, 0));
    SAY(cudaFuncSetAttribute(host, cudaFuncAttributeMaxDynamicSharedMemorySize, 0));
    cudaFuncAttributes attributes;
    SAY(cudaFuncGetAttributes(&attributes, host));
    SAY(cudaFuncGetAttributes(nullptr, nothing));
    SAY(cudaDeviceSynchronize());

    SAY(cudaMalloc(nullptr, 16));
    void *p = host;
    SAY(cudaMalloc(&p, (size_t)1 << 60));
    printf("pointer after a failed malloc: %s\n", p ? "kept" : "null");
    p = host;
    SAY(cudaMalloc(&p, 0));
    printf("pointer of an empty malloc: %s\n", p ? "not null" : "null");
    SAY(cudaFree(nullptr));
    SAY(cudaFree(host));
    SAY(cudaFree(d + 256));
    SAY(cudaFreeHost(host));
    SAY(cudaFreeHost(nullptr));
    SAY(cudaFreeHost(d));

    SAY(cudaMemcpy(d, host, 256, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(nullptr, host, 256, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(d, nullptr, 256, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(nullptr, host, 0, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(host, nullptr, 16, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpy(d, host, 256, (cudaMemcpyKind)7));
    SAY(cudaMemcpy(d, host, 256, (cudaMemcpyKind)-1));
    SAY(cudaMemcpy(host, d, 256, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(d, host, 256, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpy(d, other, 256, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(d, other, 256, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpy(d, host, 256, cudaMemcpyDeviceToDevice));
    SAY(cudaMemcpy(d, host, 256, cudaMemcpyHostToHost));
    SAY(cudaMemcpy(host, host + 128, 128, cudaMemcpyHostToHost));
    SAY(cudaMemcpy(host, host + 128, 128, cudaMemcpyDefault));
    SAY(cudaMemcpy(d, host, 256, cudaMemcpyDefault));
    SAY(cudaMemcpy(host, d, 256, cudaMemcpyDefault));
    SAY(cudaMemcpyAsync(nullptr, host, 256, cudaMemcpyHostToDevice, 0));
    SAY(cudaMemset(nullptr, 0, 16));
    SAY(cudaMemset(nullptr, 0, 0));
    SAY(cudaMemset(d, 0, 1024));
    SAY(cudaMemset(host, 0, 16));

    SAY(cudaSetDevice(99));
    SAY(cudaSetDevice(-1));
    SAY(cudaSetDevice(0));
    cudaDeviceProp about;
    SAY(cudaGetDeviceProperties(&about, 99));
    SAY(cudaGetDeviceProperties(nullptr, 0));
    SAY(cudaGetDeviceCount(nullptr));
    int value;
    SAY(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 99));
    SAY(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)100000, 0));
    SAY(cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0));

    SAY(cudaEventSynchronize(nullptr));
    SAY(cudaEventRecord(nullptr));
    SAY(cudaEventDestroy(nullptr));
    SAY(cudaEventCreate(nullptr));
    SAY(cudaStreamCreate(nullptr));
    SAY(cudaStreamDestroy(nullptr));
    cudaEvent_t start, end;
    float ms = -1;
    must(cudaEventCreate(&start));
    must(cudaEventCreateWithFlags(&end, cudaEventDisableTiming));
    SAY(cudaEventElapsedTime(&ms, start, end));
    SAY(cudaEventQuery(start));
    SAY(cudaEventSynchronize(start));
    must(cudaEventRecord(start));
    must(cudaEventRecord(end));
    SAY(cudaDeviceSynchronize());
    SAY(cudaEventElapsedTime(&ms, start, end));
    SAY(cudaEventElapsedTime(nullptr, start, start));
    SAY(cudaEventElapsedTime(&ms, start, start));
    SAY(cudaEventCreateWithFlags(&end, 1 << 20));
    cudaStream_t stream;
    SAY(cudaStreamCreateWithFlags(&stream, 1 << 20));
    SAY(cudaStreamWaitEvent(0, nullptr, 0));

    int *registered = (int *)malloc(4096);
    SAY(cudaMallocManaged(&p, 0));
    SAY(cudaMallocManaged(&p, 64, 0));
    SAY(cudaMallocHost(&p, 0));
    SAY(cudaHostAlloc(&p, 64, 1 << 20));
    SAY(cudaHostUnregister(registered));
    SAY(cudaHostGetDevicePointer(&p, registered, 0));
    must(cudaMallocHost(&p, 4096));
    SAY(cudaFreeHost((char *)p + 16));
    SAY(cudaFree(p));
    SAY(cudaFreeHost(p));
    SAY(cudaFreeHost(p));
    must(cudaMallocManaged(&p, 4096));
    SAY(cudaFreeHost(p));
    SAY(cudaFree(p));
    SAY(cudaHostRegister(nullptr, 16, 0));
    SAY(cudaHostRegister(host, 0, 0));
    SAY(cudaHostUnregister(nullptr));
    SAY(cudaMemcpy2D(d, 16, host, 16, 32, 4, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2D(d, 0, host, 0, 0, 4, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2D(d, 32, host, 32, 32, 0, cudaMemcpyHostToDevice));
    SAY(cudaMemset2D(d, 16, 0, 32, 4));
    SAY(cudaMemPrefetchAsync(d, 1024, cudaMemLocation{cudaMemLocationTypeDevice, 0},
                             0));
    SAY(cudaDeviceSetLimit((cudaLimit)99, 1));
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, nothing, 32, 0));
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, nothing, 0, 0));
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, nothing, 2048, 0));
    printf("blocks of 2048 threads: %d\n", value);
    SAY(cudaLaunchHostFunc(0, nullptr, nullptr));
    SAY(cudaMemcpyToSymbol((const void *)host, host, 4));
    SAY(cudaGetSymbolAddress(&p, (const void *)host));

    SAY(cudaFree(d));
    SAY(cudaFree(d));
    SAY(cudaMemcpy(host, d, 16, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 1000; i++)
        if (!strstr("cudaErrorUnknown", cudaGetErrorName((cudaError_t)i)) &&
            strcmp(cudaGetErrorName((cudaError_t)i), "unrecognized error code"))
            printf("%d %s: %s\n", i, cudaGetErrorName((cudaError_t)i),
                   cudaGetErrorString((cudaError_t)i));
    printf("%s: %s\n", cudaGetErrorName((cudaError_t)12345),
           cudaGetErrorString((cudaError_t)12345));
    SAY(cudaDeviceReset());
    SAY(cudaFree(other));
}
