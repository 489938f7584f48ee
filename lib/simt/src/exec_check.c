// A memory access under checks: which lanes touch what, then the checks, then the access.
//
// Most accesses are of a whole warp to neighbouring words that nobody else has touched
// since they were last ordered: those take a few vector operations a check. For all
// others there is race.c, a lane at a time.

#include "access.h"

#include "check.h"
#include "exec_init.h"
#include "race.h"

enum { INTERRUPTED = 1 << 12 }; // as many backward jumps: others have a turn

static u32 lanes_of(const warp *w, const op *o)
{
    if (o->lanes == CHECK_GUARDED) {
        u32 p = predicate_mask(AT(w, o->guard));
        return w->mask & (o->guard_not ? ~p : p);
    }
    if (o->lanes == CHECK_ROWS && o->sub < 32)
        return w->mask & ((1u << o->sub) - 1);
    return w->mask;
}

// ---- Races ----------------------------------------------------------------------

// Was one of these words touched since `floor` by another thread than word k's, which is
// lane k >> shift?
static inline bool strangers(const u32 *by, const u32 *how, u32 floor, u32 mine, int shift)
{
    u32 bad = 0;
    _Pragma("GCC ivdep") for (int k = 0; k < 32 << shift; k++)
    {
        u32 fresh = by[k] >= floor ? ~0u : 0;
        u32 other = (by[k] ^ mine) | ((how[k] ^ (u32)(k >> shift)) & STAMP_LANE);
        bad |= fresh & other;
    }
    return bad;
}

static inline void stamp(u32 *by, u32 *to, u32 mine, u32 how, int shift)
{
    _Pragma("GCC ivdep") for (int k = 0; k < 32 << shift; k++)
    {
        by[k] = mine;
        to[k] = how | STAMP_BYTES | (u32)(k >> shift);
    }
}

// The reader of each word becomes the one before, unless it is the same thread.
static inline void keep_reader(const tracks *t, u32 i, u32 mine, int shift)
{
    const u32 *by = t->reader + i, *how = t->reader_how + i;
    u32 *to = t->other + i, *to_how = t->other_how + i;
    _Pragma("GCC ivdep") for (int k = 0; k < 32 << shift; k++)
    {
        bool other = (by[k] ^ mine) | ((how[k] ^ (u32)(k >> shift)) & STAMP_LANE);
        to[k] = other ? by[k] : to[k];
        to_how[k] = other ? how[k] : to_how[k];
    }
}

static inline bool quick_words(const look *k, u32 i, int shift)
{
    const tracks *t = &k->t;
    if (strangers(t->writer + i, t->writer_how + i, k->floor, k->mine, shift))
        return false;
    bool read = strangers(t->reader + i, t->reader_how + i, k->floor, k->mine, shift);
    if (k->kind == LOAD) {
        if (read)
            keep_reader(t, i, k->mine, shift);
        stamp(t->reader + i, t->reader_how + i, k->mine, k->how, shift);
        return true;
    }
    if (read || strangers(t->other + i, t->other_how + i, k->floor, k->mine, shift))
        return false;
    stamp(t->writer + i, t->writer_how + i, k->mine, k->how, shift);
    return true;
}

// Done, without anything found?
static bool quick(const look *k, const access *x)
{
    u64 i = (x->address[0] - k->base) / 4;
    if (!x->contiguous || x->address[0] & 3 || i + 8 * (u64)x->size > k->words)
        return false;
    switch (x->size) {
    case 4: return quick_words(k, (u32)i, 0);
    case 8: return quick_words(k, (u32)i, 1);
    case 16: return quick_words(k, (u32)i, 2);
    default: return false;
    }
}

static inline bool same_thread(u32 by, u32 how, u32 mine, u32 lane)
{
    return by == mine && (how & STAMP_LANE) == lane;
}

// One lane's aligned word that nobody else has touched since `floor`.
static inline bool quick_lane(const look *k, u64 i, u32 lane)
{
    const tracks *t = &k->t;
    u32 mine = k->mine, floor = k->floor;
    if (i >= k->words ||
        (t->writer[i] >= floor && !same_thread(t->writer[i], t->writer_how[i], mine, lane)))
        return false;
    bool read = t->reader[i] >= floor &&
                !same_thread(t->reader[i], t->reader_how[i], mine, lane);
    if (k->kind == LOAD) {
        if (read) {
            t->other[i] = t->reader[i];
            t->other_how[i] = t->reader_how[i];
        }
        t->reader[i] = mine;
        t->reader_how[i] = k->how | STAMP_BYTES | lane;
        return true;
    }
    if (read || (t->other[i] >= floor &&
                 !same_thread(t->other[i], t->other_how[i], mine, lane)))
        return false;
    t->writer[i] = mine;
    t->writer_how[i] = k->how | STAMP_BYTES | lane;
    return true;
}

