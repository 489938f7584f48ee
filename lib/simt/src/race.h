// Who touched a word last, and what happened before what.
//
// A stamp says who touched a word: a segment, which is what one warp does between two of
// its synchronisations, and in a second word the lane and the kind of access. Segments
// have rising numbers, so stamps of earlier launches (or, on shared memory, of what a
// block did before its last full barrier) are older than a number, and need no look.

#ifndef SIMT_RACE_H
#define SIMT_RACE_H

#include "exec.h"

// ---- Stamps ---------------------------------------------------------------------

// The second word of a stamp.
#define STAMP_LANE 31u
#define STAMP_BYTES_SHIFT 5           // which of the word's four
#define STAMP_BYTES (15u << STAMP_BYTES_SHIFT)
#define STAMP_STRENGTH_SHIFT 9
#define STAMP_STRENGTH (3u << STAMP_STRENGTH_SHIFT)
#define STAMP_WIDE (1u << 11)         // strong beyond its block
#define STAMP_CACHED (1u << 12)       // a load through the read-only cache
#define STAMP_SEVERAL (1u << 13)      // loads, of the whole word, by other lanes too
#define STAMP_SITE_SHIFT 14
enum { PLAIN, VOLATILE, STRONG, ASYNC }; // strong: atomics and relaxed; async: on its way
#define FIRST_COPY 0xffffffe0u // the segment of a copy under way: + its warp
enum { MOST_SITES = (1 << 18) - 1 };

typedef struct tracks { // of consecutive words
    uint32_t *writer, *writer_how;
    uint32_t *reader, *reader_how;
    uint32_t *other, *other_how; // the reader before, another thread
} tracks;

typedef struct segment {
    uint32_t block;
    uint32_t at; // the warp's time << 5 | warp
} segment;

typedef struct segments {
    segment *list;
    uint32_t first, count, capacity; // list[0] has number `first`
} segments;

// ---- What happened before what --------------------------------------------------

// What a thread has learnt from other blocks, or all it knew when it made it known: a
// node of a graph that only grows. Of a warp i of the block, all up to row[i] is known;
// of `warp`, its lanes `lanes` up to `time`. A node without warps just joins two.
typedef struct know know;
struct know {
    know *a, *b;
    uint32_t block, time, lanes, row_count;
    uint32_t mark, closure;
    uint8_t warp;
    bool published;
    uint32_t row[];
};

typedef struct clock_of { // what meets at a barrier
    uint32_t row[32];
    know *knows, *seen, *near, *hints;
} clock_of;

typedef struct meeting { // an mbarrier
    const uint64_t *word;
    clock_of coming, passed;
} meeting;

struct order { // of a block
    uint32_t warps;
    uint32_t row[32][32];  // row[j][i]: warp j knows what warp i did up to there
    uint32_t time[32];
    uint32_t global[32], shared[32]; // the warp's segments; 0: none yet
    know *knows[32];       // of other blocks
    know *seen[32];        // what flags said, before a fence makes it known
    know *near[32];        // the same, of flags that are for this block only
    know *hints[32];       // what flags said that no fence stands before: loads are done
    know *hint[32];        // the last that the warp gave
    uint32_t fenced[32], fenced_near[32]; // lanes that have made a fence
    know *fence[32][32];
    know *fence_near[32][32];
    know *last_fence[32];
    clock_of barrier[16];
    clock_of cluster;
    meeting *meetings;
    uint32_t meeting_count;
    segments segments;     // of its shared memory
    uint32_t floor;        // older ones happened before
    tracks tracks;
    uint32_t words;
    bool copies;           // there may be stamps of copies under way
};

// ---- The device's ---------------------------------------------------------------

enum { CHUNK_SHIFT = 20, CHUNK_WORDS = 1 << (CHUNK_SHIFT - 2) };

typedef struct flag { // a place where threads synchronise
    uint64_t key;
    know *release;     // what its last strong store made known
    know *near;        // the same for `near_block` alone
    know *hint;        // what was done before it, without a fence
    uint32_t near_block;
} flag;

typedef struct chunk_of { // the shadow of a mebibyte
    uint64_t number; // + 1; 0: a free slot
    uint32_t *words;
} chunk_of;

struct races {
    segments segments;
    uint32_t since;        // the first since the record was reset
    bool aside;            // since then something was read and has no stamp of it
    chunk_of *chunks;
    uint32_t chunk_slots, chunk_count;
    uint64_t last_number;  // the chunk found last
    tracks last;
    flag *flags;
    uint32_t flag_slots, flag_count;
    struct arena_of { struct arena_of *next; size_t used; char bytes[]; } *arena;
    uint32_t marks, closures;
    struct closure *closure;
    know **stack;
    uint32_t stack_capacity;
    uint32_t bare_site;    // the last flag that was set without a fence before it + 1
    uint32_t narrow_site;  // the last fence of block scope + 1
    bool wide_fence;       // there was one of a wider scope
    launch ended;          // as much of the last launch as race_place needs
    simt_launch ended_what;
};

// race_order.c
know *know_join(struct races *r, know *a, know *b);
know *know_release(warp *w, bool wide); // what the warp's lanes know now
know *know_hint(warp *w);
// Does what (block, warp, lane) did at a time happen before what w does now?
bool order_before(const warp *w, uint32_t block, uint32_t at, uint32_t lane);
bool know_covers(struct races *r, know *root, uint32_t block, uint32_t at, uint32_t lane);

void closures_forget(struct races *r); // race_know.c

// race_shadow.c
bool races_tracks(struct races *r, uint64_t address, tracks *t); // of its chunk
tracks tracks_of(uint32_t *words, size_t count);
uint32_t segment_new(segments *s, uint32_t block, uint32_t at);
const segment *segment_of(const segments *s, uint32_t number);

// race_sync.c: an access that synchronises; before it is done.
void race_synchronise(warp *w, const op *o, uint64_t key, uint32_t lane, access_kind kind);

// race.c: one access, as the check sees it.
typedef struct look {
    warp *w;
    const op *o;
    tracks t;
    segments *segments;
    uint64_t base;     // address of the first word of t
    uint32_t words;    // how many
    uint32_t floor, mine, how; // mine: my segment
    access_kind kind;
    bool shared;
} look;

// One lane's bytes: findings, and the new stamps. `done`: lanes before it.
void race_lane(const look *k, uint32_t lane, uint64_t address, uint32_t bytes, uint32_t done);
uint32_t race_how(const warp *w, const op *o);
// Who left a stamp: its line and thread. False: the line is not known.
bool race_place(const launch *run, const segment *s, uint32_t how, simt_place *p);
void race_shared(look *k, warp *w, const op *o, block *owner);
bool race_global(look *k, warp *w, const op *o, uint64_t address);

// The reader of word i becomes the one before, unless it is of my warp.
static inline void race_read(const tracks *t, uint32_t i, uint32_t floor, uint32_t mine,
                             uint32_t how)
{
    uint32_t had = t->reader_how[i], by = t->reader[i];
    if (by == mine && (had & how & STAMP_BYTES) == STAMP_BYTES) {
        t->reader_how[i] = how | ((had ^ how) & STAMP_LANE ? STAMP_SEVERAL : had & STAMP_SEVERAL);
        return;
    }
    if (by >= floor && (by != mine || (had ^ how) & STAMP_LANE)) {
        t->other[i] = by;
        t->other_how[i] = had;
    }
    t->reader[i] = mine;
    t->reader_how[i] = how;
}

#endif
