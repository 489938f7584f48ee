// Devices as the program sees them: alike but for their numbers. These are their facts.

#include "graph.h"

#include <string.h>

int device_properties(struct cudaDeviceProp *p, int number)
{
    if (!p)
        return cudaErrorInvalidValue;
    if (!is_device(number))
        return cudaErrorInvalidDevice;
    memset(p, 0, sizeof *p);
    memcpy(p->name, gpu.name, sizeof gpu.name);
    memcpy(p->uuid.bytes, "simt", 4);
    p->uuid.bytes[15] = (char)number;
    p->pciBusID = number + 1;
    p->isMultiGpuBoard = 0;
    p->multiGpuBoardGroupID = number;
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
    p->canUseHostPointerForRegisteredMem = 1;
#if CUDART_VERSION >= 12000
    p->hostRegisterSupported = 1;
    p->memoryPoolsSupported = 1;
#endif
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
    return CALL_ANY(device_properties(p, number));
}

static int attribute(int *value, enum cudaDeviceAttr what, int number)
{
    struct cudaDeviceProp p;
    if (!value)
        return cudaErrorInvalidValue;
    int code = device_properties(&p, number);
    if (code)
        return code;
    switch ((int)what) {
#define ATTRIBUTE(name, is)                                                            \
    case cudaDevAttr##name:                                                            \
        *value = (int)(is);                                                            \
        return cudaSuccess;
#include "attributes.def"
#undef ATTRIBUTE
    }
    if ((int)what <= 0 || (int)what >= cudaDevAttrMax)
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
    *devices = device_count;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaGetDeviceCount(int *devices)
{
    if (devices)
        *devices = 0;
    return CALL_ANY(count(devices));
}
