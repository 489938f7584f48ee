// One block: its warps in turn, its barriers, and what to say when nobody can go on.

#include "cache.h"
#include "lanes.h"
#include "sync.h"

#include <stdlib.h>

// ---- Frames ---------------------------------------------------------------------

static size_t argument_size(const ptx_function *f)
{
    size_t in = (f->parameter_bytes + 15) & ~(size_t)15;
    size_t out = f->result ? (f->result->bytes + 15) & ~(size_t)15 : 0;
    return f->entry && !f->call_bytes ? 0 : in + out + ((f->call_bytes + 15) & ~(size_t)15);
}

frame *frame_new(worker *k, simt_code *code, frame *caller)
{
    size_t registers = (code->function->register_bytes + 63) & ~63u;
    size_t arguments = argument_size(code->function);
    size_t size = (sizeof(frame) + 63) / 64 * 64 + registers + 32 * arguments + 64;
    frame *f = k->free_frames, *next;
    if (f && f->size >= size) {
        k->free_frames = f->next_free;
        size = f->size;
        next = f->next;
    } else {
        f = room_take(k->launch->device, size);
        next = k->frames;
        k->frames = f;
    }
    memset(f, 0, sizeof *f);
    f->next = next;
    f->size = size;
    f->caller = caller;
    f->code = code;
    f->registers = (uint8_t *)f + (sizeof(frame) + 63) / 64 * 64;
    f->arguments = f->registers + registers;
    f->argument_bytes = arguments;
    f->references = 1;
    f->depth = caller ? caller->depth + 1 : 0;
    return f;
}

void frame_release(worker *k, frame *f)
{
    free(f->tops);
    f->tops = NULL;
    f->next_free = k->free_frames;
    k->free_frames = f;
}

// ---- Barriers -------------------------------------------------------------------

static const op *barrier_op(const split *s)
{
    return &s->frame->code->ops[s->pc - 1];
}

static const place_of *split_place(const split *s, bool behind)
{
    return &s->frame->code->places[s->pc - (behind ? 1 : 0)];
}

// Threads of one block that meet at different __syncthreads() have lost each other.
static void check_same_place(warp *w)
{
    block *b = w->block;
    const place_of *first = NULL;
    const warp *first_warp = NULL;
    const split *first_split = NULL;
    for (uint32_t i = 0; i < b->warp_count; i++)
        for (int s = 0; s < b->warps[i].split_count; s++) {
            const split *x = &b->warps[i].splits[s];
            if (x->state != AT_BARRIER || x->barrier || !barrier_op(x)->mode ||
                barrier_op(x)->b)
                continue;
            const place_of *at = split_place(x, true);
            if (!first) {
                first = at;
                first_warp = &b->warps[i];
                first_split = x;
            } else if (at->line != first->line || at->file != first->file) {
                simt_fault f = {.kind = SIMT_BARRIER};
                fault_place(&b->warps[i], barrier_op(x), __builtin_ctz(x->mask), &f.at);
                fault_place(first_warp, barrier_op(first_split),
                            __builtin_ctz(first_split->mask), &f.other);
                f.at.line = (int)at->line;
                f.other.line = (int)first->line;
                f.kernel = w->worker->launch->code->function->name;
                strcpy(f.detail, "threads of one block met at two different barriers");
                finding_add(w->worker->launch->device, &f);
                return;
            }
        }
}

static void give_result(warp *w, split *s, const barrier *r)
{
    const op *o = barrier_op(s);
    if (o->sub < 2)
        return;
    uint8_t *d = s->frame->registers + (o->d & 0x3fffffffu);
    for (uint32_t k = s->mask; k; k &= k - 1) {
        int l = __builtin_ctz(k);
        if (o->sub == 4)
            memcpy(d + 4 * l, &r->value_count, 4);
        else
            d[l] = (o->sub == 2 ? r->value_and : r->value_or) ? 255 : 0;
    }
    (void)w;
}

event block_release(warp *w, const op *o, int number)
{
    block *b = w->block;
    barrier *r = &b->barriers[number];
    (void)o;
    if (!number) // named barriers may have several places
        check_same_place(w);
    if (b->sync)
        sync_opens(b, number);
    if (b->order)
        order_release(b, number, !r->expected);
    for (uint32_t i = 0; i < b->warp_count; i++)
        for (int s = 0; s < b->warps[i].split_count; s++) {
            split *x = &b->warps[i].splits[s];
            if (x->state == AT_BARRIER && x->barrier == number) {
                give_result(&b->warps[i], x, r);
                x->state = RUNS;
            }
        }
    cache_meet(b->warps->worker, b);
    b->barriers_done++;
    *r = (barrier){.value_and = 1};
    return GO;
}

