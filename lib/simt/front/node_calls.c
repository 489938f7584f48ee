// The calls that make nodes of each kind, read and change them.

#include "graph.h"
#include "memory.h"

// Make a node, then what it does; if that is wrong there is none.
#define MAKE(type_, set)                                                               \
    ({                                                                                 \
        node *n = NULL;                                                                \
        int made_ = to ? node_new((graph *)g, type_, after, count, &n)                 \
                       : cudaErrorInvalidValue;                                        \
        if (!made_ && (made_ = (set))) {                                               \
            n->graph->count--;                                                         \
            node_free(n);                                                              \
        }                                                                              \
        if (!made_)                                                                    \
            *to = (cudaGraphNode_t)n;                                                  \
        made_;                                                                         \
    })

// A node of a kind, or NULL.
static node *of_type(cudaGraphNode_t handle, enum cudaGraphNodeType type)
{
    node *n = (node *)handle;
    return n && n->type == type ? n : NULL;
}

// What a node of the right kind says, or takes.
#define ASK(type, action)                                                              \
    ({                                                                                 \
        node *n = of_type(handle, cudaGraphNodeType##type);                            \
        CALL(!n ? cudaErrorInvalidValue : (action));                                   \
    })
#define TELL(to, value) (!(to) ? cudaErrorInvalidValue : (*(to) = (value), cudaSuccess))

#define NODE_ARGUMENTS                                                                 \
    cudaGraphNode_t *to, cudaGraph_t g, const cudaGraphNode_t *after, size_t count

cudaError_t CUDARTAPI cudaGraphAddKernelNode(NODE_ARGUMENTS,
                                             const struct cudaKernelNodeParams *p)
{
    return CALL(MAKE(cudaGraphNodeTypeKernel, node_set_kernel(n, p)));
}

cudaError_t CUDARTAPI cudaGraphKernelNodeGetParams(cudaGraphNode_t handle,
                                                   struct cudaKernelNodeParams *p)
{
    return ASK(Kernel, TELL(p, n->kernel));
}

cudaError_t CUDARTAPI cudaGraphKernelNodeSetParams(cudaGraphNode_t handle,
                                                   const struct cudaKernelNodeParams *p)
{
    return ASK(Kernel, node_set_kernel(n, p));
}

cudaError_t CUDARTAPI cudaGraphAddMemcpyNode(NODE_ARGUMENTS,
                                             const struct cudaMemcpy3DParms *p)
{
    return CALL(MAKE(cudaGraphNodeTypeMemcpy, node_set_copy(n, p)));
}

cudaError_t CUDARTAPI cudaGraphAddMemcpyNode1D(NODE_ARGUMENTS, void *at,
                                               const void *from, size_t bytes,
                                               enum cudaMemcpyKind kind)
{
    return CALL(
        MAKE(cudaGraphNodeTypeMemcpy, node_set_line(n, at, from, bytes, (int)kind)));
}

int node_set_into(node *n, const void *symbol, const void *from, size_t bytes,
                  size_t offset, int kind)
{
    char *at;
    int code = symbol_place(symbol, bytes, offset, kind, INTO, &at);
    return code ? code : node_set_line(n, at, from, bytes, kind);
}

int node_set_out_of(node *n, void *to, const void *symbol, size_t bytes, size_t offset,
                    int kind)
{
    char *at;
    int code = symbol_place(symbol, bytes, offset, kind, OUT_OF, &at);
    return code ? code : node_set_line(n, to, at, bytes, kind);
}

cudaError_t CUDARTAPI cudaGraphAddMemcpyNodeToSymbol(NODE_ARGUMENTS, const void *symbol,
                                                     const void *from, size_t bytes,
                                                     size_t offset,
                                                     enum cudaMemcpyKind kind)
{
    return CALL(MAKE(cudaGraphNodeTypeMemcpy,
                     node_set_into(n, symbol, from, bytes, offset, (int)kind)));
}

cudaError_t CUDARTAPI cudaGraphAddMemcpyNodeFromSymbol(NODE_ARGUMENTS, void *at,
                                                       const void *symbol, size_t bytes,
                                                       size_t offset,
                                                       enum cudaMemcpyKind kind)
{
    return CALL(MAKE(cudaGraphNodeTypeMemcpy,
                     node_set_out_of(n, at, symbol, bytes, offset, (int)kind)));
}

cudaError_t CUDARTAPI cudaGraphMemcpyNodeGetParams(cudaGraphNode_t handle,
                                                   struct cudaMemcpy3DParms *p)
{
    return ASK(Memcpy, TELL(p, n->copy));
}

cudaError_t CUDARTAPI cudaGraphMemcpyNodeSetParams(cudaGraphNode_t handle,
                                                   const struct cudaMemcpy3DParms *p)
{
    return ASK(Memcpy, node_set_copy(n, p));
}

cudaError_t CUDARTAPI cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t handle, void *at,
                                                     const void *from, size_t bytes,
                                                     enum cudaMemcpyKind kind)
{
    return ASK(Memcpy, node_set_line(n, at, from, bytes, (int)kind));
}

