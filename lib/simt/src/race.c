// Races: two accesses to one byte, one of them a store, by different threads, and nothing
// that orders them.
//
// It does not matter which thread happened to run first: whichever access comes second
// finds the first one's stamp. Stores of equal values do not count, nor do two strong
// accesses (atomics, volatile, relaxed) that reach each other; but volatile accesses of
// one warp's lanes do, which old code takes for ordered. exec_check.c has the fast paths.

#include "race.h"

#include "access.h"

#include <stdio.h>
#include <stdlib.h>

uint32_t race_how(const warp *w, const op *o)
{
    uint32_t site = w->frame->code->site_base + o->site;
    return (site < MOST_SITES ? site : MOST_SITES) << STAMP_SITE_SHIFT |
           (uint32_t)(o->order & ORDER_STRENGTH) << STAMP_STRENGTH_SHIFT |
           (o->order & ORDER_WIDE ? STAMP_WIDE : 0) |
           (o->order & ORDER_CACHED ? STAMP_CACHED : 0);
}

static uint32_t strength(uint32_t how)
{
    return (how & STAMP_STRENGTH) >> STAMP_STRENGTH_SHIFT;
}

// My segment of a table, remembered in *mine.
static uint32_t segment_here(warp *w, segments *s, uint32_t *mine)
{
    const order *x = w->block->order;
    if (!*mine)
        *mine = segment_new(s, (uint32_t)w->block->linear, x->time[w->index] << 5 | w->index);
    return *mine;
}

void race_shared(look *k, warp *w, const op *o, block *owner)
{
    order *x = owner->order;
    uint32_t other = 0;
    k->w = w;
    k->o = o;
    k->shared = true;
    k->t = x->tracks;
    k->words = x->words;
    k->base = 0;
    k->segments = &x->segments;
    k->floor = owner == w->block ? x->floor : x->segments.first;
    k->mine = segment_here(w, &x->segments, owner == w->block ? &x->shared[w->index] : &other);
}

bool race_global(look *k, warp *w, const op *o, uint64_t address)
{
    struct races *r = w->worker->launch->device->races;
    if (!races_tracks(r, address, &k->t))
        return false;
    k->w = w;
    k->o = o;
    k->shared = false;
    k->words = CHUNK_WORDS;
    k->base = address & ~(((uint64_t)1 << CHUNK_SHIFT) - 1);
    k->segments = &r->segments;
    k->floor = r->segments.first;
    k->mine = segment_here(w, &r->segments, &w->block->order->global[w->index]);
    return true;
}

// ---- What is found --------------------------------------------------------------

static const op *op_of_site(const launch *run, uint32_t site, const simt_code **code)
{
    for (int i = 0; i < run->code_count; i++)
        if (site - run->codes[i]->site_base < run->codes[i]->count) {
            *code = run->codes[i];
            return &(*code)->ops[site - (*code)->site_base];
        }
    return NULL;
}

static const char *access_name(const warp *w, const op *o, bool writes)
{
    if (o && op_kind(w, o) == ATOMIC)
        return "atomic";
    return writes ? "store" : "load";
}

static void line_text(char *to, size_t size, const simt_place *at, const simt_place *other)
{
    if (!at->line || !other->line)
        snprintf(to, size, "between the two accesses");
    else if (at->line == other->line)
        snprintf(to, size, "between one turn of line %d and the next", at->line);
    else
        snprintf(to, size, "between line %d and line %d", other->line, at->line);
}

// Do my lane and another of my warp store to one place in this very instruction?
static bool store_at_once(const look *k, const segment *s, uint32_t lane, uint32_t other)
{
    const warp *w = k->w;
    access x;
    if (k->kind != STORE || s->block != (uint32_t)w->block->linear ||
        (s->at & 31) != w->index || !(w->mask >> other & 1))
        return false;
    find_addresses(k->w, k->o, &x);
    return x.address[lane] == x.address[other];
}

