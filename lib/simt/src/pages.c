// Managed memory: who holds which page, and what moves when somebody else touches it.
//
// Workers ask only for pages that their cached ranges do not cover, so a kernel that stays
// in its pages pays nothing. Holders change under one lock; as a page's first touch by a
// device in a launch counts once, counts do not depend on which worker comes first.

#include "exec.h"

#include <stdlib.h>

typedef struct page {
    uint32_t holders, mapped; // mapped: devices that use it where it lies
    uint32_t preferred, accessed_by;
    bool read_mostly;
} page;

struct simt_pages {
    uint64_t base;
    size_t bytes, count;
    pthread_mutex_t lock;
    simt_pages_seen seen;
    page page[];
};

enum { HOST = 1 };

simt_pages *simt_pages_new(uint64_t address, size_t bytes)
{
    size_t count = (bytes + SIMT_PAGE - 1) / SIMT_PAGE;
    simt_pages *p = calloc(1, sizeof *p + count * sizeof *p->page);
    if (!p)
        return NULL;
    p->base = address;
    p->bytes = bytes;
    p->count = count;
    pthread_mutex_init(&p->lock, NULL);
    return p;
}

void simt_pages_free(simt_pages *p)
{
    if (p)
        pthread_mutex_destroy(&p->lock);
    free(p);
}

simt_pages_seen simt_pages_counts(const simt_pages *p)
{
    return p->seen;
}

// Bytes of a page: the last one may be short.
static size_t bytes_of(const simt_pages *p, size_t i)
{
    size_t left = p->bytes - i * SIMT_PAGE;
    return left < SIMT_PAGE ? left : SIMT_PAGE;
}

static void note_move(simt_pages *p, size_t i, uint32_t from, uint32_t to)
{
    if (!from || from & to)
        return;
    size_t bytes = bytes_of(p, i);
    if (to == HOST)
        p->seen.bytes_d2h += bytes;
    else if (from & HOST)
        p->seen.bytes_h2d += bytes;
    else
        p->seen.bytes_d2d += bytes;
}

static void bring(simt_pages *p, size_t i, uint32_t to, bool copy)
{
    page *g = &p->page[i];
    note_move(p, i, g->holders, to);
    g->holders = copy ? g->holders | to : to;
    g->mapped = 0;
}

static void touch(simt_pages *p, size_t i, uint32_t who, bool writes)
{
    page *g = &p->page[i];
    bool elsewhere = g->holders && !(g->holders & who);
    if (g->holders & who) {
        if (g->read_mostly && writes)
            g->holders = who; // copies are void
        return;
    }
    if (elsewhere && (g->accessed_by | g->mapped) & who && !g->read_mostly)
        return; // used where it lies
    p->seen.faults++;
    if (elsewhere && g->preferred & g->holders && !g->read_mostly)
        g->mapped |= who;
    else
        bring(p, i, who, g->read_mostly && !writes);
}

static bool has(const page *g, uint32_t who)
{
    return ((g->holders | g->mapped) & who || (g->accessed_by & who && g->holders)) &&
           !g->read_mostly;
}

void pages_touch(simt_pages *p, int number, uint64_t address, size_t bytes, bool writes,
                 range *found)
{
    uint32_t who = 2u << number;
    size_t first = (address - p->base) / SIMT_PAGE;
    size_t last = (address + (bytes ? bytes - 1 : 0) - p->base) / SIMT_PAGE;
    pthread_mutex_lock(&p->lock);
    for (size_t i = first; i <= last; i++)
        touch(p, i, who, writes);
    enum { AROUND = 64 }; // neighbours that need not be asked for either
    for (int n = 0; n < AROUND && first && has(&p->page[first - 1], who); n++)
        first--;
    for (int n = 0; n < AROUND && last + 1 < p->count && has(&p->page[last + 1], who); n++)
        last++;
    pthread_mutex_unlock(&p->lock);
    uint64_t low = p->base + first * SIMT_PAGE;
    uint64_t high = p->base + (last + 1) * SIMT_PAGE;
    found->host += low - found->low;
    found->low = low;
    found->high = high < found->high ? high : found->high;
}

// ---- What the owner of the device says ------------------------------------------------

static bool span(const simt_pages *p, uint64_t address, size_t bytes, size_t *first,
                 size_t *last)
{
    if (!bytes || address < p->base || address - p->base >= p->bytes ||
        bytes > p->bytes - (address - p->base))
        return false;
    *first = (address - p->base) / SIMT_PAGE;
    *last = (address + bytes - 1 - p->base) / SIMT_PAGE;
    return true;
}

void simt_pages_host(simt_pages *p, uint64_t address, size_t bytes)
{
    size_t first, last;
    if (!span(p, address, bytes, &first, &last))
        return;
    for (size_t i = first; i <= last; i++) {
        page *g = &p->page[i];
        if (g->holders & HOST)
            continue;
        p->seen.host_faults += g->holders != 0;
        bring(p, i, HOST, g->read_mostly);
    }
}

void simt_pages_move(simt_pages *p, uint64_t address, size_t bytes, uint32_t to)
{
    size_t first, last;
    if (!span(p, address, bytes, &first, &last))
        return;
    for (size_t i = first; i <= last; i++)
        if (!(p->page[i].holders & to))
            bring(p, i, to, p->page[i].read_mostly);
}

void simt_pages_advise(simt_pages *p, uint64_t address, size_t bytes, simt_advice advice,
                       uint32_t who)
{
    size_t first, last;
    if (!span(p, address, bytes, &first, &last))
        return;
    for (size_t i = first; i <= last; i++) {
        page *g = &p->page[i];
        switch (advice) {
        case SIMT_READ_MOSTLY:
            g->read_mostly = who != 0;
            if (!who) // one copy stays: the host's, if it has one
                g->holders = g->holders & HOST ? HOST : g->holders & -g->holders;
            break;
        case SIMT_PREFERRED:
            g->preferred = who;
            g->mapped = 0;
            break;
        case SIMT_ACCESSED_BY:
            g->accessed_by = who;
            break;
        }
    }
}

uint32_t simt_pages_holders(const simt_pages *p, uint64_t address)
{
    size_t first, last;
    return span(p, address, 1, &first, &last) ? p->page[first].holders : 0;
}
