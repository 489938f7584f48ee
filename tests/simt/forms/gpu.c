// The forms on a GPU, through the driver's library.

#include "driver.h"
#include "forms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static handle module, kernels[MODULE_FORMS];

static bool load(const char *ptx, int count, char *why, size_t bytes)
{
    enum { LOG = 5, LOG_BYTES = 6 }; // CU_JIT_ERROR_LOG_BUFFER, its size
    int options[] = {LOG, LOG_BYTES};
    void *values[] = {why, (void *)bytes};
    why[0] = 0;
    if (cu.cuModuleLoadDataEx(&module, ptx, 2, options, values))
        return false;
    for (int i = 0; i < count; i++) {
        char name[16];
        sprintf(name, "f%d", i);
        driver_must(cu.cuModuleGetFunction(&kernels[i], module, name), name);
    }
    return true;
}

static void unload(void)
{
    driver_must(cu.cuModuleUnload(module), "cuModuleUnload");
}

static u64 alloc(size_t bytes)
{
    u64 at = 0;
    driver_must(cu.cuMemAlloc_v2(&at, bytes), "cuMemAlloc");
    return at;
}

static void write(u64 to, const void *from, size_t bytes)
{
    driver_must(cu.cuMemcpyHtoD_v2(to, from, bytes), "cuMemcpyHtoD");
}

static void read(void *to, u64 from, size_t bytes)
{
    driver_must(cu.cuMemcpyDtoH_v2(to, from, bytes), "cuMemcpyDtoH");
}

static int run(int i, u32 blocks, const u64 *args, int count, char *why, size_t bytes)
{
    void *pointers[16];
    for (int k = 0; k < count; k++)
        pointers[k] = (void *)&args[k];
    int error = cu.cuLaunchKernel(kernels[i], blocks, 1, 1, BLOCK, 1, 1, 0, NULL, pointers, NULL);
    error = error ? error : cu.cuCtxSynchronize();
    const char *name = "";
    if (error)
        cu.cuGetErrorName(error, &name);
    snprintf(why, bytes, "%s", name);
    return error;
}

const machine gpu_machine = {"gpu", driver_open, load, unload, alloc, write, read, run};
