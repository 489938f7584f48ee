// Streams on a modelled clock: timeline.h.

#include "timeline.h"

#include "../simt.h"

#include <stdlib.h>
#include <string.h>

static double later(double a, double b)
{
    return a > b ? a : b;
}

static bool is_legacy(uint32_t stream)
{
    return (stream & ~WIRE_NON_BLOCKING) <= WIRE_DEVICES;
}

static double *end_of(timeline *t, uint32_t stream)
{
    return is_legacy(stream) ? &t->legacy
                             : &t->stream[(stream & ~WIRE_NON_BLOCKING) % TIMELINE_STREAMS];
}

// Kernels share the GPU while their parts make no more than all of it.
static double room_for(timeline *t, double from, double part)
{
    while (from < t->idle) {
        double taken = 0, next = 0;
        for (int i = 0; i < TIMELINE_RUNNING; i++)
            if (t->running[i].end > from) {
                taken += t->running[i].part;
                next = next && next < t->running[i].end ? next : t->running[i].end;
            }
        if (taken + part <= 1.0001 || !next)
            return from;
        from = next;
    }
    return from;
}

static void hold(timeline *t, double end, double part)
{
    int oldest = 0;
    for (int i = 1; i < TIMELINE_RUNNING; i++)
        if (t->running[i].end < t->running[oldest].end)
            oldest = i;
    t->running[oldest].end = end;
    t->running[oldest].part = part;
    t->idle = later(t->idle, end);
}

// A copy without a name is the last one's next piece.
static void keep(timeline *t, interval x, const char *name)
{
    if (!*name && t->count && !t->dropped) {
        t->kept[t->count - 1].end = x.end;
        t->kept[t->count - 1].bytes += x.bytes;
        return;
    }
    if (t->count == TIMELINE_KEPT) {
        t->dropped++;
        return;
    }
    if (!t->kept)
        t->kept = malloc(TIMELINE_KEPT * sizeof *t->kept);
    if (!t->kept)
        return;
    snprintf(x.name, sizeof x.name, "%.63s", name);
    t->kept[t->count++] = x;
}

double timeline_add(timeline *t, const wire_command *c, engine on, double ns, double part,
                    const char *name, uint64_t bytes)
{
    bool blocks = !(c->stream & WIRE_NON_BLOCKING);
    double *mine = end_of(t, c->stream), start = later(c->issued, *mine);
    if (is_legacy(c->stream))
        start = later(start, t->blocking);
    else if (blocks)
        start = later(start, t->legacy);
    if (on < ENGINE_KERNELS)
        start = later(start, t->engine[on]);
    else if (on == ENGINE_KERNELS)
        start = room_for(t, start, part);
    double end = start + ns;
    if (on < ENGINE_KERNELS)
        t->engine[on] = end;
    else if (on == ENGINE_KERNELS)
        hold(t, end, part);
    *mine = end;
    if (blocks && !is_legacy(c->stream))
        t->blocking = later(t->blocking, end);
    t->end = later(t->end, end);
    if (on != ENGINE_NONE)
        keep(t, (interval){.on = on, .stream = c->stream, .start = start, .end = end,
                           .bytes = bytes}, name);
    return end;
}

void timeline_join(timeline *t, const wire_command *c, uint32_t other)
{
    double *mine = end_of(t, c->stream);
    *mine = later(*mine, *end_of(t, other));
}

void timeline_mark(timeline *t, uint32_t row, double start, double end, const char *name)
{
    keep(t, (interval){.on = ENGINE_NONE, .stream = row, .start = start, .end = end}, name);
}

void timeline_reset(timeline *t)
{
    t->count = t->dropped = 0;
}

void timeline_free(timeline *t)
{
    free(t->kept);
    t->kept = NULL;
}

// ---- Chrome's trace format: times in microseconds -----------------------------------

static uint32_t row_of(const interval *x)
{
    return x->on == ENGINE_NONE     ? x->stream
           : is_legacy(x->stream) ? 0
                                  : x->stream & ~WIRE_NON_BLOCKING;
}

static void row_name(uint32_t row, FILE *out)
{
    if (row < WIRE_ROW_DOMAINS)
        fputs(row == WIRE_ROW_STARTED ? "host, from start to end" : "host", out);
    else
        fprintf(out, "host, domain %u", row - WIRE_ROW_DOMAINS + 1);
}

void timeline_write(const timeline *t, int device, FILE *out)
{
    static const char *const kinds[] = {"copy", "copy", "kernel", "range"};
    fprintf(out, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":{\"name\":"
                 "\"device %d (modelled)\"}}", device, device);
    for (uint32_t i = 0; i < t->count; i++) {
        const interval *x = &t->kept[i];
        uint32_t stream = row_of(x);
        bool named = false;
        for (uint32_t k = 0; k < i && !named; k++)
            named = row_of(&t->kept[k]) == stream;
        if (!named) {
            fprintf(out, ",{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,\"tid\":%u,"
                         "\"args\":{\"name\":\"", device, stream);
            if (x->on == ENGINE_NONE)
                row_name(stream, out);
            else if (!stream)
                fputs("default stream", out);
            else
                fprintf(out, "stream %u", stream - WIRE_DEVICES);
            fputs("\"}}", out);
        }
        fputs(",{\"ph\":\"X\",\"name\":", out);
        simt_json_text(out, x->name);
        fprintf(out, ",\"cat\":\"%s\",\"pid\":%d,\"tid\":%u,\"ts\":%.3f,\"dur\":%.3f", kinds[x->on],
                device, stream, x->start / 1e3, (x->end - x->start) / 1e3);
        if (x->on < ENGINE_KERNELS)
            fprintf(out, ",\"args\":{\"bytes\":%llu,\"GB/s\":%.1f}", (unsigned long long)x->bytes,
                    (double)x->bytes / (x->end - x->start));
        fputc('}', out);
    }
}
