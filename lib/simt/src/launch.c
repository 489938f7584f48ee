// A launch: check it, prepare its code, run its blocks on all cores, add up the counts.
//
// Blocks go to workers in order of their number, so a fault can be traced to the lowest
// block that has one, whatever the number of cores. Kernels whose blocks can see each
// other's order (used atomics, polled flags, fences) run on one worker, in turns.

#include "lanes.h"
#include "record.h"

#include <stdlib.h>
#include <unistd.h>

static struct kernel_id *kernel_of(simt_device *device, uint32_t id)
{
    return id && id <= device->kernel_count && device->kernels[id - 1].function
               ? &device->kernels[id - 1]
               : NULL;
}

int simt_check_launch(simt_device *device, const simt_launch *launch)
{
    const struct kernel_id *k = kernel_of(device, launch->kernel);
    if (!k)
        return 98; // cudaErrorInvalidDeviceFunction
    static const uint32_t most_block[] = {1024, 1024, 64};
    static const uint32_t most_grid[] = {2147483647u, 65535, 65535};
    uint64_t threads = 1;
    for (int i = 0; i < 3; i++) {
        if (!launch->grid[i] || launch->grid[i] > most_grid[i] || !launch->block[i] ||
            launch->block[i] > most_block[i])
            return 9; // cudaErrorInvalidConfiguration
        threads *= launch->block[i];
    }
    const ptx_function *f = k->function;
    if (threads > 1024)
        return 9;
    if (threads > (uint64_t)f->max_threads ||
        (f->required_threads && threads != (uint64_t)f->required_threads))
        return 1; // cudaErrorInvalidValue, as __launch_bounds__ is passed over
    size_t shared = f->shared_bytes + launch->shared;
    if (shared > (size_t)device->gpu->shared_optin)
        return 1;
    if (launch->parameter_bytes < f->parameter_bytes)
        return 1;
    return 0;
}

// ---- Code -----------------------------------------------------------------------

// The function and all that it may call, decoded and numbered.
static void gather(launch *run, ptx_function *f)
{
    simt_code *code = decode(run->device, run->module, f);
    if (code->launch == run->device->grid_number)
        return;
    code->launch = run->device->grid_number;
    run->codes = realloc(run->codes, sizeof *run->codes * (size_t)(run->code_count + 1));
    if (!run->codes)
        abort();
    run->codes[run->code_count++] = code;
    code->block_base = run->total_blocks_bb;
    code->site_base = run->total_sites;
    run->total_blocks_bb += code->block_count;
    run->total_sites += 2 * code->count;
    run->ordered |= code->ordered;
    run->calls_pointers |= code->calls_pointers;
    run->grows |= code->grows;
    for (uint32_t i = 0; i < code->count; i++) {
        if (code->ops[i].run != control_call)
            continue;
        const call_of *c = code->ops[i].extra;
        if (c->function)
            gather(run, c->function);
    }
}

// A pointer may lead to any function of the program whose address someone took; code
// found on the way may take more.
static void gather_pointed_at(launch *run)
{
    const simt_device *d = run->device;
    for (uint32_t i = 0; run->calls_pointers && i < d->function_count; i++) {
        const struct kernel_id *f = &d->functions[i];
        if (f->function && f->module == run->module && f->function->defined &&
            !f->function->entry)
            gather(run, f->function);
    }
}

// ---- Workers --------------------------------------------------------------------

static void *aligned(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 63) / 64 * 64 + 64);
    if (!p)
        abort();
    memset(p, 0, (bytes + 63) / 64 * 64 + 64);
    return p;
}

// The lanes' fixed registers of a warp: everything but the block's number.
static void fill_special(const launch *run, uint32_t *s, uint32_t index)
{
    const uint32_t *n = run->what->block, *g = run->what->grid;
    for (uint32_t l = 0; l < 32; l++) {
        uint32_t t = index * 32 + l, bit = 1u << l;
        const uint32_t values[SP_SLOTS] = {
            [SP_TID_X] = t % n[0], [SP_TID_Y] = t / n[0] % n[1], [SP_TID_Z] = t / n[0] / n[1],
            [SP_LANE] = l, [SP_MASK_EQ] = bit, [SP_MASK_LT] = bit - 1,
            [SP_MASK_LE] = bit | (bit - 1), [SP_MASK_GE] = ~(bit - 1),
            [SP_MASK_GT] = ~(bit | (bit - 1)),
            [SP_NTID_X] = n[0], [SP_NTID_Y] = n[1], [SP_NTID_Z] = n[2],
            [SP_NCTAID_X] = g[0], [SP_NCTAID_Y] = g[1], [SP_NCTAID_Z] = g[2],
            [SP_WARP] = index, [SP_NWARP] = run->warps, [SP_NSM] = (uint32_t)run->device->gpu->sms,
            [SP_DYNAMIC] = run->what->shared, [SP_TOTAL] = (uint32_t)run->shared,
            [SP_GRID] = (uint32_t)run->device->grid_number,
        };
        for (int i = 0; i < SP_SLOTS; i++)
            s[i * 32 + l] = values[i];
    }
}

