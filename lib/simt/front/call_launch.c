// The calls of launches, of captures and of graphs that run.

#include "twin.h"

#include "graph.h"

cudaError_t TWIN(__cudaLaunchKernel)(cudaKernel_t k, dim3 grid, dim3 block,
                                     void **arguments, size_t shared, cudaStream_t s);
cudaError_t TWIN(__cudaLaunchKernel)(cudaKernel_t k, dim3 grid, dim3 block,
                                     void **arguments, size_t shared, cudaStream_t s)
{
    launch_options o = {.grid = grid, .block = block, .shared = shared};
    return CALL(launch_stub(k, o, arguments, own(s)));
}

cudaError_t CUDARTAPI cudaLaunchKernel(const void *host, dim3 grid, dim3 block,
                                       void **arguments, size_t shared, cudaStream_t s)
{
    launch_options o = {.grid = grid, .block = block, .shared = shared};
    return CALL(launch_stub(host, o, arguments, own(s)));
}

cudaError_t CUDARTAPI cudaLaunchCooperativeKernel(const void *host, dim3 grid,
                                                  dim3 block, void **arguments,
                                                  size_t shared, cudaStream_t s)
{
    launch_options o = {
        .grid = grid, .block = block, .shared = shared, .cooperative = true};
    return CALL(launch_stub(host, o, arguments, own(s)));
}

cudaError_t CUDARTAPI cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *host,
                                          void **arguments)
{
    return CALL(launch_configured(c, host, arguments, c ? own(c->stream) : NULL));
}

// ---- Capture --------------------------------------------------------------------

cudaError_t CUDARTAPI cudaStreamBeginCapture(cudaStream_t s,
                                             enum cudaStreamCaptureMode mode)
{
    return CALL(capture_begin(own(s), NULL, NULL, 0, (int)mode));
}

cudaError_t CUDARTAPI cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *g)
{
    return CALL(capture_end(own(s), g));
}

cudaError_t CUDARTAPI cudaStreamIsCapturing(cudaStream_t s,
                                            enum cudaStreamCaptureStatus *status)
{
    return CALL(capture_status(own(s), status));
}

#if CUDART_VERSION >= 12030
cudaError_t CUDARTAPI cudaStreamBeginCaptureToGraph(cudaStream_t s, cudaGraph_t g,
                                                    const cudaGraphNode_t *after,
                                                    const cudaGraphEdgeData *data,
                                                    size_t count,
                                                    enum cudaStreamCaptureMode mode)
{
    (void)data;
    return CALL(g ? capture_begin(own(s), (graph *)g, after, count, (int)mode)
                  : cudaErrorInvalidValue);
}
#endif

#if CUDART_VERSION >= 13000
cudaError_t CUDARTAPI cudaStreamGetCaptureInfo(cudaStream_t s,
                                               enum cudaStreamCaptureStatus *status,
                                               unsigned long long *id, cudaGraph_t *g,
                                               const cudaGraphNode_t **after,
                                               const cudaGraphEdgeData **data,
                                               size_t *count)
{
    if (data)
        *data = NULL;
    return CALL(capture_info(own(s), status, id, g, after, count));
}

cudaError_t CUDARTAPI cudaStreamUpdateCaptureDependencies(cudaStream_t s,
                                                          cudaGraphNode_t *after,
                                                          const cudaGraphEdgeData *data,
                                                          size_t count, unsigned flags)
{
    (void)data;
    return CALL(capture_update(own(s), after, count, flags));
}
#else
#if CUDART_VERSION < 12000
cudaError_t CUDARTAPI cudaStreamGetCaptureInfo(cudaStream_t s,
                                               enum cudaStreamCaptureStatus *status,
                                               unsigned long long *id)
{
    return CALL(capture_info(own(s), status, id, NULL, NULL, NULL));
}
#endif

cudaError_t CUDARTAPI CAPTURE_INFO(cudaStream_t s, enum cudaStreamCaptureStatus *status,
                                   unsigned long long *id, cudaGraph_t *g,
                                   const cudaGraphNode_t **after, size_t *count)
{
    return CALL(capture_info(own(s), status, id, g, after, count));
}

cudaError_t CUDARTAPI cudaStreamUpdateCaptureDependencies(cudaStream_t s,
                                                          cudaGraphNode_t *after,
                                                          size_t count, unsigned flags)
{
    return CALL(capture_update(own(s), after, count, flags));
}
#endif

// ---- Graphs ---------------------------------------------------------------------

cudaError_t CUDARTAPI cudaGraphLaunch(cudaGraphExec_t e, cudaStream_t s)
{
    return CALL(exec_launch(e, own(s)));
}

cudaError_t CUDARTAPI cudaGraphUpload(cudaGraphExec_t e, cudaStream_t s)
{
    return CALL(exec_upload(e, own(s)));
}

#if CUDART_VERSION >= 12000
cudaError_t CUDARTAPI cudaGraphInstantiateWithParams(cudaGraphExec_t *made,
                                                     cudaGraph_t g,
                                                     cudaGraphInstantiateParams *p)
{
    return CALL(exec_instantiate_with(made, g, p, p ? own(p->uploadStream) : NULL));
}
#endif
