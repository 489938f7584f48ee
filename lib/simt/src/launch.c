// A launch: check it, prepare its code, run its blocks on all cores, add up the counts.
//
// Kernels whose blocks can see each other's order (used atomics, polled flags, fences)
// run on one worker, in turns.

#include "cache.h"
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

// The launch's cluster, or the kernel's own, or none.
static void cluster_of(const ptx_function *f, const simt_launch *what, uint32_t *cluster)
{
    const uint32_t *from = what->cluster[0] ? what->cluster : f->cluster;
    for (int i = 0; i < 3; i++)
        cluster[i] = from[i] ? from[i] : 1;
}

static int check_cluster(const simt_device *device, const ptx_function *f,
                         const simt_launch *what)
{
    if (!what->cluster[0] && !f->cluster[0])
        return 0;
    if (device->gpu->major < 9)
        return 1;
    uint32_t cluster[3], most = what->any_cluster ? 16 : 8;
    cluster_of(f, what, cluster);
    uint64_t blocks = 1;
    for (int i = 0; i < 3; i++) {
        if (f->cluster[0] && cluster[i] != (f->cluster[i] ? f->cluster[i] : 1))
            return 912; // cudaErrorInvalidClusterSize
        blocks *= cluster[i];
        if (blocks > most)
            return 912;
    }
    for (int i = 0; i < 3; i++)
        if (what->grid[i] % cluster[i])
            return 912;
    return 0;
}

// ptxas reuses registers, PTX never does; an eighth is near for small kernels. Where the
// kernel says how many threads it must run with, they all get their registers.
int launch_registers(const simt_device *d, const ptx_function *f)
{
    int registers = (int)(f->registers / 8 + 16), most = 255;
    int threads = (f->max_threads + 31) / 32 * 32 * (f->min_blocks ? f->min_blocks : 1);
    if (f->bounded || f->min_blocks)
        most = simt_gpu_of(d)->registers_per_sm / threads / 8 * 8;
    if (f->max_registers && f->max_registers < most)
        most = f->max_registers;
    most = most > 255 ? 255 : most < 16 ? 16 : most;
    return registers > most ? most : registers;
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
    uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    const simt_gpu *g = device->gpu;
    if (launch->cooperative && (blocks > (uint64_t)(g->sms * g->blocks_per_sm) ||
                                blocks * threads > (uint64_t)(g->sms * g->threads_per_sm)))
        return 720; // cudaErrorCooperativeLaunchTooLarge
    size_t shared = f->shared_bytes + launch->shared;
    if (shared > (size_t)device->gpu->shared_optin)
        return 1;
    if (launch->parameter_bytes < f->parameter_bytes)
        return 1;
    return check_cluster(device, f, launch);
}

// ---- Code -----------------------------------------------------------------------

static void add_code(launch *run, ptx_function *f)
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
}

// The function and all that it may call, decoded and numbered. (No recursion: a program
// may have a chain of any length.)
static void gather(launch *run, ptx_function *f)
{
    int next = run->code_count;
    for (add_code(run, f); next < run->code_count; next++) {
        const simt_code *code = run->codes[next];
        for (uint32_t i = 0; i < code->count; i++) {
            const call_of *c = code->ops[i].extra;
            if (code->ops[i].run == control_call && c->function)
                add_code(run, c->function);
        }
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

enum { MOST_LOCAL = 8 << 20 }; // bytes a thread, whatever is called

// ---- Running --------------------------------------------------------------------

static int cores(simt_device *device)
{
    if (device->config.workers > 0)
        return device->config.workers;
    cpu_set_t set;
    CPU_ZERO(&set);
    int n = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
    return device->config.workers = n > 64 ? 64 : n; // asked once
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
        first->longest = k->longest > first->longest ? k->longest : first->longest;
        first->barriers_done += k->barriers_done;
        first->blocks_done += k->blocks_done;
        if (k->fault.kind && (!first->fault.kind || k->fault_block < first->fault_block)) {
            first->fault = k->fault;
            first->fault_block = k->fault_block;
        }
    }
}

// How many blocks a multiprocessor holds at once.
static void set_limits(launch *run)
{
    const simt_gpu *g = run->device->gpu;
    const multiprocessor m = {g->major, g->threads_per_sm, g->blocks_per_sm,
                              g->registers_per_sm, (size_t)g->shared_per_sm,
                              (size_t)g->shared_optin};
    size_t preferred = run->what->preferred ? run->what->preferred : m.shared;
    run->registers = run->what->registers ? run->what->registers
                                          : launch_registers(run->device, run->code->function);
    run->limits = occupancy_of(&m, (int)run->threads, run->registers, run->shared, preferred);
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
    if (run.local > MOST_LOCAL)
        run.local = MOST_LOCAL;
    run.local = (run.local + 15) / 16 * 16;
    set_limits(&run);
    cache_prepare(&run, run.limits.blocks);
    run.parameters = room_take(device, what->parameter_bytes + 16);
    memcpy(run.parameters, what->parameters, what->parameter_bytes);
    cluster_of(id->function, what, run.cluster);
    run.cluster_size = run.cluster[0] * run.cluster[1] * run.cluster[2];
    run.explicit_cluster = id->function->cluster[0] || what->cluster[0];
    if (what->cooperative)
        device_workspace_reset(device);
    atomic_init(&run.next_block, 0);
    atomic_init(&run.fault_block, UINT64_MAX);
    if (!device_has_parent(device)) // children end with their parents
        atomic_store(&device->stop, false);

    memcpy(device->asked.grid, what->grid, sizeof what->grid);
    memcpy(device->asked.block, what->block, sizeof what->block);
    races_begin(&run);
    bool alone = run.ordered || device->config.checks & SIMT_CHECK_RACE || device->config.schedule;
    int n = alone ? 1 : cores(device);
    if ((uint64_t)n > run.blocks / run.cluster_size)
        n = (int)(run.blocks / run.cluster_size);
    run.worker_count = n;
    run.workers = room_take(device, (size_t)n * sizeof *run.workers);
    for (int i = 0; i < n; i++)
        worker_start(&run, &run.workers[i]);
    for (int i = 1; i < n; i++)
        if (pthread_create(&run.workers[i].thread, NULL, worker_run, &run.workers[i]))
            run.workers[i].thread = 0;
    worker_run(&run.workers[0]);
    for (int i = 1; i < n; i++)
        if (run.workers[i].thread)
            pthread_join(run.workers[i].thread, NULL);
    cache_finish(&run);
    add_up(&run);
    simt_fault *fault = &run.workers[0].fault;
    int status = fault->kind ? fault->code : 0;
    if (fault->kind)
        finding_add(device, fault);
    findings_settle(device);
    record_launch(&run, status);
    races_end(&run);
    for (int i = 0; i < n; i++)
        worker_stop(&run.workers[i]);
    room_give(device, run.workers);
    writer_keep(&run);
    room_give(device, run.parameters);
    if (status) {
        device_drop_children(device);
        return status;
    }
    return device_run_children(device);
}