static void make_block(worker *k, block *b)
{
    launch *run = k->launch;
    memset(b, 0, sizeof *b);
    b->warps = aligned(run->warps * sizeof *b->warps);
    b->shared = aligned(run->shared + 16);
    if (run->shared && run->device->config.check_races)
        b->shadows = shadow_new(run->shared);
    for (uint32_t i = 0; i < run->warps; i++) {
        warp *w = &b->warps[i];
        w->worker = k;
        w->index = i;
        w->block = b;
        w->entry = frame_new(k, run->code, NULL);
        memset(w->entry->registers, 0, run->code->function->register_bytes);
        w->special = aligned(SP_SLOTS * 128 + 256);
        w->bank[BANK_SPECIAL] = w->special;
        fill_special(run, (uint32_t *)(void *)w->special, i);
        w->local = run->local ? calloc(32, run->local) : NULL; // pages come when touched
        if (run->local && !w->local)
            abort();
    }
}

static void free_block(block *b, uint32_t warps)
{
    for (uint32_t i = 0; b->warps && i < warps; i++) {
        free(b->warps[i].entry);
        free(b->warps[i].special);
        free(b->warps[i].local);
    }
    free(b->warps);
    free(b->shared);
    free(b->shadows);
}

enum { MOST_LIVE = 64 }; // blocks that one worker keeps going when they spin

static block *another(worker *k, int *count)
{
    k->blocks[*count] = (block){0};
    make_block(k, &k->blocks[*count]);
    return &k->blocks[(*count)++];
}