// One line of several threads that take turns with one place, where a barrier is no help.
static bool shares_place(const look *k, simt_fault *f, const segment *s, uint32_t how,
                         bool writer, uint32_t lane)
{
    bool far = s->block != (uint32_t)k->w->block->linear;
    if (f->at.line != f->other.line || strcmp(f->at.file, f->other.file) || !f->at.line ||
        strength(how) || strength(k->how) ||
        !(far || store_at_once(k, s, lane, how & STAMP_LANE)))
        return false;
    if (writer && k->kind == STORE)
        snprintf(f->detail, sizeof f->detail, "line %d stores to one place in several %s: let one "
                 "of them store, or give each its own place", f->at.line,
                 far ? "blocks" : "threads");
    else
        snprintf(f->detail, sizeof f->detail, "line %d reads one place and writes it back in "
                 "several %s: use an atomic, such as atomicAdd", f->at.line,
                 far ? "blocks" : "threads");
    return true;
}

// The line of the flag that no fence stands before; 0: in another file.
static int flag_line(const look *k, const struct races *r, const simt_place *beside)
{
    const simt_code *code;
    const launch *run = k->w->worker->launch;
    const op *o = op_of_site(run, r->bare_site - 1, &code);
    const place_of *at = o ? &code->places[o - code->ops] : NULL;
    return at && !strcmp(module_file(run->module, at->file), beside->file) ? (int)at->line : 0;
}

// What is missing, and where.
static void repair(const look *k, simt_fault *f, const segment *s, uint32_t how, bool writer,
                   uint32_t my_how)
{
    warp *w = k->w;
    struct races *r = w->worker->launch->device->races;
    const order *x = w->block->order;
    char lines[64];
    size_t size = sizeof f->detail;
    line_text(lines, sizeof lines, &f->at, &f->other);
    bool one_block = s->block == (uint32_t)w->block->linear;
    if (strength(how) == ASYNC && writer) {
        snprintf(f->detail, size, "the cp.async of line %d has not been waited for: wait for "
                 "it, then __syncthreads(), before line %d", f->other.line, f->at.line);
    } else if (my_how & STAMP_CACHED) {
        snprintf(f->detail, size, "read through the read-only cache (__ldg or const "
                 "__restrict__) what this kernel writes: use a plain load");
    } else if (one_block && (s->at & 31) == w->index) {
        snprintf(f->detail, size, "within one warp, without __syncwarp(): put it %s", lines);
    } else if (one_block) {
        snprintf(f->detail, size, "between two warps, without __syncthreads(): put it %s",
                 lines);
    } else if (strength(how) && strength(my_how)) {
        snprintf(f->detail, size, "between two blocks, with the scope of a block only: use "
                 "the scope of the device");
    } else if (know_covers(r, x->seen[w->index], s->block, s->at, how & STAMP_LANE)) {
        snprintf(f->detail, size, "between two blocks: the flag is seen, but no __threadfence() "
                 "follows: put it before line %d", f->at.line);
    } else if (r->narrow_site && !r->wide_fence) {
        const simt_code *code;
        const op *fence = op_of_site(w->worker->launch, r->narrow_site - 1, &code);
        snprintf(f->detail, size, "between two blocks: the fence of line %u has the scope of a "
                 "block: use __threadfence()",
                 fence ? code->places[fence - code->ops].line : 0);
    } else if (r->bare_site && !strength(how) && !strength(my_how) && flag_line(k, r, &f->at)) {
        snprintf(f->detail, size, "between two blocks: line %d draws a ticket or sets a flag "
                 "without a __threadfence() before it: put one before line %d",
                 flag_line(k, r, &f->at), flag_line(k, r, &f->at));
    } else if (strength(how) || strength(my_how)) {
        snprintf(f->detail, size, "between two blocks, a plain access and one that is not: use "
                 "atomics, or volatile, for both");
    } else {
        snprintf(f->detail, size, "between two blocks, without __threadfence() and a flag %s; "
                 "or end the kernel there", lines);
    }
}

