// Bytes that nobody has written: who stored beside them? A thread that stores no element,
// or a loop that ends too early, is at the line that stored the neighbours.

#include "race.h"

#include "lanes.h"

enum { FARTHEST = 4096 }; // words to look at, each way

static bool written_by(const launch *run, const segments *list, const tracks *t, uint64_t i,
                       simt_place *p)
{
    const segment *s = segment_of(list, t->writer[i]);
    if (!s || !t->writer[i])
        return false;
    return race_place(run, s, t->writer_how[i], p);
}

// The nearest word before or behind `at`, of those from `low` to below `high`, that a
// kernel's store of this launch has written. Bytes from `at` to it in *distance.
static bool nearest(const launch *run, const segments *list, const tracks *t, uint64_t at,
                    uint64_t low, uint64_t high, simt_place *p, int64_t *distance)
{
    for (uint64_t d = 1; d < FARTHEST; d++) {
        bool before = at >= low + d, behind = at + d < high;
        if (before && written_by(run, list, t, at - d, p)) {
            *distance = -4 * (int64_t)d;
            return true;
        }
        if (behind && written_by(run, list, t, at + d, p)) {
            *distance = 4 * (int64_t)d;
            return true;
        }
        if (!before && !behind)
            break;
    }
    return false;
}

bool neighbour_of(const warp *w, bool shared, uint64_t address, const range *held,
                  simt_place *p, int64_t *distance)
{
    const launch *run = w->worker->launch;
    const order *x = w->block->order;
    tracks t;
    if (!x)
        return false;
    if (shared)
        return address / 4 < x->words && nearest(run, &x->segments, &x->tracks, address / 4, 0,
                                                 x->words, p, distance);
    struct races *r = run->device->races;
    uint64_t base = address >> CHUNK_SHIFT << CHUNK_SHIFT, end = base + 4 * CHUNK_WORDS;
    uint64_t low = held->low > base ? held->low : base;
    uint64_t high = held->high < end ? held->high : end;
    return races_tracks(r, address, &t) &&
           nearest(run, &r->segments, &t, (address - base) / 4, (low - base) / 4,
                   (high - base + 3) / 4, p, distance);
}
