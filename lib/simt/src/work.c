// Adding up what a launch asked for: work.h.

#include "work.h"

#include "cache.h"
#include "record.h"

#include <math.h>

static void add_traffic(work *w, const launch *run, bool atomics)
{
    const traffic *t = run->workers[0].traffic;
    uint64_t followed = t->l2_reads + t->l2_writes;
    double scale = FOLLOWED; // and L2's for what did not reach it
    double deep = followed > t->left_out ? scale * (double)followed / (double)(followed - t->left_out)
                                         : scale;
    w->l1_lines = scale * (double)t->lines;
    w->l1_reads = scale * (double)t->l1_reads;
    w->l1_hits = scale * (double)t->l1_hits;
    w->l2_reads = scale * (double)t->l2_reads;
    w->l2_writes = scale * (double)t->l2_writes;
    w->dram_reads = deep * (double)t->dram_reads;
    w->dram_writes = deep * (double)t->dram_writes;
    for (int i = 0; atomics && i < SLICES; i++) {
        double n = (double)t->slices[i];
        w->atomic_sectors += n;
        w->slice = w->slice > n ? w->slice : n;
    }
}

static void add_links(links *l, const path *p, double runs)
{
    l->cycles += runs * p->cycles;
    l->globals += runs * p->globals;
    l->shareds += runs * p->shareds;
    l->atomics += runs * p->atomics;
}

work work_of(const launch *run, const double *c)
{
    work w = {.blocks = (double)run->blocks, .blocks_per_sm = run->limits.blocks};
    const worker *k = &run->workers[0];
    w.warps = w.blocks * run->warps;
    for (int i = 0; i < run->code_count; i++) {
        simt_code *code = run->codes[i];
        const path *paths = paths_of(code);
        for (uint32_t b = 0; paths && b < code->block_count; b++) {
            double runs = (double)k->block_runs[code->block_base + b];
            w.instructions += runs / w.warps * code->blocks[b].count;
            for (int p = 0; p < PIPES; p++)
                w.pipe[p] += runs * paths[b].pipe[p];
            double share = runs / w.warps, once = fmin(1, runs / w.blocks);
            add_links(&w.average, &paths[b], share);
            add_links(&w.critical, &paths[b], fmax(share, once));
        }
    }
    w.longest = (double)k->longest;
    w.l1_requests = c[COUNT_LD_REQUESTS] + c[COUNT_ST_REQUESTS] + c[COUNT_ATOM_REQUESTS] +
                    c[COUNT_RED_REQUESTS];
    w.wavefronts = c[COUNT_SHARED_LD_WAVES] + c[COUNT_SHARED_ST_WAVES] + c[COUNT_SHARED_ATOM_WAVES];
    w.local_sectors = c[COUNT_LOCAL_LD_SECTORS] + c[COUNT_LOCAL_ST_SECTORS];
    w.barriers = c[COUNT_BARRIERS];
    add_traffic(&w, run, c[COUNT_ATOM_REQUESTS] + c[COUNT_RED_REQUESTS] > 0);
    return w;
}