static void block_place(const launch *run, uint32_t linear, uint32_t *id)
{
    uint64_t n = linear / run->cluster_size;
    uint32_t rank = linear % run->cluster_size;
    for (int d = 0; d < 3; d++) {
        uint32_t side = run->cluster[d], clusters = run->what->grid[d] / side;
        id[d] = (uint32_t)(n % clusters) * side + rank % side;
        n /= clusters;
        rank /= side;
    }
}

bool race_place(const launch *run, const segment *s, uint32_t how, simt_place *p)
{
    const simt_code *code = NULL;
    const op *o = op_of_site(run, how >> STAMP_SITE_SHIFT, &code);
    const uint32_t *n = run->what->block;
    uint32_t thread = (s->at & 31) * 32 + (how & STAMP_LANE);
    *p = (simt_place){.file = ""};
    if (o) {
        const place_of *at = &code->places[o - code->ops];
        p->file = module_file(run->module, at->file);
        p->line = (int)at->line;
        p->caller = (int)at->caller;
    }
    block_place(run, s->block, p->block);
    p->thread[0] = thread % n[0];
    p->thread[1] = thread / n[0] % n[1];
    p->thread[2] = thread / n[0] / n[1];
    return p->line != 0;
}

static void report(const look *k, uint32_t lane, const segment *s, uint32_t how, bool writer,
                   uint64_t address, uint32_t bytes)
{
    warp *w = k->w;
    const launch *run = w->worker->launch;
    simt_fault f = {.kind = SIMT_RACE, .bytes = bytes, .address = address};
    f.kernel = run->code->function->name;
    fault_place(w, k->o, (int)lane, &f.at);
    const simt_code *code = NULL;
    const op *other = op_of_site(run, how >> STAMP_SITE_SHIFT, &code);
    uint32_t its = how & STAMP_LANE;
    if (!writer && its == lane && how & STAMP_SEVERAL && (s->at & 31) == w->index)
        its = lane ? 0 : 1; // another of the lanes that read it
    race_place(run, s, (how & ~STAMP_LANE) | its, &f.other);
    strcpy(f.access, access_name(w, k->o, k->kind != LOAD));
    strcpy(f.other_access, access_name(w, other, writer));
    strcpy(f.space, k->shared ? "shared" : "global");
    range held;
    if (k->shared) {
        f.nearest_bytes = run->shared;
    } else if (heap_find(run->device->heap, address, bytes, &held)) {
        f.nearest = held.low;
        f.nearest_bytes = held.high - held.low;
        f.distance = (int64_t)(address - held.low);
    }
    if (!shares_place(k, &f, s, (how & ~STAMP_LANE) | its, writer, lane))
        repair(k, &f, s, how, writer, k->how);
    finding_add(run->device, &f);
}

// ---- Do two accesses race? ------------------------------------------------------

static const char *value_of(const warp *w, const op *o, uint32_t lane, int element)
{
    uint32_t d = o->vec > 1 ? ((const uint32_t *)o->extra)[element] : o->d;
    return (const char *)AT((warp *)(uintptr_t)w, d) + (size_t)lane * o->width;
}

// Does a lane store what is there already? `done`: lanes of this very instruction that
// came before it, whose stores have not reached memory yet.
static bool same_value(const look *k, uint32_t lane, uint32_t seg, uint32_t how,
                       uint64_t address, uint32_t bytes, uint32_t done)
{
    const op *o = k->o;
    uint32_t other = how & STAMP_LANE;
    bool now = seg == k->mine && done >> other & 1 &&
               (how ^ k->how) >> STAMP_SITE_SHIFT == 0;
    if (op_kind(k->w, o) != STORE || bytes != (uint32_t)o->bytes * o->vec)
        return false;
    const char *at = k->shared ? cluster_shared(k->w, address, bytes) : NULL;
    range r;
    const simt_device *d = k->w->worker->launch->device;
    if (!k->shared && heap_find(d->heap, address, bytes, &r))
        at = r.host + (address - r.low);
    else if (!k->shared)
        at = device_heap_find(d->malloced, address, bytes);
    for (int i = 0; i < o->vec; i++) {
        const char *mine = value_of(k->w, o, lane, i);
        const char *its = now ? value_of(k->w, o, other, i) : at ? at + i * o->bytes : NULL;
        if (!its || memcmp(mine, its, o->bytes))
            return false;
    }
    return true;
}

