// The heap of kernels: malloc and free inside them.
//
// One range of the malloc window, cut into granules of 16 bytes. A granule knows the
// first granule of its allocation, so any address tells whose it is in one step. Freed
// memory is not used again until nothing fresh is left, so a use after free is found;
// an unused granule behind each allocation finds a stray index.

#include "exec.h"
#include "heap_bits.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { GRANULE = 16, MOST_GRANULES = 1 << 28, MOST_STACK = 512 << 10 };

typedef struct piece { // by its first granule
    uint64_t bytes;    // as asked for
    uint32_t granules; // with the unused one behind
    bool live, told; // told: that nobody frees it
    const char *kernel; // that allocated it, and where
    simt_place at;
} piece;

typedef struct device_heap {
    char *memory;
    written *written; // NULL: nobody wants to know
    uint32_t *owner;  // by granule: 1 + number of its piece; 0: nobody's
    piece *pieces;    // by number
    uint32_t *first;  // by number: its first granule
    uint32_t count, capacity, granules, fresh, search;
} device_heap;

written *device_heap_bits(const simt_device *d, const char *host, size_t *from)
{
    const device_heap *h = d->malloced;
    *from = h ? (size_t)(host - h->memory) : 0;
    return h && *from < (size_t)h->granules * GRANULE ? h->written : NULL;
}

