// Queues: what is asked for now and runs as late as CUDA allows.
//
// Each stream is a list. A wait runs the stream that it waits for, and first whatever
// that depends on: an event of another stream, or (legacy stream and blocking streams)
// each other's earlier work. Nothing else runs, so a program that forgets to wait sees
// old data, every time.

#include "front.h"

#include <stdlib.h>

enum { MOST_PENDING = 1024 }; // then the oldest run, as on a GPU

static stream legacy;
stream *streams = &legacy;
static _Thread_local stream *own; // cudaStreamPerThread
static uint64_t numbers, pending;

uint64_t last_number(void)
{
    return numbers;
}

static stream *new_stream(unsigned flags, int priority)
{
    stream *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->flags = flags;
    s->priority = priority;
    s->next = legacy.next;
    legacy.next = s;
    return s;
}

stream *per_thread_stream(void)
{
    return own ? own : (own = new_stream(cudaStreamDefault, 0));
}

stream *stream_of(cudaStream_t handle)
{
    if (handle == NULL || handle == cudaStreamLegacy)
        return &legacy;
    if (handle == cudaStreamPerThread)
        return per_thread_stream();
    for (stream *s = legacy.next; s; s = s->next)
        if (s == (stream *)handle)
            return s;
    return NULL;
}

static bool blocking(const stream *s)
{
    return !(s->flags & cudaStreamNonBlocking);
}

static void send_item(item *it)
{
    switch (it->kind) {
    case COMMANDED:
        send_command(it->command, it->data, it->command.bytes);
        if (it->free_after)
            memory_drop((void *)(uintptr_t)it->free_after);
        break;
    case COPY_ROWS:
        copy_now(&it->rows);
        break;
    case HOST_FUNCTION:
        if (!front_wait()) { // what came before is done, or the context is lost
            in_host_function = true; // it may not make calls that could wait for it
            it->function(it->argument);
            in_host_function = false;
        }
        break;
    case EVENT:
        it->command = (wire_command){.op = WIRE_RECORD, .as.object.id = it->event->id};
        send_command(it->command, NULL, 0);
        it->event->done = it->number;
        break;
    case WAIT_FOR:
        break;
    }
}

static bool is_live(const stream *s)
{
    for (const stream *other = &legacy; other; other = other->next)
        if (other == s)
            return true;
    return false;
}

static void run_dependencies(stream *s, const item *it)
{
    if (s == &legacy) {
        for (stream *other = legacy.next; other; other = other->next)
            if (blocking(other))
                run_stream(other, it->number);
    } else if (blocking(s)) {
        run_stream(&legacy, it->number);
    }
    if (it->kind == WAIT_FOR && is_live(it->other))
        run_stream(it->other, it->until);
}

void run_stream(stream *s, uint64_t until)
{
    while (s->first && s->first->number <= until) {
        item *it = s->first;
        run_dependencies(s, it);
        s->first = it->next;
        if (!s->first)
            s->last = NULL;
        pending--;
        send_item(it);
        free(it->data);
        free(it);
    }
}

static void run_oldest(void)
{
    stream *oldest = NULL;
    for (stream *s = &legacy; s; s = s->next)
        if (s->first && (!oldest || s->first->number < oldest->first->number))
            oldest = s;
    if (oldest)
        run_stream(oldest, oldest->first->number);
}

void run_all(void)
{
    while (pending)
        run_oldest();
}

void run_before(stream *s)
{
    if (s == &legacy) {
        for (stream *other = legacy.next; other; other = other->next)
            if (blocking(other))
                run_stream(other, numbers);
    } else if (blocking(s)) {
        run_stream(&legacy, numbers);
    }
    run_stream(s, numbers);
}

int enqueue(stream *s, item it)
{
    item *new = malloc(sizeof *new);
    if (!new) {
        free(it.data);
        return cudaErrorMemoryAllocation;
    }
    *new = it;
    new->next = NULL;
    new->number = ++numbers;
    if (it.kind == EVENT) {
        it.event->recorded = new->number;
        it.event->where = s;
    }
    if (s->last)
        s->last->next = new;
    else
        s->first = new;
    s->last = new;
    if (++pending > MOST_PENDING)
        run_oldest();
    return cudaSuccess;
}

// ---- Streams --------------------------------------------------------------------

static int create(cudaStream_t *handle, unsigned flags, int priority)
{
    if (!handle || flags & ~(unsigned)cudaStreamNonBlocking)
        return cudaErrorInvalidValue;
    stream *s = new_stream(flags, priority < -5 ? -5 : priority > 0 ? 0 : priority);
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
    if (!s || s == &legacy || handle == cudaStreamPerThread)
        return cudaErrorInvalidResourceHandle;
    run_before(s);
    for (stream **at = &legacy.next; *at; at = &(*at)->next)
        if (*at == s) {
            *at = s->next;
            break;
        }
    free(s);
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaStreamDestroy(cudaStream_t handle)
{
    return CALL(destroy(handle));
}

static int synchronize(cudaStream_t handle)
{
    stream *s = stream_of(handle);
    if (!s)
        return cudaErrorInvalidResourceHandle;
    run_before(s);
    return front_wait();
}

cudaError_t CUDARTAPI cudaStreamSynchronize(cudaStream_t handle)
{
    return CALL(synchronize(handle));
}

// Not ready is told once; then the work is done, so that a loop of queries ends.
static int query(cudaStream_t handle)
{
    stream *s = stream_of(handle);
    if (!s)
        return cudaErrorInvalidResourceHandle;
    bool ready = !s->first;
    run_before(s);
    int code = front_wait();
    return code ? code : ready ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t CUDARTAPI cudaStreamQuery(cudaStream_t handle)
{
    return CALL(query(handle));
}

static int all(void)
{
    run_all();
    return front_wait();
}

cudaError_t CUDARTAPI cudaDeviceSynchronize(void)
{
    return CALL(all());
}

static int call_host(cudaStream_t handle, void (*function)(void *), void *argument)
{
    stream *s = stream_of(handle);
    if (!s || !function)
        return s ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    return enqueue(s, (item){.kind = HOST_FUNCTION, .function = function,
                             .argument = argument});
}

cudaError_t CUDARTAPI cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function,
                                         void *argument)
{
    return CALL(call_host(handle, function, argument));
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

cudaError_t CUDARTAPI cudaStreamAddCallback(cudaStream_t handle,
                                            cudaStreamCallback_t function,
                                            void *argument, unsigned flags)
{
    callback *c = malloc(sizeof *c);
    if (!c)
        return CALL(cudaErrorMemoryAllocation);
    *c = (callback){function, handle, argument};
    cudaError_t code = CALL(flags || !function ? cudaErrorInvalidValue
                                               : call_host(handle, run_callback, c));
    if (code)
        free(c);
    return code;
}

static int flags_of(cudaStream_t handle, unsigned *flags, int *priority)
{
    const stream *s = stream_of(handle);
    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (flags)
        *flags = s->flags;
    if (priority)
        *priority = s->priority;
    return flags || priority ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t CUDARTAPI cudaStreamGetFlags(cudaStream_t handle, unsigned *flags)
{
    return CALL(flags_of(handle, flags, NULL));
}

cudaError_t CUDARTAPI cudaStreamGetPriority(cudaStream_t handle, int *priority)
{
    return CALL(flags_of(handle, NULL, priority));
}

void queues_forget(void)
{
    for (stream *s = &legacy; s; s = s->next)
        s->first = s->last = NULL;
    pending = 0;
}
