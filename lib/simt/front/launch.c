// Launches: the compiler's calls, the runtime's, and the checks before one is queued.
//
// What a launch asks for is checked at once, as on a GPU; what the kernel then does is
// seen by the next call that waits. A launch like the last one of its kernel is not
// checked again, so launches in a loop cost no round trip.

#include "front.h"

#include <stdlib.h>
#include <string.h>

// ---- Launching ------------------------------------------------------------------

enum { DEFAULT_SHARED = 48 << 10 };

static int check(kernel *k, wire_command c, const void *arguments, size_t bytes)
{
    static wire_reply reply;
    kernel_on *on = &k->on[c.device];
    if (!memcmp(&c.as.launch, &on->accepted, sizeof on->accepted))
        return cudaSuccess;
    const struct wire_launch *l = &c.as.launch;
    size_t shared = on->about->shared + l->shared;
    if (shared > DEFAULT_SHARED && l->shared > on->most_dynamic)
        return cudaErrorInvalidValue;
    c.op = WIRE_CHECK;
    int code = ask(c, arguments, bytes, &reply);
    if (code == cudaErrorInvalidConfiguration)
        return cudaErrorInvalidValue; // what the runtime makes of it since version 13
    uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    int threads = (int)(l->block[0] * l->block[1] * l->block[2]);
    if (!code && l->cooperative &&
        blocks > (uint64_t)gpu.sms * (uint64_t)blocks_per_sm(k, threads, l->shared))
        code = cudaErrorCooperativeLaunchTooLarge;
    if (!code)
        on->accepted = *l;
    return code;
}

int launch_work(kernel *k, launch_options o, void **arguments, int device, work *w)
{
    int code = kernel_ready(k, device);
    if (code)
        return code;
    const wire_kernel *about = k->on[device].about;
    if (o.shared > 1 << 30 || (about->parameters && !arguments))
        return cudaErrorInvalidValue;
    char *block = calloc(1, about->parameter_bytes + 1);
    if (!block)
        return cudaErrorMemoryAllocation;
    for (int i = 0; i < about->parameters; i++)
        memcpy(block + about->parameter[i].offset, arguments[i],
               about->parameter[i].bytes);
    wire_command c = {
        .op = WIRE_LAUNCH, .device = (uint16_t)device, .bytes = about->parameter_bytes};
    c.as.launch = (struct wire_launch){
        .kernel = k->on[device].id,
        .grid = {o.grid.x, o.grid.y, o.grid.z},
        .block = {o.block.x, o.block.y, o.block.z},
        .shared = (uint32_t)o.shared,
        .cooperative = o.cooperative,
        .cluster = {(uint8_t)o.cluster.x, (uint8_t)o.cluster.y, (uint8_t)o.cluster.z},
        .any_cluster = k->on[device].large_clusters,
        .registers = (uint32_t)about->registers,
        .preferred = (uint32_t)(shared_preferred(k) | 1)};
    code = check(k, c, block, about->parameter_bytes);
    *w = (work){.kind = WORK_LAUNCH, .data = block};
    w->launch.kernel = k;
    w->launch.shape = c.as.launch;
    w->launch.bytes = about->parameter_bytes;
    if (code)
        work_drop(w);
    return code;
}

int launch(kernel *k, launch_options o, void **arguments, stream *s)
{
    work w;
    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (s->device != here)
        return cudaErrorInvalidResourceHandle;
    int code = launch_work(k, o, arguments, s->device, &w);
    return code ? code : stream_add(s, w);
}

int launch_stub(const void *host, launch_options o, void **arguments, stream *s)
{
    kernel *k = kernel_of(host);
    if (!k)
        return host ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction;
    notice_launch(k->name, o.grid, o.block);
    return launch(k, o, arguments, s);
}

int launch_configured(const cudaLaunchConfig_t *c, const void *host, void **arguments,
                      stream *s)
{
    if (!c || (c->numAttrs && !c->attrs))
        return cudaErrorInvalidValue;
    launch_options o = {
        .grid = c->gridDim, .block = c->blockDim, .shared = c->dynamicSmemBytes};
    for (unsigned i = 0; i < c->numAttrs; i++) {
        const cudaLaunchAttribute *a = &c->attrs[i];
        if (a->id == cudaLaunchAttributeCooperative)
            o.cooperative = a->val.cooperative != 0;
        if (a->id != cudaLaunchAttributeClusterDimension)
            continue;
        o.cluster =
            (dim3){a->val.clusterDim.x, a->val.clusterDim.y, a->val.clusterDim.z};
        if (o.cluster.x > 255 || o.cluster.y > 255 || o.cluster.z > 255)
            return cudaErrorInvalidClusterSize;
    }
    return launch_stub(host, o, arguments, s);
}

// ---- The compiler's calls -------------------------------------------------------

typedef struct configuration {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    const void *from; // where it was asked for
} configuration;

// A stack: an argument of a launch may itself launch.
static _Thread_local struct {
    configuration *stack;
    size_t depth, capacity;
} pushed;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                     struct CUstream_st *s)
{
    if (pushed.depth == pushed.capacity) {
        size_t capacity = pushed.capacity * 2 + 8;
        configuration *more = realloc(pushed.stack, capacity * sizeof *more);
        if (!more)
            return cudaErrorMemoryAllocation;
        pushed.stack = more;
        pushed.capacity = capacity;
    }
    pushed.stack[pushed.depth++] = (configuration){grid, block, shared, s, __builtin_return_address(0)};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *s)
{
    if (!pushed.depth)
        return cudaErrorMissingConfiguration;
    configuration c = pushed.stack[--pushed.depth];
    *grid = c.grid;
    *block = c.block;
    *shared = c.shared;
    *(cudaStream_t *)s = c.stream;
    notice_configuration(c.from);
    return cudaSuccess;
}

static int handle_of(void **handle, const void *host)
{
    *handle = kernel_by_stub(host);
    return *handle ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

cudaError_t __cudaGetKernel(cudaKernel_t *handle, const void *host)
{
    return (cudaError_t)handle_of((void **)handle, host);
}

static int symbol_handle(void **handle, const void *host)
{
    if (!handle)
        return cudaErrorInvalidValue;
    return handle_of(handle, host);
}

#if CUDART_VERSION >= 12000
cudaError_t CUDARTAPI cudaGetKernel(cudaKernel_t *handle, const void *host)
{
    return CALL(symbol_handle((void **)handle, host));
}
#endif

cudaError_t CUDARTAPI cudaGetFuncBySymbol(cudaFunction_t *handle, const void *host)
{
    return CALL(symbol_handle((void **)handle, host));
}
