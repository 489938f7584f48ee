// Managed memory: advice, prefetches, and which pages the program itself has touched.
//
// The device counts what moves (../src/pages.c); the host's part is found out here.
// What the program touches, the system maps into its process, and /proc/self/pagemap
// shows it. A page that has been told of is dropped from the mapping (its contents are
// in shared memory), so the next touch shows again. No signal is caught, and system
// calls may use the memory. A read counts like a write: the system does not tell them
// apart.

#include "memory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, BLOCK = 1 << 16, PER_BLOCK = BLOCK / PAGE };
enum { ADVISE_READ_MOSTLY, ADVISE_PREFERRED, ADVISE_ACCESSED_BY }; // as in simt.h

static wire_reply reply;

advice *advice_new(size_t bytes)
{
    size_t pages = (bytes + BLOCK - 1) / BLOCK;
    advice *a = malloc(sizeof *a + pages * sizeof *a->page);
    if (!a)
        return NULL;
    a->pages = pages;
    for (size_t i = 0; i < pages; i++)
        a->page[i] =
            (struct advised){false, cudaInvalidDeviceId, cudaInvalidDeviceId, 0};
    return a;
}

// ---- What the host touches
// --------------------------------------------------------------

static wire_command range_of(enum wire_op op, int number, uint64_t address,
                             uint64_t bytes)
{
    return (wire_command){.op = (uint16_t)op,
                          .device = (uint16_t)number,
                          .as.range = {.address = address, .bytes = bytes}};
}

static bool is_mapped(const uint64_t *entry)
{
    for (int i = 0; i < PER_BLOCK; i++)
        if (entry[i] >> 62) // in memory, or swapped out
            return true;
    return false;
}

static void tell_range(int number, uint64_t from, uint64_t to, uint64_t end)
{
    to = to < end ? to : end;
    if (from >= to)
        return;
    send_command(range_of(WIRE_TOUCHED, number, from, to - from), NULL, 0);
    madvise((void *)(uintptr_t)from, (to - from + PAGE - 1) / PAGE * PAGE,
            MADV_DONTNEED);
}

static void tell(int map, int number, const memory *m)
{
    enum { AT_ONCE = 256 };
    static uint64_t entries[AT_ONCE * PER_BLOCK];
    uint64_t end = m->base + m->bytes, from = end;
    for (uint64_t at = m->base; at < end; at += (uint64_t)AT_ONCE * BLOCK) {
        memset(entries, 0, sizeof entries);
        if (pread(map, entries, sizeof entries, (off_t)(at / PAGE * sizeof *entries)) <
            0)
            return;
        for (int i = 0; i < AT_ONCE; i++) {
            uint64_t block = at + (uint64_t)i * BLOCK;
            bool mapped = block < end && is_mapped(entries + i * PER_BLOCK);
            if (mapped && from == end)
                from = block;
            if (!mapped && from != end) {
                tell_range(number, from, block, end);
                from = end;
            }
        }
    }
    tell_range(number, from, end, end);
}

static int page_map(void)
{
    static int map = -1; // the file of a forked child is another
    static pid_t owner;
    if (owner != getpid()) {
        owner = getpid();
        map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    }
    return map;
}

void managed_tell(int number)
{
    for (const memory *m = memory_after(NULL); m; m = memory_after(m))
        if (m->kind == MANAGED && page_map() >= 0 &&
            (m->alias || !device->same_process))
            tell(page_map(), number, m);
}

void managed_end(void)
{
    const memory *m = memory_after(NULL);
    while (m && m->kind != MANAGED)
        m = memory_after(m);
    if (!m)
        return;
    managed_tell(m->device);
    ask((wire_command){.op = WIRE_NOP}, NULL, 0, &reply); // it has heard
}

// ---- Advice
// -------------------------------------------------------------------------------

