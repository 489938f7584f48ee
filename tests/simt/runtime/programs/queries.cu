// What kernels and devices say of themselves: attributes, occupancy, limits, names.

#include "say.h"

#include <cuda_profiler_api.h>

__global__ void plain(int *p)
{
    p[threadIdx.x] = 1;
}

__global__ void __launch_bounds__(256, 2) bounded(double x, int *p)
{
    __shared__ int room[100];
    room[threadIdx.x % 100] = (int)x;
    __syncthreads();
    p[threadIdx.x] = room[(threadIdx.x + 1) % 100];
}

__constant__ int constants[32];
struct triple {
    char a, b, c;
};

__global__ void three(triple t, long *p, short s)
{
    *p = t.a + s + constants[s];
}

static void kernels()
{
    cudaFuncAttributes a;
    must(cudaFuncGetAttributes(&a, plain));
    printf("plain: shared %zu, local %zu, threads %d, registers %s, dynamic %d\n",
           a.sharedSizeBytes, a.localSizeBytes, a.maxThreadsPerBlock,
           a.numRegs > 0 && a.numRegs < 33 ? "few" : "many",
           a.maxDynamicSharedSizeBytes);
    must(cudaFuncGetAttributes(&a, bounded));
    printf("bounded: shared %zu, local %zu, threads %d, dynamic %d\n",
           a.sharedSizeBytes, a.localSizeBytes, a.maxThreadsPerBlock,
           a.maxDynamicSharedSizeBytes);
    printf("clusters: must %d, size %d %d %d, non-portable %d\n", a.clusterDimMustBeSet,
           a.requiredClusterWidth, a.requiredClusterHeight, a.requiredClusterDepth,
           a.nonPortableClusterSizeAllowed);
    const char *name = nullptr;
    SAY(cudaFuncGetName(&name, (const void *)three));
    printf("name %s\n", name);
    size_t at, bytes;
    for (size_t i = 0; i < 4; i++) {
        cudaError_t code = cudaFuncGetParamInfo((const void *)three, i, &at, &bytes);
        printf("parameter %zu: %s", i, cudaGetErrorName(code));
        if (!code)
            printf(", at %zu, %zu bytes", at, bytes);
        puts("");
    }
    cudaGetLastError();
    cudaFunction_t function = nullptr;
    SAY(cudaGetFuncBySymbol(&function, (const void *)plain));
    cudaKernel_t kernel = nullptr;
    SAY(cudaGetKernel(&kernel, (const void *)plain));
    int *d;
    must(cudaMalloc(&d, 4096));
    void *arguments[] = {&d};
    SAY(cudaLaunchKernel((const void *)kernel, dim3(1), dim3(32), arguments, 0, 0));
    SAY(cudaFuncSetCacheConfig((const void *)plain, cudaFuncCachePreferL1));
    SAY(cudaFuncSetAttribute((const void *)plain,
                             cudaFuncAttributePreferredSharedMemoryCarveout, 50));
    SAY(cudaFuncSetAttribute((const void *)plain,
                             cudaFuncAttributePreferredSharedMemoryCarveout, 101));
    SAY(cudaFuncSetAttribute((const void *)plain,
                             cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    SAY(cudaFuncSetAttribute((const void *)plain, (cudaFuncAttribute)99, 1));
    must(cudaFuncGetAttributes(&a, plain));
    printf("carveout %d\n", a.preferredShmemCarveout);
    must(cudaFree(d));
}

static void occupancy()
{
    int blocks = -1, grid, block;
    size_t room = 0;
    for (int threads : {32, 64, 256, 1000, 1024}) {
        must(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, threads, 0));
        printf("plain, %d threads: %d blocks\n", threads, blocks);
    }
    for (size_t shared : {1024, 40000, 100000, 200000}) {
        must(cudaFuncSetAttribute((const void *)plain,
                                  cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  227 << 10));
        must(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 64, shared));
        printf("plain, %zu bytes: %d blocks\n", shared, blocks);
    }
    must(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        &blocks, plain, 128, 0, cudaOccupancyDisableCachingOverride));
    printf("with flags: %d\n", blocks);
    must(cudaOccupancyMaxPotentialBlockSize(&grid, &block, plain));
    printf("best: grid %d, block %d\n", grid, block);
    must(cudaOccupancyMaxPotentialBlockSize(&grid, &block, bounded));
    printf("bounded: block %d\n", block);
    for (int n : {1, 2, 8}) {
        must(cudaOccupancyAvailableDynamicSMemPerBlock(&room, plain, n, 128));
        printf("%d blocks: %zu bytes each\n", n, room);
    }
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, -1, 0));
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, plain, 128, 0,
                                                               99));
}

static void say_limit(cudaLimit what)
{
    size_t value = 0;
    cudaError_t code = cudaDeviceGetLimit(&value, what);
    printf("limit %d: %s %zu, last %s\n", what, cudaGetErrorName(code), value,
           cudaGetErrorName(cudaGetLastError()));
}

static void limits()
{
    SAY(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    say_limit(cudaLimitStackSize);
    SAY(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20));
    say_limit(cudaLimitMallocHeapSize);
    SAY(cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 4)); // gone since 9.0
    SAY(cudaDeviceGetLimit(nullptr, cudaLimitStackSize));
    SAY(cudaDeviceSetLimit((cudaLimit)99, 1));
}

static void device()
{
    unsigned flags = 99;
    int number = -1, can = 9;
    char bus[32] = "";
    SAY(cudaDeviceSetCacheConfig(cudaFuncCachePreferShared));
    SAY(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
    must(cudaGetDeviceFlags(&flags));
    printf("flags %u\n", flags & cudaDeviceScheduleMask);
    SAY(cudaSetDeviceFlags(1 << 20));
    SAY(cudaDeviceGetPCIBusId(bus, 32, 0));
    printf("bus %c%c\n", bus[4], bus[7]);
    SAY(cudaDeviceGetByPCIBusId(&number, bus));
    printf("number %d\n", number);
    SAY(cudaDeviceGetPCIBusId(bus, 32, 99));
    cudaDeviceProp p = {};
    SAY(cudaChooseDevice(&number, &p));
    printf("number %d\n", number);
    SAY(cudaInitDevice(0, 0, 0));
    SAY(cudaInitDevice(99, 0, 0));
    int list[] = {0};
    SAY(cudaSetValidDevices(list, 1));
    SAY(cudaSetValidDevices(list, 99));
    SAY(cudaProfilerStart());
    SAY(cudaProfilerStop());
    void *entry = &can;
    cudaDriverEntryPointQueryResult result;
    SAY(cudaGetDriverEntryPointByVersion("cuNoSuchThing", &entry, 12000,
                                         cudaEnableDefault, &result));
    printf("result %d\n", result);
    SAY(cudaDeviceCanAccessPeer(&can, 0, 0));
    printf("can %d\n", can);
    SAY(cudaDeviceCanAccessPeer(&can, 0, 99));
    SAY(cudaDeviceEnablePeerAccess(0, 0));
    SAY(cudaDeviceEnablePeerAccess(99, 0));
    SAY(cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 0, 0));
}

int main()
{
    kernels();
    occupancy();
    limits();
    device();
}
