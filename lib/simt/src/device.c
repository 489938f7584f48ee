// The device: opening it, loading programs, finding their kernels and variables, and
// the calls of simt.h that only pass on to the heap.

#include "cache.h"
#include "heap_bits.h"
#include "watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const simt_gpu gpus[] = {
#define GPU(key, name, ...) {"NVIDIA " name " (emulated)", #key, __VA_ARGS__},
#include "gpus.def"
#undef GPU
};

const simt_gpu *simt_gpu_named(const char *key)
{
    for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++)
        if (!strcmp(gpus[i].key, key))
            return &gpus[i];
    return NULL;
}

const simt_gpu *simt_gpu_of(const simt_device *device)
{
    return device->gpu;
}

simt_device *simt_open(const simt_config *config)
{
    simt_device *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->config = config ? *config : (simt_config){0};
    d->gpu = simt_gpu_named(d->config.gpu ? d->config.gpu : "A100");
    const char *watched = d->config.watch && *d->config.watch ? d->config.watch : NULL;
    d->watch = watched ? watch_new(watched) : NULL;
    d->config.gpu = d->config.watch = NULL; // the caller's texts
    if (!d->config.instruction_limit)
        d->config.instruction_limit = (uint64_t)1 << 27;
    if (d->config.number < 0 || d->config.number >= DEVICES) {
        free(d);
        return NULL;
    }
    if (!d->config.memory)
        d->config.memory = (size_t)16 << 30;
    d->limits[SIMT_LIMIT_STACK] = 1024;
    d->limits[SIMT_LIMIT_PRINTF] = 1 << 20;
    d->limits[SIMT_LIMIT_HEAP] = 8 << 20;
    d->handlers = host_has_v3() ? handlers_v3 : handlers_base;
    pthread_mutex_init(&d->lock, NULL);
    d->record = record_new(d);
    d->rooms = rooms_open();
    d->l2 = d->gpu ? l2_open(d->gpu) : NULL;
    d->heap = d->gpu ? heap_open(d->config.memory, d->config.number) : NULL;
    if (d->heap && d->config.checks & SIMT_CHECK_INIT && !heap_watch(d->heap))
        d->config.checks &= ~(unsigned)SIMT_CHECK_INIT;
    if (!d->heap || !d->l2 || !d->record || !d->rooms || (watched && !d->watch) ||
        heap_share(d->heap, WORKSPACE, (char *)d->workspace, sizeof d->workspace, NULL)) {
        simt_close(d);
        return NULL;
    }
    return d;
}

static void forget_functions(simt_device *d, const module *m)
{
    for (uint32_t i = 0; i < d->kernel_count; i++)
        if (d->kernels[i].module == m)
            d->kernels[i] = (struct kernel_id){0};
    for (uint32_t i = 0; i < d->function_count; i++)
        if (d->functions[i].module == m)
            d->functions[i] = (struct kernel_id){0};
}

static void module_free(simt_device *d, module *m)
{
    forget_functions(d, m);
    for (ptx_function *f = m->ptx.functions; f; f = f->next)
        code_free(f->decoded);
    for (int i = 0; i < m->ptx.variable_count; i++)
        if (m->ptx.variables[i]->at)
            heap_free(d->heap, m->ptx.variables[i]->at);
    free(m->ptx.variables);
    arena_free(&m->ptx.memory);
    free(m);
}

// Let go of unloaded modules; the caller has just emptied the record.
void device_forget(simt_device *d)
{
    writer_forget(d);
    while (d->retired) {
        module *m = d->retired;
        d->retired = m->next;
        module_free(d, m);
    }
}

void simt_close(simt_device *d)
{
    if (!d)
        return;
    while (d->modules) {
        module *m = d->modules;
        d->modules = m->next;
        module_free(d, m);
    }
    device_forget(d);
    textures_forget(d);
    rooms_close(d->rooms);
    heap_close(d->heap);
    l2_close(d->l2);
    record_free(d->record);
    free(d->watch);
    pthread_mutex_destroy(&d->lock);
    device_heap_close(d->malloced);
    device_children_free(d);
    races_free(d);
    free(d->kernels);
    free(d->functions);
    free(d->printed);
    free(d);
}

// What %envreg1 and 2 point to: cooperative groups keep the size of this area in the
// first word and a barrier in the second.
void device_workspace_reset(simt_device *d)
{
    memset(d->workspace, 0, sizeof d->workspace);
    d->workspace[0] = sizeof d->workspace;
}

