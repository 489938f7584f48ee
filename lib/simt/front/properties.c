// The device as the program sees it: there is one, number 0, and these are its facts.

#include "front.h"

#include <string.h>

static int properties(struct cudaDeviceProp *p, int number)
{
    if (!p)
        return cudaErrorInvalidValue;
    if (number != 0)
        return cudaErrorInvalidDevice;
    memset(p, 0, sizeof *p);
    memcpy(p->name, gpu.name, sizeof gpu.name);
    memcpy(p->uuid.bytes, "simt", 4);
    p->totalGlobalMem = gpu.memory;
    p->sharedMemPerBlock = 48 << 10;
    p->regsPerBlock = 65536;
    p->warpSize = 32;
    p->memPitch = 2147483647;
    p->maxThreadsPerBlock = 1024;
    p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
    p->maxThreadsDim[2] = 64;
    p->maxGridSize[0] = 2147483647;
    p->maxGridSize[1] = p->maxGridSize[2] = 65535;
    p->totalConstMem = 64 << 10;
    p->major = gpu.major;
    p->minor = gpu.minor;
    p->textureAlignment = 512;
    p->texturePitchAlignment = 32;
    p->surfaceAlignment = 512;
    p->multiProcessorCount = gpu.sms;
    p->canMapHostMemory = 1;
    p->concurrentKernels = 1;
    p->ECCEnabled = 1;
    p->asyncEngineCount = 3;
    p->unifiedAddressing = 1;
    p->memoryBusWidth = gpu.memory_bus_bits;
    p->l2CacheSize = gpu.l2;
    p->maxThreadsPerMultiProcessor = gpu.threads_per_sm;
    p->streamPrioritiesSupported = 1;
    p->globalL1CacheSupported = p->localL1CacheSupported = 1;
    p->sharedMemPerMultiprocessor = (size_t)gpu.shared_per_sm;
    p->regsPerMultiprocessor = gpu.registers_per_sm;
    p->managedMemory = 1;
    p->concurrentManagedAccess = 1;
    p->computePreemptionSupported = 1;
    p->cooperativeLaunch = 1;
    p->sharedMemPerBlockOptin = (size_t)gpu.shared_optin;
    p->maxBlocksPerMultiProcessor = gpu.blocks_per_sm;
    p->reservedSharedMemPerBlock = gpu.major >= 8 ? 1024 : 0;
    p->hostRegisterSupported = 1;
    p->canUseHostPointerForRegisteredMem = 1;
    p->memoryPoolsSupported = 1;
#if CUDART_VERSION < 13000
    p->clockRate = gpu.clock_khz;
    p->memoryClockRate = gpu.memory_clock_khz;
    p->kernelExecTimeoutEnabled = 0;
    p->deviceOverlap = 1;
#endif
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaGetDeviceProperties(struct cudaDeviceProp *p, int number)
{
    return CALL_ANY(properties(p, number));
}

static int attribute(int *value, enum cudaDeviceAttr what, int number)
{
    struct cudaDeviceProp p;
    if (!value)
        return cudaErrorInvalidValue;
    int code = properties(&p, number);
    if (code)
        return code;
    switch ((int)what) {
#define ATTRIBUTE(name, is)                                                           \
    case cudaDevAttr##name:                                                           \
        *value = (int)(is);                                                           \
        return cudaSuccess;
#include "attributes.def"
#undef ATTRIBUTE
    }
    if ((int)what <= 0 || (int)what > 150)
        return cudaErrorInvalidValue;
    *value = 0; // what this device does not have
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr what,
                                             int number)
{
    return CALL_ANY(attribute(value, what, number));
}

static int count(int *devices)
{
    if (!devices)
        return cudaErrorInvalidValue;
    *devices = 1;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaGetDeviceCount(int *devices)
{
    if (devices)
        *devices = 0;
    return CALL_ANY(count(devices));
}

static int number_of(int *device_number)
{
    if (!device_number)
        return cudaErrorInvalidValue;
    *device_number = 0;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaGetDevice(int *device_number)
{
    return CALL_ANY(number_of(device_number));
}

static int exists(int number)
{
    return number == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t CUDARTAPI cudaSetDevice(int number)
{
    return CALL_ANY(exists(number));
}

cudaError_t CUDARTAPI cudaInitDevice(int number, unsigned device_flags, unsigned flags)
{
    (void)device_flags, (void)flags;
    return CALL_ANY(exists(number));
}

cudaError_t CUDARTAPI cudaSetDeviceFlags(unsigned flags)
{
    (void)flags;
    return CALL_ANY(cudaSuccess);
}

cudaError_t CUDARTAPI cudaDeviceReset(void)
{
    return CALL_ANY(front_reset());
}

static int version(int *number)
{
    if (!number)
        return cudaErrorInvalidValue;
    *number = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaDriverGetVersion(int *number)
{
    return (cudaError_t)version(number);
}

cudaError_t CUDARTAPI cudaRuntimeGetVersion(int *number)
{
    return (cudaError_t)version(number);
}

static int priorities(int *low, int *high)
{
    if (low)
        *low = 0;
    if (high)
        *high = -5;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaDeviceGetStreamPriorityRange(int *low, int *high)
{
    return CALL(priorities(low, high));
}

static int no_peer(int *can, int a, int b)
{
    if (!can)
        return cudaErrorInvalidValue;
    *can = 0;
    return exists(a) ? exists(a) : exists(b);
}

cudaError_t CUDARTAPI cudaDeviceCanAccessPeer(int *can, int a, int b)
{
    return CALL_ANY(no_peer(can, a, b));
}

cudaError_t CUDARTAPI cudaDeviceEnablePeerAccess(int number, unsigned flags)
{
    (void)number, (void)flags; // there is no other, and none is its own peer
    return CALL(cudaErrorInvalidDevice);
}

cudaError_t CUDARTAPI cudaDeviceDisablePeerAccess(int number)
{
    (void)number;
    return CALL(cudaErrorInvalidDevice);
}

static size_t limits[] = {
    [cudaLimitStackSize] = 1024,
    [cudaLimitPrintfFifoSize] = 1 << 20,
    [cudaLimitMallocHeapSize] = 8 << 20,
};

static int limit(enum cudaLimit what, size_t *get, const size_t *set)
{
    if ((size_t)what >= sizeof limits / sizeof *limits)
        return cudaErrorInvalidValue;
    if (set) { // the device's numbers are the runtime's
        static wire_reply reply;
        run_all(); // as a change of a limit waits for the device
        int code = ask((wire_command){.op = WIRE_LIMIT, .as.object = {what, *set}}, NULL,
                       0, &reply);
        if (code)
            return code;
        limits[what] = *set;
    }
    if (get)
        *get = limits[what];
    return get || set ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t CUDARTAPI cudaDeviceGetLimit(size_t *value, enum cudaLimit what)
{
    return CALL(limit(what, value, NULL));
}

cudaError_t CUDARTAPI cudaDeviceSetLimit(enum cudaLimit what, size_t value)
{
    return CALL(limit(what, NULL, &value));
}

cudaError_t CUDARTAPI cudaDeviceSetCacheConfig(enum cudaFuncCache what)
{
    (void)what;
    return CALL(cudaSuccess);
}

cudaError_t CUDARTAPI cudaProfilerStart(void)
{
    return CALL(cudaSuccess);
}

cudaError_t CUDARTAPI cudaProfilerStop(void)
{
    return CALL(cudaSuccess);
}

// Advice about managed memory changes nothing here, but must be about some.
static int about_managed(const void *at)
{
    const memory *m = memory_at(at);
    return m && m->kind == MANAGED ? cudaSuccess : cudaErrorInvalidValue;
}

#if CUDART_VERSION >= 13000
cudaError_t CUDARTAPI cudaMemPrefetchAsync(const void *at, size_t bytes,
                                           struct cudaMemLocation to, unsigned flags,
                                           cudaStream_t s)
{
    (void)bytes, (void)to, (void)flags, (void)s;
    return CALL(about_managed(at));
}

cudaError_t CUDARTAPI cudaMemAdvise(const void *at, size_t bytes,
                                    enum cudaMemoryAdvise advice,
                                    struct cudaMemLocation where)
{
    (void)bytes, (void)advice, (void)where;
    return CALL(about_managed(at));
}
#else
cudaError_t CUDARTAPI cudaMemPrefetchAsync(const void *at, size_t bytes, int to,
                                           cudaStream_t s)
{
    (void)bytes, (void)to, (void)s;
    return CALL(about_managed(at));
}

cudaError_t CUDARTAPI cudaMemAdvise(const void *at, size_t bytes,
                                    enum cudaMemoryAdvise advice, int where)
{
    (void)bytes, (void)advice, (void)where;
    return CALL(about_managed(at));
}
#endif
