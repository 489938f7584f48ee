// A worker: a host thread that runs blocks, a few of them in turns when they wait for
// each other.
//
// Blocks go to workers in order, so a fault can be traced to the lowest block that has
// one, whatever the number of cores. What is handed out is a cluster, which is one block
// unless the launch says otherwise; a cluster's blocks are live together, and so are all
// blocks of a cooperative launch.

#include "cache.h"
#include "lanes.h"
#include "init.h"
#include "sync.h"

#include <stdlib.h>

// ---- Blocks ---------------------------------------------------------------------

// The lanes' fixed registers of a warp: everything but the block's number.
static void fill_special(const launch *run, uint32_t *s, uint32_t index)
{
    const uint32_t *n = run->what->block, *g = run->what->grid, *c = run->cluster;
    const uint32_t same[SP_SLOTS] = {
        [SP_NTID_X] = n[0], [SP_NTID_Y] = n[1], [SP_NTID_Z] = n[2],
        [SP_NCTAID_X] = g[0], [SP_NCTAID_Y] = g[1], [SP_NCTAID_Z] = g[2],
        [SP_WARP] = index, [SP_NWARP] = run->warps, [SP_NSM] = (uint32_t)run->device->gpu->sms,
        [SP_DYNAMIC] = run->what->shared, [SP_TOTAL] = (uint32_t)run->shared,
        [SP_ENV1] = run->what->cooperative ? (uint32_t)(WORKSPACE >> 32) : 0,
        [SP_ENV2] = run->what->cooperative ? (uint32_t)WORKSPACE : 0,
        [SP_GRID] = (uint32_t)run->device->grid_number,
        [SP_RESERVED] = RESERVED_SHARED,
        [SP_RESERVED_END] = RESERVED_SHARED + RESERVED_BYTES,
        [SP_RESERVED_CAP] = RESERVED_BYTES,
        [SP_NCLUSTERID_X] = g[0] / c[0], [SP_NCLUSTERID_Y] = g[1] / c[1],
        [SP_NCLUSTERID_Z] = g[2] / c[2], [SP_CLUSTER_NCTAID_X] = c[0],
        [SP_CLUSTER_NCTAID_Y] = c[1], [SP_CLUSTER_NCTAID_Z] = c[2],
        [SP_CLUSTER_NCTARANK] = run->cluster_size,
        [SP_EXPLICIT_CLUSTER] = run->explicit_cluster ? 0xffffffffu : 0,
    };
    for (int i = 0; i < SP_SLOTS; i++)
        if (same[i])
            special_set(s, i, same[i]);
    uint32_t first = index * 32, x = first % n[0], y = first / n[0] % n[1];
    uint32_t z = first / n[0] / n[1];
    for (uint32_t l = 0; l < 32; l++) {
        uint32_t bit = 1u << l;
        s[SP_TID_X * 32 + l] = x;
        s[SP_TID_Y * 32 + l] = y;
        s[SP_TID_Z * 32 + l] = z;
        if (++x == n[0])
            x = 0, y++;
        if (y == n[1])
            y = 0, z++;
        s[SP_LANE * 32 + l] = l;
        s[SP_MASK_EQ * 32 + l] = bit;
        s[SP_MASK_LT * 32 + l] = bit - 1;
        s[SP_MASK_LE * 32 + l] = bit | (bit - 1);
        s[SP_MASK_GE * 32 + l] = ~(bit - 1);
        s[SP_MASK_GT * 32 + l] = ~(bit | (bit - 1));
    }
}

