// One warp: its splits, and the operations that move a program counter.
//
// The running split is unpacked into the warp (mask, frame, banks); the others wait in
// `splits`. Whenever a split jumps and there are others, it merges with those at the
// same place, and the one that comes first in program order (flow.c) runs next. A split
// that keeps jumping backwards while others could run gives way now and then: a lane
// that spins on a lock must not keep the lane that holds it from running.

#include "lanes.h"
#include "sync.h"

#include <stdlib.h>

enum { SPIN = 512 }; // backward jumps before another split gets its turn

void warp_set_mask(warp *w, uint32_t mask)
{
    w->mask = mask;
    w->full = mask == 0xffffffffu;
    static const uint32_t bit[] = {
#define EIGHT(n) 1u << n, 2u << n, 4u << n, 8u << n, 16u << n, 32u << n, 64u << n, 128u << n
        EIGHT(0), EIGHT(8), EIGHT(16), EIGHT(24)};
    for (int l = 0; l < 32; l++) // and, compare: what any vector unit has
        w->lane[l] = (mask & bit[l]) == bit[l] ? -1 : 0;
}

void frame_enter(warp *w, frame *f)
{
    worker *k = w->worker;
    w->frame = f;
    w->ops = f->code->ops;
    w->bank[BANK_FRAME] = f->registers;
    w->bank[BANK_CONST] = f->code->constants;
    w->sites = k->sites + f->code->site_base;
    w->cache = k->cache + f->code->site_base;
    w->runs = k->block_runs + f->code->block_base;
    w->lanes = k->block_lanes + f->code->block_base;
}

static uint32_t here(const warp *w, const op *o)
{
    return (uint32_t)(o - w->ops);
}

static void unpack(warp *w, int i)
{
    w->current = i;
    const split *s = &w->splits[i];
    if (w->frame != s->frame)
        frame_enter(w, s->frame);
    warp_set_mask(w, s->mask);
    w->pc = s->pc;
}

static void remove_split(warp *w, int i)
{
    w->splits[i] = w->splits[--w->split_count];
    if (w->current == w->split_count)
        w->current = i;
}

// Splits run in program order; a callee's before its caller's.
static bool before(const split *a, const split *b)
{
    if (a->frame->depth != b->frame->depth)
        return a->frame->depth > b->frame->depth;
    const simt_code *c = a->frame->code, *e = b->frame->code;
    return c->blocks[c->ops[a->pc].block].rank < e->blocks[e->ops[b->pc].block].rank;
}

static int choose(const warp *w, int except)
{
    int best = -1;
    for (int i = 0; i < w->split_count; i++)
        if (i != except && w->splits[i].state == RUNS &&
            (best < 0 || before(&w->splits[i], &w->splits[best])))
            best = i;
    return best;
}

bool warp_ready(const warp *w)
{
    return choose(w, -1) >= 0;
}

// The running split takes in those that stand where it does.
static void merge(warp *w, split_state state)
{
    uint32_t mask = w->mask;
    for (int i = w->split_count - 1; i >= 0; i--) {
        split *s = &w->splits[i];
        if (i == w->current || s->state != state || s->pc != w->pc || s->frame != w->frame)
            continue;
        mask |= s->mask;
        s->frame->references--;
        remove_split(w, i);
    }
    if (mask != w->mask) {
        warp_set_mask(w, mask);
        w->splits[w->current].mask = mask;
    }
}

event split_wait(warp *w, const op *o, split_state state)
{
    split *s = &w->splits[w->current];
    s->state = state;
    s->pc = w->pc = state == AT_WARP_SYNC ? here(w, o) : here(w, o) + 1;
    return BLOCKED;
}

static __attribute__((noinline)) event await_lanes(warp *w, const op *o, uint32_t needs)
{
    if (w->mask & ~needs) {
        fault_text(w, "the mask 0x%08x leaves out a lane that calls", needs);
        return fault_here(w, o, SIMT_SHUFFLE, __builtin_ctz(w->mask & ~needs));
    }
    if (w->block->sync)
        sync_ended(w, o, needs);
    needs &= w->live;
    if (w->mask == needs)
        return GO;
    w->pc = here(w, o);
    merge(w, AT_WARP_SYNC);
    if (w->mask == needs)
        return GO;
    w->splits[w->current].needs = needs;
    return split_wait(w, o, AT_WARP_SYNC);
}

