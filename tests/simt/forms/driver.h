// The CUDA driver's library, opened at run time: its few functions are declared here, so
// this builds where there is no CUDA.

#ifndef DRIVER_H
#define DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void *handle;

// CUlaunchConfig and CUlaunchAttribute of cuda.h, as far as they are used.
typedef struct driver_attribute {
    int id;
    char pad[4];
    union {
        char bytes[64];
        struct {
            unsigned x, y, z;
        } cluster;
        int cooperative;
    } value;
} driver_attribute;

typedef struct driver_launch {
    unsigned grid[3], block[3], shared;
    handle stream;
    driver_attribute *attributes;
    unsigned count;
} driver_launch;

enum { DRIVER_COOPERATIVE = 2, DRIVER_CLUSTER = 4 };

struct driver {
    int (*cuInit)(unsigned);
    int (*cuDriverGetVersion)(int *);
    int (*cuDeviceGet)(int *, int);
    int (*cuDeviceGetName)(char *, int, int);
    int (*cuDevicePrimaryCtxRetain)(handle *, int);
    int (*cuCtxSetCurrent)(handle);
    int (*cuModuleLoadDataEx)(handle *, const void *, unsigned, int *, void **);
    int (*cuModuleUnload)(handle);
    int (*cuModuleGetFunction)(handle *, handle, const char *);
    int (*cuMemAlloc_v2)(uint64_t *, size_t);
    int (*cuMemcpyHtoD_v2)(uint64_t, const void *, size_t);
    int (*cuMemcpyDtoH_v2)(void *, uint64_t, size_t);
    int (*cuLaunchKernel)(handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                          unsigned, handle, void **, void **);
    int (*cuCtxSynchronize)(void);
    int (*cuGetErrorName)(int, const char **);
    int (*cuLaunchKernelEx)(const driver_launch *, handle, void **, void **);
    int (*cuMemFree_v2)(uint64_t);
    int (*cuMemsetD8_v2)(uint64_t, unsigned char, size_t);
    int (*cuModuleGetGlobal_v2)(uint64_t *, size_t *, handle, const char *);
    int (*cuFuncSetAttribute)(handle, int, int);
    int (*cuFuncGetParamInfo)(handle, size_t, size_t *, size_t *);
    int (*cuDevicePrimaryCtxReset_v2)(int);
};
extern struct driver cu;

// Opens the library and the first GPU; about: which it is, or why not.
bool driver_open(char *about, size_t bytes);
// Ends the program if there is an error.
void driver_must(int error, const char *what);

#endif
