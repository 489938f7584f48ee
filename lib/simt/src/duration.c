// The time model: the largest of several bounds, and a little of the others.
//
// Each part of the GPU (a pipe, a cache, DRAM) needs some time for what the launch asks
// of it; a warp alone needs some time for its longest chain; blocks start one after the
// other. Parts work at the same time, so the launch takes about as long as the slowest:
// the bounds are joined by a norm of a high power, which two equal bounds make 1.2 times
// either. The form is that of the roofline with a latency term (Hong and Kim, "An
// analytical model for a GPU architecture", 2009).
//
// The constants were fitted to half of the cases of docs/measurements/times_H200.json, on
// logarithms of times, and proved on the other half (`tests/measured/predict.py` prints
// both): they absorb what ptxas does to PTX.

#include "duration.h"

#include <math.h>
#include <string.h>

const char *const bound_names[BOUNDS_COUNT] = {
#define B(id, name) name,
    BOUNDS(B)
#undef B
};

static const struct rates {
    const char *key;
    double alu, fma, fp64, xu, tensor, l2, to_l1, to_l2, to_dram, to_shared;
} rates[] = {
#define RATES(key, ...) {#key, __VA_ARGS__},
#include "rates.def"
#undef RATES
};

// Fitted. Factors of a pipe's nominal time, unless said.
static const double alu_factor = 1.32, fma_factor = 0.93, xu_factor = 1.18, lsu_factor = 0.8,
                    line_cycles = 1.19,      // of L1, for each line of a request
                    local_cycles = 0.95,     // and for each sector of local memory
                    l2_store = 1.58,         // a stored sector, in loaded ones
                    dram_efficiency = 0.905, // of the vendor's bandwidth
                    dram_store = 1.34,       // a written sector, in read ones
                    slice_cycles = 1.5,      // of a slice of L2, for each atomic on a sector
                    atomic_cycles = 1 / 44.0, // of all slices, the same
                    block_cycles = 1.2,      // between the starts of two blocks
                    chain_factor = 0.53,     // of a chain's cycles
                    atomic_wait = 182, barrier_wait = 22.5, first_wait = 415, // cycles
                    entry = 6,               // instructions before a kernel's first
                    power = 3.86,
                    least_ns = 1660;         // an empty kernel

static const struct rates *rates_of(const simt_gpu *gpu)
{
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (!strcmp(rates[i].key, gpu->key))
            return &rates[i];
    return &rates[0];
}

static double share(double part, double whole)
{
    return whole > 0 ? fmin(part / whole, 1) : 0;
}

// Cycles that a load's value takes on the way, on average.
static double load_wait(const struct rates *r, const work *w)
{
    double hit = share(w->l1_hits, w->l1_reads), deep = share(w->dram_reads, w->l2_reads);
    return hit * r->to_l1 + (1 - hit) * (r->to_l2 + deep * (r->to_dram - r->to_l2));
}

static double time_of_links(const struct rates *r, const links *l, double wait)
{
    return l->cycles * chain_factor + l->globals * wait + l->shareds * r->to_shared +
           l->atomics * atomic_wait;
}

modelled time_of(const simt_gpu *gpu, const work *w)
{
    const struct rates *r = rates_of(gpu);
    double sms = gpu->sms, at_once = fmax(w->blocks_per_sm, 1) * sms, blocks = fmax(w->blocks, 1);
    // The busiest multiprocessor's part: whole blocks, until there are many.
    double most = blocks <= 2 * at_once ? ceil(blocks / sms) : blocks / sms + 0.5;
    double part = most / blocks;
    double dram_sector = 32 / (gpu->dram_gbs * dram_efficiency) * gpu->clock_khz / 1e6;
    double wait = load_wait(r, w), meetings = w->barriers / blocks * barrier_wait;
    double chain = first_wait + meetings + time_of_links(r, &w->average, wait);
    double critical = first_wait + meetings + time_of_links(r, &w->critical, wait);
    // In the end one waits for the last block's critical warp, and for the busiest of all.
    double excess = w->instructions > 0 ? fmax(0, w->longest / w->instructions - 1) : 0;
    const double cycles[BOUNDS_COUNT] = {
        [BOUND_ISSUE] = (w->pipe[PIPE_ISSUE] + entry * w->warps) * part / 4,
        [BOUND_ALU] = w->pipe[PIPE_ALU] * part * 32 / r->alu * alu_factor,
        [BOUND_FMA] = w->pipe[PIPE_FMA] * part * 32 / r->fma * fma_factor,
        [BOUND_FP64] = w->pipe[PIPE_FP64] * part * 32 / r->fp64,
        [BOUND_XU] = w->pipe[PIPE_XU] * part * 32 / r->xu * xu_factor,
        [BOUND_LSU] = w->pipe[PIPE_LSU] * part * lsu_factor,
        [BOUND_TENSOR] = w->pipe[PIPE_TENSOR] * part * 2 / r->tensor,
        [BOUND_L1] = (w->wavefronts + line_cycles * fmax(w->l1_lines, w->l1_requests) +
                      local_cycles * w->local_sectors) * part,
        [BOUND_L2] = (w->l2_reads + l2_store * w->l2_writes) / r->l2,
        [BOUND_DRAM] = (w->dram_reads + dram_store * w->dram_writes) * dram_sector,
        [BOUND_ATOMICS] = fmax(w->slice * slice_cycles, w->atomic_sectors * atomic_cycles),
        [BOUND_LATENCY] = chain * fmax(1, blocks / at_once) + (critical - chain) +
                          (chain - first_wait) * excess,
        [BOUND_BLOCKS] = blocks * block_cycles,
    };
    modelled m = {.limiter = BOUND_ISSUE};
    double sum = 0, ns = 1e6 / gpu->clock_khz;
    for (int i = 0; i < BOUNDS_COUNT; i++)
        if (cycles[i] > cycles[m.limiter])
            m.limiter = (enum bound)i;
    for (int i = 0; i < BOUNDS_COUNT; i++) {
        m.bound[i] = cycles[i] * ns;
        double ratio = cycles[i] / cycles[m.limiter];
        sum += ratio > 0.1 ? pow(ratio, power) : 0;
    }
    m.ns = least_ns + cycles[m.limiter] * ns * pow(sum, 1 / power);
    return m;
}
