// Pools: memory that is taken and given back in the order of a stream.
//
// A pool keeps what was given back: parked, so that a use after the free is still seen,
// until the same stream (or any, once the free has run) asks for as many bytes again.
// At a wait it lets go of what is above its release threshold.

#include "pool.h"
#include "graph.h"

#include <stdlib.h>

static pool *pools;
static pool *default_pool[WIRE_DEVICES];
pool *pool_current[WIRE_DEVICES];

pool *pool_new(int number)
{
    pool *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->device = number;
    p->reuse[0] = p->reuse[1] = p->reuse[2] = 1;
    p->access[number] = cudaMemAccessFlagsProtReadWrite;
    p->next = pools;
    pools = p;
    return p;
}

pool *pool_own(int number)
{
    if (!default_pool[number]) {
        default_pool[number] = pool_new(number);
        if (default_pool[number])
            default_pool[number]->own = true;
    }
    return default_pool[number];
}

pool *pool_of(cudaMemPool_t handle)
{
    for (pool *p = pools; p; p = p->next)
        if (p == (pool *)handle && !p->gone)
            return p;
    return NULL;
}

void pool_mark(pool *p)
{
    p->used_high = p->used > p->used_high ? p->used : p->used_high;
    p->reserved_high = p->reserved > p->reserved_high ? p->reserved : p->reserved_high;
}

// ---- Taking and giving back
// -----------------------------------------------------------

static parcel *reusable(const pool *p, size_t bytes, const stream *s)
{
    for (parcel *x = p->parcels; x; x = x->next)
        if (!x->used && x->bytes == bytes && (x->s == s || item_done(x->number, x->s)))
            return x;
    return NULL;
}

int pool_take(void **at, size_t bytes, cudaMemPool_t from, stream *s)
{
    if (!at)
        return cudaErrorInvalidValue;
    if (!s)
        return cudaErrorInvalidResourceHandle;
    *at = NULL;
    pool *now = pool_current[s->device];
    pool *p = from ? pool_of(from) : now ? now : pool_own(s->device);
    if (!p)
        return cudaErrorInvalidValue;
    if (s->capture && bytes)
        return capture_take(s, bytes, at);
    if (!bytes)
        return cudaSuccess;
    size_t units = (bytes + 511) / 512 * 512;
    parcel *x = reusable(p, units, s);
    if (!x) {
        x = calloc(1, sizeof *x);
        int code =
            x ? device_take(bytes, p->device, &x->at) : cudaErrorMemoryAllocation;
        if (code) {
            free(x);
            return code;
        }
        memory_at(x->at)->pooled = true;
        x->bytes = units;
        x->next = p->parcels;
        p->parcels = x;
        p->reserved += units;
    } else {
        int code = enqueue(s, (work){.kind = WORK_USE, .address = (uintptr_t)x->at});
        if (code)
            return code;
        memory *m = memory_based(x->at);
        m->bytes = bytes;
        m->freed = false;
    }
    x->used = true;
    p->used += units;
    pool_mark(p);
    *at = x->at;
    return cudaSuccess;
}

static parcel *parcel_of(const void *at, pool **of)
{
    for (pool *p = pools; p; p = p->next)
        for (parcel *x = p->parcels; x; x = x->next)
            if (x->at == at) {
                *of = p;
                return x;
            }
    return NULL;
}

static void unlink_parcel(pool *p, parcel *x)
{
    for (parcel **at = &p->parcels; *at; at = &(*at)->next)
        if (*at == x) {
            *at = x->next;
            break;
        }
    p->reserved -= x->bytes;
    free(x);
}

int pool_give(void *at, stream *s)
{
    pool *p = NULL;
    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (!at)
        return cudaSuccess;
    memory *m = memory_based(at);
    parcel *x = parcel_of(at, &p);
    if (!m || m->freed || m->kind != DEVICE || (x && !x->used))
        return cudaErrorInvalidValue;
    if (s->capture)
        return capture_give(s, at);
    if (m->graphed)
        return enqueue(s, (work){.kind = WORK_PARK, .address = m->base});
    m->freed = true;
    if (!x) // of cudaMalloc
        return enqueue(s, (work){.kind = WORK_FREE, .address = m->base});
    int code = enqueue(s, (work){.kind = WORK_PARK, .address = m->base});
    if (code)
        return code;
    x->used = false;
    x->s = s;
    x->number = s->last ? s->last->number : 0;
    p->used -= x->bytes;
    return cudaSuccess;
}

void pool_freed(const memory *m)
{
    pool *p = NULL;
    parcel *x = parcel_of((void *)(uintptr_t)m->base, &p);
    if (!x)
        return;
    p->used -= x->used ? x->bytes : 0;
    unlink_parcel(p, x);
}

void pool_trim(pool *p, uint64_t keep)
{
    for (parcel *x = p->parcels, *next; x && p->reserved > keep; x = next) {
        next = x->next;
        memory *m = memory_based(x->at);
        if (x->used || !item_done(x->number, x->s) || (m && !m->parked))
            continue;
        if (m) {
            give_back(m);
            memory_drop(x->at);
        }
        unlink_parcel(p, x);
    }
}

void pools_trim(int number)
{
    for (pool **at = &pools; *at;) {
        pool *p = *at;
        if (p->device == number)
            pool_trim(p, p->gone ? 0 : p->threshold);
        if (p->gone && !p->parcels) {
            *at = p->next;
            free(p);
        } else {
            at = &p->next;
        }
    }
}

void pools_forget(int number)
{
    for (pool *p = pools; p; p = p->next)
        while (p->device == number && p->parcels) {
            p->used -= p->parcels->used ? p->parcels->bytes : 0;
            unlink_parcel(p, p->parcels);
        }
    pool_current[number] = NULL;
}
