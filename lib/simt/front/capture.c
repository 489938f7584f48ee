// Capture: while a stream is captured, its work becomes nodes of a graph.
//
// A captured stream remembers the nodes that its next one follows; an event recorded in
// it remembers the same, and carries them to another stream. Whatever would make the
// host or uncaptured work wait for captured work breaks the capture.

#include "graph.h"

#include <stdlib.h>
#include <string.h>

static capture *captures;
static unsigned long long ids;
static _Thread_local enum cudaStreamCaptureMode thread_mode =
    cudaStreamCaptureModeGlobal;

int capture_break(capture *c, int code)
{
    if (c->invalid)
        return cudaErrorStreamCaptureInvalidated;
    c->invalid = true;
    return code;
}

int capture_allows(void)
{
    int code = cudaSuccess;
    if (thread_mode == cudaStreamCaptureModeRelaxed)
        return cudaSuccess;
    for (capture *c = captures; c; c = c->next) {
        bool mine = pthread_equal(c->thread, pthread_self());
        bool forbids = mine ? c->mode != cudaStreamCaptureModeRelaxed
                            : c->mode == cudaStreamCaptureModeGlobal &&
                                  thread_mode == cudaStreamCaptureModeGlobal;
        if (!forbids)
            continue;
        c->invalid = true;
        code = cudaErrorStreamCaptureUnsupported;
    }
    return code;
}

int capture_allows_work(stream *s)
{
    int code = cudaSuccess;
    if (!stream_is_legacy(s))
        return s->capture && s->capture->invalid ? cudaErrorStreamCaptureInvalidated
                                                 : cudaSuccess;
    for (stream *other = stream_after(NULL); other; other = stream_after(other))
        if (other->capture && other->device == s->device && stream_is_blocking(other)) {
            other->capture->invalid = true;
            code = cudaErrorStreamCaptureImplicit;
        }
    return code;
}

static bool set_nodes(node ***to, size_t *count, node *const *from, size_t n)
{
    node **more = malloc((n + 1) * sizeof *more);
    if (!more)
        return false;
    if (n)
        memcpy(more, from, n * sizeof *more);
    free(*to);
    *to = more;
    *count = n;
    return true;
}

static void leave(stream *s)
{
    s->capture = NULL;
    free(s->after);
    s->after = NULL;
    s->after_count = 0;
}

int capture_node(stream *s, node **made, enum cudaGraphNodeType type)
{
    int code = node_new(s->capture->graph, type, (const cudaGraphNode_t *)s->after,
                        s->after_count, made);
    if (code)
        return code;
    (*made)->device = s->device;
    return set_nodes(&s->after, &s->after_count, made, 1) ? cudaSuccess
                                                          : cudaErrorMemoryAllocation;
}

static const enum cudaGraphNodeType types[] = {
    [WORK_EMPTY] = cudaGraphNodeTypeEmpty,
    [WORK_LAUNCH] = cudaGraphNodeTypeKernel,
    [WORK_COPY] = cudaGraphNodeTypeMemcpy,
    [WORK_FILL] = cudaGraphNodeTypeMemset,
    [WORK_CALL] = cudaGraphNodeTypeHost,
    [WORK_RECORD] = cudaGraphNodeTypeEventRecord,
    [WORK_WAIT] = cudaGraphNodeTypeWaitEvent,
    [WORK_COMMAND] = cudaGraphNodeTypeEmpty,
};

int capture_add(stream *s, work w)
{
    node *n;
    int code = capture_node(s, &n, types[w.kind]);
    if (code) {
        work_drop(&w);
        return code;
    }
    return node_from_work(n, w);
}

int capture_take(stream *s, size_t bytes, void **at)
{
    node *n;
    struct cudaMemAllocNodeParams p = {.bytesize = bytes};
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location.type = cudaMemLocationTypeDevice;
    p.poolProps.location.id = s->device;
    int code = capture_node(s, &n, cudaGraphNodeTypeMemAlloc);
    if (!code)
        code = node_set_alloc(n, &p);
    *at = p.dptr;
    return code;
}

int capture_give(stream *s, void *at)
{
    node *n;
    int code = capture_node(s, &n, cudaGraphNodeTypeMemFree);
    return code ? code : node_set_free(n, at);
}

// ---- Events ---------------------------------------------------------------------

capture *capture_of_event(const event *e)
{
    for (capture *c = captures; c; c = c->next)
        if (e->capture == c->id)
            return c;
    return NULL;
}

int capture_event(event *e, stream *s)
{
    e->capture = s->capture->id;
    return set_nodes(&e->after, &e->after_count, s->after, s->after_count)
               ? cudaSuccess
               : cudaErrorMemoryAllocation;
}

static int follow(stream *s, node *n)
{
    for (size_t i = 0; i < s->after_count; i++)
        if (s->after[i] == n)
            return cudaSuccess;
    node **more = realloc(s->after, (s->after_count + 1) * sizeof *more);
    if (!more)
        return cudaErrorMemoryAllocation;
    s->after = more;
    s->after[s->after_count++] = n;
    return cudaSuccess;
}

int capture_wait(stream *s, event *e)
{
    capture *c = capture_of_event(e);
    if (s->capture && s->capture->invalid)
        return cudaErrorStreamCaptureInvalidated;
    if (!c && e->capture) // of a capture that is over
        return s->capture ? capture_break(s->capture, cudaErrorCapturedEvent)
                          : cudaErrorCapturedEvent;
    if (!c) // nothing was recorded, or work outside
        return e->recorded ? capture_break(s->capture, cudaErrorStreamCaptureIsolation)
                           : cudaSuccess;
    if (c->invalid)
        return s->capture ? cudaErrorStreamCaptureInvalidated : cudaErrorInvalidValue;
    if (s->capture && s->capture != c) {
        s->capture->invalid = true;
        return capture_break(c, cudaErrorStreamCaptureMerge);
    }
    if (stream_is_legacy(s))
        return capture_break(c, cudaErrorStreamCaptureImplicit);
    s->capture = c; // the stream joins, if it is not there already
    int code = cudaSuccess;
    for (size_t i = 0; i < e->after_count && !code; i++)
        code = follow(s, e->after[i]);
    return code;
}

