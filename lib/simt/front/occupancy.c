// Occupancy: how many blocks a multiprocessor takes at once.
//
// Shared memory is cut from the L1 cache, in a few sizes: as much as the kernel prefers
// (all of it, if it has not said), or as one block needs if that is more.
// wire/occupancy.h has the rules.

#include "front.h"

#include "../wire/occupancy.h"

static wire_kernel *about_of(const kernel *k)
{
    return k->on[here].about;
}

int most_dynamic(const kernel *k)
{
    int room = (int)(48 * 1024 - (int64_t)about_of(k)->shared);
    return (size_t)room < k->on[here].most_dynamic ? (int)k->on[here].most_dynamic
                                                   : room;
}

static multiprocessor here_is(void)
{
    return (multiprocessor){gpu.major, gpu.threads_per_sm, gpu.blocks_per_sm,
                            gpu.registers_per_sm, (size_t)gpu.shared_per_sm,
                            (size_t)gpu.shared_optin};
}

static size_t setting(size_t bytes)
{
    const multiprocessor m = here_is();
    return shared_setting(&m, bytes);
}

size_t shared_preferred(const kernel *k)
{
    static const int of_cache[] = {[cudaFuncCachePreferNone] = -1,
                                   [cudaFuncCachePreferShared] = 100,
                                   [cudaFuncCachePreferL1] = 0,
                                   [cudaFuncCachePreferEqual] = 50};
    int percent = k->on[here].carveout;
    if (percent < 0)
        percent = of_cache[k->on[here].cache];
    return setting(percent < 0 ? (size_t)gpu.shared_per_sm
                               : (size_t)gpu.shared_per_sm * (size_t)percent / 100);
}

int blocks_per_sm(const kernel *k, int block, size_t dynamic)
{
    const wire_kernel *about = k->on[here].about;
    const multiprocessor m = here_is();
    return occupancy_of(&m, block, about->registers, about->shared + dynamic,
                        shared_preferred(k))
        .blocks;
}

// ---- Calls --------------------------------------------------------------------------

static int occupancy(int *blocks, const void *host, int block, size_t dynamic)
{
    kernel *k;
    if (!blocks || block <= 0)
        return cudaErrorInvalidValue;
    int code = kernel_find(host, &k);
    if (!code)
        *blocks =
            block > about_of(k)->max_threads ? 0 : blocks_per_sm(k, block, dynamic);
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
    int code = kernel_find(host, &k);
    if (code || !dynamic || blocks <= 0 || block <= 0)
        return code ? code : cudaErrorInvalidValue;
    if (blocks_per_sm(k, block, 0) < blocks)
        return cudaErrorInvalidValue;
    size_t most = (size_t)most_dynamic(k), used = about_of(k)->shared;
    size_t room = (size_t)gpu.shared_optin, preferred = shared_preferred(k);
    size_t sm = blocks == 1 ? room : preferred ? preferred : setting(1);
    size_t each = sm / (size_t)blocks / 128 * 128;
    each = each < room ? each : room;
    each = each > used ? each - used : 0; // what a block has reserved is not taken off
    *dynamic = each < most ? each : most;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamic,
                                                                const void *host,
                                                                int blocks, int block)
{
    return CALL(dynamic_left(dynamic, host, blocks, block));
}

#if CUDART_VERSION >= 11080
// The size of a launch's clusters; 1 if it asks for none.
static int cluster_of(const cudaLaunchConfig_t *c)
{
    for (unsigned i = 0; i < c->numAttrs; i++)
        if (c->attrs[i].id == cudaLaunchAttributeClusterDimension)
            return (int)(c->attrs[i].val.clusterDim.x * c->attrs[i].val.clusterDim.y *
                         c->attrs[i].val.clusterDim.z);
    return 1;
}

static int cluster_limit(const kernel *k)
{
    return k->on[here].large_clusters ? 16 : 8;
}

static int clusters(int *count, const void *host, const cudaLaunchConfig_t *c,
                    bool size)
{
    kernel *k;
    if (!count || !c)
        return cudaErrorInvalidValue;
    int code = kernel_find(host, &k);
    if (code)
        return code;
    if (gpu.major < 9)
        return cudaErrorNotSupported;
    int threads = (int)(c->blockDim.x * c->blockDim.y * c->blockDim.z);
    int blocks = gpu.sms * blocks_per_sm(k, threads, c->dynamicSmemBytes);
    int each = cluster_of(c), limit = cluster_limit(k);
    if (each < 1 || (!size && each > limit))
        return cudaErrorInvalidClusterSize;
    *count = size ? (blocks < limit ? blocks : limit) : blocks / each;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaOccupancyMaxPotentialClusterSize(int *size, const void *host,
                                                           const cudaLaunchConfig_t *c)
{
    return CALL(clusters(size, host, c, true));
}

cudaError_t CUDARTAPI cudaOccupancyMaxActiveClusters(int *count, const void *host,
                                                     const cudaLaunchConfig_t *c)
{
    return CALL(clusters(count, host, c, false));
}
#endif
