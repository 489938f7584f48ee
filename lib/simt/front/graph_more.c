// Graphs, the rest: attributes of launches, things kept alive, memory of graphs,
// drawings.

#include "graph.h"
#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Attributes of launches: kept and told; few change anything here
// --------------------

static int attribute(node *n, int which, cudaLaunchAttributeValue *get,
                     const cudaLaunchAttributeValue *set)
{
    if (!n || n->type != cudaGraphNodeTypeKernel || (!get && !set))
        return cudaErrorInvalidValue;
    unsigned i = 0;
    while (i < n->attribute_count && (int)n->attributes[i].id != which)
        i++;
    if (get) {
        memset(get, 0, sizeof *get);
        if (which == cudaLaunchAttributeCooperative)
            get->cooperative = (int)n->work.launch.shape.cooperative;
        else if (i < n->attribute_count)
            *get = n->attributes[i].val;
        return cudaSuccess;
    }
    if (which == cudaLaunchAttributeClusterDimension) {
        dim3 c = {set->clusterDim.x, set->clusterDim.y, set->clusterDim.z};
        if (c.x > 255 || c.y > 255 || c.z > 255)
            return cudaErrorInvalidClusterSize;
        uint8_t *cluster = n->work.launch.shape.cluster;
        cluster[0] = (uint8_t)c.x, cluster[1] = (uint8_t)c.y, cluster[2] = (uint8_t)c.z;
    }
    if (i == MOST_ATTRIBUTES)
        return cudaErrorInvalidValue;
    if (which == cudaLaunchAttributeCooperative)
        n->work.launch.shape.cooperative = set->cooperative != 0;
    n->attribute_count += i == n->attribute_count;
    n->attributes[i].id = (cudaLaunchAttributeID)which;
    n->attributes[i].val = *set;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaGraphKernelNodeGetAttribute(cudaGraphNode_t n,
                                                      cudaKernelNodeAttrID which,
                                                      cudaKernelNodeAttrValue *value)
{
    return CALL(attribute((node *)n, (int)which, value, NULL));
}

cudaError_t CUDARTAPI cudaGraphKernelNodeSetAttribute(
    cudaGraphNode_t n, cudaKernelNodeAttrID which, const cudaKernelNodeAttrValue *value)
{
    return CALL(attribute((node *)n, (int)which, NULL, value));
}

static int copy_attributes(node *from, node *to)
{
    if (!from || !to || from->type != cudaGraphNodeTypeKernel ||
        to->type != cudaGraphNodeTypeKernel)
        return cudaErrorInvalidValue;
    memcpy(to->attributes, from->attributes, sizeof to->attributes);
    to->attribute_count = from->attribute_count;
    to->work.launch.shape.cooperative = from->work.launch.shape.cooperative;
    memcpy(to->work.launch.shape.cluster, from->work.launch.shape.cluster,
           sizeof to->work.launch.shape.cluster);
    return cudaSuccess;
}

// The toolkit's header calls the first one hDst since 13, hSrc before.
cudaError_t CUDARTAPI cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t a,
                                                        cudaGraphNode_t b)
{
#if CUDART_VERSION >= 13000
    return CALL(copy_attributes((node *)b, (node *)a));
#else
    return CALL(copy_attributes((node *)a, (node *)b));
#endif
}

// ---- User objects ---------------------------------------------------------------

typedef struct user_object {
    void *what;
    cudaHostFn_t destroy;
    unsigned references;
} user_object;

struct held {
    struct held *next;
    user_object *object;
    unsigned count;
};

static int let_go(user_object *u, unsigned count)
{
    if (!u || !count || count > u->references)
        return cudaErrorInvalidValue;
    u->references -= count;
    if (u->references)
        return cudaSuccess;
    u->destroy(u->what);
    free(u);
    return cudaSuccess;
}

void held_drop(graph *g)
{
    while (g->held) {
        struct held *h = g->held;
        g->held = h->next;
        let_go(h->object, h->count);
        free(h);
    }
}

