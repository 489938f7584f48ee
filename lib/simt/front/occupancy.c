// Occupancy: how many blocks a multiprocessor takes at once.
//
// Shared memory is cut from the L1 cache, in a few sizes: as much as the kernel prefers
// (all of it, if it has not said), or as one block needs if that is more. These are the
// rules of the toolkit's cuda_occupancy.h; an H200 answers the same.

#include "front.h"

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

static int least(int a, int b)
{
    return a < b ? a : b;
}

static size_t shared_reserved(void) // a block, on top of its own
{
    return gpu.major >= 8 ? 1024 : 0;
}

// The size in which the hardware can give so much.
static size_t shared_setting(size_t bytes)
{
    static const size_t kib[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
    static const size_t turing[] = {32, 64};
    const size_t *sizes = gpu.major == 7 ? turing : kib, most = (size_t)gpu.shared_per_sm;
    size_t n = gpu.major == 7 ? 2 : sizeof kib / sizeof *kib;
    for (size_t i = 0; i < n; i++)
        if (bytes <= sizes[i] << 10)
            return sizes[i] << 10 < most ? sizes[i] << 10 : most;
    return most;
}

static size_t shared_preferred(const kernel *k)
{
    static const int of_cache[] = {[cudaFuncCachePreferNone] = -1,
                                   [cudaFuncCachePreferShared] = 100,
                                   [cudaFuncCachePreferL1] = 0,
                                   [cudaFuncCachePreferEqual] = 50};
    int percent = k->on[here].carveout;
    if (percent < 0)
        percent = of_cache[k->on[here].cache];
    return shared_setting(percent < 0 ? (size_t)gpu.shared_per_sm
                                      : (size_t)gpu.shared_per_sm * (size_t)percent / 100);
}

int blocks_per_sm(const kernel *k, int block, size_t dynamic)
{
    int warps = (block + 31) / 32, blocks = gpu.blocks_per_sm;
    if (warps <= 0)
        return 0;
    blocks = least(blocks, gpu.threads_per_sm / 32 / warps);
    int registers =
        (k->on[here].about->registers + 7) / 8 * 8 * 32; // a warp, in units of 256
    if (registers)
        blocks = least(blocks, gpu.registers_per_sm / registers / warps);
    size_t shared = k->on[here].about->shared + dynamic, room = shared_preferred(k);
    shared = (shared + shared_reserved() + 127) / 128 * 128;
    if (shared > (size_t)gpu.shared_optin + shared_reserved())
        return 0;
    room = room >= shared ? room : shared_setting(shared);
    if (shared)
        blocks = least(blocks, (int)(room / shared));
    return blocks;
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
    size_t sm = blocks == 1 ? room : preferred ? preferred : shared_setting(1);
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
