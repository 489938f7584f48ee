// The CUDA driver: driver.h.

#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct driver cu;

void driver_must(int error, const char *what)
{
    if (!error)
        return;
    const char *name = "?";
    cu.cuGetErrorName(error, &name);
    fprintf(stderr, "%s: %s\n", what, name);
    exit(2);
}

bool driver_open(char *about, size_t bytes)
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
    FIND(cuLaunchKernelEx) FIND(cuMemFree_v2) FIND(cuMemsetD8_v2) FIND(cuModuleGetGlobal_v2)
    FIND(cuFuncSetAttribute) FIND(cuFuncGetParamInfo) FIND(cuDevicePrimaryCtxReset_v2)
    driver_must(cu.cuInit(0), "cuInit");
    int number = 0, version = 0;
    handle context;
    char name[80] = "";
    driver_must(cu.cuDriverGetVersion(&version), "cuDriverGetVersion");
    driver_must(cu.cuDeviceGet(&number, 0), "cuDeviceGet");
    driver_must(cu.cuDeviceGetName(name, sizeof name, number), "cuDeviceGetName");
    driver_must(cu.cuDevicePrimaryCtxRetain(&context, number), "cuDevicePrimaryCtxRetain");
    driver_must(cu.cuCtxSetCurrent(context), "cuCtxSetCurrent");
    char driver[80] = "";
    FILE *f = fopen("/proc/driver/nvidia/version", "r");
    if (f) {
        char line[256] = ""; // ... Kernel Module for x86_64  580.159.04  Release ...
        const char *at = fgets(line, sizeof line, f) ? strstr(line, "  ") : NULL;
        if (!at || sscanf(at, " %79[0-9.]", driver) != 1)
            driver[0] = 0;
        fclose(f);
    }
    snprintf(about, bytes, "%s, driver %s, CUDA %d.%d", name, driver, version / 1000,
             version % 1000 / 10);
    return true;
}

