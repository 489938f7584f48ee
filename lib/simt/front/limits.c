// Limits and preferences of a device: taken, rounded as a GPU rounds them, told back.

#include "front.h"

static size_t limits[WIRE_DEVICES][8];
static bool known[WIRE_DEVICES];
static enum cudaFuncCache preferred[WIRE_DEVICES];

enum {
    STACK = 1024,
    HEAP = 8 << 20,
};

static size_t *limits_of(int number)
{
    size_t *l = limits[number];
    if (known[number])
        return l;
    known[number] = true;
    l[cudaLimitStackSize] = STACK;
    l[cudaLimitPrintfFifoSize] = 1 << 20;
    l[cudaLimitMallocHeapSize] = HEAP;
    l[cudaLimitDevRuntimeSyncDepth] = 2;
    l[cudaLimitDevRuntimePendingLaunchCount] = 2048;
    l[cudaLimitMaxL2FetchGranularity] = 64;
    l[cudaLimitPersistingL2CacheSize] = 0;
    return l;
}

void limits_forget(int number)
{
    known[number] = false;
    preferred[number] = cudaFuncCachePreferNone;
}

// The depth of synchronisation inside kernels went with that synchronisation.
static int exists(enum cudaLimit what)
{
    if ((unsigned)what > cudaLimitPersistingL2CacheSize)
        return cudaErrorInvalidValue;
    if (what == cudaLimitDevRuntimeSyncDepth && gpu.major >= 9)
        return cudaErrorUnsupportedLimit;
    return cudaSuccess;
}

static int get(size_t *value, enum cudaLimit what)
{
    int code = value ? exists(what) : cudaErrorInvalidValue;
    if (!code)
        *value = limits_of(here)[what];
    return code;
}

static size_t rounded(size_t value, size_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static int set(enum cudaLimit what, size_t value)
{
    int code = exists(what);
    if (code)
        return code;
    size_t *limit = &limits_of(here)[what];
    size_t most = (size_t)gpu.l2 * 3 / 4;
    switch (what) {
    case cudaLimitStackSize:
        if (value > 512 << 10) // what a thread's local memory may be
            return cudaErrorInvalidValue;
        *limit = rounded(value, 16);
        break;
    case cudaLimitMaxL2FetchGranularity: // 32, 64 or 128
        *limit = value <= 32 ? 32 : value <= 64 ? 64 : 128;
        break;
    case cudaLimitPersistingL2CacheSize:
        if (gpu.major < 8)
            return cudaErrorUnsupportedLimit;
        *limit = value < most ? value : most;
        break;
    default:
        if (value > gpu.memory)
            return cudaErrorMemoryAllocation;
        *limit = value;
    }
    return cudaSuccess;
}

// Stack, buffer and heap are the device's own; a change waits for it.
static int tell(enum cudaLimit what)
{
    static wire_reply reply;
    if (what > cudaLimitMallocHeapSize)
        return cudaSuccess;
    run_all(here);
    wire_command c = {.op = WIRE_LIMIT,
                      .device = (uint16_t)here,
                      .as.object = {what, limits[here][what]}};
    return ask(c, NULL, 0, &reply);
}

static int set_and_tell(enum cudaLimit what, size_t value)
{
    int code = exists(what);
    size_t old = code ? 0 : limits_of(here)[what];
    if (!code)
        code = set(what, value);
    if (!code)
        code = tell(what);
    if (code && !exists(what))
        limits[here][what] = old;
    return code;
}

cudaError_t CUDARTAPI cudaDeviceGetLimit(size_t *value, enum cudaLimit what)
{
    return CALL(get(value, what));
}

cudaError_t CUDARTAPI cudaDeviceSetLimit(enum cudaLimit what, size_t value)
{
    return CALL(set_and_tell(what, value));
}

// ---- Preferences: caches are not modelled
// -----------------------------------------------

static int prefer(enum cudaFuncCache what)
{
    if ((unsigned)what > cudaFuncCachePreferEqual)
        return cudaErrorInvalidValue;
    preferred[here] = what;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaDeviceSetCacheConfig(enum cudaFuncCache what)
{
    return CALL(prefer(what));
}

static int preference(enum cudaFuncCache *what)
{
    if (!what)
        return cudaErrorInvalidValue;
    *what = preferred[here];
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaDeviceGetCacheConfig(enum cudaFuncCache *what)
{
    return CALL(preference(what));
}

static int banks(enum cudaSharedMemConfig *what)
{
    if (!what)
        return cudaErrorInvalidValue;
    *what = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *what)
{
    return CALL(banks(what));
}

cudaError_t CUDARTAPI cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig what)
{
    return CALL((unsigned)what > cudaSharedMemBankSizeEightByte ? cudaErrorInvalidValue
                                                                : cudaSuccess);
}

static int longest_texture(size_t *width, const struct cudaChannelFormatDesc *format,
                           int number)
{
    if (!width || !format)
        return cudaErrorInvalidValue;
    if (!is_device(number))
        return cudaErrorInvalidDevice;
    int bits = format->x + format->y + format->z + format->w;
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64 && bits != 128)
        return cudaErrorInvalidChannelDescriptor;
    *width = 268435456;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaDeviceGetTexture1DLinearMaxWidth(
    size_t *width, const struct cudaChannelFormatDesc *format, int number)
{
    return CALL(longest_texture(width, format, number));
}

static int flush(enum cudaFlushGPUDirectRDMAWritesTarget target,
                 enum cudaFlushGPUDirectRDMAWritesScope scope)
{
    (void)target, (void)scope; // no other device writes
    return cudaSuccess;
}

cudaError_t CUDARTAPI
cudaDeviceFlushGPUDirectRDMAWrites(enum cudaFlushGPUDirectRDMAWritesTarget target,
                                   enum cudaFlushGPUDirectRDMAWritesScope scope)
{
    return CALL(flush(target, scope));
}
