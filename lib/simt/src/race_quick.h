// Races, the quick way: accesses to words that no other thread has touched since `floor`
// need their stamps changed and no more. For all others there is race.c, a lane at a time.
//
// Included by exec_check.c alone, which is compiled for each instruction set.

#ifndef SIMT_RACE_QUICK_H
#define SIMT_RACE_QUICK_H

#include "access.h"

#include "race.h"

// ---- Neighbouring words ---------------------------------------------------------

static inline bool fresh(const u32 *by, u32 floor, int shift)
{
    u32 any = 0;
    for (int k = 0; k < 32 << shift; k++)
        any |= by[k] >= floor ? ~0u : 0;
    return any;
}

// Was one of these words touched since `floor` by another thread than word k's, which is
// lane k >> shift?
static inline bool strangers(const u32 *by, const u32 *how, u32 floor, u32 mine, int shift)
{
    u32 bad = 0;
    if (!fresh(by, floor, shift))
        return false;
    for (int k = 0; k < 32 << shift; k++) {
        u32 since = by[k] >= floor ? ~0u : 0;
        u32 other = (by[k] ^ mine) | ((how[k] ^ (u32)(k >> shift)) & (STAMP_LANE | STAMP_SEVERAL));
        bad |= since & other;
    }
    return bad;
}

static inline void stamp(u32 *restrict by, u32 *restrict to, u32 mine, u32 how, int shift)
{
    for (int k = 0; k < 32 << shift; k++)
        by[k] = mine;
    for (int k = 0; k < 32 << shift; k++)
        to[k] = how | STAMP_BYTES | (u32)(k >> shift);
}

// As race_read, of whole words.
static inline void read_words(const tracks *t, u32 i, u32 mine, u32 how, int shift)
{
    u32 *restrict by = t->reader + i, *restrict to = t->reader_how + i;
    u32 *restrict before = t->other + i, *restrict before_how = t->other_how + i;
    for (int k = 0; k < 32 << shift; k++) {
        u32 had = to[k], now = how | STAMP_BYTES | (u32)(k >> shift);
        u32 same = by[k] == mine ? ~0u : 0;
        u32 whole = (had & STAMP_BYTES) == STAMP_BYTES ? ~0u : 0;
        u32 lane = (had ^ now) & STAMP_LANE ? 0 : ~0u;
        u32 push = ~same | (~whole & ~lane);
        before[k] = (by[k] & push) | (before[k] & ~push);
        before_how[k] = (had & push) | (before_how[k] & ~push);
        by[k] = mine;
        to[k] = now | (same & whole & (had | ~lane) & STAMP_SEVERAL);
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
            read_words(t, i, k->mine, k->how, shift);
        else
            stamp(t->reader + i, t->reader_how + i, k->mine, k->how, shift);
        return true;
    }
    if (read || strangers(t->other + i, t->other_how + i, k->floor, k->mine, shift))
        return false;
    stamp(t->writer + i, t->writer_how + i, k->mine, k->how, shift);
    return true;
}

// ---- Words anywhere -------------------------------------------------------------

static inline bool alien(u32 by, u32 how, const look *k, u32 lane)
{
    return by >= k->floor && (by != k->mine || (how ^ lane) & (STAMP_LANE | STAMP_SEVERAL));
}

// One load of a lane, or of many: has each word been read by my warp already?
static inline bool quick_loads(const look *k, const access *x, const u32 *word)
{
    const tracks *t = &k->t;
    const u32 *writer = t->writer, *reader = t->reader, *reader_how = t->reader_how;
    u32 bad = 0, news = 0, floor = k->floor, mine = k->mine;
    for (int l = 0; l < 32; l++)
        bad |= writer[word[l]] >= floor ? ~0u : 0;
    if (bad) {
        bad = 0;
        for (u32 m = x->mask; m; m &= m - 1) {
            u32 l = first_lane(m), i = word[l];
            bad |= alien(t->writer[i], t->writer_how[i], k, l);
        }
        if (bad)
            return false;
    }
    for (int l = 0; l < 32; l++)
        news |= (reader[word[l]] ^ mine) | (~reader_how[word[l]] & (STAMP_SEVERAL | STAMP_BYTES));
    if (!news)
        return true;
    u32 inner[32], within = 0; // in a row of lanes with one word the ends stand for all
    inner[0] = inner[31] = 0;
    for (int l = 1; l < 31; l++)
        inner[l] = word[l] == word[l - 1] && word[l] == word[l + 1];
    for (int l = 0; l < 32; l++)
        within |= inner[l] << l;
    for (u32 m = x->mask == 0xffffffffu ? ~within : x->mask; m; m &= m - 1) {
        u32 l = first_lane(m);
        race_read(t, word[l], floor, mine, k->how | STAMP_BYTES | l);
    }
    return true;
}

static inline bool quick_store(const look *k, u32 i, u32 lane)
{
    const tracks *t = &k->t;
    if (alien(t->writer[i], t->writer_how[i], k, lane) ||
        alien(t->reader[i], t->reader_how[i], k, lane) ||
        alien(t->other[i], t->other_how[i], k, lane))
        return false;
    t->writer[i] = k->mine;
    t->writer_how[i] = k->how | STAMP_BYTES | lane;
    return true;
}