static bool both_strong(const look *k, const segment *s, uint32_t how)
{
    uint32_t mine = strength(k->how), its = strength(how);
    bool one_block = s->block == (uint32_t)k->w->block->linear;
    if (!mine || !its || its == ASYNC)
        return false;
    if (one_block && (s->at & 31) == k->w->index && mine == VOLATILE && its == VOLATILE)
        return false;
    return one_block || (k->how & how & STAMP_WIDE);
}

// Whose stamp it is.
static segment owner(const look *k, uint32_t seg)
{
    if (seg >= FIRST_COPY)
        return (segment){(uint32_t)k->w->block->linear, seg - FIRST_COPY};
    const segment *s = segment_of(k->segments, seg);
    return s ? *s : (segment){0};
}

// With the access that left this stamp.
static bool races(const look *k, uint32_t lane, uint32_t seg, uint32_t how, bool writer,
                  uint64_t address, uint32_t bytes, uint32_t done)
{
    segment by = owner(k, seg);
    const segment *s = &by;
    if (seg >= FIRST_COPY)
        return true;
    bool mine = s->block == (uint32_t)k->w->block->linear && (s->at & 31) == k->w->index &&
                (how & STAMP_LANE) == lane && (writer || !(how & STAMP_SEVERAL));
    if (mine)
        return false;
    if (k->kind == LOAD && k->how & STAMP_CACHED) // the cache knows no order
        return true;
    if (both_strong(k, s, how) || order_before(k->w, s->block, s->at, how & STAMP_LANE))
        return false;
    const order *x = k->w->block->order;
    if (strength(k->how) && know_covers(k->w->worker->launch->device->races,
                                        x->seen[k->w->index], s->block, s->at, how & STAMP_LANE))
        return false; // a volatile load waits for the one that saw the flag
    if (!writer && know_covers(k->w->worker->launch->device->races, x->hints[k->w->index],
                               s->block, s->at, how & STAMP_LANE))
        return false;
    return !(writer && k->kind == STORE && same_value(k, lane, seg, how, address, bytes, done));
}

void race_lane(const look *k, uint32_t lane, uint64_t address, uint32_t bytes, uint32_t done)
{
    const tracks *t = &k->t;
    bool told = false;
    for (uint64_t at = address & ~(uint64_t)3; at < address + bytes; at += 4) {
        uint64_t i = (at - k->base) / 4;
        if (i >= k->words)
            return;
        uint32_t first = at < address ? (uint32_t)(address - at) : 0;
        uint32_t last = address + bytes - at < 4 ? (uint32_t)(address + bytes - at) : 4;
        uint32_t touched = ((1u << last) - 1) & ~((1u << first) - 1);
        uint32_t how = k->how | lane | touched << STAMP_BYTES_SHIFT;
        const struct { uint32_t seg, how; } stamps[] = {
            {t->writer[i], t->writer_how[i]}, {t->reader[i], t->reader_how[i]},
            {t->other[i], t->other_how[i]}};
        for (int s = 0; s < (k->kind == LOAD ? 1 : 3) && !told; s++)
            if (stamps[s].seg >= k->floor && stamps[s].how & how & STAMP_BYTES &&
                races(k, lane, stamps[s].seg, stamps[s].how, s == 0, address, bytes, done)) {
                segment by = owner(k, stamps[s].seg);
                report(k, lane, &by, stamps[s].how, s == 0, address, bytes);
                told = true;
            }
        if (k->kind != LOAD) {
            t->writer[i] = k->mine;
            t->writer_how[i] = how;
            continue;
        }
        race_read(t, (uint32_t)i, k->floor, k->mine, how);
    }
}