// The block whose shared memory it is, its address there.
static block *owner_of(warp *w, u64 *address)
{
    u64 rank = *address >> SHARED_RANK;
    *address &= ((u64)1 << SHARED_RANK) - 1;
    if (!rank)
        return w->block;
    return rank <= w->block->cluster->size ? &w->block->cluster->blocks[rank - 1] : NULL;
}

static void lanes_race(warp *w, const op *o, const access *x, ptx_space space, look *k)
{
    u32 done = 0, lanes = x->mask;
    if (x->uniform && k->kind == LOAD && lanes & (lanes - 1)) { // two stand for all
        u32 last = 31 - (u32)__builtin_clz(lanes);
        u32 rest = lanes & ~(1u << last);
        lanes = 1u << last | 1u << (31 - __builtin_clz(rest));
    }
    for (u32 m = lanes; m; m &= m - 1) {
        u32 l = first_lane(m);
        u64 a = x->address[l];
        if (space == S_SHARED) {
            block *b = owner_of(w, &a);
            if (b && b->order && !b->finished &&
                fits(a, x->size, w->worker->launch->shared)) {
                race_shared(k, w, o, b);
                if (x->size != 4 || !quick_lane(k, a / 4, l))
                    race_lane(k, l, a, x->size, done);
            }
        } else if (race_global(k, w, o, a)) {
            if (x->size != 4 || !quick_lane(k, (a - k->base) / 4, l))
                race_lane(k, l, a, x->size, done);
            if ((a & (((u64)1 << CHUNK_SHIFT) - 1)) + x->size > (u64)1 << CHUNK_SHIFT &&
                race_global(k, w, o, a + x->size - 1)) // the rest, in the next chunk
                race_lane(k, l, k->base, (u32)(a + x->size - k->base), done);
        }
        done |= 1u << l;
    }
}

static void synchronise(warp *w, const op *o, const access *x, ptx_space space, access_kind kind)
{
    u64 own = (u64)1 << 63;
    if (kind != LOAD && o->order & ORDER_RELEASE)
        w->block->order->last_fence[w->index] = know_release(w, false);
    for (u32 m = x->mask; m; m &= m - 1) {
        u32 l = first_lane(m);
        u64 a = x->address[l];
        block *b = space == S_SHARED ? owner_of(w, &a) : NULL;
        race_synchronise(w, o, space != S_SHARED ? a : own | (b ? b->linear : 0) << 24 | a, l, kind);
    }
}

static void look_for_races(warp *w, const op *o, const access *x, ptx_space space)
{
    look k = {.kind = op_kind(w, o)};
    k.how = race_how(w, o, k.kind);
    bool there = true;
    if (space == S_SHARED)
        race_shared(&k, w, o, w->block);
    else
        there = race_global(&k, w, o, x->address[0]);
    if (there && (o->order & ORDER_STRENGTH || !quick(&k, x)))
        lanes_race(w, o, x, space, &k);
    if (o->order & ORDER_STRENGTH)
        synchronise(w, o, x, space, k.kind);
}

// ---- The access -----------------------------------------------------------------

// In one space, its addresses those of that space.
static void look_at(warp *w, const op *o, const access *x, ptx_space space)
{
    if (w->worker->launch->device->config.checks & SIMT_CHECK_INIT && space != S_PARAM &&
        space != S_CONST)
        look_fresh(w, o, x, space);
    if (w->block->order && (space == S_SHARED || space == S_GLOBAL))
        look_for_races(w, o, x, space);
}

static void look_at_parts(warp *w, const op *o, const access *x)
{
    u32 masks[3];
    access part;
    spaces_of(x, masks);
    for (int s = 0; s < 3; s++)
        if (masks[s]) {
            take_part(&part, x, s, masks[s]);
            look_at(w, o, &part, space_of_part(s));
        }
}

int SIMT_FN(checked)(warp *w, const op *o)
{
    u32 all = w->mask, mask = lanes_of(w, o);
    if (!mask)
        return GO;
    if (mask != all)
        warp_set_mask(w, mask);
    access x;
    find_addresses(w, o, &x);
    if (misaligned_lane(&x) < 0) {
        if (o->space == S_REG)
            look_at_parts(w, o, &x);
        else
            look_at(w, o, &x, (ptx_space)o->space);
    }
    int e = o->inner(w, o);
    if (mask != all)
        warp_set_mask(w, all);
    if (e != GO || !schedule_interrupts(w->worker))
        return e;
    w->spin += INTERRUPTED;
    w->pc = (u32)(o - w->ops) + 1;
    return JUMP;
}
