// Copies to shared memory that go on by themselves. While one is under way its place has
// the stamp of a copy, which is never ordered, not even for the thread that asked for it;
// when it is waited for, the thread's own.

#include "async.h"

#include "access.h"

#include "race.h"

uint32_t order_time(const warp *w)
{
    return w->block->order ? w->block->order->time[w->index] : 0;
}

// Stamp the words of [address, address + bytes) of the block's shared memory.
static void mark(block *b, u64 address, u64 bytes, u32 by, u32 how)
{
    const tracks *t = &b->order->tracks;
    for (u64 at = address & ~(u64)3; at < address + bytes && at / 4 < b->order->words; at += 4) {
        t->writer[at / 4] = by;
        t->writer_how[at / 4] = how | STAMP_BYTES;
    }
}

static u32 copy_how(const warp *w, const op *o, u32 lane)
{
    u32 plain = race_how(w, o) & ~STAMP_STRENGTH;
    return plain | lane | ASYNC << STAMP_STRENGTH_SHIFT;
}

void race_copy_begins(warp *w, const op *o, const access *from, const u32 *to)
{
    if (!w->block->order)
        return;
    look k = {.kind = LOAD, .how = race_how(w, o)};
    for (u32 m = from->mask; m; m &= m - 1) {
        u32 l = first_lane(m);
        if (race_global(&k, w, o, from->address[l]))
            race_lane(&k, l, from->address[l], from->size, 0);
    }
    k.kind = STORE;
    race_shared(&k, w, o, w->block);
    w->block->order->copies = true;
    for (u32 m = from->mask; m; m &= m - 1) {
        u32 l = first_lane(m);
        race_lane(&k, l, to[l], from->size, 0);
        mark(w->block, to[l], from->size, FIRST_COPY + w->index, copy_how(w, o, l));
    }
}

// A segment of the warp at a time of its past, or now.
static u32 segment_then(warp *w, u32 time)
{
    order *x = w->block->order;
    time = time ? time : x->time[w->index];
    return segment_new(&x->segments, (u32)w->block->linear, time << 5 | w->index);
}

void race_copy_ends(warp *w, const async_copy *c, uint32_t lanes, uint32_t time)
{
    if (!w->block->order)
        return;
    u32 by = segment_then(w, time);
    for (u32 m = lanes; m; m &= m - 1) {
        u32 l = first_lane(m), how = (u32)w->block->order->tracks.writer_how[c->at[l] / 4];
        mark(w->block, c->at[l], c->bytes, by, how & ~(STAMP_STRENGTH | STAMP_BYTES));
    }
}

// Those to other blocks of the cluster are not looked at.
void race_bulk_begins(warp *w, const op *o, int lane, const char *to, uint64_t bytes)
{
    block *b = w->block;
    u64 at = (u64)(to - b->shared);
    if (!b->order || to < b->shared || at >= w->worker->launch->shared)
        return;
    look k = {.kind = STORE, .how = race_how(w, o)};
    race_shared(&k, w, o, b);
    b->order->copies = true;
    for (u64 i = at; i < at + bytes; i += 16)
        race_lane(&k, (u32)lane, i, 16, 0);
    mark(b, at, bytes, FIRST_COPY + w->index, copy_how(w, o, (u32)lane));
}

void race_bulk_ends(const pending *p)
{
    block *b = p->issuer->block;
    u64 at = (u64)(p->to - b->shared);
    if (!b->order || p->to < b->shared || at >= p->issuer->worker->launch->shared)
        return;
    u32 how = b->order->tracks.writer_how[at / 4] & ~(STAMP_STRENGTH | STAMP_BYTES);
    mark(b, at, p->bytes, segment_then(p->issuer, p->time), how);
}