// An atomic of a word that only other atomics touched.
static inline bool quick_atomic(const look *k, u32 i, u32 lane)
{
    const tracks *t = &k->t;
    u32 how = t->writer_how[i];
    bool strong = (how & STAMP_STRENGTH) >> STAMP_STRENGTH_SHIFT == STRONG &&
                  (k->shared || how & k->how & STAMP_WIDE);
    if ((!strong && alien(t->writer[i], how, k, lane)) || t->reader[i] >= k->floor ||
        t->other[i] >= k->floor)
        return false;
    t->writer[i] = k->mine;
    t->writer_how[i] = k->how | STAMP_BYTES | lane;
    return true;
}

// ---- An access ------------------------------------------------------------------

// The block whose shared memory it is, its address there.
static inline block *owner_of(warp *w, u64 *address)
{
    u64 rank = *address >> SHARED_RANK;
    *address &= ((u64)1 << SHARED_RANK) - 1;
    if (!rank)
        return w->block;
    return rank <= w->block->cluster->size ? &w->block->cluster->blocks[rank - 1] : NULL;
}

// Lanes that lie elsewhere than k's words, or are of odd sizes.
static inline void lane_anywhere(warp *w, const op *o, u64 a, u32 size, u32 l, bool shared,
                                 u32 done, look *k)
{
    if (shared) {
        block *b = owner_of(w, &a);
        if (b && b->order && !b->finished && fits(a, size, w->worker->launch->shared)) {
            race_shared(k, w, o, b);
            race_lane(k, l, a, size, done);
        }
        return;
    }
    u64 chunk = (u64)1 << CHUNK_SHIFT;
    if (race_global(k, w, o, a))
        race_lane(k, l, a, size, done);
    if ((a & (chunk - 1)) + size > chunk && race_global(k, w, o, a + size - 1))
        race_lane(k, l, k->base, (u32)(a + size - k->base), done); // the rest, in the next
}

static inline void lanes_race(warp *w, const op *o, const access *x, bool shared, const look *k)
{
    u32 done = 0;
    bool plain = !(o->order & ORDER_STRENGTH), atomic = k->kind == ATOMIC && x->size == 4;
    look other = *k;
    for (u32 m = x->mask; m; m &= m - 1) {
        u32 l = first_lane(m);
        u64 a = x->address[l], i = (a - k->base) / 4;
        bool here = i < k->words && (!shared || fits(a, x->size, w->worker->launch->shared));
        if (!(here && x->size == 4 &&
              ((plain && k->kind == STORE && quick_store(k, (u32)i, l)) ||
               (atomic && quick_atomic(k, (u32)i, l)))))
            lane_anywhere(w, o, a, x->size, l, shared, done, &other);
        done |= 1u << l;
    }
}

// Loads of one element of four bytes, all of them among k's words.
static inline bool quick_gather(warp *w, const access *x, bool shared, const look *k)
{
    u32 word[32], room = shared ? (u32)(w->worker->launch->shared / 4) : k->words;
    u64 far = 0;
    if (k->kind != LOAD || x->size != 4)
        return false;
    for (int l = 0; l < 32; l++) {
        u64 i = (x->address[l] - k->base) >> 2;
        far |= i >= room;
        word[l] = (u32)i;
    }
    return !far && quick_loads(k, x, word);
}

static inline bool quick(const look *k, const access *x)
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

static inline void synchronise(warp *w, const op *o, const access *x, bool shared,
                               access_kind kind)
{
    u64 own = (u64)1 << 63;
    order *mine = w->block->order;
    if (kind != LOAD && o->order & ORDER_RELEASE)
        mine->last_fence[w->index] = know_release(w, false);
    else if ((kind != STORE || shared) && !mine->fenced_near[w->index] &&
             !w->worker->launch->device->races->flag_count) {
        if (kind == ATOMIC && !shared && !o->mode) // who uses the old value draws a ticket
            w->worker->launch->device->races->bare_site = w->frame->code->site_base + o->site + 1;
        return;
    }
    for (u32 m = x->mask; m; m &= m - 1) {
        u32 l = first_lane(m);
        u64 a = x->address[l];
        block *b = shared ? owner_of(w, &a) : NULL;
        race_synchronise(w, o, shared ? own | (b ? b->linear : 0) << 24 | a : a, l, kind);
    }
}

static inline void look_for_races(warp *w, const op *o, const access *x, bool shared,
                                  access_kind kind)
{
    look k;
    bool there = true;
    k.kind = kind;
    k.how = race_how(w, o);
    if (shared)
        race_shared(&k, w, o, w->block);
    else
        there = race_global(&k, w, o, x->address[0]);
    bool plain = !(o->order & (ORDER_STRENGTH | ORDER_CACHED));
    if (there && !(plain && (quick(&k, x) || quick_gather(w, x, shared, &k))))
        lanes_race(w, o, x, shared, &k);
    if (o->order & ORDER_STRENGTH)
        synchronise(w, o, x, shared, k.kind);
}

#endif
