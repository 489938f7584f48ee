// What differs between toolkits, in one place. The front end is compiled against the
// learner's own headers, 11.8 to 13.

#ifndef SIMT_VERSIONS_H
#define SIMT_VERSIONS_H

#include <cuda_runtime_api.h>

// Edges of graphs have data, and the calls that carry it took over the plain names
// in 13.
#if CUDART_VERSION >= 13000
#define EDGES(type, name) , type name
// All edges here are plain ones: their data is zero.
#define EDGES_CLEAR(name, count)                                                       \
    (name && count ? (void)__builtin_memset(name, 0, *count * sizeof *name) : (void)0)
#define EDGES_IGNORE(name) ((void)(name))
#else
#define EDGES(type, name)
#define EDGES_CLEAR(name, count) ((void)0)
#define EDGES_IGNORE(name) ((void)0)
#endif

// A capture's state: the longer form took over the plain name in 12.
#if CUDART_VERSION >= 12000
#define CAPTURE_INFO cudaStreamGetCaptureInfo
#else
#define CAPTURE_INFO cudaStreamGetCaptureInfo_v2
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM // a twin that the header forgets to name
#define cudaStreamUpdateCaptureDependencies cudaStreamUpdateCaptureDependencies_ptsz
#endif
#endif

// Places of memory are structures since 13, device numbers before.
#if CUDART_VERSION >= 13000
typedef struct cudaMemLocation memory_place;
#else
typedef int memory_place;
#endif

// Names that came later.
#if CUDART_VERSION < 12000
typedef struct CUkern_st *cudaKernel_t;
enum cudaDriverEntryPointQueryResult {
    cudaDriverEntryPointSuccess,
    cudaDriverEntryPointSymbolNotFound,
};
#endif

#endif