static int create(cudaUserObject_t *to, void *what, cudaHostFn_t destroy,
                  unsigned count, unsigned flags)
{
    if (!to || !destroy || !count || flags != cudaUserObjectNoDestructorSync)
        return cudaErrorInvalidValue;
    user_object *u = malloc(sizeof *u);
    if (!u)
        return cudaErrorMemoryAllocation;
    *u = (user_object){what, destroy, count};
    *to = (cudaUserObject_t)u;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaUserObjectCreate(cudaUserObject_t *to, void *what,
                                           cudaHostFn_t destroy, unsigned count,
                                           unsigned flags)
{
    return CALL(create(to, what, destroy, count, flags));
}

static int retain(user_object *u, unsigned count)
{
    if (!u || !count)
        return cudaErrorInvalidValue;
    u->references += count;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaUserObjectRetain(cudaUserObject_t u, unsigned count)
{
    return CALL(retain((user_object *)u, count));
}

cudaError_t CUDARTAPI cudaUserObjectRelease(cudaUserObject_t u, unsigned count)
{
    return CALL(let_go((user_object *)u, count));
}

static int hold(graph *g, user_object *u, unsigned count, unsigned flags)
{
    if (!g || !u || !count || flags & ~(unsigned)cudaGraphUserObjectMove)
        return cudaErrorInvalidValue;
    struct held *h = malloc(sizeof *h);
    if (!h)
        return cudaErrorMemoryAllocation;
    if (!(flags & cudaGraphUserObjectMove))
        u->references += count;
    *h = (struct held){g->held, u, count};
    g->held = h;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaGraphRetainUserObject(cudaGraph_t g, cudaUserObject_t u,
                                                unsigned count, unsigned flags)
{
    return CALL(hold((graph *)g, (user_object *)u, count, flags));
}

static int release(graph *g, const user_object *u, unsigned count)
{
    if (!g || !u || !count)
        return cudaErrorInvalidValue;
    for (struct held **at = &g->held; *at; at = &(*at)->next) {
        struct held *h = *at;
        if (h->object != u || h->count < count)
            continue;
        user_object *object = h->object;
        h->count -= count;
        if (!h->count) {
            *at = h->next;
            free(h);
        }
        return let_go(object, count);
    }
    return cudaErrorInvalidValue;
}

cudaError_t CUDARTAPI cudaGraphReleaseUserObject(cudaGraph_t g, cudaUserObject_t u,
                                                 unsigned count)
{
    return CALL(release((graph *)g, (user_object *)u, count));
}

// ---- Memory of graphs -----------------------------------------------------------

static int trim(int number)
{
    return is_device(number) ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t CUDARTAPI cudaDeviceGraphMemTrim(int number)
{
    return CALL(trim(number));
}

static uint64_t high[WIRE_DEVICES][2]; // used, reserved

static int memory_attribute(int number, enum cudaGraphMemAttributeType what, void *get,
                            const void *set)
{
    if (!is_device(number))
        return cudaErrorInvalidDevice;
    if ((!get && !set) || (unsigned)what > cudaGraphMemAttrReservedMemHigh)
        return cudaErrorInvalidValue;
    uint64_t now[2] = {0, 0};
    for (const memory *m = memory_after(NULL); m; m = memory_after(m))
        if (m->graphed && m->device == number) {
            now[0] += m->parked ? 0 : m->bytes;
            now[1] += m->bytes;
        }
    uint64_t *mark = high[number];
    bool of_reserved = what == cudaGraphMemAttrReservedMemCurrent ||
                       what == cudaGraphMemAttrReservedMemHigh;
    bool is_mark =
        what == cudaGraphMemAttrUsedMemHigh || what == cudaGraphMemAttrReservedMemHigh;
    if (set && (!is_mark || *(const uint64_t *)set))
        return cudaErrorInvalidValue;
    if (set)
        mark[of_reserved] = 0;
    for (int i = 0; i < 2; i++)
        mark[i] = now[i] > mark[i] ? now[i] : mark[i];
    if (get)
        *(uint64_t *)get = is_mark ? mark[of_reserved] : now[of_reserved];
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaDeviceGetGraphMemAttribute(
    int number, enum cudaGraphMemAttributeType what, void *value)
{
    return CALL(memory_attribute(number, what, value, NULL));
}

cudaError_t CUDARTAPI cudaDeviceSetGraphMemAttribute(
    int number, enum cudaGraphMemAttributeType what, void *value)
{
    return CALL(memory_attribute(number, what, NULL, value));
}

// ---- Drawings -------------------------------------------------------------------

static const char *name_of(const node *n)
{
    static const char *const names[] = {
        [cudaGraphNodeTypeKernel] = "KERNEL",
        [cudaGraphNodeTypeMemcpy] = "MEMCPY",
        [cudaGraphNodeTypeMemset] = "MEMSET",
        [cudaGraphNodeTypeHost] = "HOST",
        [cudaGraphNodeTypeGraph] = "CHILD_GRAPH",
        [cudaGraphNodeTypeEmpty] = "EMPTY",
        [cudaGraphNodeTypeWaitEvent] = "WAIT_EVENT",
        [cudaGraphNodeTypeEventRecord] = "EVENT_RECORD",
        [cudaGraphNodeTypeMemAlloc] = "MEM_ALLOC",
        [cudaGraphNodeTypeMemFree] = "MEM_FREE",
    };
    if (n->type == cudaGraphNodeTypeKernel)
        return n->work.launch.kernel->name;
    return (size_t)n->type < sizeof names / sizeof *names && names[n->type]
               ? names[n->type]
               : "NODE";
}

static void draw(const graph *g, FILE *out, int *graphs)
{
    int number = ++*graphs;
    fprintf(out, "subgraph cluster_%d {\nlabel=\"graph_%d\" graph[style=\"dashed\"];\n",
            number, number);
    for (size_t i = 0; i < g->count; i++)
        fprintf(out,
                "\"graph_%d_node_%zu\"[style=\"solid\" shape=\"rectangle\" "
                "label=\"%zu\\n%s\"];\n",
                number, i, i, name_of(g->nodes[i]));
    for (size_t i = 0; i < g->count; i++)
        for (size_t k = 0; k < g->nodes[i]->after_count; k++)
            fprintf(out, "\"graph_%d_node_%zu\" -> \"graph_%d_node_%zu\";\n", number,
                    g->nodes[i]->after[k]->place, number, i);
    fputs("}\n", out);
    for (size_t i = 0; i < g->count; i++)
        if (g->nodes[i]->child)
            draw(g->nodes[i]->child, out, graphs);
}

static int print(const graph *g, const char *path)
{
    if (!g || !path)
        return cudaErrorInvalidValue;
    FILE *out = fopen(path, "w");
    if (!out)
        return cudaErrorOperatingSystem;
    int graphs = 0;
    fputs("digraph dot {\n", out);
    draw(g, out, &graphs);
    fputs("}\n", out);
    return fclose(out) ? cudaErrorOperatingSystem : cudaSuccess;
}

cudaError_t CUDARTAPI cudaGraphDebugDotPrint(cudaGraph_t g, const char *path,
                                             unsigned flags)
{
    (void)flags; // how much to tell: always the same
    return CALL(print((const graph *)g, path));
}