// GO when every live lane of `needs` has come to this operation.
event warp_sync(warp *w, const op *o, uint32_t needs)
{
    bool here = w->mask == (needs & w->live) && !w->block->sync;
    return here ? GO : await_lanes(w, o, needs);
}

// bar.warp.sync: lanes may wait at different places.
int control_warp_barrier(warp *w, const op *o)
{
    const uint32_t *m = AT(w, o->b);
    uint32_t needs = 0, arrived = w->mask;
    for (uint32_t k = w->mask; k; k &= k - 1)
        needs |= m[__builtin_ctz(k)];
    if (w->mask & ~needs)
        return warp_sync(w, o, needs); // faults
    needs &= w->live;
    sync_masks(w, o, needs);
    for (int i = 0; i < w->split_count; i++)
        if (i != w->current && w->splits[i].state == AT_WARP_SYNC &&
            w->splits[i].frame->code->ops[w->splits[i].pc].run == control_warp_barrier)
            arrived |= w->splits[i].mask;
    if ((arrived & needs) != needs) {
        w->splits[w->current].needs = needs;
        return split_wait(w, o, AT_WARP_SYNC);
    }
    for (int i = 0; i < w->split_count; i++)
        if (i != w->current && w->splits[i].state == AT_WARP_SYNC &&
            w->splits[i].frame->code->ops[w->splits[i].pc].run == control_warp_barrier) {
            w->splits[i].state = RUNS;
            w->splits[i].pc++;
        }
    order_warp(w);
    w->sites[o->site].requests++;
    w->pc = here(w, o) + 1;
    merge(w, RUNS);
    return GO;
}

int control_guarded(warp *w, const op *o)
{
    uint32_t p = predicate_mask(AT(w, o->guard)), all = w->mask;
    uint32_t mask = all & (o->guard_not ? ~p : p);
    if (!mask)
        return GO;
    if (mask == all)
        return o->inner(w, o);
    warp_set_mask(w, mask);
    int e = o->inner(w, o);
    warp_set_mask(w, all);
    return e;
}

// ---- Branches -------------------------------------------------------------------

event warp_jump(warp *w, uint32_t to)
{
    w->pc = to;
    return JUMP;
}

event warp_limit(warp *w, const op *o)
{
    if (w->executed > w->stop_at) {
        fault_text(w, "%llu instructions in one warp", (unsigned long long)w->executed);
        return fault_here(w, o, SIMT_LIMIT, __builtin_ctz(w->mask));
    }
    if (atomic_load_explicit(&w->worker->launch->device->stop, memory_order_relaxed))
        return fault_here(w, o, SIMT_STOPPED, __builtin_ctz(w->mask));
    return GO;
}

// A jump backwards is where endless kernels are caught.
static event backward(warp *w, const op *o)
{
    w->spin++;
    return warp_limit(w, o);
}

void split_off(warp *w, uint32_t mask, uint32_t pc)
{
    w->splits[w->split_count++] =
        (split){.mask = mask, .pc = pc, .frame = w->frame, .state = RUNS,
                .branch = w->splits[w->current].branch};
    w->frame->references++;
    warp_set_mask(w, w->mask & ~mask);
    w->splits[w->current].mask = w->mask;
}

int control_bra(warp *w, const op *o)
{
    uint32_t taken = w->mask, at = here(w, o);
    if (o->guard) {
        uint32_t p = predicate_mask(AT(w, o->guard));
        taken &= o->guard_not ? ~p : p;
        if (!o->sub)
            w->sites[o->site].requests++;
    }
    if (taken && o->target <= at) {
        event e = backward(w, o);
        if (e != GO)
            return e;
    }
    if (taken == w->mask)
        return warp_jump(w, o->target);
    if (taken) {
        if (!o->sub)
            w->sites[o->site].extra++;
        split_off(w, taken, o->target);
    }
    return warp_jump(w, at + 1);
}

