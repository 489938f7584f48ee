// simt.h on a real GPU, as far as the core's tests use it: the same PTX, assembled by the
// driver, the same launches, the same expected answers. What only the emulator has
// (counters, faults) is not here; CK_INCLUDE_TAGS=answers leaves those tests out.

#include "../forms/driver.h"
#include "simt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 16, SHARED_LIMIT = 8 };

struct simt_device {
    char error[4096];
};

static struct program {
    handle module;
    bool live;
} modules[MOST];
static handle kernels[MOST];
static uint32_t module_count, kernel_count;

simt_device *simt_open(const simt_config *config)
{
    static bool open;
    char about[256];
    (void)config;
    if (!open && !driver_open(about, sizeof about)) {
        fprintf(stderr, "%s\n", about);
        exit(2);
    }
    if (!open)
        printf("%s\n", about);
    open = true;
    return calloc(1, sizeof(simt_device));
}

void simt_close(simt_device *d)
{
    for (uint32_t i = 0; i < module_count; i++) {
        if (modules[i].live)
            cu.cuModuleUnload(modules[i].module);
        modules[i].live = false;
    }
    free(d);
}

// Texts ask for compute capability 8.0; what needs 9.0 is in them too.
int simt_load(simt_device *d, const char *ptx, size_t bytes, uint32_t *module)
{
    enum { LOG = 5, LOG_BYTES = 6 }; // CU_JIT_ERROR_LOG_BUFFER, its size
    int options[] = {LOG, LOG_BYTES};
    void *values[] = {d->error, (void *)sizeof d->error};
    char *text = calloc(1, bytes + 2);
    memcpy(text, ptx, bytes);
    char *target = strstr(text, ".target sm_80");
    if (target)
        target[11] = '9';
    int error = cu.cuModuleLoadDataEx(&modules[module_count].module, text, 2, options, values);
    free(text);
    modules[module_count].live = !error;
    *module = error || module_count + 1 == MOST ? 0 : ++module_count;
    return error;
}

const char *simt_load_error(const simt_device *d)
{
    return d->error;
}

int simt_unload(simt_device *d, uint32_t module)
{
    (void)d;
    modules[module - 1].live = false;
    return cu.cuModuleUnload(modules[module - 1].module);
}

int simt_find_kernel(simt_device *d, uint32_t module, const char *name, uint32_t *kernel)
{
    (void)d;
    int error = cu.cuModuleGetFunction(&kernels[kernel_count], modules[module - 1].module, name);
    *kernel = error || kernel_count + 1 == MOST ? 0 : ++kernel_count;
    return error;
}

int simt_find_variable(simt_device *d, uint32_t module, const char *name, uint64_t *address,
                       size_t *bytes)
{
    (void)d;
    return cu.cuModuleGetGlobal_v2(address, bytes, modules[module - 1].module, name);
}

int simt_alloc(simt_device *d, size_t bytes, uint64_t *address)
{
    (void)d;
    return cu.cuMemAlloc_v2(address, bytes);
}

int simt_free(simt_device *d, uint64_t address)
{
    (void)d;
    return cu.cuMemFree_v2(address);
}

int simt_write(simt_device *d, uint64_t to, const void *from, size_t bytes)
{
    (void)d;
    return cu.cuMemcpyHtoD_v2(to, from, bytes);
}

int simt_read(simt_device *d, void *to, uint64_t from, size_t bytes)
{
    (void)d;
    return cu.cuMemcpyDtoH_v2(to, from, bytes);
}

int simt_fill(simt_device *d, uint64_t to, int byte, size_t bytes)
{
    (void)d;
    return cu.cuMemsetD8_v2(to, (unsigned char)byte, bytes);
}

int simt_set_limit(simt_device *d, int which, size_t bytes)
{
    (void)d, (void)which, (void)bytes;
    return 0;
}

// A device-side fault would spoil all tests after it, so it ends the program.
int simt_run(simt_device *d, const simt_launch *l)
{
    (void)d;
    driver_attribute attributes[2] = {{0}};
    driver_launch launch = {.shared = l->shared, .attributes = attributes};
    memcpy(launch.grid, l->grid, sizeof launch.grid);
    memcpy(launch.block, l->block, sizeof launch.block);
    if (l->cooperative)
        attributes[launch.count++] = (driver_attribute){.id = DRIVER_COOPERATIVE, .value.cooperative = 1};
    if (l->cluster[0])
        attributes[launch.count++] = (driver_attribute){
            .id = DRIVER_CLUSTER, .value.cluster = {l->cluster[0], l->cluster[1], l->cluster[2]}};
    handle kernel = kernels[l->kernel - 1];
    cu.cuFuncSetAttribute(kernel, SHARED_LIMIT, (int)l->shared);
    void *extra[] = {(void *)1, (void *)l->parameters, (void *)2, (void *)&l->parameter_bytes, NULL};
    int error = cu.cuLaunchKernelEx(&launch, kernel, NULL, extra);
    if (!error)
        driver_must(cu.cuCtxSynchronize(), "a kernel");
    return error;
}

const simt_fault *simt_fault_at(const simt_device *d, size_t i)
{
    (void)d, (void)i;
    return NULL;
}

// ---- What a GPU cannot tell -------------------------------------------------------

static _Noreturn void not_here(const char *name)
{
    fprintf(stderr, "%s: only the emulator has it; set CK_INCLUDE_TAGS=answers\n", name);
    exit(2);
}

#define NOT_HERE(result, name, ...)                                                   \
    result name(__VA_ARGS__)                                                          \
    {                                                                                 \
        not_here(#name);                                                              \
    }
NOT_HERE(double, simt_counter, const simt_device *d, const char *name)
NOT_HERE(void, simt_write_record, const simt_device *d, FILE *out)
NOT_HERE(void, simt_reset_record, simt_device *d)
NOT_HERE(const simt_gpu *, simt_gpu_of, const simt_device *d)
NOT_HERE(const simt_gpu *, simt_gpu_named, const char *key)
NOT_HERE(int, simt_check_launch, simt_device *d, const simt_launch *l)
NOT_HERE(int, simt_kernel_info_of, simt_device *d, uint32_t kernel, simt_kernel_info *info)
NOT_HERE(int, simt_texture_new, simt_device *d, const simt_texture *t, uint64_t *object)
NOT_HERE(int, simt_texture_drop, simt_device *d, uint64_t object)
NOT_HERE(int, simt_range, simt_device *d, uint64_t at, uint64_t *base, size_t *bytes)
NOT_HERE(int, simt_bind_variable, simt_device *d, uint32_t m, const char *name, uint64_t at)
NOT_HERE(bool, simt_checks_named, const char *names, unsigned *checks)
NOT_HERE(int, simt_memory_info, simt_device *d, size_t *available, size_t *total)
NOT_HERE(int, simt_parameter, simt_device *d, uint32_t kernel, int i, size_t *offset, size_t *bytes)
