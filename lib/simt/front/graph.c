// Graphs: nodes, and which waits for which.
//
// A node keeps the nodes that it waits for, in the order in which it was told; a graph
// keeps its nodes in the order in which they were made. Everything that is asked is
// found from these two.

#include "graph.h"

#include <stdlib.h>
#include <string.h>

graph *graph_new(void)
{
    return calloc(1, sizeof(graph));
}

void node_free(node *n)
{
    work_drop(&n->work);
    free(n->pointers);
    free(n->after);
    if (n->child)
        graph_free(n->child);
    free(n);
}

void graph_free(graph *g)
{
    for (size_t i = 0; i < g->count; i++)
        node_free(g->nodes[i]);
    held_drop(g);
    free(g->nodes);
    free(g);
}

bool node_follow(node *n, node *before)
{
    if (n->after_count == n->after_room) {
        size_t room = n->after_room * 2 + 4;
        node **more = realloc(n->after, room * sizeof *more);
        if (!more)
            return false;
        n->after = more;
        n->after_room = room;
    }
    n->after[n->after_count++] = before;
    return true;
}

static bool waits_for(const node *n, const node *before)
{
    for (size_t i = 0; i < n->after_count; i++)
        if (n->after[i] == before)
            return true;
    return false;
}

static bool insert(graph *g, node *n)
{
    if (g->count == g->room) {
        size_t room = g->room * 2 + 16;
        node **more = realloc(g->nodes, room * sizeof *more);
        if (!more)
            return false;
        g->nodes = more;
        g->room = room;
    }
    n->graph = g;
    n->place = g->count;
    g->nodes[g->count++] = n;
    return true;
}

int node_new(graph *g, enum cudaGraphNodeType type, const cudaGraphNode_t *after,
             size_t count, node **made)
{
    if (!g || !made || (count && !after))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++)
        if (!after[i] || ((const node *)after[i])->graph != g)
            return cudaErrorInvalidValue;
    node *n = calloc(1, sizeof *n);
    if (!n || !insert(g, n)) {
        free(n);
        return cudaErrorMemoryAllocation;
    }
    n->type = type;
    n->device = here;
    for (size_t i = 0; i < count; i++)
        if (waits_for(n, (const node *)after[i]) || !node_follow(n, (node *)after[i])) {
            g->count--;
            node_free(n);
            return cudaErrorInvalidValue;
        }
    *made = n;
    return cudaSuccess;
}

graph *graph_copy(const graph *g)
{
    graph *copy = graph_new();
    if (!copy)
        return NULL;
    copy->source = g;
    copy->memory = g->memory;
    for (size_t i = 0; i < g->count; i++) {
        node *n;
        if (node_new(copy, g->nodes[i]->type, NULL, 0, &n) ||
            node_take_over(n, g->nodes[i])) {
            graph_free(copy);
            return NULL;
        }
        n->source = g->nodes[i];
        n->device = g->nodes[i]->device;
        n->off = g->nodes[i]->off;
    }
    for (size_t i = 0; i < g->count; i++)
        for (size_t k = 0; k < g->nodes[i]->after_count; k++)
            if (!node_follow(copy->nodes[i],
                             copy->nodes[g->nodes[i]->after[k]->place])) {
                graph_free(copy);
                return NULL;
            }
    return copy;
}

node *node_like(const graph *copy, const node *n)
{
    for (size_t i = 0; i < copy->count; i++) {
        node *mine = copy->nodes[i];
        if (mine->source == n)
            return mine;
        node *below = mine->child ? node_like(mine->child, n) : NULL;
        if (below)
            return below;
    }
    return NULL;
}

// ---- The calls ------------------------------------------------------------------

