// The caches that followed lines go through: cache.h.
//
// An L1 cache belongs to a block, and is reset with it; stores go through it. What it
// misses goes to the device's L2 cache, at once where one worker runs all blocks, else
// through a log a worker, which are played back in the order of blocks: so that the
// result does not depend on how many workers there were. Both caches are sets of lines,
// the one used longest ago leaves; L2 keeps what was stored until a line leaves.

#include "cache.h"

#include <stdlib.h>
#include <string.h>

enum { L1_WAYS = 4, L2_WAYS = 16, MOST_LOGGED = 1 << 23, LEAST_LOGGED = 64,
       MOST_WAITING = 1 << 16 };

typedef struct way {
    uint64_t line;
    uint32_t stamp, generation;
    uint8_t valid, dirty, whole; // sectors; whole: all bytes of a dirty one were stored
} way;

typedef struct logged {
    uint64_t line;
    uint32_t sectors, bytes;
} logged;

typedef struct touched {
    uint64_t time;   // instructions that the warp had executed
    uint32_t number; // order among equal times
    logged miss;
} touched;

// Warps run one after the other here, and at the same time on a GPU. So what they touch
// waits until they meet at a barrier, and is put in order of their instructions.
struct l1 {
    uint32_t sets, stamp, generation, logged;
    touched *waiting;
    uint32_t count, capacity, last; // last: warp that touched
    bool several;                   // warps among those that wait
    way ways[];
};

struct l2 {
    uint32_t sets, stamp;
    way ways[];
};

struct miss_log {
    logged *at;
    size_t count, capacity;
    struct segment {
        uint64_t block;
        size_t first;
    } *segments;
    size_t segment_count;
};

static way *find(way *set, int ways, uint64_t line, uint32_t generation, way **oldest)
{
    *oldest = set;
    for (int i = 0; i < ways; i++) {
        way *w = &set[i];
        if (w->generation != generation) {
            *oldest = w;
            (*oldest)->stamp = 0;
            continue;
        }
        if (w->line == line)
            return w;
        if (w->stamp < (*oldest)->stamp)
            *oldest = w;
    }
    return NULL;
}

static uint32_t set_of(uint64_t line, uint32_t sets)
{
    return (uint32_t)((line * 0x9e3779b97f4a7c15ull >> 32) % sets);
}

// ---- L2 -------------------------------------------------------------------------

struct l2 *l2_open(const simt_gpu *gpu)
{
    uint32_t sets = (uint32_t)(gpu->l2 / LINE / FOLLOWED / L2_WAYS);
    struct l2 *l2 = calloc(1, sizeof *l2 + sizeof(way) * sets * L2_WAYS);
    if (l2)
        l2->sets = sets;
    return l2;
}

void l2_close(struct l2 *l2)
{
    free(l2);
}

static unsigned ones(uint32_t bits)
{
    return (unsigned)__builtin_popcount(bits);
}

// DRAM is read and written 64 bytes at a time.
static unsigned pairs(uint32_t sectors)
{
    return 2 * ones((sectors | sectors >> 1) & 5);
}

static void touch_l2(struct l2 *l2, traffic *t, const logged *x)
{
    way *oldest, *set = &l2->ways[set_of(x->line, l2->sets) * L2_WAYS];
    way *w = find(set, L2_WAYS, x->line, 1, &oldest);
    if (!w) {
        w = oldest;
        if (w->generation) { // a sector of which only a part was stored is read first
            t->dram_writes += pairs(w->dirty);
            t->dram_reads += pairs(w->dirty & ~w->whole & 15);
        }
        *w = (way){.line = x->line, .generation = 1};
    }
    w->stamp = ++l2->stamp;
    if (!x->bytes) {
        uint32_t missing = x->sectors & ~(uint32_t)w->valid;
        t->dram_reads += pairs(missing);
        uint32_t low = (missing | missing >> 1) & 5;
        w->valid |= (uint8_t)(x->sectors | low | low << 1);
        return;
    }
    w->valid |= (uint8_t)x->sectors;
    w->dirty |= (uint8_t)x->sectors;
    for (int s = 0; s < 4; s++)
        if ((x->bytes >> 8 * s & 255) >= SECTOR)
            w->whole |= (uint8_t)(1 << s);
}

// ---- L1 -------------------------------------------------------------------------

void cache_prepare(launch *run, int blocks_per_sm)
{
    const simt_gpu *g = run->device->gpu;
    size_t blocks = blocks_per_sm > 0 ? (size_t)blocks_per_sm : 1;
    size_t most = (run->blocks + (uint64_t)g->sms - 1) / (uint64_t)g->sms;
    blocks = blocks < most ? blocks : most; // what a multiprocessor will hold
    size_t all = (size_t)g->shared_per_sm + (28 << 10), taken = blocks * (run->shared + 1024);
    size_t mine = taken < all ? (all - taken) / blocks : 0;
    run->l1_lines = (uint32_t)(mine / LINE / FOLLOWED);
    uint64_t share = MOST_LOGGED / (run->blocks ? run->blocks : 1);
    run->most_logged = (uint32_t)(share < LEAST_LOGGED ? LEAST_LOGGED : share);
}

struct l1 *l1_new(const launch *run)
{
    uint32_t sets = (run->l1_lines + L1_WAYS - 1) / L1_WAYS;
    sets = sets ? sets : 1;
    struct l1 *l1 = room_take(run->device, sizeof *l1 + sizeof(way) * sets * L1_WAYS);
    l1->sets = sets;
    return l1;
}