static memory *managed_range(const void *at, size_t bytes)
{
    memory *m = memory_live(at);
    return m && m->kind == MANAGED && bytes &&
                   bytes <= m->bytes - ((uintptr_t)at - m->base)
               ? m
               : NULL;
}

static void pages_of(const memory *m, const void *at, size_t bytes, size_t *first,
                     size_t *last)
{
    size_t offset = (uintptr_t)at - m->base;
    *first = offset / BLOCK;
    *last = (offset + bytes - 1) / BLOCK;
}

// A place as a device number or cudaCpuDeviceId; false: there is none such.
static bool number_of(memory_place where, int *number)
{
#if CUDART_VERSION >= 13000
    *number = where.type == cudaMemLocationTypeHost ||
                      where.type == cudaMemLocationTypeHostNuma ||
                      where.type == cudaMemLocationTypeHostNumaCurrent
                  ? cudaCpuDeviceId
                  : where.id;
    return *number == cudaCpuDeviceId ||
           (where.type == cudaMemLocationTypeDevice && is_device(where.id));
#else
    *number = where;
    return where == cudaCpuDeviceId || is_device(where);
#endif
}

static uint32_t holder(int number)
{
    return number == cudaCpuDeviceId ? 1 : 2u << number;
}

static int prefetch(memory *m, const void *at, size_t bytes, int to, stream *s)
{
    size_t first, last;
    pages_of(m, at, bytes, &first, &last);
    for (size_t i = first; i <= last; i++)
        m->advice->page[i].prefetched = to;
    work w = {.kind = WORK_COMMAND};
    w.command = (wire_command){.op = WIRE_MOVE,
                               .device = (uint16_t)s->device,
                               .as.pages = {(uintptr_t)at, bytes, 0, holder(to)}};
    return stream_add(s, w);
}

int managed_prefetch(const void *at, size_t bytes, memory_place to, unsigned flags,
                     stream *s)
{
    int number;
    memory *m = managed_range(at, bytes);
    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (!m || flags)
        return cudaErrorInvalidValue;
    return number_of(to, &number) ? prefetch(m, at, bytes, number, s)
                                  : cudaErrorInvalidDevice;
}

static void tell_advice(const memory *m, size_t first, size_t last, int what,
                        uint32_t who)
{
    wire_command c = {.op = WIRE_ADVISE, .device = (uint16_t)m->device};
    uint64_t end = m->base + (last + 1) * BLOCK, all = m->base + m->bytes;
    c.as.pages.address = m->base + first * BLOCK;
    c.as.pages.bytes = (end < all ? end : all) - c.as.pages.address;
    c.as.pages.advice = (uint64_t)what;
    c.as.pages.who = who;
    send_command(c, NULL, 0);
}

