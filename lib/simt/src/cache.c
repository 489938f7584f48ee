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

typedef struct logged {
    uint64_t line;
    uint32_t sectors, bytes;
} logged;

typedef struct touched {
    logged miss;
    uint64_t time; // instructions that the warp had executed
    uint32_t next; // touch in the same list; NONE: no more
} touched;
enum { NONE = 0xffffffff };

// Warps run one after the other here, and at the same time on a GPU. So what they touch
// waits until they meet at a barrier, and is put in order of their instructions.
struct l1 {
    uint32_t sets, generation, logged;
    uint32_t count, capacity, last; // of those that wait; last: warp that touched
    touched *waiting;               // a warp's, until another warp's: a list
    uint32_t *heads;                // of these lists
    uint32_t lists;
    struct l1_set {
        uint32_t generation; // of another block: nothing is there
        uint64_t ways[L1_WAYS]; // a line and, in its lowest four bits, what is there of it;
    } at[];                     // the one used last comes first
};

struct l2 {
    uint32_t sets;
    struct l2_set {
        uint64_t used; // the ways, four bits each, the one used last in the lowest
        uint8_t tag[L2_WAYS]; // of the line's hash
        // Sectors; whole: all bytes of a dirty one were stored.
        uint8_t valid[L2_WAYS], dirty[L2_WAYS], whole[L2_WAYS];
        uint64_t line[L2_WAYS];
    } at[];
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

static uint64_t hash_of(uint64_t line)
{
    return line * 0x9e3779b97f4a7c15ull;
}

static uint32_t set_of(uint64_t hash, uint32_t sets)
{
    return (uint32_t)(hash >> 32) % sets;
}

// The way becomes the one used last.
static uint64_t use(uint64_t order, uint32_t way)
{
    uint64_t x = order ^ way * 0x1111111111111111u;
    uint64_t found = (x - 0x1111111111111111u) & ~x & 0x8888888888888888u;
    uint64_t behind = (found & -found) * 2 - 1; // the bits up to the way's own
    return (order & ~behind) | (order << 4 & behind) | way;
}

static unsigned ones(uint32_t sectors)
{
    return 0x4332322132212110u >> 4 * sectors & 15;
}

// DRAM is read and written 64 bytes at a time.
static unsigned pairs(uint32_t sectors)
{
    uint32_t both = sectors | sectors >> 1;
    return 2 * ((both & 1) + (both >> 2 & 1));
}

// ---- L2 -------------------------------------------------------------------------

struct l2 *l2_open(const simt_gpu *gpu)
{
    uint32_t sets = (uint32_t)(gpu->l2 / LINE / FOLLOWED / L2_WAYS);
    struct l2 *l2 = calloc(1, sizeof *l2 + sets * sizeof *l2->at);
    if (!l2)
        return NULL;
    l2->sets = sets;
    for (uint32_t i = 0; i < sets; i++)
        l2->at[i].used = 0xfedcba9876543210;
    return l2;
}

void l2_close(struct l2 *l2)
{
    free(l2);
}

// Bytes of `tags` that may be `tag`, by their highest bit: the lowest one surely is.
static uint64_t alike(const uint8_t *tags, uint8_t tag)
{
    uint64_t x;
    memcpy(&x, tags, sizeof x);
    x ^= tag * 0x0101010101010101u;
    return (x - 0x0101010101010101u) & ~x & 0x8080808080808080u;
}

static uint32_t find_way(const struct l2_set *s, uint8_t tag, uint64_t line)
{
    for (uint32_t half = 0; half < L2_WAYS; half += 8)
        for (uint64_t m = alike(s->tag + half, tag); m; m &= m - 1) {
            uint32_t way = half + (uint32_t)__builtin_ctzll(m) / 8;
            if (s->line[way] == line)
                return way;
        }
    return L2_WAYS;
}

static void touch_l2(struct l2 *l2, traffic *t, const logged *x)
{
    uint64_t hash = hash_of(x->line);
    uint8_t tag = (uint8_t)(hash >> 24);
    struct l2_set *s = &l2->at[set_of(hash, l2->sets)];
    uint32_t w = find_way(s, tag, x->line);
    if (w == L2_WAYS) {
        w = (uint32_t)(s->used >> 60);
        if (s->dirty[w]) { // a sector of which only a part was stored is read first
            t->dram_writes += pairs(s->dirty[w]);
            t->dram_reads += pairs(s->dirty[w] & ~s->whole[w] & 15);
        }
        s->line[w] = x->line;
        s->tag[w] = tag;
        s->valid[w] = s->dirty[w] = s->whole[w] = 0;
    }
    s->used = use(s->used, w);
    if (!x->bytes) {
        uint32_t missing = x->sectors & ~(uint32_t)s->valid[w];
        t->dram_reads += pairs(missing);
        uint32_t low = (missing | missing >> 1) & 5;
        s->valid[w] |= (uint8_t)(x->sectors | low | low << 1);
        return;
    }
    s->valid[w] |= (uint8_t)x->sectors;
    s->dirty[w] |= (uint8_t)x->sectors;
    for (int i = 0; i < 4; i++)
        if ((x->bytes >> 8 * i & 255) >= SECTOR)
            s->whole[w] |= (uint8_t)(1 << i);
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
    struct l1 *l1 = room_take(run->device, sizeof *l1 + sets * sizeof *l1->at);
    l1->sets = sets;
    return l1;
}

void l1_free(struct l1 *l1, simt_device *device)
{
    if (l1) {
        free(l1->waiting);
        free(l1->heads);
    }
    room_give(device, l1);
}

void l1_start(struct l1 *l1)
{
    l1->generation++;
    l1->logged = l1->count = l1->lists = 0;
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
    struct l1_set *s = &l1->at[set_of(hash_of(x->miss.line), l1->sets)];
    uint64_t line = x->miss.line << 4, before = 0;
    uint32_t asked = x->miss.sectors, missing = asked, n = ones(asked), way = 0;
    if (s->generation != l1->generation)
        *s = (struct l1_set){.generation = l1->generation};
    while (way < L1_WAYS && (before = s->ways[way], before - line > 15))
        way++;
    t->lines++;
    if (x->miss.bytes) {
        t->l2_writes += n;
    } else {
        if (way == L1_WAYS)
            before = line, way--;
        missing &= ~(uint32_t)before;
        before |= asked;
        t->l1_reads += n;
        t->l1_hits += n - ones(missing);
        t->l2_reads += ones(missing);
    }
    if (way < L1_WAYS) {
        for (; way; way--)
            s->ways[way] = s->ways[way - 1];
        s->ways[0] = before;
    }
    if (!missing)
        return;
    logged miss = {x->miss.line, missing, x->miss.bytes};
    if (l1->logged++ >= k->launch->most_logged)
        t->left_out += ones(missing);
    else if (k->launch->worker_count == 1)
        touch_l2(k->launch->device->l2, t, &miss);
    else
        log_miss(k, b->linear, &miss);
}

// Two lists in order of time; of equal times the first one's come first.
static uint32_t merge(touched *at, uint32_t first, uint32_t second)
{
    uint32_t head, *tail = &head;
    while (first != NONE && second != NONE) {
        if (at[second].time < at[first].time) {
            *tail = second;
            tail = &at[second].next;
            second = *tail;
        } else {
            *tail = first;
            tail = &at[first].next;
            first = *tail;
        }
    }
    *tail = first != NONE ? first : second;
    return head;
}

void cache_meet(worker *k, block *b)
{
    struct l1 *l1 = b->l1;
    if (!l1->count)
        return;
    l1->waiting[l1->count - 1].next = NONE;
    while (l1->lists > 1) { // each with its neighbour
        uint32_t n = 0;
        for (uint32_t i = 0; i < l1->lists; i += 2)
            l1->heads[n++] = i + 1 < l1->lists
                                 ? merge(l1->waiting, l1->heads[i], l1->heads[i + 1])
                                 : l1->heads[i];
        l1->lists = n;
    }
    for (uint32_t i = l1->heads[0]; i != NONE; i = l1->waiting[i].next)
        meet_l1(k, b, &l1->waiting[i]);
    l1->count = l1->lists = 0;
}

static void make_room(struct l1 *l1)
{
    l1->capacity = l1->capacity ? 4 * l1->capacity : 64;
    l1->waiting = realloc(l1->waiting, l1->capacity * sizeof *l1->waiting);
    l1->heads = realloc(l1->heads, l1->capacity * sizeof *l1->heads);
    if (!l1->waiting || !l1->heads)
        abort();
}

void cache_touch(warp *w, uint64_t line, uint32_t sectors, uint32_t bytes)
{
    struct l1 *l1 = w->block->l1;
    if (l1->count == MOST_WAITING)
        cache_meet(w->worker, w->block);
    if (l1->count == l1->capacity)
        make_room(l1);
    uint32_t i = l1->count++;
    l1->waiting[i] = (touched){{line, sectors, bytes}, w->executed, i + 1};
    if (!i || l1->last != w->index) {
        if (i)
            l1->waiting[i - 1].next = NONE;
        l1->heads[l1->lists++] = i;
        l1->last = w->index;
    }
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
