// What nodes do: their work, and what the program said of it, to be told again.

#include "graph.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

// ---- Kernels --------------------------------------------------------------------

// The arguments as the program would pass them, in the node's own copy.
static int point_at_arguments(node *n)
{
    const kernel *k = n->work.launch.kernel;
    const wire_kernel *about = k->on[n->device].about;
    void **pointers = malloc(((size_t)about->parameters + 1) * sizeof *pointers);
    if (!pointers)
        return cudaErrorMemoryAllocation;
    for (int i = 0; i < about->parameters; i++)
        pointers[i] = (char *)n->work.data + about->parameter[i].offset;
    free(n->pointers);
    n->pointers = pointers;
    const struct wire_launch *l = &n->work.launch.shape;
    n->kernel = (struct cudaKernelNodeParams){
        .func = (void *)(uintptr_t)k->host,
        .gridDim = {l->grid[0], l->grid[1], l->grid[2]},
        .blockDim = {l->block[0], l->block[1], l->block[2]},
        .sharedMemBytes = l->shared,
        .kernelParams = about->parameters ? pointers : NULL,
    };
    return cudaSuccess;
}

static int set_launch(node *n, work w)
{
    work_drop(&n->work);
    n->work = w;
    return point_at_arguments(n);
}

int node_set_kernel(node *n, const struct cudaKernelNodeParams *p)
{
    work w;
    if (!p || !p->func)
        return p ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue;
    if (p->extra)
        return p->kernelParams ? cudaErrorInvalidValue : cudaErrorNotSupported;
    kernel *k = kernel_of(p->func);
    if (!k)
        return cudaErrorInvalidDeviceFunction;
    launch_options o = {
        .grid = p->gridDim, .block = p->blockDim, .shared = p->sharedMemBytes};
    if (n->work.kind == WORK_LAUNCH) { // what the node has beside its parameters
        const struct wire_launch *l = &n->work.launch.shape;
        o.cooperative = l->cooperative;
        o.cluster = (dim3){l->cluster[0], l->cluster[1], l->cluster[2]};
    }
    int code = launch_work(k, o, p->kernelParams, n->device, &w);
    return code ? code : set_launch(n, w);
}

// ---- Copies ---------------------------------------------------------------------

int node_set_copy(node *n, const struct cudaMemcpy3DParms *p)
{
    box b;
    int code = box_of(p, &b);
    if (!code)
        code = check_box(&b, (int)p->kind);
    if (code)
        return code;
    n->copy = *p;
    n->work = (work){.kind = WORK_COPY, .copy = b};
    return cudaSuccess;
}

int node_set_line(node *n, void *to, const void *from, size_t bytes, int kind)
{
    struct cudaMemcpy3DParms p = {
        .srcPtr = {(void *)(uintptr_t)from, bytes, bytes, 1},
        .dstPtr = {to, bytes, bytes, 1},
        .extent = {bytes, 1, 1},
        .kind = (enum cudaMemcpyKind)kind,
    };
    return node_set_copy(n, &p);
}

static void tell_copy(node *n)
{
    const box *b = &n->work.copy;
    size_t to = b->to.pitch ? b->to.slice / b->to.pitch : 1;
    size_t from = b->from.pitch ? b->from.slice / b->from.pitch : 1;
    n->copy = (struct cudaMemcpy3DParms){
        .srcPtr = {b->from.at, b->from.pitch, b->bytes, from},
        .dstPtr = {b->to.at, b->to.pitch, b->bytes, to},
        .extent = {b->bytes, b->rows, b->slices},
        .kind = cudaMemcpyDefault,
    };
}

// ---- Fills, calls, events, graphs -----------------------------------------------

int node_set_fill(node *n, const struct cudaMemsetParams *p)
{
    if (!p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4) ||
        !p->width || !p->height || p->width > SIZE_MAX / 4)
        return cudaErrorInvalidValue;
    size_t bytes = p->width * p->elementSize;
    size_t pitch = p->height > 1 ? p->pitch : bytes;
    filling f = {{p->dst, pitch, pitch * p->height},
                 p->value,
                 p->elementSize,
                 bytes,
                 p->height,
                 1};
    if ((p->elementSize == 1 && p->value > 255) ||
        (p->elementSize == 2 && p->value > 65535))
        return cudaErrorInvalidValue;
    int code = check_filling(&f);
    if (code)
        return code;
    n->fill = *p;
    n->work = (work){.kind = WORK_FILL, .fill = f};
    return cudaSuccess;
}

static void tell_fill(node *n)
{
    const filling *f = &n->work.fill;
    n->fill = (struct cudaMemsetParams){.dst = f->to.at,
                                        .pitch = f->rows > 1 ? f->to.pitch : 0,
                                        .value = f->value,
                                        .elementSize = f->element,
                                        .width = f->bytes / f->element,
                                        .height = f->rows * f->slices};
}

int node_set_call(node *n, const struct cudaHostNodeParams *p)
{
    if (!p || !p->fn)
        return cudaErrorInvalidValue;
    n->work = (work){.kind = WORK_CALL, .call = {p->fn, p->userData}};
    return cudaSuccess;
}

int node_set_event(node *n, cudaEvent_t handle)
{
    event *e = event_of(handle);
    if (!e)
        return cudaErrorInvalidResourceHandle;
    bool records = n->type == cudaGraphNodeTypeEventRecord;
    n->work = (work){.kind = records ? WORK_RECORD : WORK_WAIT, .event = e};
    return cudaSuccess;
}

int node_set_child(node *n, const graph *child)
{
    if (!child)
        return cudaErrorInvalidValue;
    if (child->memory)
        return cudaErrorNotSupported;
    graph *copy = graph_copy(child);
    if (!copy)
        return cudaErrorMemoryAllocation;
    copy->owned = true;
    if (n->child)
        graph_free(n->child);
    n->child = copy;
    return cudaSuccess;
}

// ---- All of it ------------------------------------------------------------------

int node_take_over(node *n, const node *from)
{
    work w;
    if (!work_copy(&w, &from->work))
        return cudaErrorMemoryAllocation;
    n->copy = from->copy;
    n->fill = from->fill;
    n->alloc = from->alloc;
    memcpy(n->attributes, from->attributes, sizeof n->attributes);
    n->attribute_count = from->attribute_count;
    if (from->type == cudaGraphNodeTypeKernel) {
        n->device = from->device;
        return set_launch(n, w);
    }
    work_drop(&n->work);
    n->work = w;
    return from->child ? node_set_child(n, from->child) : cudaSuccess;
}

int node_from_work(node *n, work w)
{
    if (w.kind == WORK_LAUNCH)
        return set_launch(n, w);
    n->work = w;
    if (w.kind == WORK_COPY)
        tell_copy(n);
    if (w.kind == WORK_FILL)
        tell_fill(n);
    return cudaSuccess;
}