static int advise(const void *at, size_t bytes, enum cudaMemoryAdvise what,
                  memory_place where)
{
    int number = cudaInvalidDeviceId;
    memory *m = managed_range(at, bytes);
    if (!m || what < cudaMemAdviseSetReadMostly || what > cudaMemAdviseUnsetAccessedBy)
        return cudaErrorInvalidValue;
    bool anywhere = what == cudaMemAdviseSetReadMostly ||
                    what == cudaMemAdviseUnsetReadMostly ||
                    what == cudaMemAdviseUnsetPreferredLocation;
    if (!number_of(where, &number) && !anywhere)
        return cudaErrorInvalidValue;
    size_t first, last;
    pages_of(m, at, bytes, &first, &last);
    for (size_t i = first; i <= last; i++) {
        struct advised *p = &m->advice->page[i];
        switch (what) {
        case cudaMemAdviseSetReadMostly:
        case cudaMemAdviseUnsetReadMostly:
            p->read_mostly = what == cudaMemAdviseSetReadMostly;
            tell_advice(m, i, i, ADVISE_READ_MOSTLY, p->read_mostly);
            break;
        case cudaMemAdviseSetPreferredLocation:
        case cudaMemAdviseUnsetPreferredLocation:
            p->preferred = what == cudaMemAdviseSetPreferredLocation
                               ? number
                               : cudaInvalidDeviceId;
            tell_advice(m, i, i, ADVISE_PREFERRED,
                        p->preferred == cudaInvalidDeviceId ? 0 : holder(number));
            break;
        case cudaMemAdviseSetAccessedBy:
            p->accessed_by |= holder(number);
            tell_advice(m, i, i, ADVISE_ACCESSED_BY, p->accessed_by);
            break;
        case cudaMemAdviseUnsetAccessedBy:
            p->accessed_by &= ~holder(number);
            tell_advice(m, i, i, ADVISE_ACCESSED_BY, p->accessed_by);
            break;
        }
    }
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaMemAdvise(const void *at, size_t bytes,
                                    enum cudaMemoryAdvise what, memory_place where)
{
    return CALL(advise(at, bytes, what, where));
}

// ---- What is said of a range
// ------------------------------------------------------------

static int same(const advice *a, size_t first, size_t last, size_t offset)
{
    int value = cudaInvalidDeviceId;
    for (size_t i = first; i <= last; i++) {
        int other;
        memcpy(&other, (const char *)&a->page[i] + offset, sizeof other);
        if (i > first && other != value)
            return cudaInvalidDeviceId;
        value = other;
    }
    return value;
}

static int range_attribute(void *to, size_t size, enum cudaMemRangeAttribute what,
                           const void *at, size_t bytes)
{
    memory *m = managed_range(at, bytes);
    if (!to || !m || !size || size % 4)
        return cudaErrorInvalidValue;
    int *value = to;
    const advice *a = m->advice;
    size_t first, last, listed = 0;
    pages_of(m, at, bytes, &first, &last);
    uint32_t mostly = 1, by = ~0u;
    for (size_t i = first; i <= last; i++) {
        mostly &= a->page[i].read_mostly;
        by &= a->page[i].accessed_by;
    }
    if (what != cudaMemRangeAttributeAccessedBy && size != 4)
        return cudaErrorInvalidValue;
    switch ((int)what) {
    case cudaMemRangeAttributeReadMostly:
        *value = (int)mostly;
        return cudaSuccess;
    case cudaMemRangeAttributePreferredLocation:
        *value = same(a, first, last, offsetof(struct advised, preferred));
        return cudaSuccess;
    case cudaMemRangeAttributeLastPrefetchLocation:
        *value = same(a, first, last, offsetof(struct advised, prefetched));
        return cudaSuccess;
    case cudaMemRangeAttributeAccessedBy:
        for (int n = 0; n < device_count && listed < size / 4; n++)
            if (by & holder(n))
                value[listed++] = n;
        if (by & 1 && listed < size / 4)
            value[listed++] = cudaCpuDeviceId;
        while (listed < size / 4)
            value[listed++] = cudaInvalidDeviceId;
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

cudaError_t CUDARTAPI cudaMemRangeGetAttribute(void *to, size_t size,
                                               enum cudaMemRangeAttribute what,
                                               const void *at, size_t bytes)
{
    return CALL(range_attribute(to, size, what, at, bytes));
}

static int range_attributes(void **to, size_t *sizes, enum cudaMemRangeAttribute *what,
                            size_t count, const void *at, size_t bytes)
{
    int code = !to || !sizes || !what || !count ? cudaErrorInvalidValue : cudaSuccess;
    for (size_t i = 0; i < count && !code; i++)
        code = range_attribute(to[i], sizes[i], what[i], at, bytes);
    return code;
}

cudaError_t CUDARTAPI cudaMemRangeGetAttributes(void **to, size_t *sizes,
                                                enum cudaMemRangeAttribute *what,
                                                size_t count, const void *at,
                                                size_t bytes)
{
    return CALL(range_attributes(to, sizes, what, count, at, bytes));
}
