// Memory: what is allocated, where, of which kind.
//
// The devices own the truth; this table mirrors it, so that a pointer can be told by
// its range without asking.

#include "memory.h"

#include <stdlib.h>
#include <string.h>

static memory *table; // sorted by base
static size_t count, capacity;

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

memory *memory_at(const void *address)
{
    uint64_t at = (uintptr_t)address;
    size_t i = after(at);
    return i && at - table[i - 1].base < table[i - 1].bytes ? &table[i - 1] : NULL;
}

memory *memory_live(const void *address)
{
    memory *m = memory_at(address);
    return m && !m->freed ? m : NULL;
}

memory *memory_based(const void *address)
{
    size_t i = after((uintptr_t)address);
    return i && table[i - 1].base == (uintptr_t)address ? &table[i - 1] : NULL;
}

memory *memory_after(const memory *m)
{
    size_t i = m ? after(m->base) : 0;
    return i < count ? &table[i] : NULL;
}

int memory_add(memory m)
{
    if (count == capacity) {
        size_t more = capacity ? capacity * 2 : 64;
        memory *larger = realloc(table, more * sizeof *larger);
        if (!larger)
            return cudaErrorMemoryAllocation;
        table = larger;
        capacity = more;
    }
    size_t i = after(m.base);
    memmove(table + i + 1, table + i, (count - i) * sizeof m);
    memory_noticed(&m);
    table[i] = m;
    count++;
    return cudaSuccess;
}

void memory_drop(const void *base)
{
    memory *m = memory_based(base);
    if (!m)
        return;
    free(m->advice);
    size_t i = (size_t)(m - table);
    memmove(table + i, table + i + 1, (count - i - 1) * sizeof *table);
    count--;
}

bool on_device(const memory *m)
{
    return m && (m->kind != REGISTERED || m->shared);
}

bool is_stray(const memory *m, const void *at)
{
    uint64_t address = (uintptr_t)at;
    return !at || (!m && address >= 0x300000000000 && address < 0x400000000000) ||
           (!m && address >= WIRE_ARENA && address - WIRE_ARENA < WIRE_ARENA_BYTES);
}

static wire_command command_of(enum wire_op op, int number, uint64_t address,
                               uint64_t bytes)
{
    return (wire_command){.op = (uint16_t)op,
                          .device = (uint16_t)number,
                          .as.range = {.address = address, .bytes = bytes}};
}

// On the device alone; the table is its caller's.
void give_back(const memory *m)
{
    if (m->kind == MANAGED)
        managed_tell(m->device); // the last word on what the host has touched
    if (m->kind == DEVICE)
        send_command(command_of(WIRE_FREE, m->device, m->base, 0), NULL, 0);
    else if (m->kind == PINNED || m->kind == MANAGED || m->shared)
        send_command(command_of(WIRE_UNSHARE, m->device, m->base, 0), NULL, 0);
    if (m->kind == PINNED || m->kind == MANAGED) {
        front_wait(m->device); // the device must not use pages that are gone
        arena_unmap(m->base, m->bytes);
    }
}

void memory_forget(int number)
{
    for (size_t i = count; i-- > 0;)
        if (table[i].device == number && table[i].kind != REGISTERED) {
            give_back(&table[i]);
            memory_drop((void *)(uintptr_t)table[i].base);
        }
}

static wire_reply reply;

static int take(size_t bytes, int number, void **at, bool written)
{
    *at = NULL;
    if (!bytes)
        return cudaSuccess;
    wire_command c = command_of(WIRE_ALLOC, number, 0, bytes);
    c.as.range.managed = written;
    int code = ask(c, NULL, 0, &reply);
    if (code)
        return code;
    *at = (void *)(uintptr_t)reply.value[0];
    return memory_add((memory){
        .base = reply.value[0], .bytes = bytes, .kind = DEVICE, .device = number});
}

