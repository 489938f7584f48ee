// What a kernel is and may have: its attributes.

#include "fatbin.h"
#include "front.h"

#include <stdlib.h>
#include <string.h>

static wire_kernel *about_of(const kernel *k)
{
    return k->on[here].about;
}

static int attributes(struct cudaFuncAttributes *a, const void *host)
{
    kernel *k;
    if (!a)
        return cudaErrorInvalidValue;
    int code = kernel_find(host, &k);
    if (code)
        return code;
    const wire_kernel *about = about_of(k);
    memset(a, 0, sizeof *a);
    a->sharedSizeBytes = about->shared;
    a->constSizeBytes = about->constant;
    a->localSizeBytes = about->local;
    a->maxThreadsPerBlock = about->max_threads;
    a->numRegs = about->registers;
    a->ptxVersion = module_target(k);
    a->binaryVersion = gpu.major * 10 + gpu.minor;
    a->maxDynamicSharedSizeBytes = most_dynamic(k);
    a->preferredShmemCarveout = k->on[here].carveout;
#if CUDART_VERSION >= 12000
    a->nonPortableClusterSizeAllowed = k->on[here].large_clusters;
#endif
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaFuncGetAttributes(struct cudaFuncAttributes *a,
                                            const void *host)
{
    return CALL(attributes(a, host));
}

static int set_attribute(const void *host, enum cudaFuncAttribute what, int value)
{
    kernel *k;
    int code = kernel_find(host, &k);
    if (code)
        return code;
    kernel_on *on = &k->on[here];
    switch ((int)what) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        if (value < 0 || (size_t)value + on->about->shared > (size_t)gpu.shared_optin)
            return cudaErrorInvalidValue;
        on->most_dynamic = (size_t)value;
        return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < -1 || value > 100)
            return cudaErrorInvalidValue;
        on->carveout = value;
        return cudaSuccess;
#if CUDART_VERSION >= 11080
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
        if (gpu.major < 9)
            return cudaErrorNotSupported;
        if (value != 0 && value != 1)
            return cudaErrorInvalidValue;
        on->large_clusters = value;
        return cudaSuccess;
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
        return cudaErrorNotSupported;
#endif
    default:
        return cudaErrorInvalidValue;
    }
}

cudaError_t CUDARTAPI cudaFuncSetAttribute(const void *host,
                                           enum cudaFuncAttribute what, int value)
{
    return CALL(set_attribute(host, what, value));
}

static int set_cache(const void *host, enum cudaFuncCache what)
{
    kernel *k;
    int code = kernel_find(host, &k);
    if (!code && (unsigned)what > cudaFuncCachePreferEqual)
        code = cudaErrorInvalidValue;
    if (!code)
        k->on[here].cache = (int)what;
    return code;
}

cudaError_t CUDARTAPI cudaFuncSetCacheConfig(const void *host, enum cudaFuncCache what)
{
    return CALL(set_cache(host, what));
}

cudaError_t CUDARTAPI cudaFuncSetSharedMemConfig(const void *host,
                                                 enum cudaSharedMemConfig what)
{
    kernel *k;
    (void)what; // banks have had one width since compute capability 5.0
    return CALL(kernel_find(host, &k));
}

#if CUDART_VERSION >= 12030
static int name_of(const char **name, const void *host)
{
    kernel *k;
    if (!name)
        return cudaErrorInvalidValue;
    int code = kernel_find(host, &k);
    if (!code)
        *name = k->name;
    return code;
}

cudaError_t CUDARTAPI cudaFuncGetName(const char **name, const void *host)
{
    return CALL(name_of(name, host));
}
#endif

#if CUDART_VERSION >= 12040
static int parameter(const void *host, size_t i, size_t *offset, size_t *bytes)
{
    kernel *k;
    int code = kernel_find(host, &k);
    if (code)
        return code;
    if (!offset || i >= (size_t)about_of(k)->parameters)
        return cudaErrorInvalidValue;
    *offset = about_of(k)->parameter[i].offset;
    if (bytes)
        *bytes = about_of(k)->parameter[i].bytes;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaFuncGetParamInfo(const void *host, size_t i, size_t *offset,
                                           size_t *bytes)
{
    return CALL(parameter(host, i, offset, bytes));
}
#endif

// What ptxas said of a kernel, if the program has its machine code.
void kernel_measure(kernel *k, int number)
{
    const void *container;
    for (int i = 0; (container = module_container(k, i)); i++) {
        char *cubin;
        size_t bytes;
        cubin_needs needs;
        if (!fatbin_cubin(container, module_bytes_left(container),
                          (unsigned)(gpu.major * 10 + gpu.minor), &cubin, &bytes) &&
            cubin_find(cubin, bytes, k->name, &needs)) {
            k->on[number].about->registers = needs.registers;
            if (needs.frame >= 0)
                k->on[number].about->local = (uint64_t)needs.frame;
        }
        free(cubin);
    }
}