void l1_free(struct l1 *l1, simt_device *device)
{
    if (l1)
        free(l1->waiting);
    room_give(device, l1);
}

void l1_start(struct l1 *l1)
{
    l1->generation++;
    l1->logged = l1->count = 0;
}

static void log_miss(worker *k, uint64_t block, const logged *x)
{
    struct miss_log *log = k->misses;
    if (!log) {
        k->misses = log = calloc(1, sizeof *log);
        if (!log)
            abort();
    }
    if (!log->segment_count || log->segments[log->segment_count - 1].block != block) {
        if ((log->segment_count & (log->segment_count - 1)) == 0)
            log->segments = realloc(log->segments, (log->segment_count ? 2 * log->segment_count : 1) *
                                                       sizeof *log->segments);
        if (!log->segments)
            abort();
        log->segments[log->segment_count++] = (struct segment){block, log->count};
    }
    if (log->count == log->capacity) {
        log->capacity = log->capacity ? 2 * log->capacity : 1024;
        log->at = realloc(log->at, log->capacity * sizeof *log->at);
        if (!log->at)
            abort();
    }
    log->at[log->count++] = *x;
}

static void meet_l1(worker *k, block *b, const touched *x)
{
    struct l1 *l1 = b->l1;
    traffic *t = k->traffic;
    uint32_t sectors = x->miss.sectors;
    way *oldest, *set = &l1->ways[set_of(x->miss.line, l1->sets) * L1_WAYS];
    way *found = find(set, L1_WAYS, x->miss.line, l1->generation, &oldest);
    logged miss = x->miss;
    t->lines++;
    if (!miss.bytes) {
        t->l1_reads += ones(sectors);
        if (found) {
            miss.sectors &= ~(uint32_t)found->valid;
            found->valid |= (uint8_t)sectors;
        } else {
            found = oldest;
            *found = (way){.line = miss.line, .generation = l1->generation, .valid = (uint8_t)sectors};
        }
        t->l1_hits += ones(sectors) - ones(miss.sectors);
        t->l2_reads += ones(miss.sectors);
    } else {
        t->l2_writes += ones(sectors);
    }
    if (found)
        found->stamp = ++l1->stamp;
    if (!miss.sectors)
        return;
    if (l1->logged++ >= k->launch->most_logged)
        t->left_out += ones(miss.sectors);
    else if (k->launch->worker_count == 1)
        touch_l2(k->launch->device->l2, t, &miss);
    else
        log_miss(k, b->linear, &miss);
}

static int by_time(const void *a, const void *b)
{
    const touched *x = a, *y = b;
    return x->time != y->time ? (x->time < y->time ? -1 : 1) : x->number < y->number ? -1 : 1;
}

void cache_meet(worker *k, block *b)
{
    struct l1 *l1 = b->l1;
    if (l1->several)
        qsort(l1->waiting, l1->count, sizeof *l1->waiting, by_time);
    for (uint32_t i = 0; i < l1->count; i++)
        meet_l1(k, b, &l1->waiting[i]);
    l1->count = 0;
    l1->several = false;
}

void cache_touch(warp *w, uint64_t line, uint32_t sectors, uint32_t bytes)
{
    struct l1 *l1 = w->block->l1;
    if (l1->count == MOST_WAITING)
        cache_meet(w->worker, w->block);
    if (l1->count == l1->capacity) {
        l1->capacity = l1->capacity ? 4 * l1->capacity : 64;
        l1->waiting = realloc(l1->waiting, l1->capacity * sizeof *l1->waiting);
        if (!l1->waiting)
            abort();
    }
    l1->several |= l1->count && l1->last != w->index;
    l1->last = w->index;
    l1->waiting[l1->count] = (touched){w->executed, l1->count, {line, sectors, bytes}};
    l1->count++;
}

void cache_atomic(warp *w, uint64_t sector)
{
    uint64_t at = sector * SECTOR;
    w->worker->traffic->slices[(at >> 9) * 0x9e3779b97f4a7c15ull >> 57]++;
    if (is_followed(at / LINE))
        cache_touch(w, at / LINE, 1u << (sector & 3), 4u << 8 * (sector & 3));
}

// ---- After the launch -----------------------------------------------------------

void cache_finish(launch *run)
{
    int n = run->worker_count;
    traffic *sum = run->workers[0].traffic;
    size_t *next = calloc((size_t)n, sizeof *next);
    if (!next)
        abort();
    for (;;) { // a merge: each worker's blocks come in rising order
        int lowest = -1;
        for (int i = 0; i < n; i++) {
            const struct miss_log *log = run->workers[i].misses;
            if (log && next[i] < log->segment_count &&
                (lowest < 0 || log->segments[next[i]].block <
                                   run->workers[lowest].misses->segments[next[lowest]].block))
                lowest = i;
        }
        if (lowest < 0)
            break;
        const struct miss_log *log = run->workers[lowest].misses;
        size_t s = next[lowest]++;
        size_t end = s + 1 < log->segment_count ? log->segments[s + 1].first : log->count;
        for (size_t i = log->segments[s].first; i < end; i++)
            touch_l2(run->device->l2, sum, &log->at[i]);
    }
    free(next);
    for (int i = 0; i < n; i++) {
        struct miss_log *log = run->workers[i].misses;
        const uint64_t *from = (const uint64_t *)(const void *)run->workers[i].traffic;
        uint64_t *to = (uint64_t *)(void *)sum;
        for (size_t c = 0; i && c < sizeof *sum / sizeof *to; c++)
            to[c] += from[c];
        if (log) {
            free(log->at);
            free(log->segments);
            free(log);
        }
    }
}
