// Copies that happen later: what waits for its turn, by warp and by cluster.

#ifndef SIMT_ASYNC_H
#define SIMT_ASYNC_H

#include "exec.h"

typedef struct async_copy { // of a warp's cp.async
    uint64_t number;        // rises from copy to copy
    const op *op;
    uint32_t mask;          // lanes whose bytes have not moved yet
    uint32_t bytes;         // a lane
    uint32_t group[32];     // groups that a lane had committed before
    uint32_t take[32];      // bytes from the source; zeros follow
    uint32_t at[32];        // shared address
    char *to[32], *from[32];
} async_copy;

typedef struct bulk_copy { // of one lane's cp.async.bulk to global memory
    uint32_t lane, group;
    uint64_t bytes;
    char *to, *from;
} bulk_copy;

struct async_state { // of a warp
    async_copy *copies;
    uint32_t count, capacity;
    uint64_t next;
    uint32_t groups[32], bulk_groups[32]; // committed
    bulk_copy *bulk;
    uint32_t bulk_count, bulk_capacity;
};

typedef struct pending { // what a barrier in shared memory will be told
    uint64_t *barrier;
    warp *warp;          // cp.async.mbarrier.arrive: of this warp's copies
    uint64_t before;     // with a lower number
    int lane;
    char *to, *from;     // warp is NULL: a bulk copy
    uint64_t bytes;
    warp *issuer;        // of it, for the race check
    const op *op;
    uint32_t time;       // of the warp, then
} pending;

struct pendings { // of a cluster
    pending *list;
    uint32_t count, capacity;
    uint32_t fruitless; // tests that failed since a barrier last changed
};

struct async_state *async_of(warp *w);
// Move the bytes of `lane`'s copies before a number.
void async_finish(warp *w, int lane, uint64_t before, uint32_t time);
// race_async.c: from here to there the place belongs to the copy alone.
struct access;
void race_copy_begins(warp *w, const op *o, const struct access *from, const uint32_t *to);
void race_copy_ends(warp *w, const async_copy *c, uint32_t lanes, uint32_t time);
void race_bulk_begins(warp *w, const op *o, int lane, const char *to, uint64_t bytes);
void race_bulk_ends(const pending *p);
uint32_t order_time(const warp *w);
void pending_add(warp *w, pending p);

// mbarrier.c
uint64_t *barrier_at(warp *w, const op *o, int lane, uint64_t address, bool live);
event barrier_arrive(warp *w, const op *o, int lane, uint64_t *word, uint32_t count);
void barrier_expect(uint64_t *word, int64_t bytes);
event barrier_complete(warp *w, const op *o, int lane, uint64_t *word, uint64_t bytes);
uint64_t shared_address(const warp *w, const op *o, uint32_t operand, int64_t imm, bool wide,
                        bool generic, int lane);

typedef struct async_operands { // op.extra of a copy
    uint32_t to, size, policy, barrier, mask;
    int64_t to_imm, barrier_imm;
    bool to_wide, to_generic, from_generic, barrier_wide, barrier_generic;
    bool ignores; // size is a predicate: true means zeros
    bool from_shared, to_global;
} async_operands;

handler control_copy, control_copy_commit, control_copy_wait, control_copy_arrive,
    control_bulk_copy, control_bulk_commit, control_bulk_wait, control_mbarrier;

// Kinds of control_mbarrier: op.sub.
enum { MB_INIT, MB_INVAL, MB_EXPECT_TX, MB_COMPLETE_TX, MB_ARRIVE, MB_ARRIVE_DROP,
       MB_TEST, MB_TEST_PARITY, MB_PENDING };

// init_copy.c: a copy of bytes, and of zeros behind them.
void init_copied(warp *w, const op *o, int lane, const char *to, const char *from, size_t bytes,
                 size_t zeros);

#endif
