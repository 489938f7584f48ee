// The arena: memory that host and devices see at one address, managed and pinned, and
// host memory that is registered.
//
// It is handed out page by page, and an address of the arena is never used twice.

#include "memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, BLOCK = 1 << 16 }; // managed memory counts in blocks

static uint64_t used;
static wire_reply reply;

static size_t pages(size_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

static uint64_t map(size_t bytes, bool managed, uint64_t *alias)
{
    uint64_t at = WIRE_ARENA + used;
    if (bytes > WIRE_ARENA_BYTES || pages(bytes) > WIRE_ARENA_BYTES - used ||
        !device->map(at, pages(bytes), managed, alias))
        return 0;
    // A page between two catches the host's strays.
    used = (used + pages(bytes) + PAGE + BLOCK - 1) / BLOCK * BLOCK;
    return at;
}

uint64_t arena_map(size_t bytes)
{
    uint64_t alias;
    return map(bytes, false, &alias);
}

void arena_unmap(uint64_t at, size_t bytes)
{
    const memory *m = memory_based((void *)(uintptr_t)at);
    device->unmap(at, pages(bytes), m && m->kind == MANAGED ? m->alias : 0);
}

static int share(uint64_t at, size_t bytes, bool managed, uint64_t host)
{
    wire_command c = {.op = WIRE_SHARE,
                      .device = (uint16_t)here,
                      .as.range = {at, bytes, managed, host}};
    return ask(c, NULL, 0, &reply);
}

int arena_take(size_t bytes, memory_kind kind, unsigned flags, void **at)
{
    *at = NULL;
    if (!bytes)
        return cudaSuccess;
    if (bytes > gpu.memory)
        return cudaErrorMemoryAllocation;
    memory m = {
        .bytes = bytes, .kind = kind, .flags = flags, .shared = true, .device = here};
    m.base = map(bytes, kind == MANAGED, &m.alias);
    m.advice = m.base && kind == MANAGED ? advice_new(bytes) : NULL;
    if (!m.base || (kind == MANAGED && !m.advice))
        return cudaErrorMemoryAllocation;
    int code = share(m.base, bytes, kind == MANAGED, m.alias);
    if (code) {
        device->unmap(m.base, pages(bytes), m.alias);
        free(m.advice);
        return code;
    }
    *at = (void *)(uintptr_t)m.base;
    return memory_add(m);
}

// ---- Host memory ----------------------------------------------------------------

static int take_host(void **at, size_t bytes, unsigned flags)
{
    const unsigned all =
        cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    return !at || flags & ~all ? cudaErrorInvalidValue
                               : arena_take(bytes, PINNED, flags, at);
}

cudaError_t CUDARTAPI cudaMallocHost(void **at, size_t bytes)
{
    return CALL_UNSAFE(take_host(at, bytes, 0));
}

cudaError_t CUDARTAPI cudaHostAlloc(void **at, size_t bytes, unsigned flags)
{
    return CALL_UNSAFE(take_host(at, bytes, flags));
}

static int take_managed(void **at, size_t bytes, unsigned flags)
{
    if (!at || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
        return cudaErrorInvalidValue;
    return arena_take(bytes, MANAGED, flags, at);
}

cudaError_t CUDARTAPI cudaMallocManaged(void **at, size_t bytes, unsigned flags)
{
    return CALL_UNSAFE(take_managed(at, bytes, flags));
}

// ---- Memory of the program's, registered ----------------------------------------

static uintptr_t page_of(uintptr_t at)
{
    return at / PAGE * PAGE;
}

// Nobody may replace the pages that this very function runs on, or share one twice.
static bool may_be_replaced(uintptr_t low, uintptr_t high)
{
    uintptr_t stack = (uintptr_t)__builtin_frame_address(0);
    if (stack + (8 << 20) >= low && stack < high + (8 << 20))
        return false;
    for (const memory *m = memory_after(NULL); m; m = memory_after(m))
        if (m->kind == REGISTERED && m->alias && page_of(m->base) < high &&
            page_of(m->base) + m->alias_bytes > low)
            return false;
    return true;
}

// The program's pages move into the arena, and the program sees them where they were.
static bool move_in(memory *m)
{
    uintptr_t low = page_of(m->base), high = page_of(m->base + m->bytes - 1) + PAGE;
    if (!device->show || !may_be_replaced(low, high))
        return false;
    uint64_t at = arena_map(high - low);
    if (!at)
        return false;
    memcpy((void *)(uintptr_t)at, (void *)low, high - low);
    if (!device->show((void *)low, at, high - low))
        return false;
    m->alias = at;
    m->alias_bytes = high - low;
    return !share(m->base, m->bytes, false, at + (m->base - low));
}

static void move_out(const memory *m)
{
    void *low = (void *)page_of(m->base);
    if (!m->alias)
        return;
    mmap(low, m->alias_bytes, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    memcpy(low, (void *)(uintptr_t)m->alias, m->alias_bytes);
    device->unmap(m->alias, m->alias_bytes, 0);
}

static int register_host(void *at, size_t bytes, unsigned flags)
{
    if (!at || !bytes || (uintptr_t)at > UINTPTR_MAX - bytes)
        return cudaErrorInvalidValue;
    for (const memory *m = memory_after(NULL); m; m = memory_after(m))
        if (m->base < (uintptr_t)at + bytes && m->base + m->bytes > (uintptr_t)at)
            return cudaErrorHostMemoryAlreadyRegistered;
    memory m = {.base = (uintptr_t)at,
                .bytes = bytes,
                .kind = REGISTERED,
                .flags = flags,
                .device = here};
    m.shared = device->same_process ? !share(m.base, bytes, false, 0) : move_in(&m);
    return memory_add(m);
}

cudaError_t CUDARTAPI cudaHostRegister(void *at, size_t bytes, unsigned flags)
{
    return CALL_UNSAFE(flags & ~15u ? cudaErrorInvalidValue
                                    : register_host(at, bytes, flags));
}

static int unregister_host(void *at)
{
    const memory *m = memory_at(at);
    if (!m || m->kind != REGISTERED || m->base != (uintptr_t)at)
        return cudaErrorHostMemoryNotRegistered;
    for (int i = 0; i < device_count; i++) {
        run_all(i);
        front_wait(i);
    }
    memory gone = *memory_at(at);
    give_back(&gone);
    int code = front_wait(gone.device);
    move_out(&gone);
    memory_drop(at);
    return code;
}

cudaError_t CUDARTAPI cudaHostUnregister(void *at)
{
    return CALL_UNSAFE(at ? unregister_host(at) : cudaErrorInvalidValue);
}

static int device_pointer(void **to, void *at, unsigned flags)
{
    const memory *m = memory_at(at);
    if (!to || flags || !m || (m->kind != PINNED && m->kind != REGISTERED))
        return cudaErrorInvalidValue;
    if (!m->shared)
        return cudaErrorNotSupported; // the device's process cannot reach that memory
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
    if (!flags || !m || (m->kind != PINNED && m->kind != REGISTERED))
        return cudaErrorInvalidValue;
    *flags = m->flags | cudaHostAllocMapped;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaHostGetFlags(unsigned *flags, void *at)
{
    return CALL(host_flags(flags, at));
}
