// Calls that are right: memory of every kind, symbols, streams, events, launches.

#include "say.h"

__device__ int counter = 7;
__constant__ float factors[4] = {1, 2, 3, 4};
__managed__ int shared_counter = 11;
__device__ int table[16];

struct pair {
    char small;
    double large;
};

__global__ void add(int *p, int n, struct pair by, short more)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] += (int)by.large + by.small + more;
}

__global__ void globals()
{
    counter += (int)factors[2];
    shared_counter += 1;
    for (int i = 0; i < 16; i++)
        table[i] = i * i;
}

__global__ void dynamic(int *out)
{
    extern __shared__ int room[];
    __shared__ int fixed[32];
    room[threadIdx.x] = (int)threadIdx.x;
    fixed[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = room[blockDim.x - 1 - threadIdx.x] + fixed[threadIdx.x];
}

__global__ void says(int x)
{
    printf("block %d thread %d says %d %s %.2f\n", blockIdx.x, threadIdx.x, x, "words",
           1.5);
}

static void host_function(void *value)
{
    *(int *)value += 1;
}

static const char *type_of(const void *p)
{
    static const char *const names[] = {"unregistered", "host", "device", "managed"};
    cudaPointerAttributes about;
    must(cudaPointerGetAttributes(&about, p));
    static char text[100];
    snprintf(text, sizeof text, "%s device %d, pointers %s %s", names[about.type],
             about.device, about.devicePointer ? "device" : "-",
             about.hostPointer ? "host" : "-");
    return text;
}

static int inner_value()
{
    int *d, value = 5;
    must(cudaMalloc(&d, 4));
    must(cudaMemcpy(d, &value, 4, cudaMemcpyHostToDevice));
    add<<<1, 1>>>(d, 1, pair{1, 2}, 3);
    must(cudaMemcpy(&value, d, 4, cudaMemcpyDeviceToHost));
    must(cudaFree(d));
    return value;
}

int main()
{
    int n = 1000, *d, *h = (int *)malloc(4000);
    for (int i = 0; i < n; i++)
        h[i] = i;
    must(cudaMalloc(&d, 4000));
    must(cudaMemcpy(d, h, 4000, cudaMemcpyHostToDevice));
    add<<<8, 128>>>(d, n, pair{2, 40.5}, -1);
    must(cudaMemcpy(h, d, 4000, cudaMemcpyDeviceToHost));
    printf("add: %d %d %d\n", h[0], h[1], h[999]);

    add<<<1, inner_value()>>>(d, n, pair{0, 1},
                              0); // a launch while one is being set up
    must(cudaMemcpy(h, d, 4000, cudaMemcpyDeviceToHost));
    printf("nested: %d %d %d\n", h[10], h[11], h[12]);

    globals<<<1, 1>>>();
    must(cudaDeviceSynchronize());
    int value = 0;
    must(cudaMemcpyFromSymbol(&value, counter, 4));
    printf("counter %d, managed %d\n", value, shared_counter);
    shared_counter = 100;
    value = 50;
    must(cudaMemcpyToSymbol(counter, &value, 4));
    float factor = 9;
    must(cudaMemcpyToSymbol(factors, &factor, 4, 8));
    globals<<<1, 1>>>();
    must(cudaMemcpyFromSymbol(&value, counter, 4));
    printf("counter %d, managed %d\n", value, shared_counter);
    must(cudaMemcpyFromSymbol(&value, table, 4, 12));
    void *at;
    size_t bytes;
    must(cudaGetSymbolAddress(&at, table));
    must(cudaGetSymbolSize(&bytes, table));
    int third;
    must(cudaMemcpy(&third, (int *)at + 3, 4, cudaMemcpyDeviceToHost));
    printf("table %d %d %zu\n", value, third, bytes);
    SAY(cudaMemcpyToSymbol(counter, &value, 8));
    SAY(cudaMemcpyToSymbol(counter, &value, 4, 4));
    SAY(cudaMemcpyToSymbol(counter, &value, 4, 0, cudaMemcpyDeviceToHost));
    printf("symbol: %s\n", type_of(at));

    dynamic<<<1, 32, 128>>>(d);
    must(cudaMemcpy(h, d, 128, cudaMemcpyDeviceToHost));
    printf("dynamic: %d %d\n", h[0], h[31]);

    int *pinned, *managed, *mapped, *pointer;
    must(cudaMallocHost(&pinned, 4000));
    must(cudaMallocManaged(&managed, 4000));
    must(cudaHostAlloc(&mapped, 4000, cudaHostAllocMapped));
    must(cudaHostGetDevicePointer(&pointer, mapped, 0));
    printf("device pointer %s\n", pointer == mapped ? "is the host's" : "differs");
    printf("heap: %s\n", type_of(h));
    printf("device: %s\n", type_of(d));
    printf("pinned: %s\n", type_of(pinned));
    printf("managed: %s\n", type_of(managed));
    printf("inside: %s\n", type_of(managed + 100));
    for (int i = 0; i < n; i++)
        pinned[i] = managed[i] = mapped[i] = i;
    add<<<8, 128>>>(managed, n, pair{0, 1}, 0);
    add<<<8, 128>>>(mapped, n, pair{0, 2}, 0);
    add<<<8, 128>>>(pinned, n, pair{0, 3}, 0);
    must(cudaDeviceSynchronize());
    printf("managed %d mapped %d pinned %d\n", managed[999], mapped[999], pinned[999]);
    must(cudaMemcpy(d, managed, 4000, cudaMemcpyDefault));
    must(cudaMemcpy(pinned, d, 4000, cudaMemcpyDefault));
    printf("through the device: %d\n", pinned[5]);

    cudaStream_t stream, other;
    cudaEvent_t start, end;
    must(cudaStreamCreate(&stream));
    must(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    must(cudaEventCreate(&start));
    must(cudaEventCreate(&end));
    must(cudaMemsetAsync(d, 0, 4000, stream));
    must(cudaEventRecord(start, stream));
    add<<<8, 128, 0, stream>>>(d, n, pair{0, 4}, 0);
    must(cudaEventRecord(end, stream));
    must(cudaStreamWaitEvent(other, end, 0));
    must(cudaMemcpyAsync(pinned, d, 4000, cudaMemcpyDeviceToHost, other));
    int called = 1;
    must(cudaLaunchHostFunc(other, host_function, &called));
    must(cudaStreamSynchronize(other));
    float ms = -1;
    must(cudaEventElapsedTime(&ms, start, end));
    printf("stream: %d, called %d, time %s\n", pinned[7], called,
           ms > 0 ? "passes" : "stands");
    say_code("query", cudaStreamQuery(stream));
    say_code("query", cudaEventQuery(end));
    must(cudaStreamDestroy(stream));
    must(cudaEventDestroy(start));

    says<<<2, 2>>>(42);
    must(cudaDeviceSynchronize());

    void *arguments[4];
    pair by = {1, 1};
    short more = 1;
    arguments[0] = &d, arguments[1] = &n, arguments[2] = &by, arguments[3] = &more;
    must(cudaLaunchKernel((const void *)add, dim3(8), dim3(128), arguments, 0, 0));
    must(cudaLaunchCooperativeKernel((const void *)add, dim3(8), dim3(128), arguments,
                                     0, 0));
    cudaLaunchConfig_t config = {};
    config.gridDim = 8;
    config.blockDim = 128;
    config.stream = other;
    must(cudaDeviceSynchronize());
    must(cudaLaunchKernelEx(&config, add, d, n, by, more));
    must(cudaStreamSynchronize(other));
    must(cudaMemcpy(h, d, 4000, cudaMemcpyDeviceToHost));
    printf("launched three ways: %d\n", h[0]);

    size_t pitch;
    char *rows;
    must(cudaMallocPitch(&rows, &pitch, 100, 10));
    printf("pitch %zu\n", pitch);
    char picture[10][100], back[10][100];
    for (int i = 0; i < 1000; i++)
        picture[i / 100][i % 100] = (char)i;
    must(cudaMemcpy2D(rows, pitch, picture, 100, 100, 10, cudaMemcpyHostToDevice));
    must(cudaMemset2D(rows + 5 * pitch, pitch, 9, 100, 1));
    must(cudaMemcpy2D(back, 100, rows, pitch, 100, 10, cudaMemcpyDeviceToHost));
    printf("rows %d %d %d\n", back[4][99], back[5][99], back[9][3]);
    SAY(cudaMemcpy2D(rows, 50, picture, 100, 100, 10, cudaMemcpyHostToDevice));

    int *pooled;
    must(cudaMallocAsync(&pooled, 4000, other));
    must(cudaMemsetAsync(pooled, 1, 4000, other));
    must(cudaMemcpyAsync(h, pooled, 4000, cudaMemcpyDeviceToHost, other));
    must(cudaFreeAsync(pooled, other));
    must(cudaStreamSynchronize(other));
    printf("pooled %x\n", h[999]);

    cudaFuncAttributes about;
    must(cudaFuncGetAttributes(&about, dynamic));
    printf("dynamic has %zu static, %d most threads, %d most dynamic\n",
           about.sharedSizeBytes, about.maxThreadsPerBlock,
           about.maxDynamicSharedSizeBytes);
    int blocks;
    must(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, dynamic, 256, 0));
    printf("blocks %d\n", blocks);
    must(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, dynamic, 1024, 0));
    printf("blocks %d\n", blocks);
    must(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, dynamic, 32, 40000));
    printf("blocks %d\n", blocks);
    int device = 9, count = 0;
    must(cudaGetDevice(&device));
    must(cudaGetDeviceCount(&count));
    cudaDeviceProp gpu;
    must(cudaGetDeviceProperties(&gpu, 0));
    printf("device %d, warp %d, %d threads, grid %d %d %d, const %zu, shared %zu\n",
           device, gpu.warpSize, gpu.maxThreadsPerBlock, gpu.maxGridSize[0],
           gpu.maxGridSize[1], gpu.maxGridSize[2], gpu.totalConstMem,
           gpu.sharedMemPerBlock);
    printf("managed %d, concurrent %d, unified %d, map %d, cooperative %d\n",
           gpu.managedMemory, gpu.concurrentManagedAccess, gpu.unifiedAddressing,
           gpu.canMapHostMemory, gpu.cooperativeLaunch);
    must(cudaFreeHost(pinned));
    must(cudaFreeHost(mapped));
    must(cudaFree(managed));
    int *registered = (int *)aligned_alloc(4096, 8192);
    SAY(cudaHostRegister(registered, 8192, cudaHostRegisterDefault));
    must(cudaMemcpyAsync(registered, d, 4000, cudaMemcpyDeviceToHost, other));
    must(cudaStreamSynchronize(other));
    printf("registered %d\n", registered[0]);
    SAY(cudaHostRegister(registered, 8192, cudaHostRegisterDefault));
    SAY(cudaHostUnregister(registered));
    SAY(cudaDeviceSynchronize());

    SAY(cudaDeviceReset()); // a good context's end: everything is new
    must(cudaMemcpyFromSymbol(&value, counter, 4));
    printf("after a reset: counter %d\n", value);
    SAY(cudaFree(d));
    SAY(cudaStreamSynchronize(0));
}