cudaError_t CUDARTAPI cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t handle,
                                                           const void *symbol,
                                                           const void *from,
                                                           size_t bytes, size_t offset,
                                                           enum cudaMemcpyKind kind)
{
    return ASK(Memcpy, node_set_into(n, symbol, from, bytes, offset, (int)kind));
}

cudaError_t CUDARTAPI cudaGraphMemcpyNodeSetParamsFromSymbol(
    cudaGraphNode_t handle, void *at, const void *symbol, size_t bytes, size_t offset,
    enum cudaMemcpyKind kind)
{
    return ASK(Memcpy, node_set_out_of(n, at, symbol, bytes, offset, (int)kind));
}

cudaError_t CUDARTAPI cudaGraphAddMemsetNode(NODE_ARGUMENTS,
                                             const struct cudaMemsetParams *p)
{
    return CALL(MAKE(cudaGraphNodeTypeMemset, node_set_fill(n, p)));
}

cudaError_t CUDARTAPI cudaGraphMemsetNodeGetParams(cudaGraphNode_t handle,
                                                   struct cudaMemsetParams *p)
{
    return ASK(Memset, TELL(p, n->fill));
}

cudaError_t CUDARTAPI cudaGraphMemsetNodeSetParams(cudaGraphNode_t handle,
                                                   const struct cudaMemsetParams *p)
{
    return ASK(Memset, node_set_fill(n, p));
}

cudaError_t CUDARTAPI cudaGraphAddHostNode(NODE_ARGUMENTS,
                                           const struct cudaHostNodeParams *p)
{
    return CALL(MAKE(cudaGraphNodeTypeHost, node_set_call(n, p)));
}

static struct cudaHostNodeParams call_of(const node *n)
{
    return (struct cudaHostNodeParams){n->work.call.function, n->work.call.argument};
}

cudaError_t CUDARTAPI cudaGraphHostNodeGetParams(cudaGraphNode_t handle,
                                                 struct cudaHostNodeParams *p)
{
    return ASK(Host, TELL(p, call_of(n)));
}

cudaError_t CUDARTAPI cudaGraphHostNodeSetParams(cudaGraphNode_t handle,
                                                 const struct cudaHostNodeParams *p)
{
    return ASK(Host, node_set_call(n, p));
}

cudaError_t CUDARTAPI cudaGraphAddEmptyNode(NODE_ARGUMENTS)
{
    return CALL(MAKE(cudaGraphNodeTypeEmpty, cudaSuccess));
}

cudaError_t CUDARTAPI cudaGraphAddChildGraphNode(NODE_ARGUMENTS, cudaGraph_t child)
{
    return CALL(MAKE(cudaGraphNodeTypeGraph, node_set_child(n, (const graph *)child)));
}

cudaError_t CUDARTAPI cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t handle,
                                                      cudaGraph_t *child)
{
    return ASK(Graph, TELL(child, (cudaGraph_t)n->child));
}

cudaError_t CUDARTAPI cudaGraphAddEventRecordNode(NODE_ARGUMENTS, cudaEvent_t e)
{
    return CALL(MAKE(cudaGraphNodeTypeEventRecord, node_set_event(n, e)));
}

cudaError_t CUDARTAPI cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t handle,
                                                       cudaEvent_t *e)
{
    return ASK(EventRecord, TELL(e, (cudaEvent_t)n->work.event));
}

cudaError_t CUDARTAPI cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t handle,
                                                       cudaEvent_t e)
{
    return ASK(EventRecord, node_set_event(n, e));
}

cudaError_t CUDARTAPI cudaGraphAddEventWaitNode(NODE_ARGUMENTS, cudaEvent_t e)
{
    return CALL(MAKE(cudaGraphNodeTypeWaitEvent, node_set_event(n, e)));
}

cudaError_t CUDARTAPI cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t handle,
                                                     cudaEvent_t *e)
{
    return ASK(WaitEvent, TELL(e, (cudaEvent_t)n->work.event));
}

cudaError_t CUDARTAPI cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t handle,
                                                     cudaEvent_t e)
{
    return ASK(WaitEvent, node_set_event(n, e));
}

// ---- Memory ---------------------------------------------------------------------

