// Streams as programs see them: made, waited for, asked.

#include "graph.h"
#include "memory.h"

#include <stdlib.h>

enum { GREATEST = -5 }; // the least is 0

static int create(cudaStream_t *handle, unsigned flags, int priority)
{
    if (!handle || flags & ~(unsigned)cudaStreamNonBlocking)
        return cudaErrorInvalidValue;
    stream *s = stream_new(flags, priority < GREATEST ? GREATEST
                                  : priority > 0      ? 0
                                                      : priority);
    *handle = (cudaStream_t)s;
    return s ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t CUDARTAPI cudaStreamCreate(cudaStream_t *handle)
{
    return CALL(create(handle, cudaStreamDefault, 0));
}

cudaError_t CUDARTAPI cudaStreamCreateWithFlags(cudaStream_t *handle, unsigned flags)
{
    return CALL(create(handle, flags, 0));
}

cudaError_t CUDARTAPI cudaStreamCreateWithPriority(cudaStream_t *handle, unsigned flags,
                                                   int priority)
{
    return CALL(create(handle, flags, priority));
}

static int destroy(cudaStream_t handle)
{
    stream *s = stream_of(handle);
    if (!s || stream_is_legacy(s) || handle == cudaStreamPerThread)
        return cudaErrorInvalidResourceHandle;
    if (s->capture && s->capture->origin == s) {
        s->capture->invalid = true; // the capture goes with it
        cudaGraph_t none;
        capture_end(s, &none);
    }
    run_before(s);
    stream_drop(s);
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaStreamDestroy(cudaStream_t handle)
{
    return CALL(destroy(handle));
}

static int priorities(int *low, int *high)
{
    if (low)
        *low = 0;
    if (high)
        *high = GREATEST;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaDeviceGetStreamPriorityRange(int *low, int *high)
{
    return CALL(priorities(low, high));
}

// ---- Waiting --------------------------------------------------------------------

// A stream that is being captured cannot be waited for, nor the legacy one beside it.
static int may_be_waited_for(stream *s)
{
    if (s->capture)
        return capture_break(s->capture, cudaErrorStreamCaptureUnsupported);
    int code = capture_allows_work(s);
    return code ? code : capture_allows();
}

int stream_synchronize(stream *s)
{
    if (!s)
        return cudaErrorInvalidResourceHandle;
    int code = may_be_waited_for(s);
    if (code)
        return code;
    run_before(s);
    code = front_wait(s->device);
    pools_trim(s->device);
    return code;
}

// Not ready is told once; then the work is done, so that a loop of queries ends.
int stream_query(stream *s)
{
    if (!s)
        return cudaErrorInvalidResourceHandle;
    int code = may_be_waited_for(s);
    if (code)
        return code;
    bool ready = !s->first;
    run_before(s);
    code = front_wait(s->device);
    return code ? code : ready ? cudaSuccess : cudaErrorNotReady;
}

static int all(void)
{
    for (stream *s = stream_after(NULL); s; s = stream_after(s))
        if (s->capture && s->device == here)
            return capture_break(s->capture, cudaErrorStreamCaptureUnsupported);
    run_all(here);
    int code = front_wait(here);
    pools_trim(here);
    return code;
}

cudaError_t CUDARTAPI cudaDeviceSynchronize(void)
{
    return CALL_UNSAFE(all());
}

// Its old name, which the headers lost with 13.
cudaError_t CUDARTAPI cudaThreadSynchronize(void);
cudaError_t CUDARTAPI cudaThreadSynchronize(void)
{
    return CALL_UNSAFE(all());
}

// ---- Calls of the host ----------------------------------------------------------

int stream_call(stream *s, calling c)
{
    if (!s || !c.function)
        return s ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    return stream_add(s, (work){.kind = WORK_CALL, .call = c});
}

typedef struct callback {
    cudaStreamCallback_t function;
    cudaStream_t stream;
    void *argument;
} callback;

static void run_callback(void *what)
{
    callback c = *(callback *)what;
    free(what);
    c.function(c.stream, cudaSuccess, c.argument);
}

int stream_call_back(stream *s, cudaStream_t handle, cudaStreamCallback_t f, void *a,
                     unsigned flags)
{
    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (flags || !f)
        return cudaErrorInvalidValue;
    if (s->capture) // not a call that a graph could repeat
        return capture_break(s->capture, cudaErrorStreamCaptureUnsupported);
    callback *c = malloc(sizeof *c);
    if (!c)
        return cudaErrorMemoryAllocation;
    *c = (callback){f, handle, a};
    int code = stream_call(s, (calling){run_callback, c});
    if (code)
        free(c);
    return code;
}

// ---- Questions ------------------------------------------------------------------

// What does not lie in the handle may not be asked while it is captured.
static int may_ask(stream *s)
{
    return s->capture ? capture_break(s->capture, cudaErrorStreamCaptureUnsupported)
                      : capture_allows_work(s);
}

int stream_flags(stream *s, unsigned *flags)
{
    if (!s || !flags)
        return s ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    int code = may_ask(s);
    if (code)
        return code;
    *flags = s->flags;
    return cudaSuccess;
}

int stream_priority(stream *s, int *priority)
{
    if (!s || !priority)
        return s ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    int code = stream_is_legacy(s) ? capture_allows_work(s) : cudaSuccess;
    if (!code)
        *priority = s->priority;
    return code;
}

int stream_id(stream *s, unsigned long long *id)
{
    if (!s || !id)
        return s ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    int code = may_ask(s);
    if (!code)
        *id = s->id;
    return code;
}

int stream_device(stream *s, int *number)
{
    if (!s || !number)
        return s ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    int code = may_ask(s);
    if (!code)
        *number = s->device;
    return code;
}

static int set_window(stream *s, const struct cudaAccessPolicyWindow *w)
{
    if (!(w->hitRatio >= 0 && w->hitRatio <= 1) ||
        w->missProp == cudaAccessPropertyPersisting)
        return cudaErrorInvalidValue;
    s->window = *w; // caches are not modelled: taken and told back
    return cudaSuccess;
}

int stream_attribute(stream *s, int which, void *get, const void *set)
{
    cudaLaunchAttributeValue *to = get;
    const cudaLaunchAttributeValue *from = set;
    if (!s || (!get && !set))
        return s ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    switch (which) {
    case cudaLaunchAttributeAccessPolicyWindow:
        if (set)
            return set_window(s, &from->accessPolicyWindow);
        to->accessPolicyWindow = s->window;
        return cudaSuccess;
    case cudaLaunchAttributeSynchronizationPolicy:
        if (set && (from->syncPolicy < cudaSyncPolicyAuto ||
                    from->syncPolicy > cudaSyncPolicyBlockingSync))
            return cudaErrorInvalidValue;
        if (set)
            s->policy = (int)from->syncPolicy;
        else
            to->syncPolicy = (enum cudaSynchronizationPolicy)s->policy;
        return cudaSuccess;
    case cudaLaunchAttributePriority:
        if (set && (from->priority < GREATEST || from->priority > 0))
            return cudaErrorInvalidValue;
        if (set)
            s->priority = from->priority;
        else
            to->priority = s->priority;
        return cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
}

int stream_copy_attributes(stream *to, const stream *from)
{
    if (!to || !from)
        return cudaErrorInvalidResourceHandle;
    to->policy = from->policy;
    to->window = from->window;
    to->priority = from->priority;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaCtxResetPersistingL2Cache(void)
{
    return CALL(cudaSuccess);
}

// Whose a managed allocation is changes nothing here: all devices may use it at any
// time.
int stream_attach(stream *s, void *at, size_t bytes, unsigned flags)
{
    const memory *m = memory_live(at);
    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (!m || m->kind != MANAGED || m->base != (uintptr_t)at ||
        (bytes && bytes != m->bytes))
        return cudaErrorInvalidValue;
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost &&
        flags != cudaMemAttachSingle)
        return cudaErrorInvalidValue;
    if (flags == cudaMemAttachSingle && stream_is_legacy(s))
        return cudaErrorInvalidValue;
    return stream_add(s, (work){.kind = WORK_EMPTY});
}
