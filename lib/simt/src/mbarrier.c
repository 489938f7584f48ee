// mbarrier: a barrier that is a 64-bit word of shared memory.
//
//     bits 0-19   arrivals that the phase still waits for
//     bits 20-39  arrivals of a phase
//     bits 40-60  bytes that the phase still waits for, signed
//     bit  61     the phase, even or odd
//     bits 62-63  01: a live barrier
//
// A phase ends when it waits for nothing more. Copies that will tell a barrier of their
// end do so when someone tests it: a program that does not wait sees old data.

#include "async.h"
#include "lanes.h"
#include "sync.h"

#include <stdlib.h>

enum { COUNT_BITS = 20, MOST = (1 << COUNT_BITS) - 1 };
#define LIVE ((uint64_t)1 << 62)
#define PHASE ((uint64_t)1 << 61)
#define TX_SHIFT 40
#define TX_MASK (((uint64_t)1 << 21) - 1)

static uint32_t waits_for(uint64_t w)
{
    return w & MOST;
}

static uint32_t of_a_phase(uint64_t w)
{
    return w >> COUNT_BITS & MOST;
}

static int64_t bytes_missing(uint64_t w)
{
    return (int64_t)(w << 3) >> 43;
}

static uint64_t word_of(uint64_t phase, int64_t bytes, uint32_t each, uint32_t left)
{
    return LIVE | phase | ((uint64_t)bytes & TX_MASK) << TX_SHIFT |
           (uint64_t)each << COUNT_BITS | left;
}

uint64_t shared_address(const warp *w, const op *o, uint32_t operand, int64_t imm, bool wide,
                        bool generic, int lane)
{
    (void)o;
    uint64_t a = wide ? ((const uint64_t *)AT(w, operand))[lane] + (uint64_t)imm
                      : ((const uint32_t *)AT(w, operand))[lane] + (uint32_t)imm;
    return generic ? a - SHARED_WINDOW : a;
}

// The word, or NULL after a fault.
uint64_t *barrier_at(warp *w, const op *o, int lane, uint64_t a, bool live)
{
    char *at = a % 8 ? NULL
               : a + 8 <= w->worker->launch->shared ? w->block->shared + a
                                                    : cluster_shared(w, a, 8);
    if (!at) {
        op access = *o; // as of an access to shared memory
        access.space = S_SHARED;
        fault_access(w, &access, lane, a, 8);
        fault_place(w, o, lane, &w->worker->fault.at);
        return NULL;
    }
    uint64_t *word = (uint64_t *)(void *)at;
    if (live && (*word >> 62) != 1) {
        fault_text(w, "the mbarrier at 0x%llx was not initialised", (unsigned long long)a);
        fault_here(w, o, SIMT_BARRIER, lane);
        return NULL;
    }
    return word;
}

static void changed(warp *w)
{
    if (w->block->cluster->pendings)
        w->block->cluster->pendings->fruitless = 0;
}

static void end_phase(warp *w, uint64_t *word)
{
    uint64_t x = *word;
    if (waits_for(x) || bytes_missing(x))
        return;
    order_meeting_over(w, word);
    *word = word_of(~x & PHASE, 0, of_a_phase(x), of_a_phase(x));
}

event barrier_arrive(warp *w, const op *o, int lane, uint64_t *word, uint32_t count)
{
    uint64_t x = *word;
    if (count > waits_for(x)) {
        fault_text(w, "the mbarrier waits for %u of %u arrivals, and %u come", waits_for(x),
                   of_a_phase(x), count);
        return fault_here(w, o, SIMT_BARRIER, lane);
    }
    *word = x - count;
    end_phase(w, word);
    changed(w);
    return GO;
}

void barrier_expect(uint64_t *word, int64_t bytes)
{
    uint64_t x = *word;
    *word = word_of(x & PHASE, bytes_missing(x) + bytes, of_a_phase(x), waits_for(x));
}

event barrier_complete(warp *w, const op *o, int lane, uint64_t *word, uint64_t bytes)
{
    (void)o, (void)lane;
    barrier_expect(word, -(int64_t)bytes);
    end_phase(w, word);
    changed(w);
    return GO;
}

