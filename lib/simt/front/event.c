// Events: places in a stream. Their times are the device's nominal clock, which only
// work moves on, so a measured time is the same on every machine.

#include "graph.h"
#include "memory.h"

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

void events_forget_stream(const stream *s)
{
    for (event *e = events; e; e = e->next)
        if (e->where == s)
            e->where = NULL;
}

static int create(cudaEvent_t *handle, unsigned flags)
{
    const unsigned known =
        cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (!handle || flags & ~known ||
        (flags & cudaEventInterprocess && !(flags & cudaEventDisableTiming)))
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
    e->device = here;
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
    if (event_pending(e) && e->where)
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
    free(e->after);
    e->after = NULL;
    e->next = unused;
    unused = e;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaEventDestroy(cudaEvent_t handle)
{
    return CALL(destroy(handle));
}

int event_record(cudaEvent_t handle, stream *s, unsigned flags)
{
    event *e = event_of(handle);
    if (!e || !s)
        return cudaErrorInvalidResourceHandle;
    if (flags & ~(unsigned)cudaEventRecordExternal)
        return cudaErrorInvalidValue;
    if (e->device != s->device)
        return cudaErrorInvalidResourceHandle;
    int code = capture_allows_work(s);
    if (code)
        return code;
    if (s->capture && !(flags & cudaEventRecordExternal))
        return capture_event(e, s);
    if (!s->capture)
        e->capture = 0;
    return stream_add(s, (work){.kind = WORK_RECORD, .event = e});
}

// An event that a capture recorded is a place in its graph, not in time.
static int captured(const event *e)
{
    capture *c = capture_of_event(e);
    if (c)
        return capture_break(c, cudaErrorCapturedEvent);
    return e->capture ? cudaErrorCapturedEvent : capture_allows();
}

static int synchronize(cudaEvent_t handle)
{
    event *e = event_of(handle);
    if (!e)
        return cudaErrorInvalidResourceHandle;
    int code = captured(e);
    if (code)
        return code;
    finish(e);
    code = front_wait(e->device);
    pools_trim(e->device);
    return code;
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
    int code = captured(e);
    if (code)
        return code;
    bool ready = !event_pending(e);
    finish(e);
    code = front_wait(e->device);
    return code ? code : ready ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t CUDARTAPI cudaEventQuery(cudaEvent_t handle)
{
    return CALL(query(handle));
}

static int time_of(const event *e, uint64_t *ns)
{
    static wire_reply reply;
    wire_command c = {
        .op = WIRE_TIME, .device = (uint16_t)e->device, .as.object.id = e->id};
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
    if (!a || !b || !a->recorded || !b->recorded || a->device != b->device ||
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

int stream_wait(stream *s, cudaEvent_t what, unsigned flags)
{
    event *e = event_of(what);
    if (!s || !e)
        return cudaErrorInvalidResourceHandle;
    if (flags & ~(unsigned)cudaEventWaitExternal)
        return cudaErrorInvalidValue;
    int code = capture_allows_work(s);
    if (code)
        return code;
    if (s->capture && flags & cudaEventWaitExternal)
        return stream_add(s, (work){.kind = WORK_WAIT, .event = e});
    if (s->capture || e->capture)
        return capture_wait(s, e);
    if (!event_pending(e) || !e->where)
        return cudaSuccess;
    return stream_add(s, (work){.kind = WORK_TURN, .turn = {e->where, e->recorded}});
}