// ---- Begin and end --------------------------------------------------------------

int capture_begin(stream *s, graph *g, const cudaGraphNode_t *after, size_t count,
                  int mode)
{
    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed ||
        (count && !after))
        return cudaErrorInvalidValue;
    if (stream_is_legacy(s))
        return cudaErrorStreamCaptureUnsupported;
    if (s->capture)
        return cudaErrorIllegalState;
    capture *c = calloc(1, sizeof *c);
    if (!c)
        return cudaErrorMemoryAllocation;
    *c = (capture){captures,
                   ++ids,
                   g ? g : graph_new(),
                   s,
                   (enum cudaStreamCaptureMode)mode,
                   pthread_self(),
                   false,
                   g != NULL};
    if (!c->graph ||
        !set_nodes(&s->after, &s->after_count, (node *const *)after, count)) {
        free(c);
        return cudaErrorMemoryAllocation;
    }
    captures = c;
    s->capture = c;
    return cudaSuccess;
}

// Does every captured node lead to those that the stream comes after?
static void mark(node *n)
{
    if (n->visited)
        return;
    n->visited = true;
    for (size_t i = 0; i < n->after_count; i++)
        mark(n->after[i]);
}

static bool is_joined(const capture *c)
{
    const graph *g = c->graph;
    bool joined = true;
    for (size_t i = 0; i < g->count; i++)
        g->nodes[i]->visited = false;
    for (size_t i = 0; i < c->origin->after_count; i++)
        mark(c->origin->after[i]);
    for (stream *s = stream_after(NULL); s; s = stream_after(s))
        for (size_t i = 0; s->capture == c && s != c->origin && i < s->after_count; i++)
            joined &= s->after[i]->visited;
    return joined;
}

int capture_end(stream *s, cudaGraph_t *g)
{
    if (!s || !g)
        return s ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    capture *c = s->capture;
    *g = NULL;
    if (!c)
        return cudaErrorIllegalState;
    bool elsewhere = c->mode != cudaStreamCaptureModeRelaxed &&
                     !pthread_equal(c->thread, pthread_self());
    if (c->origin != s && !elsewhere)
        return capture_break(c, cudaErrorStreamCaptureUnmatched);
    int code = elsewhere       ? cudaErrorStreamCaptureWrongThread // it ends all the same
               : c->invalid    ? cudaErrorStreamCaptureInvalidated
               : !is_joined(c) ? cudaErrorStreamCaptureUnjoined
                               : cudaSuccess;
    for (stream *other = stream_after(NULL); other; other = stream_after(other))
        if (other->capture == c)
            leave(other);
    for (capture **at = &captures; *at; at = &(*at)->next)
        if (*at == c) {
            *at = c->next;
            break;
        }
    *g = code ? NULL : (cudaGraph_t)c->graph;
    if (code && !c->into)
        graph_free(c->graph);
    free(c);
    return code;
}

// ---- Questions ------------------------------------------------------------------

int capture_status(stream *s, enum cudaStreamCaptureStatus *status)
{
    if (!s || !status)
        return s ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    *status = !s->capture           ? cudaStreamCaptureStatusNone
              : s->capture->invalid ? cudaStreamCaptureStatusInvalidated
                                    : cudaStreamCaptureStatusActive;
    if (!stream_is_legacy(s))
        return cudaSuccess;
    for (stream *other = stream_after(NULL); other; other = stream_after(other))
        if (other->capture && other->device == s->device && stream_is_blocking(other))
            return cudaErrorStreamCaptureImplicit; // it cannot be said, nothing breaks
    return cudaSuccess;
}

int capture_info(stream *s, enum cudaStreamCaptureStatus *status,
                 unsigned long long *id, cudaGraph_t *g, const cudaGraphNode_t **after,
                 size_t *count)
{
    int code = capture_status(s, status);
    if (code)
        return code;
    if (id)
        *id = s->capture ? s->capture->id : 0;
    if (g)
        *g = s->capture ? (cudaGraph_t)s->capture->graph : NULL;
    if (after)
        *after = (const cudaGraphNode_t *)s->after;
    if (count)
        *count = s->after_count;
    return cudaSuccess;
}

int capture_update(stream *s, cudaGraphNode_t *after, size_t count, unsigned flags)
{
    if (!s || (count && !after) || flags > cudaStreamSetCaptureDependencies)
        return s ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    if (!s->capture)
        return cudaErrorIllegalState;
    if (s->capture->invalid)
        return cudaErrorStreamCaptureInvalidated;
    if (flags == cudaStreamSetCaptureDependencies)
        return set_nodes(&s->after, &s->after_count, (node *const *)after, count)
                   ? cudaSuccess
                   : cudaErrorMemoryAllocation;
    int code = cudaSuccess;
    for (size_t i = 0; i < count && !code; i++)
        code = follow(s, (node *)after[i]);
    return code;
}

static int exchange(enum cudaStreamCaptureMode *mode)
{
    if (!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed)
        return cudaErrorInvalidValue;
    enum cudaStreamCaptureMode old = thread_mode;
    thread_mode = *mode;
    *mode = old;
    return cudaSuccess;
}

cudaError_t CUDARTAPI
cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    return CALL(exchange(mode));
}
