// The calls about streams and events, host functions, memory in stream order.

#include "twin.h"

#include "memory.h"

cudaError_t CUDARTAPI cudaStreamSynchronize(cudaStream_t s)
{
    return CALL(stream_synchronize(own(s)));
}

cudaError_t CUDARTAPI cudaStreamQuery(cudaStream_t s)
{
    return CALL(stream_query(own(s)));
}

cudaError_t CUDARTAPI cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned flags)
{
    return CALL(stream_wait(own(s), e, flags));
}

cudaError_t CUDARTAPI cudaEventRecord(cudaEvent_t e, cudaStream_t s)
{
    return CALL(event_record(e, own(s), 0));
}

cudaError_t CUDARTAPI cudaEventRecordWithFlags(cudaEvent_t e, cudaStream_t s,
                                               unsigned flags)
{
    return CALL(event_record(e, own(s), flags));
}

cudaError_t CUDARTAPI cudaStreamAddCallback(cudaStream_t s, cudaStreamCallback_t f,
                                            void *a, unsigned flags)
{
    return CALL(stream_call_back(own(s), s, f, a, flags));
}

cudaError_t CUDARTAPI cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t f, void *a)
{
    return CALL(stream_call(own(s), (calling){f, a}));
}

cudaError_t CUDARTAPI cudaStreamGetFlags(cudaStream_t s, unsigned *flags)
{
    return CALL(stream_flags(own(s), flags));
}

cudaError_t CUDARTAPI cudaStreamGetPriority(cudaStream_t s, int *priority)
{
    return CALL(stream_priority(own(s), priority));
}

#if CUDART_VERSION >= 12000
cudaError_t CUDARTAPI cudaStreamGetId(cudaStream_t s, unsigned long long *id)
{
    return CALL(stream_id(own(s), id));
}
#endif

#if CUDART_VERSION >= 12080
cudaError_t CUDARTAPI cudaStreamGetDevice(cudaStream_t s, int *number)
{
    return CALL(stream_device(own(s), number));
}
#endif

cudaError_t CUDARTAPI cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
    return CALL(stream_copy_attributes(own(to), own(from)));
}

cudaError_t CUDARTAPI cudaStreamGetAttribute(cudaStream_t s, cudaStreamAttrID which,
                                             cudaStreamAttrValue *value)
{
    return CALL(stream_attribute(own(s), (int)which, value, NULL));
}

cudaError_t CUDARTAPI cudaStreamSetAttribute(cudaStream_t s, cudaStreamAttrID which,
                                             const cudaStreamAttrValue *value)
{
    return CALL(stream_attribute(own(s), (int)which, NULL, value));
}

cudaError_t CUDARTAPI cudaStreamAttachMemAsync(cudaStream_t s, void *at, size_t bytes,
                                               unsigned flags)
{
    return CALL(stream_attach(own(s), at, bytes, flags));
}

cudaError_t CUDARTAPI cudaMallocAsync(void **at, size_t bytes, cudaStream_t s)
{
    return CALL(pool_take(at, bytes, NULL, own(s)));
}

cudaError_t CUDARTAPI cudaMallocFromPoolAsync(void **at, size_t bytes,
                                              cudaMemPool_t pool, cudaStream_t s)
{
    return CALL(pool ? pool_take(at, bytes, pool, own(s)) : cudaErrorInvalidValue);
}

cudaError_t CUDARTAPI cudaFreeAsync(void *at, cudaStream_t s)
{
    return CALL(pool_give(at, own(s)));
}

#if CUDART_VERSION >= 13000
cudaError_t CUDARTAPI cudaMemPrefetchAsync(const void *at, size_t bytes,
                                           struct cudaMemLocation to, unsigned flags,
                                           cudaStream_t s)
{
    return CALL(managed_prefetch(at, bytes, to, flags, own(s)));
}
#else
cudaError_t CUDARTAPI cudaMemPrefetchAsync(const void *at, size_t bytes, int to,
                                           cudaStream_t s)
{
    return CALL(managed_prefetch(at, bytes, to, 0, own(s)));
}
#endif

cudaError_t CUDARTAPI cudaGetDriverEntryPoint(
    const char *name, void **function, unsigned long long flags
#if CUDART_VERSION >= 12000
    ,
    enum cudaDriverEntryPointQueryResult *status
#endif
)
{
    (void)flags;
#if CUDART_VERSION < 12000
    enum cudaDriverEntryPointQueryResult *status = NULL;
#endif
    return CALL_ANY(entry_point(name, function, status));
}

#if CUDART_VERSION >= 12050
cudaError_t CUDARTAPI cudaGetDriverEntryPointByVersion(
    const char *name, void **function, unsigned version, unsigned long long flags,
    enum cudaDriverEntryPointQueryResult *status)
{
    (void)version, (void)flags;
    return CALL_ANY(entry_point(name, function, status));
}
#endif