static void make_block(worker *k, block *b)
{
    launch *run = k->launch;
    memset(b, 0, sizeof *b);
    b->warps = room_take(run->device, run->warps * sizeof *b->warps);
    b->shared = room_take(run->device, run->shared + 64 + RESERVED_BYTES);
    b->reserved = b->shared + (run->shared + 63) / 64 * 64;
    b->l1 = l1_new(run);
    b->sync = sync_new(run->device);
    bool watched = run->device->config.checks & SIMT_CHECK_INIT;
    b->shared_written = watched && run->shared ? calloc(1, run->shared / 8 + 8) : NULL;
    if (run->device->config.checks & SIMT_CHECK_RACE)
        b->order = order_new(run);
    for (uint32_t i = 0; i < run->warps; i++) {
        warp *w = &b->warps[i];
        w->worker = k;
        w->index = i;
        w->block = b;
        w->entry = frame_new(k, run->code, NULL);
        memset(w->entry->registers, 0, run->code->function->register_bytes);
        w->special = room_take(run->device, SP_SLOTS * 128 + 512);
        w->bank[BANK_SPECIAL] = w->special;
        fill_special(run, (uint32_t *)(void *)w->special, i);
        w->local = run->local ? calloc(32, run->local) : NULL; // pages come when touched
        if (run->local && !w->local)
            abort();
        w->local_written = watched && run->local ? written_new(32 * run->local) : NULL;
    }
}

static void free_block(const launch *run, block *b, uint32_t warps)
{
    simt_device *device = run->device;
    for (uint32_t i = 0; b->warps && i < warps; i++) {
        room_give(device, b->warps[i].special);
        free(b->warps[i].local);
        written_free(b->warps[i].local_written, 32 * run->local);
        async_free(&b->warps[i]);
    }
    l1_free(b->l1, device);
    room_give(device, b->warps);
    room_give(device, b->shared);
    sync_free(b->sync);
    free(b->shared_written);
    order_free(b);
}

// ---- Turns ----------------------------------------------------------------------

enum {
    MOST_LIVE = 64, // clusters that one worker keeps going when they spin
    FEW_LIVE = 8,   // ... when their order is not the fixed one
};

static bool take_cluster(worker *k, uint64_t *number)
{
    launch *run = k->launch;
    *number = schedule_cluster(run, atomic_fetch_add(&run->next_block, 1));
    uint64_t first = *number * run->cluster_size;
    return first < run->blocks && first < atomic_load(&run->fault_block);
}

static bool cluster_live(const cluster *c)
{
    for (uint32_t i = 0; i < c->size; i++)
        if (c->blocks[i].started && !c->blocks[i].finished)
            return true;
    return false;
}

static void start_cluster(worker *k, cluster *c, uint64_t number)
{
    launch *run = k->launch;
    c->size = run->cluster_size;
    c->number = number;
    c->arrived = c->phase = 0;
    c->known = NULL;
    pendings_reset(c);
    c->live = c->size * run->threads;
    for (uint32_t i = 0; i < c->size; i++) {
        block *b = &c->blocks[i];
        if (!b->warps)
            make_block(k, b);
        b->cluster = c;
        b->rank = i;
        block_start(k, b, number * c->size + i);
    }
}

static void faulted(worker *k, const simt_fault *earlier, uint64_t earlier_block)
{
    launch *run = k->launch;
    if (earlier->kind && earlier_block < k->fault_block) { // keep the lower one
        k->fault = *earlier;
        k->fault_block = earlier_block;
    }
    uint64_t lowest = atomic_load(&run->fault_block);
    while (k->fault_block < lowest &&
           !atomic_compare_exchange_weak(&run->fault_block, &lowest, k->fault_block))
        ;
}

// The next block in turn that has something to do, or -1: a live block that waits for
// others of its cluster has not.
static int next_turn(const worker *k, int count, int at, bool waiting)
{
    for (int i = 0; i < count; i++) {
        int j = (at + 1 + i) % count;
        const block *b = &k->blocks[j];
        if (b->started && !b->finished && b->waits == waiting)
            return j;
    }
    return -1;
}

// A cluster with a fault is over: its other blocks would wait for the lost one. Where
// blocks may wait for any other, all are.
static void drop(worker *k, const cluster *c, int count)
{
    for (int i = 0; i < count; i++)
        if (k->launch->ordered || k->blocks[i].cluster == c)
            k->blocks[i].finished = true;
}

