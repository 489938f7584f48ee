// For the call_*.c files: each is compiled twice, the second time for the twins that
// nvcc calls with --default-stream per-thread, in which stream 0 is the calling
// thread's own. The toolkit's header gives them their names.

#ifndef SIMT_TWIN_H
#define SIMT_TWIN_H

#include "front.h"

#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define TWIN(name) name##_ptsz
#define DEFAULT_STREAM cudaStreamPerThread
#else
#define TWIN(name) name
#define DEFAULT_STREAM cudaStreamLegacy
#endif

static inline stream *own(cudaStream_t handle)
{
    return stream_of(handle ? handle : DEFAULT_STREAM);
}

#endif
