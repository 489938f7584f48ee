// The clocks of a block: what each of its warps knows that others have done.
//
// A warp's time passes whenever it makes known what it did: at a barrier, a fence, a
// __syncwarp(). A barrier collects what all who come to it know, and gives it to those
// who wait there. What a warp knows of other blocks goes along (race_know.c).

#include "race.h"

#include <stdlib.h>
#include <string.h>

order *order_new(const launch *run)
{
    order *x = calloc(1, sizeof *x);
    if (!x)
        abort();
    x->words = (uint32_t)(run->shared / 4 + 1);
    uint32_t *words = calloc(x->words, 24);
    if (!words)
        abort();
    x->tracks = tracks_of(words, x->words);
    x->segments.first = x->floor = 1;
    x->warps = run->warps;
    return x;
}

void order_free(block *b)
{
    if (!b->order)
        return;
    free(b->order->tracks.writer);
    free(b->order->segments.list);
    free(b->order->meetings);
    free(b->order);
}

void order_start(block *b)
{
    order *x = b->order;
    if (!x)
        return;
    segments s = x->segments;
    tracks t = x->tracks;
    meeting *meetings = x->meetings;
    uint32_t words = x->words, warps = x->warps;
    if (x->copies || s.first + (uint64_t)s.count > 3u << 30) {
        memset(t.writer, 0, words * (size_t)24);
    }
    if (s.first + (uint64_t)s.count > 3u << 30) {
        s.first = 1;
        s.count = 0;
    }
    memset(x, 0, offsetof(order, fence)); // fences are read where `fenced` says so
    memset(x->last_fence, 0, sizeof *x - offsetof(order, last_fence));
    s.first += s.count;
    s.count = 0;
    x->segments = s;
    x->floor = s.first;
    x->tracks = t;
    x->words = words;
    x->warps = warps;
    x->meetings = meetings;
    for (uint32_t i = 0; i < warps; i++)
        x->time[i] = 1;
}

// Time passes: what the warp does from now on is not yet known.
static void pass(order *x, uint32_t warp)
{
    x->time[warp]++;
    x->global[warp] = x->shared[warp] = 0;
}

static void collect(warp *w, clock_of *c)
{
    order *x = w->block->order;
    struct races *r = w->worker->launch->device->races;
    for (uint32_t i = 0; i < x->warps; i++)
        c->row[i] = c->row[i] > x->row[w->index][i] ? c->row[i] : x->row[w->index][i];
    if (c->row[w->index] < x->time[w->index])
        c->row[w->index] = x->time[w->index];
    c->knows = know_join(r, c->knows, x->knows[w->index]);
    c->seen = know_join(r, c->seen, x->seen[w->index]);
    c->near = know_join(r, c->near, x->near[w->index]);
    c->hints = know_join(r, c->hints, x->hints[w->index]);
}

static void learn(warp *w, const clock_of *c)
{
    order *x = w->block->order;
    struct races *r = w->worker->launch->device->races;
    uint32_t *row = x->row[w->index];
    for (uint32_t i = 0; i < x->warps; i++)
        row[i] = row[i] > c->row[i] ? row[i] : c->row[i];
    x->knows[w->index] = know_join(r, x->knows[w->index], c->knows);
    x->seen[w->index] = know_join(r, x->seen[w->index], c->seen);
    x->near[w->index] = know_join(r, x->near[w->index], c->near);
    x->hints[w->index] = know_join(r, x->hints[w->index], c->hints);
}

// ---- The block's barriers -------------------------------------------------------

void order_arrive(warp *w, int number)
{
    order *x = w->block->order;
    if (!x)
        return;
    collect(w, &x->barrier[number]);
    pass(x, w->index);
}

// Before those who wait at the barrier go on. `all`: it is for every live thread.
void order_release(block *b, int number, bool all)
{
    order *x = b->order;
    if (!x)
        return;
    clock_of *c = &x->barrier[number];
    for (uint32_t i = 0; all && i < b->warp_count; i++)
        if (!b->warps[i].live && c->row[i] < x->time[i])
            c->row[i] = x->time[i]; // who has left is not waited for
    for (uint32_t i = 0; i < b->warp_count; i++) {
        bool waits = false;
        for (int s = 0; s < b->warps[i].split_count && !waits; s++)
            waits = b->warps[i].splits[s].state == AT_BARRIER &&
                    b->warps[i].splits[s].barrier == number;
        if (waits)
            learn(&b->warps[i], c);
    }
    memset(c, 0, sizeof *c);
    if (all)
        x->floor = x->segments.first + x->segments.count;
}

// __syncwarp().
void order_warp(warp *w)
{
    order *x = w->block->order;
    if (!x)
        return;
    x->row[w->index][w->index] = x->time[w->index];
    pass(x, w->index);
}

// ---- The cluster's --------------------------------------------------------------

void order_cluster_arrive(warp *w)
{
    order *x = w->block->order;
    if (!x)
        return;
    collect(w, &x->cluster);
    pass(x, w->index);
}

static know *node_of(struct races *r, uint32_t block, const clock_of *c, uint32_t warps);

