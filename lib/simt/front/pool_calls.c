// Pools as programs see them: which is whose, what they hold, who may use it.

#include "pool.h"

static int get_pool(cudaMemPool_t *to, int number, bool own)
{
    if (!to)
        return cudaErrorInvalidValue;
    if (!is_device(number))
        return cudaErrorInvalidDevice;
    pool *now = pool_current[number];
    *to = (cudaMemPool_t)(own || !now ? pool_own(number) : now);
    return *to ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t CUDARTAPI cudaDeviceGetDefaultMemPool(cudaMemPool_t *to, int number)
{
    return CALL(get_pool(to, number, true));
}

cudaError_t CUDARTAPI cudaDeviceGetMemPool(cudaMemPool_t *to, int number)
{
    return CALL(get_pool(to, number, false));
}

static int set_pool(int number, cudaMemPool_t handle)
{
    pool *p = pool_of(handle);
    if (!is_device(number))
        return cudaErrorInvalidDevice;
    if (!p || p->device != number)
        return cudaErrorInvalidValue;
    pool_current[number] = p;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaDeviceSetMemPool(int number, cudaMemPool_t handle)
{
    return CALL(set_pool(number, handle));
}

static int create(cudaMemPool_t *to, const struct cudaMemPoolProps *about)
{
    if (!to || !about || about->allocType != cudaMemAllocationTypePinned ||
        about->location.type != cudaMemLocationTypeDevice)
        return cudaErrorInvalidValue;
    if (!is_device(about->location.id))
        return cudaErrorInvalidDevice;
    if (about->handleTypes != cudaMemHandleTypeNone)
        return cudaErrorNotSupported;
    *to = (cudaMemPool_t)pool_new(about->location.id);
    return *to ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t CUDARTAPI cudaMemPoolCreate(cudaMemPool_t *to,
                                        const struct cudaMemPoolProps *about)
{
    return CALL(create(to, about));
}

static int destroy(cudaMemPool_t handle)
{
    pool *p = pool_of(handle);
    if (!p || p->own)
        return cudaErrorInvalidValue;
    for (int i = 0; i < WIRE_DEVICES; i++)
        if (pool_current[i] == p)
            pool_current[i] = NULL;
    p->gone = true;
    pools_trim(p->device);
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaMemPoolDestroy(cudaMemPool_t handle)
{
    return CALL(destroy(handle));
}

static int trim_to(cudaMemPool_t handle, size_t keep)
{
    pool *p = pool_of(handle);
    if (p)
        pool_trim(p, keep);
    return p ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t CUDARTAPI cudaMemPoolTrimTo(cudaMemPool_t handle, size_t keep)
{
    return CALL(trim_to(handle, keep));
}

// One attribute: read it, or set it.
static int attribute(cudaMemPool_t handle, enum cudaMemPoolAttr what, void *get,
                     const void *set)
{
    pool *p = pool_of(handle);
    if (!p || (!get && !set))
        return cudaErrorInvalidValue;
    uint64_t *number = NULL;
    bool mark = false;
    switch ((int)what) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies: {
        int *flag = &p->reuse[what - cudaMemPoolReuseFollowEventDependencies];
        if (get)
            *(int *)get = *flag;
        else
            *flag = *(const int *)set != 0;
        return cudaSuccess;
    }
    case cudaMemPoolAttrReleaseThreshold:
        number = &p->threshold;
        break;
    case cudaMemPoolAttrReservedMemCurrent:
        number = &p->reserved;
        break;
    case cudaMemPoolAttrUsedMemCurrent:
        number = &p->used;
        break;
    case cudaMemPoolAttrReservedMemHigh:
        number = &p->reserved_high;
        mark = true;
        break;
    case cudaMemPoolAttrUsedMemHigh:
        number = &p->used_high;
        mark = true;
        break;
    default:
        return cudaErrorInvalidValue;
    }
    if (get) {
        *(uint64_t *)get = *number;
        return cudaSuccess;
    }
    uint64_t value = *(const uint64_t *)set;
    if (number != &p->threshold && (!mark || value)) // high marks may only be reset
        return cudaErrorInvalidValue;
    *number = value;
    pool_mark(p);
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaMemPoolGetAttribute(cudaMemPool_t handle,
                                              enum cudaMemPoolAttr what, void *value)
{
    return CALL(attribute(handle, what, value, NULL));
}

cudaError_t CUDARTAPI cudaMemPoolSetAttribute(cudaMemPool_t handle,
                                              enum cudaMemPoolAttr what, void *value)
{
    return CALL(attribute(handle, what, NULL, value));
}

static int set_access(cudaMemPool_t handle, const struct cudaMemAccessDesc *list,
                      size_t count)
{
    pool *p = pool_of(handle);
    if (!p || (count && !list))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++) {
        if (list[i].location.type != cudaMemLocationTypeDevice ||
            !is_device(list[i].location.id))
            return cudaErrorInvalidDevice;
        if (list[i].location.id == p->device &&
            list[i].flags != cudaMemAccessFlagsProtReadWrite)
            return cudaErrorInvalidDevice;
        p->access[list[i].location.id] = (unsigned char)list[i].flags;
    }
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaMemPoolSetAccess(cudaMemPool_t handle,
                                           const struct cudaMemAccessDesc *list,
                                           size_t count)
{
    return CALL(set_access(handle, list, count));
}

static int get_access(enum cudaMemAccessFlags *flags, cudaMemPool_t handle,
                      const struct cudaMemLocation *where)
{
    pool *p = pool_of(handle);
    if (!flags || !p || !where || where->type != cudaMemLocationTypeDevice ||
        !is_device(where->id))
        return cudaErrorInvalidValue;
    *flags = (enum cudaMemAccessFlags)p->access[where->id];
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags,
                                           cudaMemPool_t handle,
                                           struct cudaMemLocation *where)
{
    return CALL(get_access(flags, handle, where));
}
