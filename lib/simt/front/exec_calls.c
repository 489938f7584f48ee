// Changes of an executable graph: one node, a whole graph, switched off and on.

#include "graph.h"

#include <string.h>

// The executable graph's node that was made of this one, if it is of the kind.
static node *find(cudaGraphExec_t handle, cudaGraphNode_t n,
                  enum cudaGraphNodeType type)
{
    const exec *e = exec_of(handle);
    node *mine = e && n ? node_like(e->graph, (const node *)n) : NULL;
    return mine && mine->type == type ? mine : NULL;
}

#define CHANGE(type, action)                                                           \
    ({                                                                                 \
        int entered_ = front_enter();                                                  \
        node *n = entered_ ? NULL : find(e, handle, cudaGraphNodeType##type);          \
        front_leave(entered_ ? entered_ : n ? (action) : cudaErrorInvalidValue);       \
    })

cudaError_t CUDARTAPI cudaGraphExecKernelNodeSetParams(
    cudaGraphExec_t e, cudaGraphNode_t handle, const struct cudaKernelNodeParams *p)
{
    return CHANGE(Kernel, node_set_kernel(n, p));
}

cudaError_t CUDARTAPI cudaGraphExecMemcpyNodeSetParams(
    cudaGraphExec_t e, cudaGraphNode_t handle, const struct cudaMemcpy3DParms *p)
{
    return CHANGE(Memcpy, node_set_copy(n, p));
}

cudaError_t CUDARTAPI cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t e,
                                                         cudaGraphNode_t handle,
                                                         void *to, const void *from,
                                                         size_t bytes,
                                                         enum cudaMemcpyKind kind)
{
    return CHANGE(Memcpy, node_set_line(n, to, from, bytes, (int)kind));
}

cudaError_t CUDARTAPI cudaGraphExecMemcpyNodeSetParamsToSymbol(
    cudaGraphExec_t e, cudaGraphNode_t handle, const void *symbol, const void *from,
    size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
    return CHANGE(Memcpy, node_set_into(n, symbol, from, bytes, offset, (int)kind));
}

cudaError_t CUDARTAPI cudaGraphExecMemcpyNodeSetParamsFromSymbol(
    cudaGraphExec_t e, cudaGraphNode_t handle, void *to, const void *symbol,
    size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
    return CHANGE(Memcpy, node_set_out_of(n, to, symbol, bytes, offset, (int)kind));
}

cudaError_t CUDARTAPI cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t e,
                                                       cudaGraphNode_t handle,
                                                       const struct cudaMemsetParams *p)
{
    return CHANGE(Memset, node_set_fill(n, p));
}

cudaError_t CUDARTAPI cudaGraphExecHostNodeSetParams(cudaGraphExec_t e,
                                                     cudaGraphNode_t handle,
                                                     const struct cudaHostNodeParams *p)
{
    return CHANGE(Host, node_set_call(n, p));
}

cudaError_t CUDARTAPI cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t e,
                                                           cudaGraphNode_t handle,
                                                           cudaEvent_t event)
{
    return CHANGE(EventRecord, node_set_event(n, event));
}

cudaError_t CUDARTAPI cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t e,
                                                         cudaGraphNode_t handle,
                                                         cudaEvent_t event)
{
    return CHANGE(WaitEvent, node_set_event(n, event));
}

#if CUDART_VERSION >= 12020
cudaError_t CUDARTAPI cudaGraphExecNodeSetParams(cudaGraphExec_t e,
                                                 cudaGraphNode_t handle,
                                                 struct cudaGraphNodeParams *p)
{
    int code = front_enter();
    node *n = code || !p ? NULL : find(e, handle, p->type);
    return front_leave(code ? code : n ? node_set_any(n, p) : cudaErrorInvalidValue);
}
#endif

// ---- A whole graph --------------------------------------------------------------

typedef struct difference {
    enum cudaGraphExecUpdateResult result;
    const node *at, *from;
} difference;

