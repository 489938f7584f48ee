// What synccheck adds to the barriers: threads that end before a barrier at which the
// others of their block wait, warp barriers with unequal masks, mbarriers made twice; and
// who waits where when nobody can go on.
//
// A barrier opens when all threads that have not ended are there, here and on a GPU. But
// __syncthreads() is for all threads of a block, so one that ended before is reported,
// at the branch that took it out.

#include "sync.h"

#include "lanes.h"

#include <stdlib.h>
#include <string.h>

struct sync_state {
    const simt_code *code; // of the first thread that ended; NULL: none has
    const op *op;
    uint32_t warp, lane;
    uint32_t *made, count, capacity; // mbarriers, by address
};

struct sync_state *sync_new(const simt_device *d)
{
    return d->config.checks & SIMT_CHECK_SYNC ? calloc(1, sizeof(struct sync_state)) : NULL;
}

void sync_reset(struct sync_state *s)
{
    if (s) {
        s->code = NULL;
        s->count = 0;
    }
}

void sync_free(struct sync_state *s)
{
    if (s)
        free(s->made);
    free(s);
}

// ---- Threads that end -------------------------------------------------------------

static int control_bra_noted(warp *w, const op *o)
{
    w->splits[w->current].branch = o;
    return control_bra(w, o);
}

void sync_wrap(const simt_device *d, simt_code *c)
{
    for (uint32_t i = 0; d->config.checks & SIMT_CHECK_SYNC && i < c->count; i++)
        if (c->ops[i].run == control_bra && c->ops[i].guard) {
            c->ops[i].inner = control_bra;
            c->ops[i].run = control_bra_noted;
        }
}

// The branch that led straight to an exit, or the exit.
static const op *way_out(const warp *w, const op *o)
{
    const simt_code *c = w->frame->code;
    const op *b = w->splits[w->current].branch;
    if (!b || b < c->ops || b >= c->ops + c->count)
        return o;
    uint32_t first = c->blocks[o->block].first;
    return b->target == first || (uint32_t)(b - c->ops) + 1 == first ? b : o;
}

// A split of this warp that waits at a __syncthreads(), or NULL.
const split *waiting_split(const warp *w)
{
    for (int i = 0; i < w->split_count; i++)
        if (w->splits[i].state == AT_BARRIER &&
            w->splits[i].frame->code->ops[w->splits[i].pc - 1].mode)
            return &w->splits[i];
    return NULL;
}

// Threads that end are no longer waited for, so a barrier inside a divergent branch may
// seem to work. Lanes that passed it by, doing other things, and now end are reported.
// An early return is no such thing: it goes straight to the end.
static void check_passed(warp *w, const op *o)
{
    const split *s = waiting_split(w);
    if (!s || !(w->passed & w->mask))
        return;
    simt_fault f = {.kind = SIMT_BARRIER};
    f.kernel = w->worker->launch->code->function->name;
    fault_place(w, &s->frame->code->ops[s->pc - 1], __builtin_ctz(s->mask), &f.at);
    fault_place(w, o, __builtin_ctz(w->passed & w->mask), &f.other);
    strcpy(f.detail, "lanes of one warp passed by the barrier at which others wait");
    finding_add(w->worker->launch->device, &f);
}

void sync_left(warp *w, const op *o)
{
    struct sync_state *s = w->block->sync;
    if (!s)
        check_passed(w, o); // the least that is always said
    if (!s || s->code)
        return;
    s->code = w->frame->code;
    s->op = way_out(w, o);
    s->warp = w->index;
    s->lane = (uint32_t)__builtin_ctz(w->mask);
}

static void place_in(const block *b, const simt_code *code, const op *o, uint32_t warp,
                     uint32_t lane, simt_place *p)
{
    const launch *run = b->warps[0].worker->launch;
    const place_of *at = &code->places[o - code->ops];
    const uint32_t *n = run->what->block;
    uint32_t t = warp * 32 + lane;
    *p = (simt_place){.file = module_file(run->module, at->file), .line = (int)at->line,
                      .caller = (int)at->caller,
                      .thread = {t % n[0], t / n[0] % n[1], t / n[0] / n[1]}};
    memcpy(p->block, b->id, sizeof p->block);
}

static const split *waits_at(const block *b, int number, const warp **w)
{
    for (uint32_t i = 0; i < b->warp_count; i++)
        for (int s = 0; s < b->warps[i].split_count; s++)
            if (b->warps[i].splits[s].state == AT_BARRIER &&
                b->warps[i].splits[s].barrier == number) {
                *w = &b->warps[i];
                return &b->warps[i].splits[s];
            }
    return NULL;
}

void sync_opens(const block *b, int number)
{
    const struct sync_state *s = b->sync;
    const warp *w;
    const split *x = s && s->code && !b->barriers[number].expected ? waits_at(b, number, &w)
                                                                     : NULL;
    if (!x)
        return;
    const simt_code *c = x->frame->code;
    simt_fault f = {.kind = SIMT_BARRIER, .kernel = w->worker->launch->code->function->name};
    place_in(b, c, &c->ops[x->pc - 1], w->index, (uint32_t)__builtin_ctz(x->mask), &f.at);
    place_in(b, s->code, s->op, s->warp, s->lane, &f.other);
    strcpy(f.other_access, "way out");
    snprintf(f.detail, sizeof f.detail,
             "%u of the block's %u threads ended without coming to this barrier",
             b->threads - b->live, b->threads);
    finding_add(w->worker->launch->device, &f);
}

