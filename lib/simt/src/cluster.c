// Clusters: blocks that see each other's shared memory and meet at a barrier.
//
// A shared::cluster address is a block's own shared address with the block's rank, plus
// one, in its upper byte; without it, it is the asking block's. Behind a block's shared
// memory, at RESERVED_SHARED, lies the kibibyte that the toolkit keeps for itself.

#include "lanes.h"

char *cluster_shared(const warp *w, uint64_t a, uint64_t bytes)
{
    const launch *run = w->worker->launch;
    const block *b = w->block;
    uint64_t rank = a >> SHARED_RANK;
    if (rank) {
        if (rank > b->cluster->size)
            return NULL;
        b = &b->cluster->blocks[rank - 1];
        a &= ((uint64_t)1 << SHARED_RANK) - 1;
    }
    if (b->finished && b != w->block) // its memory goes with it
        return NULL;
    if (a <= run->shared && bytes <= run->shared - a)
        return b->shared + a;
    if (a - RESERVED_SHARED < RESERVED_BYTES &&
        bytes <= RESERVED_BYTES - (a - RESERVED_SHARED))
        return b->reserved + (a - RESERVED_SHARED);
    return NULL;
}

// mapa d, a, rank (o->b): the same place in another block. o->width: bytes of addresses;
// o->imm: the window's base for generic ones.
int control_mapa(warp *w, const op *o)
{
    const uint32_t *rank = AT(w, o->b);
    for (uint32_t k = w->mask; k; k &= k - 1) {
        int l = __builtin_ctz(k);
        uint64_t a = 0;
        memcpy(&a, (const char *)AT(w, o->a) + l * o->width, o->width);
        a = (a & (((uint64_t)1 << SHARED_RANK) - 1)) | (uint64_t)(rank[l] + 1) << SHARED_RANK;
        a += (uint64_t)o->imm;
        memcpy((char *)AT(w, o->d) + l * o->width, &a, o->width);
    }
    return GO;
}

int control_get_rank(warp *w, const op *o)
{
    uint32_t *d = AT(w, o->d);
    for (uint32_t k = w->mask; k; k &= k - 1) {
        int l = __builtin_ctz(k);
        uint64_t a = 0;
        memcpy(&a, (const char *)AT(w, o->a) + l * o->width, o->width);
        uint32_t rank = (uint32_t)((a - (uint64_t)o->imm) >> SHARED_RANK);
        d[l] = rank ? rank - 1 : w->block->rank;
    }
    return GO;
}

// ---- The barrier ----------------------------------------------------------------

static void open_barrier(cluster *c)
{
    c->phase++;
    c->arrived = 0;
    order_cluster_open(c);
    for (uint32_t i = 0; i < c->size; i++) {
        block *b = &c->blocks[i];
        if (b->finished)
            continue;
        b->waits = false;
        for (uint32_t k = 0; k < b->warp_count; k++)
            for (int s = 0; s < b->warps[k].split_count; s++)
                if (b->warps[k].splits[s].state == AT_CLUSTER) {
                    order_cluster_wait(&b->warps[k]);
                    b->warps[k].splits[s].state = RUNS;
                }
    }
}

int control_cluster_arrive(warp *w, const op *o)
{
    cluster *c = w->block->cluster;
    for (uint32_t k = w->mask; k; k &= k - 1) {
        int l = __builtin_ctz(k);
        if (w->cluster_phase[l] > c->phase) {
            fault_text(w, "arrives twice at the cluster's barrier, without waiting");
            return fault_here(w, o, SIMT_BARRIER, l);
        }
        w->cluster_phase[l] = c->phase + 1;
    }
    w->sites[o->site].requests++;
    order_cluster_arrive(w);
    c->arrived += (uint32_t)__builtin_popcount(w->mask);
    if (c->arrived >= c->live)
        open_barrier(c);
    return GO;
}

int control_cluster_wait(warp *w, const op *o)
{
    const cluster *c = w->block->cluster;
    for (uint32_t k = w->mask; k; k &= k - 1) {
        int l = __builtin_ctz(k);
        if (!w->cluster_phase[l]) {
            fault_text(w, "waits at the cluster's barrier, at which it has not arrived");
            return fault_here(w, o, SIMT_BARRIER, l);
        }
        if (w->cluster_phase[l] > c->phase)
            return split_wait(w, o, AT_CLUSTER);
    }
    order_cluster_wait(w);
    return warp_jump(w, (uint32_t)(o - w->ops) + 1);
}

// Lanes end: nobody waits for them any more, and what they arrived at forgets them.
void cluster_threads_left(warp *w, uint32_t gone)
{
    cluster *c = w->block->cluster;
    for (uint32_t k = gone; k; k &= k - 1)
        c->arrived -= w->cluster_phase[__builtin_ctz(k)] > c->phase;
    c->live -= (uint32_t)__builtin_popcount(gone);
    if (c->arrived && c->arrived >= c->live)
        open_barrier(c);
}