static device_heap *device_heap_open(size_t bytes, bool watched)
{
    device_heap *h = calloc(1, sizeof *h);
    uint64_t granules = (bytes + GRANULE - 1) / GRANULE;
    if (!h || granules > MOST_GRANULES)
        abort();
    h->granules = (uint32_t)granules;
    h->memory = mmap(NULL, (size_t)granules * GRANULE + 1, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    h->owner = calloc(granules + 1, sizeof *h->owner); // pages come when touched
    if (h->memory == MAP_FAILED || !h->owner)
        abort();
    h->written = watched ? written_new((size_t)granules * GRANULE) : NULL;
    return h;
}

void device_heap_close(device_heap *h)
{
    if (!h)
        return;
    written_free(h->written, (size_t)h->granules * GRANULE);
    munmap(h->memory, (size_t)h->granules * GRANULE + 1);
    free(h->owner);
    free(h->pieces);
    free(h->first);
    free(h);
}

static bool room_for_piece(device_heap *h)
{
    if (h->count < h->capacity)
        return true;
    uint32_t capacity = h->capacity * 2 + 256;
    piece *pieces = realloc(h->pieces, capacity * sizeof *pieces);
    if (pieces)
        h->pieces = pieces;
    uint32_t *first = realloc(h->first, capacity * sizeof *first);
    if (first)
        h->first = first;
    if (!pieces || !first)
        return false;
    h->capacity = capacity;
    return true;
}

static uint64_t give(device_heap *h, uint32_t number, uint32_t first, uint32_t granules,
                     uint64_t bytes)
{
    h->first[number] = first;
    h->pieces[number] = (piece){.bytes = bytes, .granules = granules, .live = true};
    for (uint32_t i = 0; i < granules; i++)
        h->owner[first + i] = number + 1;
    memset(h->memory + (size_t)first * GRANULE, 0xa5, bytes);
    written_set(h->written, (size_t)first * GRANULE, bytes, false);
    return MALLOC_WINDOW + (uint64_t)first * GRANULE;
}

// 0 when there is no room.
static uint64_t device_heap_alloc(device_heap *h, uint64_t bytes)
{
    if (bytes > (uint64_t)h->granules * GRANULE)
        return 0;
    uint32_t need = (uint32_t)((bytes + GRANULE - 1) / GRANULE) + 1;
    if (need <= h->granules - h->fresh && room_for_piece(h)) {
        uint32_t first = h->fresh;
        h->fresh += need;
        return give(h, h->count++, first, need, bytes);
    }
    for (uint32_t i = 0; i < h->count; i++) { // neighbours that are free, together
        uint32_t n = (h->search + i) % h->count, total = 0, end = n;
        while (end < h->count && !h->pieces[end].live && total < need)
            total += h->pieces[end++].granules;
        if (total < need)
            continue;
        for (uint32_t k = n + 1; k < end; k++)
            h->pieces[k].granules = 0;
        h->search = n;
        return give(h, n, h->first[n], total, bytes);
    }
    return 0;
}

static const piece *piece_at(const device_heap *h, uint64_t address, uint64_t *base)
{
    uint64_t granule = (address - MALLOC_WINDOW) / GRANULE;
    if (!h || granule >= h->granules || !h->owner[granule])
        return NULL;
    uint32_t number = h->owner[granule] - 1;
    *base = MALLOC_WINDOW + (uint64_t)h->first[number] * GRANULE;
    return &h->pieces[number];
}

char *device_heap_find(const device_heap *h, uint64_t address, uint64_t bytes)
{
    uint64_t base;
    const piece *p = piece_at(h, address, &base);
    if (!p || !p->live || address - base > p->bytes || bytes > p->bytes - (address - base))
        return NULL;
    return h->memory + (address - MALLOC_WINDOW);
}

simt_fault_kind device_heap_explain(const device_heap *h, uint64_t address,
                                    uint64_t *nearest, size_t *nearest_bytes,
                                    int64_t *distance)
{
    uint64_t base;
    const piece *p = piece_at(h, address, &base);
    if (!p)
        return SIMT_OUT_OF_BOUNDS;
    *nearest = base;
    *nearest_bytes = p->bytes;
    uint64_t from = address - base;
    *distance = p->live && from < p->bytes ? 0 : (int64_t)(p->live ? from - p->bytes : from);
    return p->live ? SIMT_OUT_OF_BOUNDS : SIMT_USE_AFTER_FREE;
}

int simt_set_limit(simt_device *d, int which, size_t bytes)
{
    if (which < 0 || which >= SIMT_LIMITS ||
        (which == SIMT_LIMIT_STACK && bytes > MOST_STACK) ||
        (which == SIMT_LIMIT_HEAP && (d->malloced || bytes / GRANULE >= MOST_GRANULES)))
        return 1;
    d->limits[which] = bytes;
    return 0;
}

static void note_owner(warp *w, const op *o, int lane, uint64_t at)
{
    uint64_t base;
    piece *p = (piece *)(uintptr_t)piece_at(w->worker->launch->device->malloced, at, &base);
    p->kernel = w->worker->launch->code->function->name;
    fault_place(w, o, lane, &p->at);
}

void simt_end(simt_device *d)
{
    const device_heap *h = d->malloced;
    for (uint32_t i = 0; h && d->config.checks & SIMT_CHECK_LEAK && i < h->count; i++) {
        piece *p = &h->pieces[i];
        if (!p->live || p->told)
            continue;
        p->told = true;
        simt_fault f = {.kind = SIMT_LEAK, .kernel = p->kernel, .at = p->at,
                        .other.file = "", .nearest_bytes = p->bytes,
                        .address = MALLOC_WINDOW + (uint64_t)h->first[i] * GRANULE};
        f.nearest = f.address;
        snprintf(f.detail, sizeof f.detail, "%llu bytes of malloc() in a kernel",
                 (unsigned long long)p->bytes);
        finding_add(d, &f);
    }
}

int device_malloc(warp *w, const op *o, const call_of *c)
{
    simt_device *d = w->worker->launch->device;
    if (!d->malloced)
        d->malloced = device_heap_open(d->limits[SIMT_LIMIT_HEAP],
                                       d->config.checks & SIMT_CHECK_INIT);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        uint64_t bytes = call_argument(w, c, l, 0);
        uint64_t at = device_heap_alloc(d->malloced, bytes);
        races_forget(d, at, at ? bytes : 0);
        call_result(w, c, l, at);
        if (at && d->config.checks)
            note_owner(w, o, l, at);
    }
    return GO;
}

int device_free(warp *w, const op *o, const call_of *c)
{
    device_heap *h = w->worker->launch->device->malloced;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        uint64_t at = call_argument(w, c, l, 0), base = 0;
        if (!at)
            continue;
        bool ours = at - MALLOC_WINDOW < WINDOW_SIZE;
        piece *p = (piece *)(uintptr_t)(ours ? piece_at(h, at, &base) : NULL);
        if (!p || base != at || !p->live) {
            fault_text(w, !p           ? "0x%llx was not allocated by malloc() in a kernel"
                          : base != at ? "0x%llx is inside an allocation, not its start"
                                       : "0x%llx was freed before",
                       (unsigned long long)at);
            return fault_here(w, o, SIMT_BAD_FREE, l);
        }
        p->live = false;
    }
    return GO;
}