static int create(cudaGraph_t *g, unsigned flags)
{
    if (!g || flags)
        return cudaErrorInvalidValue;
    *g = (cudaGraph_t)graph_new();
    return *g ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t CUDARTAPI cudaGraphCreate(cudaGraph_t *g, unsigned flags)
{
    return CALL(create(g, flags));
}

static int destroy(graph *g)
{
    if (!g || g->owned)
        return cudaErrorInvalidValue;
    graph_free(g);
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaGraphDestroy(cudaGraph_t g)
{
    return CALL(destroy((graph *)g));
}

static int make_clone(cudaGraph_t *to, const graph *g)
{
    if (!to || !g)
        return cudaErrorInvalidValue;
    if (g->memory) // as documented: a graph with memory nodes has no clones
        return cudaErrorNotSupported;
    *to = (cudaGraph_t)graph_copy(g);
    return *to ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t CUDARTAPI cudaGraphClone(cudaGraph_t *to, cudaGraph_t g)
{
    return CALL(make_clone(to, (const graph *)g));
}

static int find_in_clone(cudaGraphNode_t *to, const node *n, const graph *g)
{
    if (!to || !n || !g)
        return cudaErrorInvalidValue;
    *to = (cudaGraphNode_t)node_like(g, n);
    return *to ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t CUDARTAPI cudaGraphNodeFindInClone(cudaGraphNode_t *to, cudaGraphNode_t n,
                                               cudaGraph_t g)
{
    return CALL(find_in_clone(to, (const node *)n, (const graph *)g));
}

static int destroy_node(node *n)
{
    if (!n)
        return cudaErrorInvalidValue;
    if (n->graph->memory)
        return cudaErrorNotSupported;
    graph *g = n->graph;
    for (size_t i = 0; i < g->count; i++)
        for (size_t k = 0; k < g->nodes[i]->after_count; k++)
            if (g->nodes[i]->after[k] == n) {
                node *m = g->nodes[i];
                memmove(m->after + k, m->after + k + 1,
                        (--m->after_count - k) * sizeof *m->after);
                break;
            }
    memmove(g->nodes + n->place, g->nodes + n->place + 1,
            (--g->count - n->place) * sizeof *g->nodes);
    for (size_t i = n->place; i < g->count; i++)
        g->nodes[i]->place = i;
    node_free(n);
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaGraphDestroyNode(cudaGraphNode_t n)
{
    return CALL(destroy_node((node *)n));
}

static int type_of(const node *n, enum cudaGraphNodeType *type)
{
    if (!n || !type)
        return cudaErrorInvalidValue;
    *type = n->type;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaGraphNodeGetType(cudaGraphNode_t n,
                                           enum cudaGraphNodeType *type)
{
    return CALL(type_of((const node *)n, type));
}

// ---- Lists ----------------------------------------------------------------------

typedef struct list { // what is asked for: at most *count, and NULL beyond what there
                      // is
    cudaGraphNode_t *first, *second;
    size_t room, found;
} list;

static void put(list *l, const node *a, const node *b)
{
    if (l->found < l->room) {
        if (l->first)
            l->first[l->found] = (cudaGraphNode_t)(uintptr_t)a;
        if (l->second)
            l->second[l->found] = (cudaGraphNode_t)(uintptr_t)b;
    }
    l->found++;
}

static int end(list *l, size_t *count)
{
    bool only_count = !l->first && !l->second;
    for (size_t i = l->found; i < l->room && !only_count; i++) {
        if (l->first)
            l->first[i] = NULL;
        if (l->second)
            l->second[i] = NULL;
    }
    *count = only_count || l->found < l->room ? l->found : l->room;
    return cudaSuccess;
}

enum which { ALL, ROOTS, DEPENDENCIES, DEPENDENTS, EDGES_OF };

static int find(enum which which, const graph *g, const node *n, cudaGraphNode_t *first,
                cudaGraphNode_t *second, size_t *count)
{
    if ((!g && !n) || !count)
        return cudaErrorInvalidValue;
    if (which == EDGES_OF && !first != !second)
        return cudaErrorInvalidValue;
    list l = {first, second, first || second ? *count : 0, 0};
    g = n ? n->graph : g;
    for (size_t k = 0; which == DEPENDENCIES && k < n->after_count; k++)
        put(&l, n->after[k], NULL);
    for (size_t i = 0; which != DEPENDENCIES && i < g->count; i++) {
        const node *m = g->nodes[i];
        if (which == ALL || (which == ROOTS && !m->after_count) ||
            (which == DEPENDENTS && waits_for(m, n)))
            put(&l, m, NULL);
        for (size_t k = 0; which == EDGES_OF && k < m->after_count; k++)
            put(&l, m->after[k], m);
    }
    return end(&l, count);
}

cudaError_t CUDARTAPI cudaGraphGetNodes(cudaGraph_t g, cudaGraphNode_t *to,
                                        size_t *count)
{
    return CALL(find(ALL, (const graph *)g, NULL, to, NULL, count));
}

cudaError_t CUDARTAPI cudaGraphGetRootNodes(cudaGraph_t g, cudaGraphNode_t *to,
                                            size_t *count)
{
    return CALL(find(ROOTS, (const graph *)g, NULL, to, NULL, count));
}

cudaError_t CUDARTAPI cudaGraphGetEdges(cudaGraph_t g, cudaGraphNode_t *from,
                                        cudaGraphNode_t *to EDGES(cudaGraphEdgeData *,
                                                                  data),
                                        size_t *count)
{
    EDGES_CLEAR(data, count);
    return CALL(find(EDGES_OF, (const graph *)g, NULL, from, to, count));
}

cudaError_t CUDARTAPI cudaGraphNodeGetDependencies(
    cudaGraphNode_t n, cudaGraphNode_t *to EDGES(cudaGraphEdgeData *, data),
    size_t *count)
{
    EDGES_CLEAR(data, count);
    return CALL(find(DEPENDENCIES, NULL, (const node *)n, to, NULL, count));
}

cudaError_t CUDARTAPI cudaGraphNodeGetDependentNodes(
    cudaGraphNode_t n, cudaGraphNode_t *to EDGES(cudaGraphEdgeData *, data),
    size_t *count)
{
    EDGES_CLEAR(data, count);
    return CALL(find(DEPENDENTS, NULL, (const node *)n, to, NULL, count));
}

// ---- Dependencies ---------------------------------------------------------------

static int change(const graph *g, const cudaGraphNode_t *from,
                  const cudaGraphNode_t *to, size_t count, bool add)
{
    if (!g || (count && (!from || !to)))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++) {
        node *a = (node *)from[i], *b = (node *)to[i];
        if (!a || !b || a == b || a->graph != g || b->graph != g ||
            waits_for(b, a) == add)
            return cudaErrorInvalidValue;
        if (g->memory && !add)
            return cudaErrorNotSupported;
        if (add && !node_follow(b, a))
            return cudaErrorMemoryAllocation;
        for (size_t k = 0; !add && k < b->after_count; k++)
            if (b->after[k] == a) {
                memmove(b->after + k, b->after + k + 1,
                        (--b->after_count - k) * sizeof *b->after);
                break;
            }
    }
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaGraphAddDependencies(
    cudaGraph_t g, const cudaGraphNode_t *from,
    const cudaGraphNode_t *to EDGES(const cudaGraphEdgeData *, data), size_t count)
{
    EDGES_IGNORE(data);
    return CALL(change((const graph *)g, from, to, count, true));
}

cudaError_t CUDARTAPI cudaGraphRemoveDependencies(
    cudaGraph_t g, const cudaGraphNode_t *from,
    const cudaGraphNode_t *to EDGES(const cudaGraphEdgeData *, data), size_t count)
{
    EDGES_IGNORE(data);
    return CALL(change((const graph *)g, from, to, count, false));
}
