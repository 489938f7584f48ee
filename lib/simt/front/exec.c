// Executable graphs: a copy of a graph, and an order in which its nodes may run.
//
// A launch puts the nodes' work into the stream in that order, which is always the
// same: of the nodes that may run, the one made first does. Launches are in stream
// order, and go on after the executable graph is destroyed.

#include "graph.h"

#include <stdlib.h>

static exec *execs;

static void order_nodes(exec *e)
{
    graph *g = e->graph;
    for (size_t i = 0; i < g->count; i++)
        g->nodes[i]->visited = false;
    for (bool found = true; found;) {
        found = false;
        for (size_t i = 0; i < g->count && !found; i++) {
            node *n = g->nodes[i];
            bool ready = !n->visited;
            for (size_t k = 0; ready && k < n->after_count; k++)
                ready = n->after[k]->visited;
            if (!ready)
                continue;
            n->visited = found = true;
            e->order[e->count++] = n;
        }
    }
}

// The first pass over the nodes suffices where each was made after those it follows.
static bool order_as_made(exec *e)
{
    graph *g = e->graph;
    for (size_t i = 0; i < g->count; i++)
        for (size_t k = 0; k < g->nodes[i]->after_count; k++)
            if (g->nodes[i]->after[k]->place >= i)
                return false;
    for (; e->count < g->count; e->count++)
        e->order[e->count] = g->nodes[e->count];
    return true;
}

static void drop(exec *e)
{
    if (e->graph)
        graph_free(e->graph);
    free(e->order);
    free(e);
}

int exec_new(exec **made, graph *g, unsigned long long flags)
{
    exec *e = calloc(1, sizeof *e);
    if (!e)
        return cudaErrorMemoryAllocation;
    e->flags = flags;
    e->graph = graph_copy(g);
    e->order = calloc(g->count + 1, sizeof *e->order);
    if (!e->graph || !e->order) {
        drop(e);
        return cudaErrorMemoryAllocation;
    }
    if (!order_as_made(e))
        order_nodes(e);
    if (e->count < g->count) { // some wait for each other
        drop(e);
        return cudaErrorInvalidValue;
    }
    e->next = execs;
    execs = e;
    *made = e;
    return cudaSuccess;
}

exec *exec_of(cudaGraphExec_t handle)
{
    for (exec *e = execs; e; e = e->next)
        if (e == (exec *)handle)
            return e;
    return NULL;
}

enum { KNOWN_FLAGS = 1 | 2 | 4 | 8, DEVICE_LAUNCH = 4 };

int exec_instantiate(cudaGraphExec_t *made, cudaGraph_t g, unsigned long long flags)
{
    exec *e = NULL;
    if (!made || !g || flags & ~(unsigned long long)KNOWN_FLAGS)
        return cudaErrorInvalidValue;
    if (flags & DEVICE_LAUNCH)
        return cudaErrorNotSupported;
    int code = exec_new(&e, (graph *)g, flags);
    *made = (cudaGraphExec_t)e;
    return code;
}

#if CUDART_VERSION >= 12000
int exec_instantiate_with(cudaGraphExec_t *made, cudaGraph_t g,
                          cudaGraphInstantiateParams *p, stream *s)
{
    if (!p)
        return cudaErrorInvalidValue;
    int code = exec_instantiate(made, g, p->flags);
    p->errNode_out = NULL;
    p->result_out =
        !code                           ? cudaGraphInstantiateSuccess
        : code == cudaErrorInvalidValue ? cudaGraphInstantiateInvalidStructure
        : code == cudaErrorNotSupported ? cudaGraphInstantiateNodeOperationNotSupported
                                        : cudaGraphInstantiateError;
    return code || s ? code : cudaErrorInvalidResourceHandle;
}
#endif

// ---- Launching ------------------------------------------------------------------

static int launch_nodes(node *const *order, size_t count, stream *s);

static int launch_node(const node *n, stream *s)
{
    work w = {0};
    if (n->child)
        return launch_nodes(n->child->nodes, n->child->count, s);
    if (n->off || n->work.kind == WORK_EMPTY)
        return cudaSuccess;
    if (n->work.kind == WORK_WAIT) {
        const event *e = n->work.event;
        if (!event_pending(e) || !e->where)
            return cudaSuccess;
        return enqueue(s, (work){.kind = WORK_TURN, .turn = {e->where, e->recorded}});
    }
    if (!work_copy(&w, &n->work))
        return cudaErrorMemoryAllocation;
    w.on = n->device + 1;
    return enqueue(s, w);
}

static int launch_nodes(node *const *order, size_t count, stream *s)
{
    int code = cudaSuccess;
    for (size_t i = 0; i < count && !code; i++)
        code = launch_node(order[i], s);
    return code;
}

// Launched in a stream that is captured, it becomes a node itself.
static int capture_launch(const exec *e, stream *s)
{
    node *n;
    int code = capture_node(s, &n, cudaGraphNodeTypeGraph);
    return code ? code : node_set_child(n, e->graph);
}

int exec_launch(cudaGraphExec_t handle, stream *s)
{
    const exec *e = exec_of(handle);
    if (!e)
        return cudaErrorInvalidValue;
    if (!s)
        return cudaErrorInvalidResourceHandle;
    int code = capture_allows_work(s);
    if (code)
        return code;
    return s->capture ? capture_launch(e, s) : launch_nodes(e->order, e->count, s);
}

int exec_upload(cudaGraphExec_t handle, stream *s)
{
    if (!exec_of(handle))
        return cudaErrorInvalidValue;
    return s ? capture_allows_work(s) : cudaErrorInvalidResourceHandle;
}

// ---- The calls ------------------------------------------------------------------

#if CUDART_VERSION >= 12000
cudaError_t CUDARTAPI cudaGraphInstantiate(cudaGraphExec_t *made, cudaGraph_t g,
                                           unsigned long long flags)
{
    return CALL(exec_instantiate(made, g, flags));
}
#else
cudaError_t CUDARTAPI cudaGraphInstantiate(cudaGraphExec_t *made, cudaGraph_t g,
                                           cudaGraphNode_t *wrong, char *log,
                                           size_t room)
{
    if (wrong)
        *wrong = NULL;
    if (log && room)
        *log = 0;
    return CALL(exec_instantiate(made, g, 0));
}
#endif

cudaError_t CUDARTAPI cudaGraphInstantiateWithFlags(cudaGraphExec_t *made,
                                                    cudaGraph_t g,
                                                    unsigned long long flags)
{
    return CALL(exec_instantiate(made, g, flags));
}

static int destroy(cudaGraphExec_t handle)
{
    exec *e = exec_of(handle);
    if (!e)
        return cudaErrorInvalidValue;
    for (exec **at = &execs; *at; at = &(*at)->next)
        if (*at == e) {
            *at = e->next;
            break;
        }
    drop(e);
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaGraphExecDestroy(cudaGraphExec_t handle)
{
    return CALL(destroy(handle));
}

#if CUDART_VERSION >= 12000
static int flags_of(cudaGraphExec_t handle, unsigned long long *flags)
{
    const exec *e = exec_of(handle);
    if (!e || !flags)
        return cudaErrorInvalidValue;
    *flags = e->flags;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaGraphExecGetFlags(cudaGraphExec_t handle,
                                            unsigned long long *flags)
{
    return CALL(flags_of(handle, flags));
}
#endif