// Whoever leaves is no longer waited for.
event block_threads_left(warp *w, const op *o)
{
    block *b = w->block;
    for (int i = 0; i < 16; i++)
        if (b->barriers[i].arrived && !b->barriers[i].expected &&
            b->barriers[i].arrived >= b->live)
            block_release(w, o, i);
    return GO;
}

static int wrong_count(warp *w, const op *o, uint32_t number, uint32_t expected,
                       const barrier *r)
{
    if (number > 15)
        fault_text(w, "there are 16 barriers, and none has number %u", number);
    else if (expected % 32)
        fault_text(w, "a count of %u threads, no multiple of 32", expected);
    else
        fault_text(w, "barrier %u expects %u threads here and %u elsewhere", number,
                   expected ? expected : w->block->live,
                   r->expected ? r->expected : w->block->live);
    event e = fault_here(w, o, SIMT_BARRIER, __builtin_ctz(w->mask));
    for (uint32_t i = 0; i < w->block->warp_count; i++)
        for (int s = 0; s < w->block->warps[i].split_count; s++) {
            const split *x = &w->block->warps[i].splits[s];
            if (x->state == AT_BARRIER && (uint32_t)x->barrier == number)
                fault_place(&w->block->warps[i], barrier_op(x), __builtin_ctz(x->mask),
                            &w->worker->fault.other);
        }
    return e;
}

int control_bar(warp *w, const op *o)
{
    block *b = w->block;
    const uint32_t *number = AT(w, o->a), *threads = AT(w, o->b);
    int lane = __builtin_ctz(w->mask);
    int n = (int)(number[lane] & 15);
    uint32_t expected = o->b ? threads[lane] : 0;
    barrier *r = &b->barriers[n];
    if (number[lane] > 15 || expected % 32 || (r->arrived && r->expected != expected))
        return wrong_count(w, o, number[lane], expected, r);
    w->sites[o->site].requests++;
    // A counted barrier takes a warp as 32 threads, however many it has.
    r->arrived += expected && w->mask == w->live ? 32 : (uint32_t)__builtin_popcount(w->mask);
    r->expected = expected;
    if (o->sub >= 2) {
        uint32_t p = predicate_mask(AT(w, o->c));
        p = (o->is_signed ? ~p : p) & w->mask;
        r->value_and &= p == w->mask;
        r->value_or |= p != 0;
        r->value_count += (uint32_t)__builtin_popcount(p);
    }
    w->passed &= ~w->mask;
    if (b->order)
        order_arrive(w, n);
    if (o->sub != 1) {
        w->splits[w->current].barrier = n;
        split_wait(w, o, AT_BARRIER);
    }
    bool complete = r->arrived >= (expected ? expected : b->live);
    if (complete)
        block_release(w, o, n);
    if (complete || o->sub == 1) {
        w->splits[w->current].state = RUNS;
        w->pc = (uint32_t)(o - w->ops) + 1;
        return JUMP;
    }
    return BLOCKED;
}

// ---- Running --------------------------------------------------------------------

void block_start(worker *k, block *b, uint64_t linear)
{
    launch *run = k->launch;
    const uint32_t *grid = run->what->grid;
    b->linear = linear;
    uint32_t of[3], in[3]; // the cluster's place in the grid, the block's in the cluster
    uint64_t n = b->cluster->number;
    for (int d = 0, r = (int)b->rank; d < 3; d++) {
        uint32_t side = run->cluster[d], clusters = grid[d] / side;
        of[d] = (uint32_t)(n % clusters);
        in[d] = (uint32_t)r % side;
        n /= clusters;
        r /= (int)side;
        b->id[d] = of[d] * side + in[d];
    }
    b->threads = b->live = run->threads;
    b->warp_count = run->warps;
    b->barriers_done = 0;
    b->next_warp = 0;
    b->executed = 0;
    b->started = true;
    b->finished = b->waits = false;
    for (int i = 0; i < 16; i++)
        b->barriers[i] = (barrier){.value_and = 1};
    if (run->shared)
        memset(b->shared, 0xa5, run->shared);
    memset(b->reserved, 0, RESERVED_BYTES);
    l1_start(b->l1);
    sync_reset(b->sync);
    if (b->shared_written)
        memset(b->shared_written, 0, run->shared / 8 + 8);
    order_start(b);
    for (uint32_t i = 0; i < run->warps; i++) {
        uint32_t *special = (uint32_t *)(void *)b->warps[i].special;
        for (int d = 0; d < 3; d++) {
            special_set(special, SP_CTAID_X + d, b->id[d]);
            special_set(special, SP_CLUSTERID_X + d, of[d]);
            special_set(special, SP_CLUSTER_CTAID_X + d, in[d]);
        }
        special_set(special, SP_SM, (uint32_t)(linear % (uint64_t)run->device->gpu->sms));
        special_set(special, SP_CLUSTER_CTARANK, b->rank);
        warp_start(&b->warps[i], b, i);
    }
}