int node_set_alloc(node *n, struct cudaMemAllocNodeParams *p)
{
    void *at;
    if (!p || !p->bytesize || p->poolProps.allocType != cudaMemAllocationTypePinned ||
        p->poolProps.location.type != cudaMemLocationTypeDevice)
        return cudaErrorInvalidValue;
    if (!is_device(p->poolProps.location.id))
        return cudaErrorInvalidDevice;
    n->device = p->poolProps.location.id;
    int code = device_take(p->bytesize, n->device, &at);
    if (code)
        return code;
    memory_at(at)->graphed = true;
    work park = {.kind = WORK_PARK, .address = (uintptr_t)at};
    work_send(&park, n->device, 0); // until the node runs there is none
    p->dptr = at;
    n->alloc = *p;
    n->work = (work){.kind = WORK_USE, .address = (uintptr_t)at};
    n->graph->memory = true;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaGraphAddMemAllocNode(NODE_ARGUMENTS,
                                               struct cudaMemAllocNodeParams *p)
{
    return CALL(MAKE(cudaGraphNodeTypeMemAlloc, node_set_alloc(n, p)));
}

cudaError_t CUDARTAPI cudaGraphMemAllocNodeGetParams(cudaGraphNode_t handle,
                                                     struct cudaMemAllocNodeParams *p)
{
    return ASK(MemAlloc, TELL(p, n->alloc));
}

int node_set_free(node *n, void *at)
{
    const memory *m = memory_based(at);
    if (!m || !m->graphed)
        return cudaErrorInvalidValue;
    n->work = (work){.kind = WORK_PARK, .address = m->base};
    n->graph->memory = true;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaGraphAddMemFreeNode(NODE_ARGUMENTS, void *at)
{
    return CALL(MAKE(cudaGraphNodeTypeMemFree, node_set_free(n, at)));
}

cudaError_t CUDARTAPI cudaGraphMemFreeNodeGetParams(cudaGraphNode_t handle, void *to)
{
    return ASK(MemFree, TELL((void **)to, (void *)(uintptr_t)n->work.address));
}

// ---- Any kind -------------------------------------------------------------------

#if CUDART_VERSION >= 12020
static struct cudaKernelNodeParams kernel_of_any(const struct cudaKernelNodeParamsV2 *p)
{
    return (struct cudaKernelNodeParams){.func = p->func,
                                         .gridDim = p->gridDim,
                                         .blockDim = p->blockDim,
                                         .sharedMemBytes = p->sharedMemBytes,
                                         .kernelParams = p->kernelParams,
                                         .extra = p->extra};
}

int node_set_any(node *n, struct cudaGraphNodeParams *p)
{
    struct cudaKernelNodeParams k;
    struct cudaMemsetParams m;
    struct cudaHostNodeParams h;
    if (!p || p->type != n->type)
        return cudaErrorInvalidValue;
    switch ((int)p->type) {
    case cudaGraphNodeTypeKernel:
        k = kernel_of_any(&p->kernel);
        return node_set_kernel(n, &k);
    case cudaGraphNodeTypeMemcpy:
        return p->memcpy.flags ? cudaErrorInvalidValue
                               : node_set_copy(n, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
        m = (struct cudaMemsetParams){p->memset.dst,   p->memset.pitch,
                                      p->memset.value, p->memset.elementSize,
                                      p->memset.width, p->memset.height};
        return node_set_fill(n, &m);
    case cudaGraphNodeTypeHost:
        h = (struct cudaHostNodeParams){p->host.fn, p->host.userData};
        return node_set_call(n, &h);
    case cudaGraphNodeTypeGraph:
        return node_set_child(n, (const graph *)p->graph.graph);
    case cudaGraphNodeTypeEmpty:
        return cudaSuccess;
    case cudaGraphNodeTypeEventRecord:
        return node_set_event(n, p->eventRecord.event);
    case cudaGraphNodeTypeWaitEvent:
        return node_set_event(n, p->eventWait.event);
    case cudaGraphNodeTypeMemFree:
        return node_set_free(n, p->free.dptr);
    case cudaGraphNodeTypeMemAlloc: {
        struct cudaMemAllocNodeParams a = {.poolProps = p->alloc.poolProps,
                                           .bytesize = p->alloc.bytesize};
        int code = node_set_alloc(n, &a);
        p->alloc.dptr = a.dptr;
        return code;
    }
    default: // semaphores and conditions
        return cudaErrorNotSupported;
    }
}

cudaError_t CUDARTAPI
cudaGraphAddNode(cudaGraphNode_t *to, cudaGraph_t g,
                 const cudaGraphNode_t *after EDGES(const cudaGraphEdgeData *, data),
                 size_t count, struct cudaGraphNodeParams *p)
{
    EDGES_IGNORE(data);
    return CALL(!p ? cudaErrorInvalidValue : MAKE(p->type, node_set_any(n, p)));
}

cudaError_t CUDARTAPI cudaGraphNodeSetParams(cudaGraphNode_t handle,
                                             struct cudaGraphNodeParams *p)
{
    node *n = (node *)handle;
    return CALL(n ? node_set_any(n, p) : cudaErrorInvalidValue);
}
#endif
