// What a kernel is and may have: attributes and occupancy.

#include "front.h"

// The kernel that a stub's address or a handle names, looked up on the device.
static int find(const void *host, kernel **k)
{
    *k = kernel_by_stub(host);
    if (!*k && is_kernel(host))
        *k = (kernel *)(uintptr_t)host;
    if (!*k)
        return host ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction;
    return kernel_ready(*k);
}

static int most_dynamic(const kernel *k)
{
    int room = (int)(48 * 1024 - (int64_t)k->about->shared);
    return (size_t)room < k->most_dynamic ? (int)k->most_dynamic : room;
}

static int attributes(struct cudaFuncAttributes *a, const void *host)
{
    kernel *k;
    if (!a)
        return cudaErrorInvalidValue;
    int code = find(host, &k);
    if (code)
        return code;
    *a = (struct cudaFuncAttributes){
        .sharedSizeBytes = k->about->shared,
        .constSizeBytes = k->about->constant,
        .localSizeBytes = k->about->local,
        .maxThreadsPerBlock = k->about->max_threads,
        .numRegs = k->about->registers,
        .ptxVersion = 80,
        .binaryVersion = gpu.major * 10 + gpu.minor,
        .maxDynamicSharedSizeBytes = most_dynamic(k),
        .preferredShmemCarveout = k->carveout,
    };
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaFuncGetAttributes(struct cudaFuncAttributes *a,
                                            const void *host)
{
    return CALL(attributes(a, host));
}

static int set_attribute(const void *host, enum cudaFuncAttribute what, int value)
{
    kernel *k;
    int code = find(host, &k);
    if (code)
        return code;
    switch (what) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        if (value < 0 || (size_t)value + k->about->shared > (size_t)gpu.shared_optin)
            return cudaErrorInvalidValue;
        k->most_dynamic = (size_t)value;
        return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < -1 || value > 100)
            return cudaErrorInvalidValue;
        k->carveout = value;
        return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
        k->any_cluster = value != 0;
        return cudaSuccess;
    default:
        return cudaErrorNotSupported;
    }
}

cudaError_t CUDARTAPI cudaFuncSetAttribute(const void *host,
                                           enum cudaFuncAttribute what, int value)
{
    return CALL(set_attribute(host, what, value));
}

cudaError_t CUDARTAPI cudaFuncSetCacheConfig(const void *host, enum cudaFuncCache what)
{
    kernel *k;
    (void)what;
    return CALL(find(host, &k));
}

static int occupancy(int *blocks, const void *host, int block, size_t dynamic)
{
    kernel *k;
    if (!blocks || block <= 0)
        return cudaErrorInvalidValue;
    int code = find(host, &k);
    if (!code)
        *blocks = block > k->about->max_threads ? 0 : blocks_per_sm(k, block, dynamic);
    return code;
}

cudaError_t CUDARTAPI cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                                    const void *host,
                                                                    int block,
                                                                    size_t dynamic)
{
    return CALL(occupancy(blocks, host, block, dynamic));
}

cudaError_t CUDARTAPI cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *host, int block, size_t dynamic, unsigned flags)
{
    return CALL(flags > 1 ? cudaErrorInvalidValue
                          : occupancy(blocks, host, block, dynamic));
}

static int dynamic_left(size_t *dynamic, const void *host, int blocks, int block)
{
    kernel *k;
    int code = find(host, &k);
    if (code || !dynamic || blocks <= 0 || block <= 0)
        return code ? code : cudaErrorInvalidValue;
    if (blocks_per_sm(k, block, 0) < blocks)
        return cudaErrorInvalidValue;
    size_t each = (size_t)gpu.shared_per_sm / (size_t)blocks / 128 * 128;
    size_t used = k->about->shared + (gpu.major >= 8 ? 1024 : 0);
    *dynamic = each > used ? each - used : 0;
    if (*dynamic + k->about->shared > (size_t)gpu.shared_optin)
        *dynamic = (size_t)gpu.shared_optin - k->about->shared;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamic,
                                                                const void *host,
                                                                int blocks, int block)
{
    return CALL(dynamic_left(dynamic, host, blocks, block));
}
