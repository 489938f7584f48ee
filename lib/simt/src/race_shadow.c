// Where stamps lie: a mebibyte of memory has a chunk of shadow, made when it is first
// touched, six words for each of memory's words. The host gives pages only to what is
// written.

#include "race.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { CHUNK_BYTES = CHUNK_WORDS * 6 * 4 };

// ---- Segments -------------------------------------------------------------------

uint32_t segment_new(segments *s, uint32_t block, uint32_t at)
{
    if (s->count && s->list[s->count - 1].block == block && s->list[s->count - 1].at == at)
        return s->first + s->count - 1;
    if (s->count == s->capacity) {
        s->capacity = s->capacity ? s->capacity * 2 : 64;
        s->list = realloc(s->list, s->capacity * sizeof *s->list);
        if (!s->list)
            abort();
    }
    s->list[s->count] = (segment){block, at};
    return s->first + s->count++;
}

const segment *segment_of(const segments *s, uint32_t number)
{
    return number - s->first < s->count ? &s->list[number - s->first] : NULL;
}

// ---- Chunks ---------------------------------------------------------------------

tracks tracks_of(uint32_t *w, size_t n)
{
    return (tracks){w, w + n, w + 2 * n, w + 3 * n, w + 4 * n, w + 5 * n};
}

static chunk_of *slot_of(struct races *r, uint64_t number)
{
    uint32_t at = (uint32_t)(number * 0x9e3779b97f4a7c15ull >> 32) & (r->chunk_slots - 1);
    while (r->chunks[at].number && r->chunks[at].number != number + 1)
        at = (at + 1) & (r->chunk_slots - 1);
    return &r->chunks[at];
}

static void more_slots(struct races *r)
{
    chunk_of *old = r->chunks;
    uint32_t slots = r->chunk_slots;
    r->chunk_slots = slots ? slots * 2 : 64;
    r->chunks = calloc(r->chunk_slots, sizeof *r->chunks);
    if (!r->chunks)
        abort();
    for (uint32_t i = 0; i < slots; i++)
        if (old[i].number)
            *slot_of(r, old[i].number - 1) = old[i];
    free(old);
}

bool races_tracks(struct races *r, uint64_t address, tracks *t)
{
    uint64_t number = address >> CHUNK_SHIFT;
    if (r->last_number == number + 1) {
        *t = r->last;
        return true;
    }
    if (2 * r->chunk_count >= r->chunk_slots)
        more_slots(r);
    chunk_of *c = slot_of(r, number);
    if (!c->number) {
        void *words = mmap(NULL, CHUNK_BYTES, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (words == MAP_FAILED) { // no memory: not checked
            r->aside = true;
            return false;
        }
        *c = (chunk_of){number + 1, words};
        r->chunk_count++;
    }
    r->last_number = number + 1;
    r->last = *t = tracks_of(c->words, CHUNK_WORDS);
    return true;
}

static void drop_chunks(struct races *r)
{
    for (uint32_t i = 0; i < r->chunk_slots; i++)
        if (r->chunks[i].number)
            munmap(r->chunks[i].words, CHUNK_BYTES);
    free(r->chunks);
    r->chunks = NULL;
    r->chunk_slots = r->chunk_count = 0;
    r->last_number = 0;
}

void races_forget(simt_device *d, uint64_t address, uint64_t bytes)
{
    if (!d->races)
        return;
    for (uint64_t a = address & ~(uint64_t)3; a < address + bytes; a += 4) {
        tracks t;
        uint32_t i = (uint32_t)(a >> 2) & (CHUNK_WORDS - 1);
        if (races_tracks(d->races, a, &t))
            t.writer[i] = t.reader[i] = t.other[i] = 0;
    }
}

// ---- Launches -------------------------------------------------------------------

static void drop_knowledge(struct races *r)
{
    while (r->arena) {
        struct arena_of *next = r->arena->next;
        free(r->arena);
        r->arena = next;
    }
    closures_forget(r);
    memset(r->flags, 0, r->flag_slots * sizeof *r->flags);
    r->flag_count = 0;
    r->marks = r->closures = r->narrow_site = r->bare_site = 0;
    r->wide_fence = false;
}

enum { LARGEST = 3u << 30, MOST_KEPT = 1 << 20 };

void races_begin(launch *run)
{
    simt_device *d = run->device;
    if (!(d->config.checks & SIMT_CHECK_RACE))
        return;
    struct races *r = d->races;
    if (!r) {
        r = d->races = calloc(1, sizeof *r);
        if (!r)
            abort();
        r->segments.first = r->since = 1;
        r->flag_slots = 64;
        r->flags = calloc(r->flag_slots, sizeof *r->flags);
        if (!r->flags)
            abort();
    }
    if (r->segments.first + (uint64_t)r->segments.count > (uint32_t)LARGEST) {
        drop_chunks(r);
        r->segments.first = r->since = 1;
        r->segments.count = 0;
        r->aside = true; // what was read is forgotten
    }
    r->segments.first += r->segments.count;
    r->segments.count = 0;
    drop_knowledge(r);
}

void races_end(launch *run)
{
    struct races *r = run->device->races;
    if (!r)
        return;
    drop_knowledge(r);
    if (r->segments.capacity > MOST_KEPT) { // the numbers stay used
        r->segments.first += r->segments.count;
        free(r->segments.list);
        r->segments.list = NULL;
        r->segments.count = r->segments.capacity = 0;
    }
}

void races_free(simt_device *d)
{
    struct races *r = d->races;
    if (!r)
        return;
    drop_knowledge(r);
    drop_chunks(r);
    writer_forget(d);
    free(r->segments.list);
    free(r->flags);
    free(r->stack);
    free(r);
}