void *worker_run(void *argument)
{
    worker *k = argument;
    launch *run = k->launch;
    int size = (int)run->cluster_size, count = 0, at = 0;
    bool together = run->what->cooperative, more = true, spinning = together;
    uint64_t clusters = run->blocks / (uint64_t)size;
    int most = clusters < MOST_LIVE || (together && run->blocks < 1 << 16) ? (int)clusters : MOST_LIVE;
    int few = k->dice ? (most < FEW_LIVE ? most : FEW_LIVE) : 0;
    k->blocks = calloc((size_t)(most * size), sizeof *k->blocks);
    k->clusters = calloc((size_t)most, sizeof *k->clusters);
    if (!k->blocks || !k->clusters)
        abort();
    for (;;) {
        cluster *slot = NULL;
        for (int i = 0; i < count && !slot; i++)
            if (!cluster_live(&k->clusters[i]))
                slot = &k->clusters[i];
        if (more && (slot || count == 0 || count < (spinning ? most : few))) {
            uint64_t number;
            more = take_cluster(k, &number);
            if (more && !slot) {
                slot = &k->clusters[count];
                slot->blocks = &k->blocks[count++ * size];
                k->slots = count * size;
            }
            if (more)
                start_cluster(k, slot, number);
            if (together && more && count < most)
                continue; // all live before any runs
        }
        if (k->dice && count)
            at = (at + (int)schedule_pick(k, (uint32_t)(count * size))) % (count * size);
        int turn = next_turn(k, count * size, at, false);
        simt_fault earlier = k->fault;
        uint64_t earlier_block = k->fault_block;
        event e;
        if (turn >= 0) {
            at = turn;
            e = block_run(k, &k->blocks[at]);
        } else if ((turn = next_turn(k, count * size, at, true)) >= 0) {
            at = turn; // all wait: nobody will come
            e = block_stuck(&k->blocks[at]);
        } else if (!more) {
            break;
        } else {
            continue;
        }
        spinning |= e == YIELD;
        if (e == FAULTED) {
            simt_fault_kind kind = k->fault.kind;
            if (kind == SIMT_BARRIER || kind == SIMT_DEADLOCK || kind == SIMT_SHUFFLE ||
                kind == SIMT_LIMIT || kind == SIMT_STOPPED)
                fault_waiters(k, &k->fault);
            drop(k, k->blocks[at].cluster, count * size);
            faulted(k, &earlier, earlier_block);
            more = false;
        }
    }
    for (int i = 0; i < count * size; i++)
        free_block(run, &k->blocks[i], run->warps);
    for (int i = 0; i < count; i++)
        pendings_reset(&k->clusters[i]);
    free(k->blocks);
    free(k->clusters);
    while (k->frames) {
        frame *f = k->frames;
        k->frames = f->next;
        free(f->tops);
        room_give(run->device, f);
    }
    return NULL;
}

void worker_start(launch *run, worker *k)
{
    size_t blocks = run->total_blocks_bb, sites = run->total_sites;
    *k = (worker){.launch = run, .fault_block = UINT64_MAX};
    schedule_start(k);
    // One room for all of its counts, in pieces of 8-byte words.
    size_t watched = run->device->watch ? sites * sizeof *k->seen : 0;
    uint8_t *at = room_take(run->device, sizeof *k->traffic + 2 * blocks * sizeof *k->block_runs +
                            sites * (sizeof *k->sites + sizeof *k->cache + sizeof *k->patterns) +
                            watched);
    k->traffic = (void *)at;
    k->block_runs = (void *)(at += sizeof *k->traffic);
    k->block_lanes = (void *)(at += blocks * sizeof *k->block_runs);
    k->sites = (void *)(at += blocks * sizeof *k->block_lanes);
    k->cache = (void *)(at += sites * sizeof *k->sites);
    if (watched)
        k->seen = (void *)(at + sites * sizeof *k->cache);
    k->patterns = (void *)(at + sites * sizeof *k->cache + watched);
}

void worker_stop(worker *k)
{
    room_give(k->launch->device, k->traffic);
}

