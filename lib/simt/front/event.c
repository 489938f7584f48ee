// Events: places in a stream. Their times are the device's nominal clock, which only
// work moves on, so a measured time is the same on every machine.

#include "front.h"

#include <stdlib.h>

static event *events;
static uint32_t ids;
static event *unused; // destroyed ones, with their slots

event *event_of(cudaEvent_t handle)
{
    for (event *e = events; e; e = e->next)
        if (e == (event *)handle)
            return e;
    return NULL;
}

bool event_pending(const event *e)
{
    return e->recorded != e->done;
}

static int create(cudaEvent_t *handle, unsigned flags)
{
    const unsigned known = cudaEventBlockingSync | cudaEventDisableTiming |
                           cudaEventInterprocess;
    if (!handle || flags & ~known)
        return cudaErrorInvalidValue;
    event *e = unused;
    if (e) {
        unused = e->next;
        *e = (event){.id = e->id};
    } else {
        e = calloc(1, sizeof *e);
        if (!e)
            return cudaErrorMemoryAllocation;
        e->id = ids++;
    }
    e->flags = flags;
    e->next = events;
    events = e;
    *handle = (cudaEvent_t)e;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaEventCreate(cudaEvent_t *handle)
{
    return CALL(create(handle, cudaEventDefault));
}

cudaError_t CUDARTAPI cudaEventCreateWithFlags(cudaEvent_t *handle, unsigned flags)
{
    return CALL(create(handle, flags));
}

static void finish(event *e)
{
    if (event_pending(e))
        run_stream(e->where, e->recorded);
}

static int destroy(cudaEvent_t handle)
{
    event *e = event_of(handle);
    if (!e)
        return cudaErrorInvalidResourceHandle;
    finish(e); // its record is in a queue
    event **at = &events;
    while (*at != e)
        at = &(*at)->next;
    *at = e->next;
    e->next = unused;
    unused = e;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaEventDestroy(cudaEvent_t handle)
{
    return CALL(destroy(handle));
}

static int record(cudaEvent_t handle, cudaStream_t where)
{
    event *e = event_of(handle);
    stream *s = stream_of(where);
    if (!e || !s)
        return cudaErrorInvalidResourceHandle;
    return enqueue(s, (item){.kind = EVENT, .event = e});
}

cudaError_t CUDARTAPI cudaEventRecord(cudaEvent_t handle, cudaStream_t where)
{
    return CALL(record(handle, where));
}

cudaError_t CUDARTAPI cudaEventRecordWithFlags(cudaEvent_t handle, cudaStream_t where,
                                               unsigned flags)
{
    return CALL(flags > 1 ? cudaErrorInvalidValue : record(handle, where));
}

static int synchronize(cudaEvent_t handle)
{
    event *e = event_of(handle);
    if (!e)
        return cudaErrorInvalidResourceHandle;
    finish(e);
    return front_wait();
}

cudaError_t CUDARTAPI cudaEventSynchronize(cudaEvent_t handle)
{
    return CALL(synchronize(handle));
}

static int query(cudaEvent_t handle)
{
    event *e = event_of(handle);
    if (!e)
        return cudaErrorInvalidResourceHandle;
    bool ready = !event_pending(e);
    finish(e);
    int code = front_wait();
    return code ? code : ready ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t CUDARTAPI cudaEventQuery(cudaEvent_t handle)
{
    return CALL(query(handle));
}

static int time_of(const event *e, uint64_t *ns)
{
    static wire_reply reply;
    wire_command c = {.op = WIRE_TIME, .as.object.id = e->id};
    int code = ask(c, NULL, 0, &reply);
    *ns = reply.value[0];
    return code;
}

static int elapsed(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    const event *a = event_of(start), *b = event_of(end);
    uint64_t from = 0, to = 0;
    if (!ms)
        return cudaErrorInvalidValue;
    if (!a || !b || !a->recorded || !b->recorded ||
        (a->flags | b->flags) & cudaEventDisableTiming)
        return cudaErrorInvalidResourceHandle;
    if (event_pending(a) || event_pending(b))
        return cudaErrorNotReady;
    int code = time_of(a, &from);
    if (!code)
        code = time_of(b, &to);
    *ms = (float)((double)((int64_t)to - (int64_t)from) / 1e6);
    return code;
}

cudaError_t CUDARTAPI cudaEventElapsedTime(float *ms, cudaEvent_t start,
                                           cudaEvent_t end)
{
    return CALL(elapsed(ms, start, end));
}

static int wait_for(cudaStream_t handle, cudaEvent_t what)
{
    stream *s = stream_of(handle);
    const event *e = event_of(what);
    if (!s || !e)
        return cudaErrorInvalidResourceHandle;
    if (!event_pending(e))
        return cudaSuccess;
    return enqueue(s,
                   (item){.kind = WAIT_FOR, .other = e->where, .until = e->recorded});
}

cudaError_t CUDARTAPI cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t what,
                                          unsigned flags)
{
    return CALL(flags > 1 ? cudaErrorInvalidValue : wait_for(handle, what));
}