// ---- Warps ------------------------------------------------------------------------

void sync_masks(const warp *w, const op *o, uint32_t needs)
{
    for (int i = 0; w->block->sync && i < w->split_count; i++) {
        const split *x = &w->splits[i];
        if (i == w->current || x->state != AT_WARP_SYNC || x->needs == needs ||
            !((x->needs & w->mask) | (needs & x->mask)))
            continue;
        simt_fault f = {.kind = SIMT_SHUFFLE,
                        .kernel = w->worker->launch->code->function->name};
        fault_place(w, o, __builtin_ctz(w->mask), &f.at);
        place_in(w->block, x->frame->code, &x->frame->code->ops[x->pc], w->index,
                 (uint32_t)__builtin_ctz(x->mask), &f.other);
        snprintf(f.detail, sizeof f.detail,
                 "lanes of one warp meet with the masks 0x%08x and 0x%08x", needs, x->needs);
        finding_add(w->worker->launch->device, &f);
        return;
    }
}

// Lanes that have ended are not waited for, but they give no value either. (A __syncwarp()
// may name them.)
void sync_ended(const warp *w, const op *o, uint32_t needs)
{
    uint32_t left = w->block->threads - w->index * 32;
    uint32_t gone = needs & ~w->live & (left >= 32 ? ~0u : (1u << left) - 1);
    if (!gone)
        return;
    simt_fault f = {.kind = SIMT_SHUFFLE, .other.file = "",
                    .kernel = w->worker->launch->code->function->name};
    fault_place(w, o, __builtin_ctz(w->mask), &f.at);
    snprintf(f.detail, sizeof f.detail,
             "the mask 0x%08x names lanes that have ended: 0x%08x", needs, gone);
    finding_add(w->worker->launch->device, &f);
}

// ---- mbarriers ----------------------------------------------------------------------

void sync_mbarrier(warp *w, const op *o, int lane, uint32_t address, bool made)
{
    struct sync_state *s = w->block->sync;
    uint32_t i = 0;
    if (!s)
        return;
    while (i < s->count && s->made[i] != address)
        i++;
    if (!made) {
        if (i < s->count)
            s->made[i] = s->made[--s->count];
        return;
    }
    if (i == s->count) {
        if (s->count == s->capacity) {
            s->capacity = s->capacity * 2 + 8;
            s->made = realloc(s->made, s->capacity * sizeof *s->made);
            if (!s->made)
                abort();
        }
        s->made[s->count++] = address;
        return;
    }
    simt_fault f = {.kind = SIMT_BARRIER, .address = address, .other.file = "",
                    .kernel = w->worker->launch->code->function->name};
    fault_place(w, o, lane, &f.at);
    strcpy(f.space, "shared");
    snprintf(f.detail, sizeof f.detail,
             "the mbarrier at 0x%x of shared memory is in use, and is initialised again", address);
    finding_add(w->worker->launch->device, &f);
}

// ---- Who waits where --------------------------------------------------------------

static const char *what_it_does(const split *x)
{
    static const char *const barriers[] = {
        "wait at __syncthreads()", "wait at barrier 1", "wait at barrier 2",
        "wait at barrier 3", "wait at barrier 4", "wait at barrier 5", "wait at barrier 6",
        "wait at barrier 7", "wait at barrier 8", "wait at barrier 9", "wait at barrier 10",
        "wait at barrier 11", "wait at barrier 12", "wait at barrier 13",
        "wait at barrier 14", "wait at barrier 15"};
    return x->state == AT_BARRIER     ? barriers[x->barrier & 15]
           : x->state == AT_WARP_SYNC ? "wait for other lanes of their warp"
           : x->state == AT_CLUSTER   ? "wait at the cluster's barrier"
                                      : "run";
}

static int add_waiter(simt_fault *f, int count, const block *b, const warp *w, const split *x)
{
    bool behind = x->state == AT_BARRIER && x->pc;
    const simt_code *c = x->frame->code;
    uint32_t pc = x->pc - (behind ? 1 : 0);
    const place_of *at = &c->places[pc < c->count ? pc : c->count - 1];
    const char *what = what_it_does(x), *file = module_file(w->worker->launch->module, at->file);
    for (int i = 0; i < count; i++) {
        struct simt_waiter *k = &f->waiters[i];
        if (k->line == (int)at->line && !strcmp(k->file, file) && k->what == what &&
            !memcmp(k->block, b->id, sizeof b->id)) {
            k->warps |= 1u << (w->index & 31);
            k->threads += (uint32_t)__builtin_popcount(x->mask);
            return count;
        }
    }
    if (count == SIMT_WAITERS || !at->line)
        return count;
    struct simt_waiter *k = &f->waiters[count];
    *k = (struct simt_waiter){.file = file, .line = (int)at->line,
                              .warps = 1u << (w->index & 31),
                              .threads = (uint32_t)__builtin_popcount(x->mask), .what = what};
    memcpy(k->block, b->id, sizeof k->block);
    return count + 1;
}

void fault_waiters(const worker *k, simt_fault *f)
{
    int count = 0;
    for (int i = 0; i < k->slots; i++) {
        const block *b = &k->blocks[i];
        if (!b->started || b->finished)
            continue;
        for (uint32_t n = 0; n < b->warp_count; n++)
            for (int s = 0; !b->warps[n].done && s < b->warps[n].split_count; s++)
                count = add_waiter(f, count, b, &b->warps[n], &b->warps[n].splits[s]);
    }
}
