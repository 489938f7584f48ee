// Device memory: one reserved range of addresses, allocations with red zones.
//
// Device addresses begin at DEVICE_BASE, where the host maps nothing, so a host that
// follows a device pointer dies as it would with a GPU; the bytes lie elsewhere and
// `host` of a range says where. Freed ranges stay in quarantine for a while, so that a
// use after free is seen as one. Ranges are kept in one array sorted by address.

#include "exec.h"
#include "heap_bits.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// The zone is wide so that a stray index is closest to the array that it was meant for.
enum { ALIGN = 256, RED_ZONE = 1 << 16, POISON = 0xa5 };
#define POISON_LIMIT ((size_t)64 << 20) // larger ones start as zero pages
#define QUARANTINE_LIMIT ((size_t)1 << 30)

typedef enum { LIVE, FREED, SHARED } chunk_state;

typedef struct chunk {
    uint64_t base;
    size_t bytes;   // as asked for
    size_t span;    // with padding and red zone
    char *host;
    chunk_state state;
    bool parked;    // FREED, but kept for whoever parked it
    uint64_t freed; // order in quarantine
    pages *pages;   // SHARED: managed memory, page by page
} chunk;

struct heap {
    char *memory;
    written *written; // of memory's bytes; NULL: nobody wants to know
    uint64_t base; // first address
    size_t size, used, quarantined;
    heap *peers[DEVICES]; // whose memory this device may use
    uint64_t fresh;  // next never used address
    uint64_t frees;
    chunk *chunks;
    size_t count, capacity;
};

heap *heap_open(size_t bytes, int number)
{
    heap *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    h->memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (h->memory == MAP_FAILED) {
        free(h);
        return NULL;
    }
    h->size = bytes;
    h->base = h->fresh = DEVICE_BASE + (uint64_t)number * DEVICE_SPAN;
    return h;
}

bool heap_watch(heap *h)
{
    h->written = written_new(h->size);
    return h->written != NULL;
}

written *heap_bits(const heap *h, const char *host, size_t *from)
{
    *from = (size_t)(host - h->memory);
    if (*from < h->size)
        return h->written;
    for (int i = 0; i < DEVICES; i++)
        if (h->peers[i] && (size_t)(host - h->peers[i]->memory) < h->peers[i]->size) {
            *from = (size_t)(host - h->peers[i]->memory);
            return h->peers[i]->written;
        }
    return NULL;
}

void heap_close(heap *h)
{
    if (!h)
        return;
    written_free(h->written, h->size);
    munmap(h->memory, h->size);
    free(h->chunks);
    free(h);
}

// Index of the last chunk whose base is <= address, or -1.
static ptrdiff_t at_or_before(const heap *h, uint64_t address)
{
    ptrdiff_t low = 0, high = (ptrdiff_t)h->count - 1, found = -1;
    while (low <= high) {
        ptrdiff_t middle = (low + high) / 2;
        if (h->chunks[middle].base <= address) {
            found = middle;
            low = middle + 1;
        } else {
            high = middle - 1;
        }
    }
    return found;
}

static bool insert(heap *h, chunk c)
{
    if (h->count == h->capacity) {
        size_t capacity = h->capacity ? h->capacity * 2 : 64;
        chunk *more = realloc(h->chunks, capacity * sizeof *more);
        if (!more)
            return false;
        h->chunks = more;
        h->capacity = capacity;
    }
    size_t at = (size_t)(at_or_before(h, c.base) + 1);
    memmove(h->chunks + at + 1, h->chunks + at, (h->count - at) * sizeof c);
    h->chunks[at] = c;
    h->count++;
    return true;
}

static void erase(heap *h, size_t i)
{
    memmove(h->chunks + i, h->chunks + i + 1, (h->count - i - 1) * sizeof *h->chunks);
    h->count--;
}

// The oldest freed range that is large enough, taken out of quarantine. Small heaps
// stay in order of first use, so addresses are the same in every run.
static bool reuse(heap *h, size_t span, uint64_t *base, size_t *had)
{
    size_t best = h->count;
    for (size_t i = 0; i < h->count; i++) {
        const chunk *c = &h->chunks[i];
        if (c->state == FREED && !c->parked && c->span >= span && c->span <= span * 2 &&
            (best == h->count || c->freed < h->chunks[best].freed))
            best = i;
    }
    if (best == h->count)
        return false;
    *base = h->chunks[best].base;
    *had = h->chunks[best].span;
    h->quarantined -= *had;
    erase(h, best);
    return true;
}

int heap_alloc(heap *h, size_t bytes, uint64_t *address)
{
    *address = 0;
    if (bytes > h->size - h->used || bytes > h->size - RED_ZONE - ALIGN)
        return 2; // cudaErrorMemoryAllocation
    size_t span = (bytes + ALIGN - 1) / ALIGN * ALIGN + RED_ZONE;
    uint64_t base = h->fresh;
    bool room = span <= h->base + h->size - h->fresh;
    if (!room || h->quarantined > QUARANTINE_LIMIT) {
        size_t had;
        if (reuse(h, span, &base, &had))
            span = had;
        else if (!room)
            return 2;
    }
    chunk c = {.base = base, .bytes = bytes, .span = span, .state = LIVE,
               .host = h->memory + (base - h->base)};
    if (!insert(h, c))
        return 2;
    if (base == h->fresh)
        h->fresh += span;
    else
        written_set(h->written, base - h->base, span, false);
    if (bytes <= POISON_LIMIT)
        memset(c.host, POISON, bytes);
    h->used += bytes;
    *address = base;
    return 0;
}

