// Launches: the compiler's calls, the runtime's, and the checks before one is queued.
//
// What a launch asks for is checked at once, as on a GPU; what the kernel then does is
// seen by the next call that waits. A launch like the last one of its kernel is not
// checked again, so launches in a loop cost no round trip.

#include "front.h"

#include <stdlib.h>
#include <string.h>

// ---- Occupancy ------------------------------------------------------------------

static int least(int a, int b)
{
    return a < b ? a : b;
}

static size_t shared_reserved(void) // a block, on top of its own
{
    return gpu.major >= 8 ? 1024 : 0;
}

int blocks_per_sm(const kernel *k, int block, size_t dynamic)
{
    int warps = (block + 31) / 32, blocks = gpu.blocks_per_sm;
    if (warps <= 0)
        return 0;
    blocks = least(blocks, gpu.threads_per_sm / 32 / warps);
    int registers = (k->about->registers + 7) / 8 * 8 * 32; // a warp, in units of 256
    if (registers)
        blocks = least(blocks, gpu.registers_per_sm / registers / warps);
    size_t shared = k->about->shared + dynamic;
    shared = (shared + shared_reserved() + 127) / 128 * 128;
    if (shared)
        blocks = least(blocks, (int)((size_t)gpu.shared_per_sm / shared));
    return blocks;
}

// ---- Launching ------------------------------------------------------------------

enum { DEFAULT_SHARED = 48 << 10 };

static bool same_shape(const wire_command *a, const wire_command *b)
{
    return memcmp(&a->as.launch, &b->as.launch, sizeof a->as.launch) == 0;
}

static int check(kernel *k, wire_command c, const void *arguments, size_t bytes)
{
    static wire_reply reply;
    if (same_shape(&c, &k->accepted))
        return cudaSuccess;
    const struct wire_launch *l = &c.as.launch;
    size_t shared = k->about->shared + l->shared;
    if (shared > DEFAULT_SHARED && l->shared > k->most_dynamic)
        return cudaErrorInvalidValue;
    wire_command asked = c;
    asked.op = WIRE_CHECK;
    int code = ask(asked, arguments, bytes, &reply);
    if (code == cudaErrorInvalidConfiguration)
        return cudaErrorInvalidValue; // what the runtime makes of it since version 13
    uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    int threads = (int)(l->block[0] * l->block[1] * l->block[2]);
    if (!code && l->cooperative &&
        blocks > (uint64_t)gpu.sms * (uint64_t)blocks_per_sm(k, threads, l->shared))
        code = cudaErrorCooperativeLaunchTooLarge;
    if (!code)
        k->accepted = c;
    return code;
}

int launch(kernel *k, dim3 grid, dim3 block, void **arguments, size_t shared, stream *s,
           launch_ways ways)
{
    if (!s)
        return cudaErrorInvalidResourceHandle;
    int code = kernel_ready(k);
    if (code)
        return code;
    if (shared > 1 << 30 || (k->about->parameters && !arguments))
        return cudaErrorInvalidValue;
    size_t bytes = k->about->parameter_bytes;
    char *block_of_arguments = calloc(1, bytes + 1);
    if (!block_of_arguments)
        return cudaErrorMemoryAllocation;
    for (int i = 0; i < k->about->parameters; i++)
        memcpy(block_of_arguments + k->about->parameter[i].offset, arguments[i],
               k->about->parameter[i].bytes);
    wire_command c = {.op = WIRE_LAUNCH, .bytes = bytes};
    c.as.launch = (struct wire_launch){
        .kernel = k->id, .grid = {grid.x, grid.y, grid.z},
        .block = {block.x, block.y, block.z}, .shared = (uint32_t)shared,
        .cooperative = ways.cooperative,
        .cluster = {(uint8_t)ways.cluster.x, (uint8_t)ways.cluster.y,
                    (uint8_t)ways.cluster.z},
        .any_cluster = k->any_cluster};
    code = check(k, c, block_of_arguments, bytes);
    if (!code)
        return enqueue(s, (item){.kind = COMMANDED, .command = c,
                                 .data = block_of_arguments});
    free(block_of_arguments);
    return code;
}

static int launch_stub(const void *host, dim3 grid, dim3 block, void **arguments,
                       size_t shared, cudaStream_t s, launch_ways ways)
{
    kernel *k = kernel_by_stub(host);
    if (!k && is_kernel(host)) // a cudaKernel_t
        k = (kernel *)(uintptr_t)host;
    if (!k)
        return host ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction;
    return launch(k, grid, block, arguments, shared, stream_of(s), ways);
}

// ---- The compiler's calls -------------------------------------------------------

typedef struct configuration {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
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
    pushed.stack[pushed.depth++] = (configuration){grid, block, shared, s};
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
    return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t *handle, const void *host)
{
    *handle = (cudaKernel_t)kernel_by_stub(host);
    return *handle ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t handle, dim3 grid, dim3 block,
                               void **arguments, size_t shared, cudaStream_t s)
{
    return CALL(is_kernel(handle) ? launch((kernel *)handle, grid, block, arguments,
                                           shared, stream_of(s), (launch_ways){0})
                                  : cudaErrorInvalidDeviceFunction);
}

// ---- The runtime's calls --------------------------------------------------------

cudaError_t CUDARTAPI cudaLaunchKernel(const void *host, dim3 grid, dim3 block,
                                       void **arguments, size_t shared, cudaStream_t s)
{
    return CALL(launch_stub(host, grid, block, arguments, shared, s, (launch_ways){0}));
}

cudaError_t CUDARTAPI cudaLaunchCooperativeKernel(const void *host, dim3 grid,
                                                  dim3 block, void **arguments,
                                                  size_t shared, cudaStream_t s)
{
    return CALL(launch_stub(host, grid, block, arguments, shared, s,
                            (launch_ways){.cooperative = true}));
}

static int launch_configured(const cudaLaunchConfig_t *c, const void *host,
                             void **arguments)
{
    if (!c)
        return cudaErrorInvalidValue;
    launch_ways ways = {0};
    for (unsigned i = 0; i < c->numAttrs; i++) {
        const cudaLaunchAttribute *a = &c->attrs[i];
        if (a->id == cudaLaunchAttributeCooperative)
            ways.cooperative = a->val.cooperative != 0;
        else if (a->id == cudaLaunchAttributeClusterDimension) {
            ways.cluster = (dim3){a->val.clusterDim.x, a->val.clusterDim.y,
                                  a->val.clusterDim.z};
            if (ways.cluster.x > 255 || ways.cluster.y > 255 || ways.cluster.z > 255)
                return cudaErrorInvalidClusterSize;
        }
    }
    return launch_stub(host, c->gridDim, c->blockDim, arguments, c->dynamicSmemBytes,
                       c->stream, ways);
}

cudaError_t CUDARTAPI cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *host,
                                          void **arguments)
{
    return CALL(launch_configured(c, host, arguments));
}