static bool take_block(worker *k, uint64_t *linear)
{
    launch *run = k->launch;
    *linear = atomic_fetch_add(&run->next_block, 1);
    return *linear < run->blocks && *linear < atomic_load(&run->fault_block);
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

static void *work(void *argument)
{
    worker *k = argument;
    launch *run = k->launch;
    int count = 0, at = 0;
    bool more = true;
    int most = run->what->cooperative && run->blocks < 1 << 16 ? (int)run->blocks : MOST_LIVE;
    k->blocks = calloc((size_t)most, sizeof *k->blocks);
    if (!k->blocks)
        abort();
    bool spinning = run->what->cooperative;
    for (;;) {
        block *b = NULL;
        for (int i = 0; i < count && !b; i++) // an empty slot
            if (!k->blocks[i].started || k->blocks[i].finished)
                b = &k->blocks[i];
        uint64_t linear;
        if (more && (b || count == 0 || (spinning && count < most))) {
            if (take_block(k, &linear)) {
                b = b ? b : another(k, &count);
                block_start(k, b, linear);
            } else {
                more = false;
            }
            if (run->what->cooperative && more && count < most)
                continue; // all live before any runs
        }
        int live = -1;
        for (int i = 0; i < count && live < 0; i++) {
            int j = (at + 1 + i) % count;
            if (k->blocks[j].started && !k->blocks[j].finished)
                live = j;
        }
        if (live < 0) {
            if (!more)
                break;
            continue;
        }
        at = live;
        simt_fault earlier = k->fault;
        uint64_t earlier_block = k->fault_block;
        event e = block_run(k, &k->blocks[at]);
        spinning |= e == YIELD;
        if (e == FAULTED) {
            k->blocks[at].finished = true;
            faulted(k, &earlier, earlier_block);
            more = false;
        }
    }
    for (int i = 0; i < count; i++)
        free_block(&k->blocks[i], run->warps);
    free(k->blocks);
    while (k->free_frames) {
        frame *f = k->free_frames;
        k->free_frames = f->next_free;
        free(f);
    }
    return NULL;
}

static void start_worker(launch *run, worker *k)
{
    *k = (worker){.launch = run, .fault_block = UINT64_MAX};
    k->block_runs = aligned(run->total_blocks_bb * sizeof *k->block_runs);
    k->block_lanes = aligned(run->total_blocks_bb * sizeof *k->block_lanes);
    k->sites = aligned(run->total_sites * sizeof *k->sites);
    k->cache = aligned(run->total_sites * sizeof *k->cache);
    k->patterns = aligned(run->total_sites * sizeof *k->patterns);
}

static void stop_worker(worker *k)
{
    free(k->block_runs);
    free(k->block_lanes);
    free(k->sites);
    free(k->cache);
    free(k->patterns);
}

static int cores(const simt_device *device)
{
    if (device->config.workers > 0)
        return device->config.workers;
    cpu_set_t set;
    CPU_ZERO(&set);
    int n = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
    return n > 64 ? 64 : n;
}

// Add all workers' counts to the first one's.
static void add_up(launch *run)
{
    worker *first = &run->workers[0];
    for (int i = 1; i < run->worker_count; i++) {
        worker *k = &run->workers[i];
        for (uint32_t b = 0; b < run->total_blocks_bb; b++) {
            first->block_runs[b] += k->block_runs[b];
            first->block_lanes[b] += k->block_lanes[b];
        }
        for (uint32_t s = 0; s < run->total_sites; s++) {
            first->sites[s].requests += k->sites[s].requests;
            first->sites[s].sectors += k->sites[s].sectors;
            first->sites[s].ideal += k->sites[s].ideal;
            first->sites[s].lanes += k->sites[s].lanes;
            first->sites[s].extra += k->sites[s].extra;
        }
        first->barriers_done += k->barriers_done;
        first->blocks_done += k->blocks_done;
        if (k->fault.kind && (!first->fault.kind || k->fault_block < first->fault_block)) {
            first->fault = k->fault;
            first->fault_block = k->fault_block;
        }
    }
}

int simt_run(simt_device *device, const simt_launch *what)
{
    int error = simt_check_launch(device, what);
    if (error)
        return error;
    struct kernel_id *id = kernel_of(device, what->kernel);
    launch run = {.device = device, .what = what, .module = id->module};
    run.ordered = what->cooperative;
    device->grid_number++;
    gather(&run, id->function);
    gather_pointed_at(&run);
    run.code = id->function->decoded;
    run.threads = what->block[0] * what->block[1] * what->block[2];
    run.warps = (run.threads + 31) / 32;
    run.blocks = (uint64_t)what->grid[0] * what->grid[1] * what->grid[2];
    run.shared = id->function->shared_bytes;
    for (int i = 0; i < run.code_count; i++)
        if (run.codes[i]->function->uses_module_shared)
            run.shared = (id->function->shared_bytes + 127) / 128 * 128 +
                         id->module->ptx.shared_bytes;
    if (what->shared)
        run.shared = (run.shared + 15) / 16 * 16 + what->shared;
    run.local = id->function->local_bytes;
    for (int i = 1; i < run.code_count; i++)
        run.local += run.codes[i]->function->local_bytes + 16;
    if (run.code_count > 1 || run.calls_pointers || run.grows) // ptxas makes smaller frames than PTX
        run.local += 4 * device->limits[SIMT_LIMIT_STACK];
    run.local = (run.local + 15) / 16 * 16;
    run.parameters = aligned(what->parameter_bytes + 16);
    memcpy(run.parameters, what->parameters, what->parameter_bytes);
    atomic_init(&run.next_block, 0);
    atomic_init(&run.fault_block, UINT64_MAX);
    atomic_store(&device->stop, false);

    int n = run.ordered ? 1 : cores(device);
    if ((uint64_t)n > run.blocks)
        n = (int)run.blocks;
    run.worker_count = n;
    run.workers = calloc((size_t)n, sizeof *run.workers);
    if (!run.workers)
        abort();
    for (int i = 0; i < n; i++)
        start_worker(&run, &run.workers[i]);
    for (int i = 1; i < n; i++)
        if (pthread_create(&run.workers[i].thread, NULL, work, &run.workers[i]))
            run.workers[i].thread = 0;
    work(&run.workers[0]);
    for (int i = 1; i < n; i++)
        if (run.workers[i].thread)
            pthread_join(run.workers[i].thread, NULL);
    add_up(&run);
    simt_fault *fault = &run.workers[0].fault;
    int status = fault->kind ? fault->code : 0;
    if (fault->kind)
        finding_add(device, fault);
    record_launch(&run, status);
    for (int i = 0; i < n; i++)
        stop_worker(&run.workers[i]);
    free(run.workers);
    free(run.codes);
    free(run.parameters);
    return status;
}