static difference compare(const graph *mine, const graph *g)
{
    if (mine->count != g->count)
        return (difference){cudaGraphExecUpdateErrorTopologyChanged, NULL, NULL};
    for (size_t i = 0; i < g->count; i++) {
        const node *a = mine->nodes[i], *b = g->nodes[i];
        if (a->type != b->type)
            return (difference){cudaGraphExecUpdateErrorNodeTypeChanged, b, NULL};
        if (a->after_count != b->after_count)
            return (difference){cudaGraphExecUpdateErrorTopologyChanged, b, NULL};
        for (size_t k = 0; k < b->after_count; k++)
            if (a->after[k]->place != b->after[k]->place)
                return (difference){cudaGraphExecUpdateErrorTopologyChanged, b,
                                    b->after[k]};
        difference below = {cudaGraphExecUpdateSuccess, NULL, NULL};
        if (b->child)
            below = compare(a->child, b->child);
        if (below.result)
            return below;
    }
    return (difference){cudaGraphExecUpdateSuccess, NULL, NULL};
}

static int take_over(graph *mine, const graph *g)
{
    int code = cudaSuccess;
    for (size_t i = 0; i < g->count && !code; i++) {
        if (g->nodes[i]->child) // in place: its nodes are still known by their sources
            code = take_over(mine->nodes[i]->child, g->nodes[i]->child);
        else
            code = node_take_over(mine->nodes[i], g->nodes[i]);
    }
    return code;
}

static int update(cudaGraphExec_t handle, const graph *g, difference *d)
{
    exec *e = exec_of(handle);
    *d = (difference){cudaGraphExecUpdateError, NULL, NULL};
    if (!e || !g)
        return cudaErrorInvalidValue;
    *d = compare(e->graph, g);
    return d->result ? cudaErrorGraphExecUpdateFailure : take_over(e->graph, g);
}

#if CUDART_VERSION >= 12000
static int update_12(cudaGraphExec_t e, cudaGraph_t g,
                     cudaGraphExecUpdateResultInfo *info)
{
    difference d;
    if (!info)
        return cudaErrorInvalidValue;
    int code = update(e, (const graph *)g, &d);
    info->result = d.result;
    info->errorNode = (cudaGraphNode_t)(uintptr_t)d.at;
    info->errorFromNode = (cudaGraphNode_t)(uintptr_t)d.from;
    return code;
}

cudaError_t CUDARTAPI cudaGraphExecUpdate(cudaGraphExec_t e, cudaGraph_t g,
                                          cudaGraphExecUpdateResultInfo *info)
{
    return CALL(update_12(e, g, info));
}
#else
static int update_11(cudaGraphExec_t e, cudaGraph_t g, cudaGraphNode_t *at,
                     enum cudaGraphExecUpdateResult *result)
{
    difference d;
    int code = update(e, (const graph *)g, &d);
    if (at)
        *at = (cudaGraphNode_t)(uintptr_t)d.at;
    if (result)
        *result = d.result;
    return code;
}

cudaError_t CUDARTAPI cudaGraphExecUpdate(cudaGraphExec_t e, cudaGraph_t g,
                                          cudaGraphNode_t *at,
                                          enum cudaGraphExecUpdateResult *result)
{
    return CALL(update_11(e, g, at, result));
}
#endif

static int set_child(node *n, const graph *g)
{
    if (!g || compare(n->child, g).result)
        return cudaErrorInvalidValue;
    return take_over(n->child, g);
}

cudaError_t CUDARTAPI cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t e,
                                                           cudaGraphNode_t handle,
                                                           cudaGraph_t g)
{
    return CHANGE(Graph, set_child(n, (const graph *)g));
}

// ---- Off and on -----------------------------------------------------------------

static node *switchable(cudaGraphExec_t e, cudaGraphNode_t handle)
{
    static const enum cudaGraphNodeType types[] = {
        cudaGraphNodeTypeKernel, cudaGraphNodeTypeMemcpy, cudaGraphNodeTypeMemset};
    node *n = NULL;
    for (int i = 0; i < 3 && !n; i++)
        n = find(e, handle, types[i]);
    return n;
}

static int set_enabled(cudaGraphExec_t e, cudaGraphNode_t handle, unsigned on)
{
    node *n = switchable(e, handle);
    if (!n)
        return cudaErrorInvalidValue;
    n->off = !on;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaGraphNodeSetEnabled(cudaGraphExec_t e, cudaGraphNode_t handle,
                                              unsigned on)
{
    return CALL(set_enabled(e, handle, on));
}

static int get_enabled(cudaGraphExec_t e, cudaGraphNode_t handle, unsigned *on)
{
    const node *n = switchable(e, handle);
    if (!n || !on)
        return cudaErrorInvalidValue;
    *on = !n->off;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaGraphNodeGetEnabled(cudaGraphExec_t e, cudaGraphNode_t handle,
                                              unsigned *on)
{
    return CALL(get_enabled(e, handle, on));
}
