// The twins that nvcc calls with --default-stream per-thread: stream 0 is the calling
// thread's own. The compiler picks them by name, so no header declares them.

#include "front.h"

static cudaStream_t own(cudaStream_t s)
{
    return s ? s : cudaStreamPerThread;
}

#define TWIN(name, suffix, parameters, arguments)                                     \
    cudaError_t name##_##suffix parameters;                                           \
    cudaError_t name##_##suffix parameters                                            \
    {                                                                                 \
        return name arguments;                                                        \
    }

// Calls that wait: the asynchronous call in the thread's stream, then the wait.
static cudaError_t finish(cudaError_t code)
{
    return code ? code : cudaStreamSynchronize(cudaStreamPerThread);
}

#define CALLS(name, parameters, call)                                                 \
    cudaError_t name##_ptds parameters;                                               \
    cudaError_t name##_ptds parameters                                                \
    {                                                                                 \
        return call;                                                                  \
    }
#define WAITS(name, parameters, call) CALLS(name, parameters, finish(call))

typedef enum cudaMemcpyKind kind_of;

WAITS(cudaMemcpy, (void *to, const void *from, size_t n, kind_of k),
      cudaMemcpyAsync(to, from, n, k, cudaStreamPerThread))
WAITS(cudaMemcpy2D,
      (void *to, size_t tp, const void *from, size_t fp, size_t n, size_t h, kind_of k),
      cudaMemcpy2DAsync(to, tp, from, fp, n, h, k, cudaStreamPerThread))
WAITS(cudaMemcpyToSymbol,
      (const void *symbol, const void *from, size_t n, size_t at, kind_of k),
      cudaMemcpyToSymbolAsync(symbol, from, n, at, k, cudaStreamPerThread))
WAITS(cudaMemcpyFromSymbol,
      (void *to, const void *symbol, size_t n, size_t at, kind_of k),
      cudaMemcpyFromSymbolAsync(to, symbol, n, at, k, cudaStreamPerThread))

CALLS(cudaMemset, (void *to, int byte, size_t n),
      cudaMemsetAsync(to, byte, n, cudaStreamPerThread))
CALLS(cudaMemset2D, (void *to, size_t pitch, int byte, size_t n, size_t h),
      cudaMemset2DAsync(to, pitch, byte, n, h, cudaStreamPerThread))

TWIN(cudaMemcpyAsync, ptsz,
     (void *to, const void *from, size_t n, kind_of k, cudaStream_t s),
     (to, from, n, k, own(s)))
TWIN(cudaMemcpy2DAsync, ptsz,
     (void *to, size_t tp, const void *from, size_t fp, size_t n, size_t h, kind_of k,
      cudaStream_t s),
     (to, tp, from, fp, n, h, k, own(s)))
TWIN(cudaMemcpyToSymbolAsync, ptsz,
     (const void *symbol, const void *from, size_t n, size_t at, kind_of k,
      cudaStream_t s),
     (symbol, from, n, at, k, own(s)))
TWIN(cudaMemcpyFromSymbolAsync, ptsz,
     (void *to, const void *symbol, size_t n, size_t at, kind_of k, cudaStream_t s),
     (to, symbol, n, at, k, own(s)))
TWIN(cudaMemsetAsync, ptsz, (void *to, int byte, size_t n, cudaStream_t s),
     (to, byte, n, own(s)))
TWIN(cudaMemset2DAsync, ptsz,
     (void *to, size_t pitch, int byte, size_t n, size_t h, cudaStream_t s),
     (to, pitch, byte, n, h, own(s)))
TWIN(cudaMallocAsync, ptsz, (void **at, size_t n, cudaStream_t s), (at, n, own(s)))
TWIN(cudaFreeAsync, ptsz, (void *at, cudaStream_t s), (at, own(s)))
TWIN(cudaStreamSynchronize, ptsz, (cudaStream_t s), (own(s)))
TWIN(cudaStreamQuery, ptsz, (cudaStream_t s), (own(s)))
TWIN(cudaStreamGetFlags, ptsz, (cudaStream_t s, unsigned *flags), (own(s), flags))
TWIN(cudaStreamGetPriority, ptsz, (cudaStream_t s, int *p), (own(s), p))
TWIN(cudaStreamWaitEvent, ptsz, (cudaStream_t s, cudaEvent_t e, unsigned flags),
     (own(s), e, flags))
TWIN(cudaEventRecord, ptsz, (cudaEvent_t e, cudaStream_t s), (e, own(s)))
TWIN(cudaEventRecordWithFlags, ptsz, (cudaEvent_t e, cudaStream_t s, unsigned flags),
     (e, own(s), flags))
TWIN(cudaStreamAddCallback, ptsz,
     (cudaStream_t s, cudaStreamCallback_t f, void *a, unsigned flags),
     (own(s), f, a, flags))
#if CUDART_VERSION >= 13000
TWIN(cudaMemPrefetchAsync, ptsz,
     (const void *at, size_t n, struct cudaMemLocation to, unsigned flags,
      cudaStream_t s),
     (at, n, to, flags, own(s)))
#else
TWIN(cudaMemPrefetchAsync, ptsz,
     (const void *at, size_t n, int to, cudaStream_t s), (at, n, to, own(s)))
#endif
TWIN(cudaLaunchHostFunc, ptsz, (cudaStream_t s, cudaHostFn_t f, void *a),
     (own(s), f, a))
TWIN(cudaLaunchKernel, ptsz,
     (const void *f, dim3 grid, dim3 block, void **a, size_t shared, cudaStream_t s),
     (f, grid, block, a, shared, own(s)))
TWIN(cudaLaunchCooperativeKernel, ptsz,
     (const void *f, dim3 grid, dim3 block, void **a, size_t shared, cudaStream_t s),
     (f, grid, block, a, shared, own(s)))
cudaError_t __cudaLaunchKernel(cudaKernel_t f, dim3 grid, dim3 block, void **a,
                               size_t shared, cudaStream_t s);
TWIN(__cudaLaunchKernel, ptsz,
     (cudaKernel_t f, dim3 grid, dim3 block, void **a, size_t shared, cudaStream_t s),
     (f, grid, block, a, shared, own(s)))

cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *c, const void *f,
                                     void **a);
cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *c, const void *f,
                                     void **a)
{
    cudaLaunchConfig_t mine = *c;
    mine.stream = own(c->stream);
    return cudaLaunchKernelExC(&mine, f, a);
}