int control_bra_idx(warp *w, const op *o)
{
    const uint32_t *index = AT(w, o->a), *list = o->extra;
    uint32_t first = index[__builtin_ctz(w->mask)];
    w->sites[o->site].requests++;
    event e = backward(w, o);
    if (e != GO)
        return e;
    for (;;) {
        uint32_t same = 0;
        for (uint32_t k = w->mask; k; k &= k - 1)
            if (index[__builtin_ctz(k)] == first)
                same |= 1u << __builtin_ctz(k);
        if (first >= list[0])
            return fault_here(w, o, SIMT_TRAP, __builtin_ctz(same));
        if (same == w->mask)
            return warp_jump(w, list[first + 1]);
        w->sites[o->site].extra += w->split_count == 1;
        split_off(w, same, list[first + 1]);
        first = index[__builtin_ctz(w->mask)];
    }
}

int control_fall(warp *w, const op *o)
{
    return warp_jump(w, here(w, o) + 1);
}

int control_exit(warp *w, const op *o)
{
    uint32_t gone = w->mask;
    sync_left(w, o);
    w->live &= ~gone;
    w->block->live -= (uint32_t)__builtin_popcount(gone);
    cluster_threads_left(w, gone);
    frame *f = w->frame;
    remove_split(w, w->current);
    while (f && --f->references == 0 && f->caller) {
        frame *caller = f->caller;
        frame_release(w->worker, f);
        f = caller;
    }
    return block_threads_left(w, o) == FAULTED ? FAULTED : EXITED;
}

int control_trap(warp *w, const op *o)
{
    return fault_here(w, o, SIMT_TRAP, __builtin_ctz(w->mask));
}

int control_unsupported(warp *w, const op *o)
{
    fault_text(w, "%s", (const char *)o->extra);
    return fault_here(w, o, SIMT_UNSUPPORTED, __builtin_ctz(w->mask));
}

// ---- Running --------------------------------------------------------------------

// Until no split can run (BLOCKED), all have left (EXITED), or a fault. YIELD: the warp
// has spun for a while and others should have a turn.
event warp_run(warp *w)
{
    int next = choose(w, -1);
    if (next < 0)
        return w->live ? BLOCKED : EXITED;
    unpack(w, next);
    uint32_t turns = 0;
    bool hold = false;
    w->spin = 0;
    for (;;) {
        const op *o = &w->ops[w->pc];
        if (o->leader) {
            uint32_t b = o->block;
            if (w->split_count > 1 && o->run != control_ret && o->run != control_exit &&
                waiting_split(w))
                w->passed |= w->mask;
            w->runs[b]++;
            w->lanes[b] += w->full ? 32 : (uint32_t)__builtin_popcount(w->mask);
            w->executed += w->frame->code->blocks[b].count;
            w->cycles += w->frame->code->blocks[b].cycles;
        }
        int e;
        while ((e = o->run(w, o)) == GO)
            o++;
        if (e == FAULTED)
            return FAULTED;
        if (e == JUMP) {
            if (w->split_count == 1) {
                if (w->spin < SPIN * 8)
                    continue;
                w->splits[0].pc = w->pc;
                return YIELD;
            }
            merge(w, RUNS);
            w->splits[w->current].pc = w->pc;
            if (w->spin >= SPIN) { // tired: the next one in turn, for as long
                w->spin = 0;
                hold = true;
                next = w->current;
                do
                    next = (next + 1) % w->split_count;
                while (w->splits[next].state != RUNS);
                if (++turns == 8)
                    return YIELD;
            } else {
                next = hold ? w->current : choose(w, -1);
            }
            if (next != w->current)
                unpack(w, next);
            continue;
        }
        // BLOCKED or EXITED: another split, if there is one.
        hold = false;
        next = choose(w, -1);
        if (next < 0)
            return w->live ? BLOCKED : EXITED;
        unpack(w, next);
    }
}

void warp_start(warp *w, block *b, uint32_t index)
{
    uint32_t left = b->threads - index * 32;
    uint32_t mask = left >= 32 ? 0xffffffffu : (1u << left) - 1;
    w->block = b;
    w->index = index;
    w->live = mask;
    w->split_count = 1;
    w->current = 0;
    w->passed = 0;
    w->executed = w->cycles = 0;
    w->stop_at = w->worker->launch->device->config.instruction_limit;
    w->entry->references = 1;
    free(w->entry->tops);
    w->entry->tops = NULL;
    frame_unwritten(w, w->entry, mask);
    w->splits[0] = (split){.mask = mask, .pc = 0, .frame = w->entry, .state = RUNS};
    w->frame = NULL;
    unpack(w, 0);
    w->done = false;
    async_reset(w);
    memset(w->cluster_phase, 0, sizeof w->cluster_phase);
}