// Whatever is on its way to this barrier comes now.
static event deliver(warp *w, const op *o, uint64_t *word)
{
    struct pendings *p = w->block->cluster->pendings;
    for (uint32_t i = 0; p && i < p->count;) {
        pending x = p->list[i];
        if (x.barrier != word) {
            i++;
            continue;
        }
        memmove(p->list + i, p->list + i + 1, (--p->count - i) * sizeof x);
        event e;
        if (x.warp) {
            async_finish(x.warp, x.lane, x.before, x.time);
            e = barrier_arrive(w, o, __builtin_ctz(w->mask), word, 1);
        } else {
            memcpy(x.to, x.from, x.bytes);
            race_bulk_ends(&x);
            e = barrier_complete(w, o, __builtin_ctz(w->mask), word, x.bytes);
        }
        if (e)
            return e;
    }
    return GO;
}

enum { FRUITLESS = 1 << 20 };

// Has the phase ended that the state, or the parity, means?
static event test(warp *w, const op *o, int lane, uint64_t *word)
{
    event e = deliver(w, o, word);
    if (e)
        return e;
    uint64_t phase = (*word & PHASE) != 0;
    uint64_t asked = o->sub == MB_TEST_PARITY
                         ? ((const uint32_t *)AT(w, o->b))[lane] & 1
                         : (((const uint64_t *)AT(w, o->b))[lane] & PHASE) != 0;
    bool over = phase != asked;
    ((uint8_t *)AT(w, o->d))[lane] = over ? 255 : 0;
    struct pendings *p = w->block->cluster->pendings;
    if (over) {
        order_meeting_pass(w, word);
        return GO;
    }
    w->spin += 1 << 12; // give way at once
    if (!p) {
        p = w->block->cluster->pendings = calloc(1, sizeof *p);
        if (!p)
            abort();
    }
    if (++p->fruitless < FRUITLESS)
        return GO;
    fault_text(w, "waits for %u arrivals and %lld bytes at an mbarrier, and none come",
               waits_for(*word), (long long)bytes_missing(*word));
    return fault_here(w, o, SIMT_DEADLOCK, lane);
}

static event init(warp *w, const op *o, int lane, uint64_t *word, uint32_t count)
{
    if (!count || count > MOST) {
        fault_text(w, "an mbarrier for %u arrivals", count);
        return fault_here(w, o, SIMT_BARRIER, lane);
    }
    *word = word_of(0, 0, count, count);
    return GO;
}

// o->a, o->imm: address; o->b: count, bytes, state or parity; o->mode 1: arrive after
// expecting o->b bytes; o->d: state or predicate.
static event one_lane(warp *w, const op *o, int lane)
{
    uint64_t a = shared_address(w, o, o->a, o->imm, o->wide, o->space == S_REG, lane);
    uint64_t *word = barrier_at(w, o, lane, a, o->sub != MB_INIT);
    if (!word)
        return FAULTED;
    uint32_t operand = o->sub == MB_TEST || o->sub == MB_INVAL
                           ? 0
                           : ((const uint32_t *)AT(w, o->b))[lane];
    uint64_t before = *word;
    switch (o->sub) {
    case MB_INIT:
        sync_mbarrier(w, o, lane, (uint32_t)a, true);
        return init(w, o, lane, word, operand);
    case MB_INVAL:
        sync_mbarrier(w, o, lane, (uint32_t)a, false);
        *word = 0;
        return GO;
    case MB_EXPECT_TX: barrier_expect(word, operand); return GO;
    case MB_COMPLETE_TX: return barrier_complete(w, o, lane, word, operand);
    case MB_TEST:
    case MB_TEST_PARITY: return test(w, o, lane, word);
    default: break;
    }
    memcpy((uint64_t *)AT(w, o->d) + lane, &before, 8);
    uint32_t count = o->mode ? 1 : operand;
    if (o->mode)
        barrier_expect(word, operand);
    if (o->sub == MB_ARRIVE_DROP) {
        uint64_t x = *word;
        uint32_t each = of_a_phase(x);
        *word = word_of(x & PHASE, bytes_missing(x), each > count ? each - count : 0, waits_for(x));
    }
    order_meeting_arrive(w, word);
    return barrier_arrive(w, o, lane, word, count);
}

int control_mbarrier(warp *w, const op *o)
{
    w->sites[o->site].requests++;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        if (o->sub == MB_PENDING) {
            ((uint32_t *)AT(w, o->d))[l] = waits_for(((const uint64_t *)AT(w, o->a))[l]);
            continue;
        }
        event e = one_lane(w, o, l);
        if (e)
            return e;
    }
    return GO;
}
