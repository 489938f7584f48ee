// Where global accesses find their sectors: in a block's part of the L1 cache, in the L2
// cache, or in DRAM. The time model asks; no counter of the record depends on it.
//
// To follow every access would cost too much, so one 128-byte line in FOLLOWED is, chosen
// by a hash of its address, through caches that are as much smaller. What is counted
// stands for FOLLOWED times as many sectors.

#ifndef SIMT_CACHE_H
#define SIMT_CACHE_H

#include "exec.h"

enum { FOLLOWED = 16, LINE = 128, SECTOR = 32, SLICES = 128 };

typedef struct traffic { // of a launch: sectors of followed lines, unless said
    uint64_t lines;             // lines that requests touched
    uint64_t l1_reads, l1_hits; // asked of L1, and found there
    uint64_t l2_reads, l2_writes;
    uint64_t dram_reads, dram_writes; // two sectors at a time, as DRAM is read
    uint64_t left_out;          // of l2_reads and l2_writes: not followed into L2
    uint64_t slices[SLICES];    // atomics on each slice of L2, a sector at a time; all lines
} traffic;

static const uint32_t FOLLOW_STEP = 0x9e3779b1, FOLLOW_BELOW = UINT32_MAX / FOLLOWED + 1;

static inline bool is_followed(uint64_t line)
{
    return (uint32_t)line * FOLLOW_STEP < FOLLOW_BELOW;
}

// A request touches these of a followed line's four sectors; `bytes` of each, 8 bits a
// sector, are what a store changes (0: a load).
void cache_touch(warp *w, uint64_t line, uint32_t sectors, uint32_t bytes);
// An atomic on a sector, followed or not.
void cache_atomic(warp *w, uint64_t sector);

// Blocks that a multiprocessor holds at once decide how much of L1 each has.
void cache_prepare(launch *run, int blocks_per_sm);
struct l1 *l1_new(const launch *run);
void l1_start(struct l1 *l1); // a new block: nothing is there
void l1_free(struct l1 *l1, simt_device *device);
// The block's warps have met, or it has ended: what its warps touched since meets L1.
void cache_meet(worker *k, block *b);
// After the launch: the workers' misses, in the order of their blocks, meet the L2 cache.
void cache_finish(launch *run);

struct l2 *l2_open(const simt_gpu *gpu);
void l2_close(struct l2 *l2);

#endif
