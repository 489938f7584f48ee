// Queues: what is asked for now and runs as late as CUDA allows.
//
// Each stream is a list. A wait runs the stream that it waits for, and first whatever
// that depends on: an event of another stream, or (legacy stream and blocking streams)
// each other's earlier work. Nothing else runs, so a program that forgets to wait sees
// old data, every time.

#include "graph.h"

#include <stdlib.h>

enum { CALL_NS = 1800 }; // of the host, for asking; on the modelled clock

enum { MOST_PENDING = 1024 }; // then the oldest run, as on a GPU

static stream legacy[WIRE_DEVICES];
static stream *streams;                         // all others
static _Thread_local stream *own[WIRE_DEVICES]; // cudaStreamPerThread
static uint64_t numbers, pending;
static unsigned long long ids = 1;

stream *legacy_stream(int number)
{
    legacy[number].device = number;
    legacy[number].id = (unsigned long long)number + 1;
    return &legacy[number];
}

bool stream_is_legacy(const stream *s)
{
    return s >= legacy && s < legacy + WIRE_DEVICES;
}

stream *stream_after(stream *s)
{
    return s ? s->next : streams;
}

stream *stream_new(unsigned flags, int priority)
{
    stream *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->flags = flags;
    s->priority = priority;
    s->device = here;
    s->id = WIRE_DEVICES + ids++;
    s->policy = cudaSyncPolicyAuto;
    s->next = streams;
    streams = s;
    return s;
}

void stream_drop(stream *s)
{
    for (stream **at = &streams; *at; at = &(*at)->next)
        if (*at == s) {
            *at = s->next;
            break;
        }
    events_forget_stream(s);
    free(s->after);
    free(s);
}

static stream *per_thread_stream(void)
{
    return own[here] ? own[here] : (own[here] = stream_new(cudaStreamDefault, 0));
}

stream *stream_of(cudaStream_t handle)
{
    if (handle == NULL || handle == cudaStreamLegacy)
        return legacy_stream(here);
    if (handle == cudaStreamPerThread)
        return per_thread_stream();
    for (stream *s = streams; s; s = s->next)
        if (s == (stream *)handle)
            return s;
    return NULL;
}

bool stream_is_blocking(const stream *s)
{
    return !(s->flags & cudaStreamNonBlocking);
}

static bool is_live(const stream *s)
{
    for (const stream *other = streams; other; other = other->next)
        if (other == s)
            return true;
    return stream_is_legacy(s);
}

static stream *older(stream *a, stream *b)
{
    if (!b->first)
        return a;
    return a && a->first->number < b->first->number ? a : b;
}

// What the legacy stream and the blocking streams of its device wait for.
static void run_others(stream *s, uint64_t until)
{
    if (stream_is_legacy(s)) { // in the order in which they were asked for
        for (stream *first;;) {
            first = NULL;
            for (stream *other = streams; other; other = other->next)
                if (other->device == s->device && stream_is_blocking(other))
                    first = older(first, other);
            if (!first || first->first->number > until)
                return;
            run_stream(first, first->first->number);
        }
    } else if (stream_is_blocking(s)) {
        run_stream(&legacy[s->device], until);
    }
}

static uint32_t number_of(const stream *s)
{
    return ((uint32_t)s->id & ~WIRE_NON_BLOCKING) |
           (stream_is_blocking(s) ? 0 : WIRE_NON_BLOCKING);
}

void run_stream(stream *s, uint64_t until)
{
    while (s->first && s->first->number <= until) {
        item *it = s->first;
        run_others(s, it->number);
        if (it->work.kind == WORK_TURN && is_live(it->work.turn.other))
            run_stream(it->work.turn.other, it->work.turn.until);
        if (s->first != it)
            continue; // it ran meanwhile: two streams waited for each other
        s->first = it->next;
        if (!s->first)
            s->last = NULL;
        pending--;
        sending before = now_sending;
        now_sending = (sending){.stream = number_of(s), .issued = it->issued, .host = it->work.host};
        if (it->work.kind != WORK_TURN || is_live(it->work.turn.other))
            work_send(&it->work, it->work.on ? it->work.on - 1 : s->device, it->number);
        now_sending = before;
        work_drop(&it->work);
        free(it);
    }
}

static stream *oldest(int number)
{
    stream *found = NULL;
    for (int i = 0; i < device_count; i++)
        if (number < 0 || i == number)
            found = older(found, &legacy[i]);
    for (stream *s = streams; s; s = s->next)
        if (number < 0 || s->device == number)
            found = older(found, s);
    return found;
}

void run_all(int number)
{
    for (stream *s; (s = oldest(number));)
        run_stream(s, s->first->number);
}

void run_before(stream *s)
{
    run_others(s, numbers);
    run_stream(s, numbers);
}

bool item_done(uint64_t number, const stream *s)
{
    return !is_live(s) || !s->first || s->first->number > number;
}

int enqueue(stream *s, work w)
{
    item *new = malloc(sizeof *new);
    if (!new) {
        work_drop(&w);
        return cudaErrorMemoryAllocation;
    }
    *new = (item){.number = ++numbers, .issued = host_ns, .work = w};
    host_ns += CALL_NS;
    if (w.kind == WORK_RECORD) {
        w.event->recorded = new->number;
        w.event->where = s;
    }
    if (s->last)
        s->last->next = new;
    else
        s->first = new;
    s->last = new;
    if (++pending > MOST_PENDING) {
        stream *first = oldest(-1);
        if (first)
            run_stream(first, first->first->number);
    }
    return cudaSuccess;
}

int stream_add(stream *s, work w)
{
    int code = capture_allows_work(s);
    if (code) {
        work_drop(&w);
        return code;
    }
    w.host = sending_host();
    return s->capture ? capture_add(s, w) : enqueue(s, w);
}

static void forget(stream *s)
{
    while (s->first) {
        item *it = s->first;
        s->first = it->next;
        work_drop(&it->work);
        free(it);
        pending--;
    }
    s->last = NULL;
}

void queues_forget(int number)
{
    forget(&legacy[number]);
    for (stream *s = streams; s; s = s->next)
        if (s->device == number)
            forget(s);
}
