// Flags: places of memory through which threads tell each other.
//
// What a thread did is made known by a fence and then a strong store (an atomic, a
// volatile or relaxed store), or by a release. Who looks at the place with a strong load
// has seen it, and after a fence, or at once with an acquire, knows it. A fence of the
// scope of a block does so between threads of one block only.
//
// A flag without a fence still says that the loads before it are done: its value was made
// of theirs (CUB's look-back relies on it). It orders them before stores of whoever sees it.

#include "race.h"

#include <stdlib.h>
#include <string.h>

int control_fence(warp *w, const op *o)
{
    order *x = w->block->order;
    uint32_t i = w->index;
    if (!x)
        return GO;
    struct races *r = w->worker->launch->device->races;
    bool wide = o->order & ORDER_WIDE;
    if (wide) {
        x->knows[i] = know_join(r, x->knows[i], x->seen[i]);
        x->seen[i] = NULL;
        r->wide_fence = true;
    } else {
        r->narrow_site = w->frame->code->site_base + o->site + 1;
    }
    x->knows[i] = know_join(r, x->knows[i], x->near[i]);
    x->near[i] = NULL;
    know *n = know_release(w, wide);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        x->fence_near[i][l] = n;
        if (wide)
            x->fence[i][l] = n;
    }
    x->fenced_near[i] |= w->mask;
    x->fenced[i] |= wide ? w->mask : 0;
    return GO;
}

static flag *slot_of(const struct races *r, uint64_t key)
{
    uint32_t at = (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 32) & (r->flag_slots - 1);
    while (r->flags[at].key && r->flags[at].key != key)
        at = (at + 1) & (r->flag_slots - 1);
    return &r->flags[at];
}

static flag *new_flag(struct races *r, uint64_t key)
{
    if (2 * r->flag_count >= r->flag_slots) {
        flag *old = r->flags;
        uint32_t slots = r->flag_slots;
        r->flag_slots *= 2;
        r->flags = calloc(r->flag_slots, sizeof *r->flags);
        if (!r->flags)
            abort();
        for (uint32_t i = 0; i < slots; i++)
            if (old[i].key)
                *slot_of(r, old[i].key) = old[i];
        free(old);
    }
    flag *f = slot_of(r, key);
    if (!f->key) {
        f->key = key;
        r->flag_count++;
    }
    return f;
}

static void seen(warp *w, const op *o, const flag *f)
{
    order *x = w->block->order;
    struct races *r = w->worker->launch->device->races;
    know **near = o->order & ORDER_ACQUIRE ? &x->knows[w->index] : &x->near[w->index];
    know **wide = o->order & ORDER_ACQUIRE ? &x->knows[w->index] : &x->seen[w->index];
    if (o->order & ORDER_WIDE)
        *wide = know_join(r, *wide, f->release);
    x->hints[w->index] = know_join(r, x->hints[w->index], f->hint);
    if (f->near_block == (uint32_t)w->block->linear)
        *near = know_join(r, *near, f->near);
}

static void tell(warp *w, const op *o, flag *f, know *wide, know *near, access_kind kind)
{
    struct races *r = w->worker->launch->device->races;
    bool adds = kind == ATOMIC; // what others told through it stays told
    if (!(o->order & ORDER_WIDE))
        wide = NULL;
    f->release = adds ? know_join(r, f->release, wide) : wide;
    if (f->near_block != (uint32_t)w->block->linear)
        f->near = NULL;
    f->near_block = (uint32_t)w->block->linear;
    bool later = near && f->near && f->near->row_count && f->near->warp == near->warp &&
                 f->near->lanes == near->lanes; // it knows all that the one before knew
    f->near = adds && !later ? know_join(r, f->near, near) : near;
    if (wide)
        wide->published = true;
    if (near)
        near->published = true;
}

enum { MOST_HINTS = 1 << 22 };

void race_synchronise(warp *w, const op *o, uint64_t key, uint32_t lane, access_kind kind)
{
    order *x = w->block->order;
    struct races *r = w->worker->launch->device->races;
    uint32_t i = w->index;
    know *wide = x->fenced[i] >> lane & 1 ? x->fence[i][lane] : NULL;
    know *near = x->fenced_near[i] >> lane & 1 ? x->fence_near[i][lane] : NULL;
    if (kind != LOAD && o->order & ORDER_RELEASE)
        wide = near = x->last_fence[i]; // made just now, by race_release
    if (kind == ATOMIC && !(key >> 63) && !wide && !near && !o->mode)
        r->bare_site = w->frame->code->site_base + o->site + 1;
    bool tells = kind != LOAD && (wide || near);
    bool hints = kind == STORE && !(key >> 63) && r->flag_count < MOST_HINTS;
    if (!tells && !hints && !r->flag_count)
        return;
    flag *f = tells || hints ? new_flag(r, key) : slot_of(r, key);
    if (!f->key)
        return;
    if (kind != STORE)
        seen(w, o, f);
    if (hints)
        f->hint = know_hint(w);
    if (kind != LOAD)
        tell(w, o, f, wide, near, kind);
}