static chunk *chunk_at(const heap *h, uint64_t base)
{
    ptrdiff_t i = at_or_before(h, base);
    return i >= 0 && h->chunks[i].base == base ? &h->chunks[i] : NULL;
}

int heap_free(heap *h, uint64_t address)
{
    chunk *c = chunk_at(h, address);
    if (!c || (c->state != LIVE && !c->parked))
        return 1; // cudaErrorInvalidValue
    c->state = FREED;
    c->parked = false;
    c->freed = h->frees++;
    h->used -= c->bytes;
    h->quarantined += c->span;
    madvise(c->host, c->span & ~(size_t)4095, MADV_DONTNEED);
    return 0;
}

int heap_park(heap *h, uint64_t address, bool parked)
{
    chunk *c = chunk_at(h, address);
    if (!c || (parked ? c->state != LIVE : !c->parked))
        return 1;
    c->state = parked ? FREED : LIVE;
    c->parked = parked;
    if (!parked)
        written_set(h->written, c->base - h->base, c->bytes, false);
    return 0;
}

int heap_share(heap *h, uint64_t address, char *host, size_t bytes, pages *pages)
{
    ptrdiff_t i = at_or_before(h, address + bytes - 1);
    if (!bytes || (i >= 0 && h->chunks[i].base + h->chunks[i].bytes > address))
        return 1;
    chunk c = {.base = address, .bytes = bytes, .span = bytes, .host = host,
               .state = SHARED, .pages = pages};
    return insert(h, c) ? 0 : 2;
}

int heap_unshare(heap *h, uint64_t address)
{
    chunk *c = chunk_at(h, address);
    if (!c || c->state != SHARED)
        return 1;
    erase(h, (size_t)(c - h->chunks));
    return 0;
}

void heap_peer(heap *h, int number, heap *other)
{
    h->peers[number] = other;
}

size_t heap_used(const heap *h)
{
    return h->used;
}

static const chunk *live_chunk(const heap *h, uint64_t address, size_t bytes)
{
    ptrdiff_t i = at_or_before(h, address);
    const chunk *c = i < 0 ? NULL : &h->chunks[i];
    return c && c->state != FREED && address - c->base <= c->bytes &&
                   bytes <= c->bytes - (address - c->base)
               ? c
               : NULL;
}

bool heap_find(const heap *h, uint64_t address, size_t bytes, range *found)
{
    const chunk *c = live_chunk(h, address, bytes);
    if (c)
        *found = (range){c->base, c->base + c->bytes, c->host};
    return c != NULL;
}

bool heap_touch(const heap *h, int number, uint64_t address, size_t bytes, bool writes,
                range *found)
{
    uint64_t other = (address - DEVICE_BASE) / DEVICE_SPAN;
    if (address >= DEVICE_BASE && other < DEVICES && h->peers[other])
        return heap_find(h->peers[other], address, bytes, found);
    const chunk *c = live_chunk(h, address, bytes);
    if (!c)
        return false;
    *found = (range){c->base, c->base + c->bytes, c->host};
    if (c->pages)
        pages_touch(c->pages, number, address, bytes, writes, found);
    return true;
}

simt_fault_kind heap_explain(const heap *h, uint64_t address, size_t bytes,
                             uint64_t *nearest, size_t *nearest_bytes, int64_t *distance)
{
    *nearest = 0;
    *nearest_bytes = 0;
    *distance = 0;
    ptrdiff_t i = at_or_before(h, address);
    if (i >= 0 && h->chunks[i].state == FREED &&
        address < h->chunks[i].base + h->chunks[i].bytes) {
        *nearest = h->chunks[i].base;
        *nearest_bytes = h->chunks[i].bytes;
        *distance = (int64_t)(address - h->chunks[i].base);
        return SIMT_USE_AFTER_FREE;
    }
    if (address < 1 << 16)
        return SIMT_NULL_POINTER;
    uint64_t best = UINT64_MAX;
    for (ptrdiff_t k = i - 8 < 0 ? 0 : i - 8; k < (ptrdiff_t)h->count && k <= i + 8; k++) {
        const chunk *c = &h->chunks[k];
        if (c->state == FREED)
            continue;
        uint64_t end = c->base + c->bytes;
        bool after = address + bytes > end && address >= c->base;
        uint64_t away = after ? (address >= end ? address - end : 0) : c->base - address;
        if (away < best) {
            best = away;
            *nearest = c->base;
            *nearest_bytes = c->bytes;
            *distance = after ? (int64_t)(address - end) : -(int64_t)away;
            if (after && address < end)
                *distance = 0;
        }
    }
    bool ours = address >= DEVICE_BASE && address < DEVICE_BASE + DEVICES * DEVICE_SPAN;
    return ours || best < 1 << 20 ? SIMT_OUT_OF_BOUNDS : SIMT_FOREIGN_POINTER;
}