// All have come: what each block's threads know, as one node.
void order_cluster_open(cluster *c)
{
    if (!c->blocks[0].order)
        return;
    struct races *r = c->blocks[0].warps[0].worker->launch->device->races;
    for (uint32_t i = 0; i < c->size; i++) {
        order *x = c->blocks[i].order;
        know *n = node_of(r, (uint32_t)c->blocks[i].linear, &x->cluster, x->warps);
        c->known = know_join(r, c->known, n);
        memset(&x->cluster, 0, sizeof x->cluster);
    }
}

void order_cluster_wait(warp *w)
{
    order *x = w->block->order;
    if (!x)
        return;
    struct races *r = w->worker->launch->device->races;
    x->knows[w->index] = know_join(r, x->knows[w->index], w->block->cluster->known);
}

// ---- mbarriers ------------------------------------------------------------------

static meeting *meeting_at(order *x, const uint64_t *word)
{
    for (uint32_t i = 0; i < x->meeting_count; i++)
        if (x->meetings[i].word == word)
            return &x->meetings[i];
    x->meetings = realloc(x->meetings, (x->meeting_count + 1) * sizeof *x->meetings);
    if (!x->meetings)
        abort();
    meeting *m = &x->meetings[x->meeting_count++];
    memset(m, 0, sizeof *m);
    m->word = word;
    return m;
}

// The block in whose shared memory the word lies.
static block *owner(const warp *w, const uint64_t *word)
{
    cluster *c = w->block->cluster;
    const char *at = (const char *)word;
    for (uint32_t i = 0; i < c->size; i++)
        if (at >= c->blocks[i].shared && at < c->blocks[i].shared + w->worker->launch->shared)
            return &c->blocks[i];
    return w->block;
}

void order_meeting_arrive(warp *w, const uint64_t *word)
{
    if (!w->block->order)
        return;
    block *b = owner(w, word);
    meeting *m = meeting_at(b->order, word);
    if (b == w->block) {
        collect(w, &m->coming);
        pass(b->order, w->index);
    } else {
        struct races *r = w->worker->launch->device->races;
        m->coming.knows = know_join(r, m->coming.knows, know_release(w, false));
    }
}

void order_meeting_over(warp *w, const uint64_t *word) // its phase
{
    if (!w->block->order)
        return;
    struct races *r = w->worker->launch->device->races;
    meeting *m = meeting_at(owner(w, word)->order, word);
    for (int i = 0; i < 32; i++)
        if (m->passed.row[i] < m->coming.row[i])
            m->passed.row[i] = m->coming.row[i];
    m->passed.knows = know_join(r, m->passed.knows, m->coming.knows);
    m->passed.seen = know_join(r, m->passed.seen, m->coming.seen);
    m->passed.near = know_join(r, m->passed.near, m->coming.near);
    m->passed.hints = know_join(r, m->passed.hints, m->coming.hints);
    memset(&m->coming, 0, sizeof m->coming);
}

void order_meeting_pass(warp *w, const uint64_t *word)
{
    if (w->block->order && owner(w, word) == w->block)
        learn(w, &meeting_at(w->block->order, word)->passed);
}

// ---- Asking ---------------------------------------------------------------------

bool order_before(const warp *w, uint32_t block, uint32_t at, uint32_t lane)
{
    const order *x = w->block->order;
    if (block == (uint32_t)w->block->linear && at >> 5 <= x->row[w->index][at & 31])
        return true;
    struct races *r = w->worker->launch->device->races;
    return know_covers(r, x->knows[w->index], block, at, lane);
}

// ---- Nodes ----------------------------------------------------------------------

void *race_room(struct races *r, size_t bytes);

static know *node_of(struct races *r, uint32_t block, const clock_of *c, uint32_t warps)
{
    know *n = race_room(r, sizeof *n + warps * sizeof *n->row);
    n->a = c->knows;
    n->block = block;
    n->row_count = warps;
    memcpy(n->row, c->row, warps * sizeof *n->row);
    return n;
}

// What the warp has done so far: one node for each of its segments.
know *know_hint(warp *w)
{
    order *x = w->block->order;
    uint32_t i = w->index;
    know *n = x->hint[i];
    if (!n || n->time != x->time[i] || n->b != x->hints[i]) {
        n = race_room(w->worker->launch->device->races, sizeof *n + x->warps * sizeof *n->row);
        n->a = x->knows[i];
        n->b = x->hints[i];
        n->block = (uint32_t)w->block->linear;
        n->warp = (uint8_t)i;
        n->time = x->time[i];
        n->row_count = x->warps;
        memcpy(n->row, x->row[i], x->warps * sizeof *n->row);
        x->hint[i] = n;
    }
    n->lanes |= w->mask;
    return n;
}

// What the running lanes know and have done, made known. Nodes that nobody has looked at
// yet are used again, for loops that poll with a fence inside.
know *know_release(warp *w, bool wide)
{
    order *x = w->block->order;
    uint32_t i = w->index;
    know *last = x->last_fence[i], *n = last;
    if (!last || last->published || last->lanes != w->mask || !wide)
        n = race_room(w->worker->launch->device->races, sizeof *n + x->warps * sizeof *n->row);
    n->a = x->knows[i];
    n->block = (uint32_t)w->block->linear;
    n->warp = (uint8_t)i;
    n->time = x->time[i];
    n->lanes = w->mask;
    n->row_count = x->warps;
    memcpy(n->row, x->row[i], x->warps * sizeof *n->row);
    if (wide)
        x->last_fence[i] = n;
    pass(x, i);
    return n;
}
