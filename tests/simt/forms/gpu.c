// The forms on a GPU, through the driver's library. It is opened at run time and its few
// functions are declared here, so this builds where there is no CUDA.

#include "forms.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *handle;
static struct {
    int (*cuInit)(unsigned);
    int (*cuDriverGetVersion)(int *);
    int (*cuDeviceGet)(int *, int);
    int (*cuDeviceGetName)(char *, int, int);
    int (*cuDevicePrimaryCtxRetain)(handle *, int);
    int (*cuCtxSetCurrent)(handle);
    int (*cuModuleLoadDataEx)(handle *, const void *, unsigned, int *, void **);
    int (*cuModuleUnload)(handle);
    int (*cuModuleGetFunction)(handle *, handle, const char *);
    int (*cuMemAlloc_v2)(u64 *, size_t);
    int (*cuMemcpyHtoD_v2)(u64, const void *, size_t);
    int (*cuMemcpyDtoH_v2)(void *, u64, size_t);
    int (*cuLaunchKernel)(handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                          unsigned, handle, void **, void **);
    int (*cuCtxSynchronize)(void);
    int (*cuGetErrorName)(int, const char **);
} cu;

static handle module, kernels[MODULE_FORMS];

static void must(int error, const char *what)
{
    if (!error)
        return;
    const char *name = "?";
    cu.cuGetErrorName(error, &name);
    fprintf(stderr, "%s: %s\n", what, name);
    exit(2);
}

static bool open(char *about, size_t bytes)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) {
        snprintf(about, bytes, "%s", dlerror());
        return false;
    }
#define FIND(name)                                                                    \
    if (!(*(void **)&cu.name = dlsym(library, #name))) {                              \
        snprintf(about, bytes, "no %s in libcuda.so.1", #name);                       \
        return false;                                                                 \
    }
    FIND(cuInit) FIND(cuDriverGetVersion) FIND(cuDeviceGet) FIND(cuDeviceGetName)
    FIND(cuDevicePrimaryCtxRetain) FIND(cuCtxSetCurrent) FIND(cuModuleLoadDataEx)
    FIND(cuModuleUnload) FIND(cuModuleGetFunction) FIND(cuMemAlloc_v2) FIND(cuMemcpyHtoD_v2)
    FIND(cuMemcpyDtoH_v2) FIND(cuLaunchKernel) FIND(cuCtxSynchronize) FIND(cuGetErrorName)
    must(cu.cuInit(0), "cuInit");
    int number = 0, version = 0;
    handle context;
    char name[80] = "";
    must(cu.cuDriverGetVersion(&version), "cuDriverGetVersion");
    must(cu.cuDeviceGet(&number, 0), "cuDeviceGet");
    must(cu.cuDeviceGetName(name, sizeof name, number), "cuDeviceGetName");
    must(cu.cuDevicePrimaryCtxRetain(&context, number), "cuDevicePrimaryCtxRetain");
    must(cu.cuCtxSetCurrent(context), "cuCtxSetCurrent");
    char driver[80] = "";
    FILE *f = fopen("/proc/driver/nvidia/version", "r");
    if (f) {
        if (fscanf(f, "%*[^0-9]%79[0-9.]", driver) != 1)
            driver[0] = 0;
        fclose(f);
    }
    snprintf(about, bytes, "%s, driver %s, CUDA %d.%d", name, driver, version / 1000,
             version % 1000 / 10);
    return true;
}

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
        must(cu.cuModuleGetFunction(&kernels[i], module, name), name);
    }
    return true;
}

static void unload(void)
{
    must(cu.cuModuleUnload(module), "cuModuleUnload");
}

static u64 alloc(size_t bytes)
{
    u64 at = 0;
    must(cu.cuMemAlloc_v2(&at, bytes), "cuMemAlloc");
    return at;
}

static void write(u64 to, const void *from, size_t bytes)
{
    must(cu.cuMemcpyHtoD_v2(to, from, bytes), "cuMemcpyHtoD");
}

static void read(void *to, u64 from, size_t bytes)
{
    must(cu.cuMemcpyDtoH_v2(to, from, bytes), "cuMemcpyDtoH");
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

const machine gpu_machine = {"gpu", open, load, unload, alloc, write, read, run};