void simt_stop(simt_device *device)
{
    atomic_store(&device->stop, true);
}

// ---- Programs -------------------------------------------------------------------

// Variables get device memory; then their initial addresses can be filled in.
static int place_variables(simt_device *d, module *m)
{
    for (int i = 0; i < m->ptx.variable_count; i++) {
        ptx_symbol *s = m->ptx.variables[i];
        range r;
        if (s->definition)
            continue;
        if (s->external && !s->init) {
            snprintf(d->load_error, sizeof d->load_error,
                     "the variable '%s' is defined in no module", s->name);
            return 200;
        }
        if (heap_alloc(d->heap, s->bytes, &s->at))
            return 2;
        if (!heap_find(d->heap, s->at, s->bytes, &r))
            return 2;
        memset(r.host, 0, s->bytes);
        bits_wrote(d, r.host, s->bytes);
        if (s->init)
            memcpy(r.host, s->init, s->bytes);
    }
    for (int i = 0; i < m->ptx.variable_count; i++) {
        ptx_symbol *s = m->ptx.variables[i];
        for (const ptx_reloc *x = s->definition ? NULL : s->relocs; x; x = x->next) {
            const ptx_symbol *to = ptx_definition(scope_find(x->scope, x->name));
            range r;
            bool function = to && to->space == S_FUNC && to->function;
            if (!to || (to->space != S_GLOBAL && to->space != S_CONST && !function) ||
                !heap_find(d->heap, s->at + x->at, 8, &r))
                continue;
            uint64_t address = (function ? function_address(d, m, to->function) : to->at) +
                               (uint64_t)x->addend;
            memcpy(r.host + (s->at + x->at - r.low), &address, 8);
        }
    }
    return 0;
}

int simt_load(simt_device *d, const char *ptx, size_t bytes, uint32_t *id)
{
    *id = 0;
    d->load_error[0] = 0;
    module *m = calloc(1, sizeof *m);
    if (!m)
        return 2;
    if (!ptx_parse(&m->ptx, ptx, bytes)) {
        snprintf(d->load_error, sizeof d->load_error, "%s", m->ptx.error);
        free(m->ptx.variables);
        arena_free(&m->ptx.memory);
        free(m);
        return 218; // cudaErrorInvalidPtx
    }
    int error = place_variables(d, m);
    if (error) {
        module_free(d, m);
        return error;
    }
    m->id = *id = ++d->next_module;
    m->next = d->modules;
    d->modules = m;
    return 0;
}

const char *simt_load_error(const simt_device *device)
{
    return device->load_error;
}

static module *module_of(const simt_device *d, uint32_t id)
{
    for (module *m = d->modules; m; m = m->next)
        if (m->id == id)
            return m;
    return NULL;
}

int simt_unload(simt_device *d, uint32_t id)
{
    for (module **m = &d->modules; *m; m = &(*m)->next)
        if ((*m)->id == id) {
            module *gone = *m;
            *m = gone->next;
            gone->next = d->retired; // records and faults still name its parts
            d->retired = gone;
            forget_functions(d, gone);
            return 0;
        }
    return 1;
}

int simt_find_kernel(simt_device *d, uint32_t id, const char *name, uint32_t *kernel)
{
    *kernel = 0;
    module *m = module_of(d, id);
    ptx_symbol *s = m ? scope_find(m->ptx.scope, name) : NULL;
    if (!s || s->space != S_FUNC || !s->function || !s->function->entry ||
        !s->function->defined)
        return 98; // cudaErrorInvalidDeviceFunction
    for (uint32_t i = 0; i < d->kernel_count; i++)
        if (d->kernels[i].module == m && d->kernels[i].function == s->function) {
            *kernel = i + 1;
            return 0;
        }
    struct kernel_id *more = realloc(d->kernels, (d->kernel_count + 1) * sizeof *more);
    if (!more)
        return 2;
    d->kernels = more;
    d->kernels[d->kernel_count++] = (struct kernel_id){m, s->function};
    *kernel = d->kernel_count;
    return 0;
}

static const struct kernel_id *kernel_at(const simt_device *d, uint32_t kernel)
{
    return kernel && kernel <= d->kernel_count && d->kernels[kernel - 1].function
               ? &d->kernels[kernel - 1]
               : NULL;
}