int device_take(size_t bytes, int number, void **at)
{
    return take(bytes, number, at, false);
}

int device_take_array(size_t bytes, int number, void **at)
{
    return take(bytes, number, at, true);
}

// ---- The calls ------------------------------------------------------------------

cudaError_t CUDARTAPI cudaMalloc(void **at, size_t bytes)
{
    return CALL_UNSAFE(at ? device_take(bytes, here, at) : cudaErrorInvalidValue);
}

static int take_pitched(void **at, size_t *pitch, size_t width, size_t rows)
{
    if (!at || !pitch || width > SIZE_MAX - 511)
        return cudaErrorInvalidValue;
    *pitch = (width + 511) / 512 * 512;
    if (rows && *pitch > SIZE_MAX / rows)
        return cudaErrorMemoryAllocation;
    return device_take(*pitch * rows, here, at);
}

cudaError_t CUDARTAPI cudaMallocPitch(void **at, size_t *pitch, size_t width,
                                      size_t rows)
{
    return CALL_UNSAFE(take_pitched(at, pitch, width, rows));
}

static int take_box(struct cudaPitchedPtr *p, struct cudaExtent e)
{
    if (!p)
        return cudaErrorInvalidValue;
    if (e.depth && e.height > SIZE_MAX / e.depth)
        return cudaErrorMemoryAllocation;
    *p = (struct cudaPitchedPtr){.xsize = e.width, .ysize = e.height};
    return take_pitched(&p->ptr, &p->pitch, e.width, e.height * e.depth);
}

cudaError_t CUDARTAPI cudaMalloc3D(struct cudaPitchedPtr *p, struct cudaExtent e)
{
    return CALL_UNSAFE(take_box(p, e));
}

// Freeing waits for all work, as it must: a kernel may still use the memory.
static int let_go(void *at, bool host)
{
    const memory *m = memory_at(at);
    int number = m ? m->device : here;
    run_all(number);
    int code = front_wait(number);
    if (code || !at)
        return code;
    m = memory_live(at);
    if (!m || m->base != (uintptr_t)at || m->kind == VARIABLE ||
        m->kind == REGISTERED || (m->kind == PINNED) != host) {
        notice_place(at, 0);
        return cudaErrorInvalidValue;
    }
    if (m->graphed) {
        work park = {.kind = WORK_PARK, .address = m->base};
        work_send(&park, m->device, 0);
        return cudaSuccess;
    }
    if (m->pooled)
        pool_freed(m);
    memory gone = *m;
    give_back(&gone);
    memory_drop(at);
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaFree(void *at)
{
    return CALL_UNSAFE(let_go(at, false));
}

cudaError_t CUDARTAPI cudaFreeHost(void *at)
{
    return CALL_UNSAFE(let_go(at, true));
}

static int attributes_of(struct cudaPointerAttributes *a, const void *at)
{
    if (!a)
        return cudaErrorInvalidValue;
    const memory *m = memory_live(at);
    memset(a, 0, sizeof *a);
    a->type = cudaMemoryTypeUnregistered;
    a->device = cudaInvalidDeviceId;
    a->hostPointer = (void *)(uintptr_t)at;
    if (!m)
        return cudaSuccess;
    bool there = m->kind == DEVICE || m->kind == VARIABLE;
    a->device = m->device;
    a->type = there                ? cudaMemoryTypeDevice
              : m->kind == MANAGED ? cudaMemoryTypeManaged
                                   : cudaMemoryTypeHost;
    a->devicePointer = there || m->shared ? (void *)(uintptr_t)at : NULL;
    a->hostPointer = there ? NULL : (void *)(uintptr_t)at;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaPointerGetAttributes(struct cudaPointerAttributes *a,
                                               const void *at)
{
    return CALL(attributes_of(a, at));
}

static int memory_info(size_t *available, size_t *total)
{
    int code = ask(command_of(WIRE_MEMORY, here, 0, 0), NULL, 0, &reply);
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
