// Memory: what is allocated, where, of which kind.
//
// The device owns the truth; this table mirrors it, so that a pointer can be told by
// its range without asking. Managed and pinned memory comes from the arena, page by
// page, and an address of the arena is never used twice.

#include "front.h"

#include <stdlib.h>
#include <string.h>

static memory *table; // sorted by base
static size_t count, capacity;
static uint64_t arena_used;

static size_t after(uint64_t address) // index of the first with base > address
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (table[middle].base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const memory *memory_at(const void *address)
{
    uint64_t at = (uintptr_t)address;
    size_t i = after(at);
    return i && at - table[i - 1].base < table[i - 1].bytes ? &table[i - 1] : NULL;
}

int memory_add(memory m)
{
    if (count == capacity) {
        capacity = capacity ? capacity * 2 : 64;
        memory *more = realloc(table, capacity * sizeof *more);
        if (!more)
            return cudaErrorMemoryAllocation;
        table = more;
    }
    size_t i = after(m.base);
    memmove(table + i + 1, table + i, (count - i) * sizeof m);
    table[i] = m;
    count++;
    return cudaSuccess;
}

void memory_drop(const void *base)
{
    size_t i = after((uintptr_t)base);
    if (!i || table[i - 1].base != (uintptr_t)base)
        return;
    memmove(table + i - 1, table + i, (count - i) * sizeof *table);
    count--;
}

static wire_command command_of(enum wire_op op, uint64_t address, uint64_t bytes)
{
    return (wire_command){.op = op, .as.range = {address, bytes}};
}

static size_t pages(size_t bytes)
{
    return (bytes + 4095) / 4096 * 4096;
}

static void give_back(const memory *m)
{
    if (m->kind == DEVICE)
        send_command(command_of(WIRE_FREE, m->base, 0), NULL, 0);
    else if (m->kind == PINNED || m->kind == MANAGED || m->shared)
        send_command(command_of(WIRE_UNSHARE, m->base, 0), NULL, 0);
    if (m->kind == PINNED || m->kind == MANAGED) {
        front_wait(); // the device must not use pages that are gone
        device->unmap(m->base, pages(m->bytes));
    }
}

void memory_forget_all(void)
{
    while (count)
        give_back(&table[--count]);
}

static wire_reply reply;

static int device_take(size_t bytes, void **at)
{
    *at = NULL;
    if (!bytes)
        return cudaSuccess;
    int code = ask(command_of(WIRE_ALLOC, 0, bytes), NULL, 0, &reply);
    if (code)
        return code;
    *at = (void *)(uintptr_t)reply.value[0];
    return memory_add((memory){.base = reply.value[0], .bytes = bytes, .kind = DEVICE});
}

int arena_take(size_t bytes, memory_kind kind, unsigned flags, void **at)
{
    *at = NULL;
    if (!bytes)
        return cudaSuccess;
    uint64_t address = WIRE_ARENA + arena_used;
    if (bytes > gpu.memory || pages(bytes) > WIRE_ARENA_BYTES - arena_used ||
        !device->map(address, pages(bytes)))
        return cudaErrorMemoryAllocation;
    arena_used += pages(bytes) + 4096; // a page between two catches the host's strays
    int code = ask(command_of(WIRE_SHARE, address, bytes), NULL, 0, &reply);
    if (code) {
        device->unmap(address, pages(bytes));
        return code;
    }
    *at = (void *)(uintptr_t)address;
    return memory_add((memory){.base = address, .bytes = bytes, .kind = kind,
                               .flags = flags, .shared = true});
}

// ---- The calls ------------------------------------------------------------------

cudaError_t CUDARTAPI cudaMalloc(void **at, size_t bytes)
{
    return CALL(at ? device_take(bytes, at) : cudaErrorInvalidValue);
}

static int take_pitched(void **at, size_t *pitch, size_t width, size_t height)
{
    if (!at || !pitch || width > SIZE_MAX - 511)
        return cudaErrorInvalidValue;
    *pitch = (width + 511) / 512 * 512;
    if (height && *pitch > SIZE_MAX / height)
        return cudaErrorMemoryAllocation;
    return device_take(*pitch * height, at);
}

cudaError_t CUDARTAPI cudaMallocPitch(void **at, size_t *pitch, size_t width,
                                      size_t height)
{
    return CALL(take_pitched(at, pitch, width, height));
}

static int take_host(void **at, size_t bytes, unsigned flags)
{
    const unsigned all = cudaHostAllocPortable | cudaHostAllocMapped |
                         cudaHostAllocWriteCombined;
    return !at || flags & ~all ? cudaErrorInvalidValue
                               : arena_take(bytes, PINNED, flags, at);
}

cudaError_t CUDARTAPI cudaMallocHost(void **at, size_t bytes)
{
    return CALL(take_host(at, bytes, 0));
}

cudaError_t CUDARTAPI cudaHostAlloc(void **at, size_t bytes, unsigned flags)
{
    return CALL(take_host(at, bytes, flags));
}

static int take_managed(void **at, size_t bytes, unsigned flags)
{
    if (!at || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
        return cudaErrorInvalidValue;
    return arena_take(bytes, MANAGED, flags, at);
}

cudaError_t CUDARTAPI cudaMallocManaged(void **at, size_t bytes, unsigned flags)
{
    return CALL(take_managed(at, bytes, flags));
}

// Freeing waits for all work, as it must: a kernel may still use the memory.
static int let_go(void *at, bool host)
{
    run_all();
    int code = front_wait();
    if (code || !at)
        return code;
    const memory *m = memory_at(at);
    if (!m || m->base != (uintptr_t)at || m->kind == VARIABLE ||
        m->kind == REGISTERED || (m->kind == PINNED) != host)
        return cudaErrorInvalidValue;
    memory gone = *m;
    memory_drop(at);
    give_back(&gone);
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaFree(void *at)
{
    return CALL(let_go(at, false));
}

cudaError_t CUDARTAPI cudaFreeHost(void *at)
{
    return CALL(let_go(at, true));
}

static int take_async(void **at, size_t bytes, cudaStream_t s)
{
    return !at ? cudaErrorInvalidValue
           : !stream_of(s) ? cudaErrorInvalidResourceHandle
                           : device_take(bytes, at);
}

cudaError_t CUDARTAPI cudaMallocAsync(void **at, size_t bytes, cudaStream_t s)
{
    return CALL(take_async(at, bytes, s));
}

static int let_go_async(void *at, cudaStream_t handle)
{
    stream *s = stream_of(handle);
    const memory *m = memory_at(at);
    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (!at)
        return cudaSuccess;
    if (!m || m->base != (uintptr_t)at || m->kind != DEVICE)
        return cudaErrorInvalidValue;
    return enqueue(s, (item){.kind = COMMANDED, .free_after = m->base,
                             .command = command_of(WIRE_FREE, m->base, 0)});
}

cudaError_t CUDARTAPI cudaFreeAsync(void *at, cudaStream_t s)
{
    return CALL(let_go_async(at, s));
}

static int register_host(void *at, size_t bytes)
{
    if (!at || !bytes)
        return cudaErrorInvalidValue;
    size_t i = after((uintptr_t)at + bytes - 1);
    if (i && table[i - 1].base + table[i - 1].bytes > (uintptr_t)at)
        return cudaErrorHostMemoryAlreadyRegistered;
    memory m = {.base = (uintptr_t)at, .bytes = bytes, .kind = REGISTERED};
    m.shared = device->same_process &&
               !ask(command_of(WIRE_SHARE, m.base, bytes), NULL, 0, &reply);
    return memory_add(m);
}

cudaError_t CUDARTAPI cudaHostRegister(void *at, size_t bytes, unsigned flags)
{
    return CALL(flags & ~15u ? cudaErrorInvalidValue : register_host(at, bytes));
}

static int unregister_host(void *at)
{
    const memory *m = memory_at(at);
    if (!m || m->kind != REGISTERED || m->base != (uintptr_t)at)
        return cudaErrorHostMemoryNotRegistered;
    run_all();
    int code = front_wait();
    memory gone = *m;
    memory_drop(at);
    give_back(&gone);
    return code;
}

cudaError_t CUDARTAPI cudaHostUnregister(void *at)
{
    return CALL(at ? unregister_host(at) : cudaErrorInvalidValue);
}

static int device_pointer(void **to, void *at, unsigned flags)
{
    const memory *m = memory_at(at);
    if (!to || flags || !m || (m->kind != PINNED && m->kind != REGISTERED))
        return cudaErrorInvalidValue;
    if (!m->shared)
        return cudaErrorNotSupported; // another process cannot reach that memory
    *to = at;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaHostGetDevicePointer(void **to, void *at, unsigned flags)
{
    return CALL(device_pointer(to, at, flags));
}

static int host_flags(unsigned *flags, void *at)
{
    const memory *m = memory_at(at);
    if (!flags || !m || m->kind != PINNED)
        return cudaErrorInvalidValue;
    *flags = m->flags | cudaHostAllocMapped;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaHostGetFlags(unsigned *flags, void *at)
{
    return CALL(host_flags(flags, at));
}

static int attributes_of(struct cudaPointerAttributes *a, const void *at)
{
    if (!a)
        return cudaErrorInvalidValue;
    const memory *m = memory_at(at);
    *a = (struct cudaPointerAttributes){.type = cudaMemoryTypeUnregistered,
                                        .device = -2,
                                        .hostPointer = (void *)(uintptr_t)at};
    if (!m)
        return cudaSuccess;
    bool on_device = m->kind == DEVICE || m->kind == VARIABLE;
    a->device = 0;
    a->type = on_device            ? cudaMemoryTypeDevice
              : m->kind == MANAGED ? cudaMemoryTypeManaged
                                   : cudaMemoryTypeHost;
    a->devicePointer = on_device || m->shared ? (void *)(uintptr_t)at : NULL;
    a->hostPointer = on_device ? NULL : (void *)(uintptr_t)at;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaPointerGetAttributes(struct cudaPointerAttributes *a,
                                               const void *at)
{
    return CALL(attributes_of(a, at));
}

static int memory_info(size_t *available, size_t *total)
{
    int code = ask((wire_command){.op = WIRE_MEMORY}, NULL, 0, &reply);
    if (available)
        *available = reply.value[0];
    if (total)
        *total = reply.value[1];
    return code;
}

cudaError_t CUDARTAPI cudaMemGetInfo(size_t *available, size_t *total)
{
    return CALL(memory_info(available, total));
}