int simt_kernel_info_of(simt_device *d, uint32_t kernel, simt_kernel_info *info)
{
    const struct kernel_id *k = kernel_at(d, kernel);
    if (!k)
        return 98;
    const ptx_function *f = k->function;
    decode(d, k->module, k->function);
    size_t behind = f->uses_module_shared ? k->module->ptx.shared_bytes : 0;
    *info = (simt_kernel_info){
        .parameter_bytes = f->parameter_bytes,
        .parameters = f->parameter_count,
        .shared = behind ? (f->shared_bytes + 127) / 128 * 128 + behind : f->shared_bytes,
        .local = f->local_bytes,
        .max_threads = f->max_threads,
        .registers = launch_registers(d, f),
    };
    for (int i = 0; i < k->module->ptx.variable_count; i++)
        if (k->module->ptx.variables[i]->space == S_CONST)
            info->constant += k->module->ptx.variables[i]->bytes;
    return 0;
}

int simt_parameter(simt_device *d, uint32_t kernel, int i, size_t *offset, size_t *bytes)
{
    const struct kernel_id *k = kernel_at(d, kernel);
    if (!k)
        return 98;
    if (i < 0 || i >= k->function->parameter_count)
        return 1;
    *offset = k->function->parameters[i]->at;
    *bytes = k->function->parameters[i]->bytes;
    return 0;
}

int simt_find_variable(simt_device *d, uint32_t id, const char *name, uint64_t *address,
                       size_t *bytes)
{
    module *m = module_of(d, id);
    const ptx_symbol *s = m ? ptx_definition(scope_find(m->ptx.scope, name)) : NULL;
    if (!s || (s->space != S_GLOBAL && s->space != S_CONST))
        return 13; // cudaErrorInvalidSymbol
    *address = s->at;
    *bytes = s->bytes;
    return 0;
}

// ---- Memory ---------------------------------------------------------------------

int simt_range(simt_device *d, uint64_t address, uint64_t *base, size_t *bytes)
{
    range r;
    if (!heap_find(d->heap, address, 0, &r))
        return 1;
    *base = r.low;
    *bytes = r.high - r.low;
    return 0;
}

int simt_memory_info(simt_device *d, size_t *available, size_t *total)
{
    *total = d->gpu->memory < d->config.memory ? d->gpu->memory : d->config.memory;
    size_t used = heap_used(d->heap);
    *available = used < *total ? *total - used : 0;
    return 0;
}

int simt_share(simt_device *d, uint64_t address, void *host, size_t bytes,
               simt_pages *pages)
{
    return heap_share(d->heap, address, host, bytes, pages);
}

int simt_park(simt_device *d, uint64_t address, bool parked)
{
    return heap_park(d->heap, address, parked);
}

int simt_peer(simt_device *d, simt_device *other, bool on)
{
    if (d == other)
        return 101; // cudaErrorInvalidDevice
    heap_peer(d->heap, other->config.number, on ? other->heap : NULL);
    return 0;
}

int simt_unshare(simt_device *d, uint64_t address)
{
    return heap_unshare(d->heap, address);
}

static char *host_of(simt_device *d, uint64_t address, size_t bytes)
{
    range r;
    return heap_find(d->heap, address, bytes, &r) ? r.host + (address - r.low) : NULL;
}

int simt_write(simt_device *d, uint64_t to, const void *from, size_t bytes)
{
    char *p = host_of(d, to, bytes);
    if (!p)
        return 1;
    memcpy(p, from, bytes);
    bits_wrote(d, p, bytes);
    return 0;
}

int simt_read(simt_device *d, void *to, uint64_t from, size_t bytes)
{
    const char *p = host_of(d, from, bytes);
    if (!p)
        return 1;
    memcpy(to, p, bytes);
    return 0;
}

int simt_copy(simt_device *d, uint64_t to, uint64_t from, size_t bytes)
{
    char *p = host_of(d, to, bytes);
    const char *q = host_of(d, from, bytes);
    if (!p || !q)
        return 1;
    memmove(p, q, bytes);
    bits_copied(d, p, q, bytes);
    return 0;
}

int simt_fill(simt_device *d, uint64_t to, int byte, size_t bytes)
{
    char *p = host_of(d, to, bytes);
    if (!p)
        return 1;
    memset(p, byte, bytes);
    bits_wrote(d, p, bytes);
    return 0;
}