// Every block of a cluster waits for the others.
static event cluster_stuck(block *b)
{
    const cluster *c = b->cluster;
    for (uint32_t i = 0; i < b->warp_count; i++)
        for (int s = 0; s < b->warps[i].split_count; s++) {
            warp *w = &b->warps[i];
            const split *x = &w->splits[s];
            if (x->state != AT_CLUSTER)
                continue;
            frame_enter(w, x->frame);
            fault_text(w, "%u of %u threads have come to the cluster's barrier", c->arrived,
                       c->live);
            return fault_here(w, &x->frame->code->ops[x->pc], SIMT_DEADLOCK,
                              __builtin_ctz(x->mask));
        }
    return EXITED;
}

// Nobody can run: say who waits where.
event block_stuck(block *b)
{
    warp *w = NULL;
    const split *at_barrier = NULL, *at_warp = NULL, *other_barrier = NULL;
    const split *at_cluster = NULL;
    const warp *wb = NULL, *ww = NULL, *wo = NULL, *wc = NULL;
    for (uint32_t i = 0; i < b->warp_count; i++)
        for (int s = 0; s < b->warps[i].split_count; s++) {
            const split *x = &b->warps[i].splits[s];
            w = &b->warps[i];
            if (x->state == AT_WARP_SYNC && !at_warp)
                at_warp = x, ww = w;
            else if (x->state == AT_BARRIER && !at_barrier)
                at_barrier = x, wb = w;
            else if (x->state == AT_CLUSTER)
                at_cluster = x, wc = w;
            else if (x->state == AT_BARRIER && x->barrier != at_barrier->barrier)
                other_barrier = x, wo = w;
        }
    if (!at_warp && !at_barrier)
        return cluster_stuck(b);
    const split *main = at_warp ? at_warp : at_barrier;
    warp *mine = (warp *)(uintptr_t)(at_warp ? ww : wb);
    const split *second = at_warp ? at_barrier : other_barrier;
    const warp *second_warp = at_warp ? wb : wo;
    const op *o = at_warp ? &main->frame->code->ops[main->pc] : barrier_op(main);
    frame_enter(mine, main->frame);
    simt_place other = {0};
    if (second)
        fault_place(second_warp, barrier_op(second), __builtin_ctz(second->mask), &other);
    else if (at_cluster)
        fault_place(wc, &at_cluster->frame->code->ops[at_cluster->pc - 1],
                    __builtin_ctz(at_cluster->mask), &other);
    if (at_warp)
        fault_text(mine, "waits for lanes 0x%08x, and lanes 0x%08x never come",
                   main->needs, main->needs & ~main->mask);
    else
        fault_text(mine, "%u of %u threads have come to the barrier",
                   b->barriers[main->barrier].arrived,
                   b->barriers[main->barrier].expected ? b->barriers[main->barrier].expected
                                                       : b->live);
    simt_fault_kind kind = at_warp && !second ? SIMT_SHUFFLE
                           : second           ? SIMT_BARRIER
                                              : SIMT_DEADLOCK;
    return fault_here(mine, o, kind, __builtin_ctz(main->mask)), mine->worker->fault.other = other,
           FAULTED;
}

static const split *waits_for_cluster(const block *b)
{
    for (uint32_t i = 0; i < b->warp_count; i++)
        for (int s = 0; s < b->warps[i].split_count; s++)
            if (b->warps[i].splits[s].state == AT_CLUSTER)
                return &b->warps[i].splits[s];
    return NULL;
}

event block_run(worker *k, block *b)
{
    uint32_t order[32];
    bool dice = k->dice;
    for (;;) {
        bool moved = false, others = false; // others: did more than spin
        if (dice)
            schedule_order(k, order, b->warp_count);
        for (uint32_t i = 0; i < b->warp_count; i++) {
            warp *w = &b->warps[i];
            if (dice)
                w = &b->warps[order[i]];
            if (w->done || !warp_ready(w))
                continue;
            moved = true;
            event e = warp_run(w);
            if (e == FAULTED)
                return FAULTED;
            w->done = e == EXITED;
            others |= e != YIELD;
            if (e == YIELD && schedule_pick(k, 4) == 3) // of another order
                return YIELD;
        }
        if (b->live == 0) {
            k->barriers_done += b->barriers_done;
            k->blocks_done++;
            b->finished = true;
            cache_meet(k, b);
            uint64_t longest = 0;
            for (uint32_t w = 0; w < b->warp_count; w++)
                longest = b->warps[w].executed > longest ? b->warps[w].executed : longest;
            k->longest = longest > k->longest ? longest : k->longest;
            return EXITED;
        }
        if (!moved && waits_for_cluster(b)) {
            b->waits = true;
            return BLOCKED;
        }
        if (!moved)
            return block_stuck(b);
        if (!others)
            return YIELD;
    }
}
