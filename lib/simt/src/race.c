// Races on shared memory between two barriers.
//
// Two accesses to one byte race if one is a store, they come from different threads,
// and no barrier lies between: __syncthreads() for threads of different warps,
// __syncwarp() or better for lanes of one warp. Stores of equal values do not count,
// nor do two atomics. The check does not depend on the order in which warps happened to
// run: whichever access comes second finds the first one's mark.

#include "race.h"

#include <stdlib.h>
#include <string.h>

shadow *shadow_new(size_t shared_bytes)
{
    return calloc(shared_bytes / 4 + 1, sizeof(shadow));
}

void shadow_reset(block *b, size_t shared_bytes)
{
    memset(b->shadows, 0, (shared_bytes / 4 + 1) * sizeof(shadow));
}

static bool ordered(const warp *w, const touch *t, uint32_t thread)
{
    if (t->epoch != w->block->epoch || t->thread == thread)
        return true;
    return t->thread / 32 == thread / 32 && t->warp_epoch != w->sync_epoch;
}

static void place_of_touch(const warp *w, const touch *t, simt_place *p)
{
    const launch *run = w->worker->launch;
    p->file = module_file(run->module, (uint16_t)(t->place >> 20));
    p->line = (int)(t->place & 0xfffff);
    memcpy(p->block, w->block->id, sizeof p->block);
    const uint32_t *n = run->what->block;
    p->thread[0] = t->thread % n[0];
    p->thread[1] = t->thread / n[0] % n[1];
    p->thread[2] = t->thread / n[0] / n[1];
}

static void report(warp *w, const op *o, int lane, const touch *t, uint32_t address,
                   uint32_t bytes, int how)
{
    static const char *const names[] = {"load", "store", "atomic"};
    simt_fault f = {.kind = SIMT_RACE, .bytes = bytes, .address = address};
    f.kernel = w->worker->launch->code->function->name;
    fault_place(w, o, lane, &f.at);
    place_of_touch(w, t, &f.other);
    strcpy(f.access, names[how]);
    strcpy(f.other_access, names[t->how]);
    strcpy(f.space, "shared");
    strcpy(f.detail, t->thread / 32 == (w->index * 32 + (uint32_t)lane) / 32
                         ? "within one warp, without __syncwarp()"
                         : "between two warps, without __syncthreads()");
    finding_add(w->worker->launch->device, &f);
}

// Does a lane store what is there already? `done`: lanes of this very instruction that
// came before it, whose stores have not reached memory yet.
static bool same_value(const warp *w, const op *o, int lane, const touch *earlier,
                       uint32_t done, uint32_t place, uint32_t address,
                       uint32_t bytes)
{
    if (o->vec != 1 || bytes > o->width)
        return false;
    const char *from = (const char *)w->bank[o->d >> 30] + (o->d & 0x3fffffffu);
    const char *mine = from + (size_t)lane * o->width;
    uint32_t other = earlier->thread % 32;
    if (earlier->thread / 32 == w->index && done >> other & 1 && earlier->place == place)
        return !memcmp(mine, from + (size_t)other * o->width, bytes);
    return !memcmp(mine, w->block->shared + address, bytes);
}

void race_check(warp *w, const op *o, const uint32_t *address, uint32_t bytes, int how)
{
    block *b = w->block;
    size_t size = w->worker->launch->shared;
    const place_of *p = &w->frame->code->places[o - w->ops];
    touch mine = {.epoch = b->epoch, .warp_epoch = w->sync_epoch, .how = (uint8_t)how,
                  .place = (uint32_t)(p->file & 0xfff) << 20 | (p->line & 0xfffff)};
    uint32_t done = 0;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        uint32_t a = address[l];
        if ((uint64_t)a + bytes > size)
            continue; // the access itself will fault
        mine.thread = (uint16_t)(w->index * 32 + (uint32_t)l);
        for (uint32_t at = a & ~3u; at < a + bytes; at += 4) {
            shadow *s = &b->shadows[at / 4];
            uint32_t first = at < a ? a - at : 0, last = a + bytes - at < 4 ? a + bytes - at : 4;
            mine.bytes = (uint8_t)(((1u << last) - 1) & ~((1u << first) - 1));
            const touch *found = NULL;
            if (s->write.bytes & mine.bytes && !ordered(w, &s->write, mine.thread) &&
                !(how == 2 && s->write.how == 2) &&
                !(how == 1 && s->write.how == 1 &&
                  same_value(w, o, l, &s->write, done, mine.place, a, bytes)))
                found = &s->write;
            if (how && s->read.bytes & mine.bytes && !ordered(w, &s->read, mine.thread))
                found = &s->read;
            if (how && s->other_read.bytes & mine.bytes &&
                !ordered(w, &s->other_read, mine.thread))
                found = &s->other_read;
            if (how && s->foreign_read.bytes & mine.bytes &&
                !ordered(w, &s->foreign_read, mine.thread))
                found = &s->foreign_read;
            if (found)
                report(w, o, l, found, a, bytes, how);
            if (how) {
                s->write = mine;
            } else {
                if (s->read.epoch == b->epoch && s->read.thread != mine.thread)
                    *(s->read.thread / 32 == mine.thread / 32 ? &s->other_read
                                                              : &s->foreign_read) = s->read;
                s->read = mine;
            }
        }
        done |= 1u << l;
    }
}
