// Copies and fills of bytes, rows and boxes.
//
// A copy's direction is found from its addresses (addressing is unified); the `kind`
// can only be refused. What host memory it touches decides when it runs: pageable
// memory is staged now (source) or waited for (destination), all else is put off.

#include "graph.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STAGED = 4 << 20 }; // larger sources are copied at once

// Bytes that a pattern spans; SIZE_MAX if they are too many.
static size_t span(const place *p, size_t bytes, size_t rows, size_t slices)
{
    size_t row = 0, slice = 0, all;
    if (__builtin_mul_overflow(p->pitch, rows - 1, &row) ||
        __builtin_mul_overflow(p->slice, slices - 1, &slice) ||
        __builtin_add_overflow(row, slice, &all) ||
        __builtin_add_overflow(all, bytes, &all))
        return SIZE_MAX;
    return all;
}

static bool fits(const memory *m, const void *at, size_t bytes)
{
    return !m || bytes <= m->bytes - ((uintptr_t)at - m->base);
}

static bool narrow(const place *p, size_t bytes, size_t rows, size_t slices)
{
    return (rows > 1 && p->pitch < bytes) || (slices > 1 && p->slice < p->pitch);
}

int check_box(const box *b, int kind)
{
    const memory *to = memory_live(b->to.at), *from = memory_live(b->from.at);
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (!b->bytes || !b->rows || !b->slices)
        return cudaSuccess;
    if (is_stray(to, b->to.at) || is_stray(from, b->from.at)) {
        notice_place(is_stray(to, b->to.at) ? b->to.at : b->from.at, 0);
        return cudaErrorInvalidValue;
    }
    if (!to && (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice))
        return cudaErrorInvalidValue;
    if (!from && (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice))
        return cudaErrorInvalidValue;
    size_t written = span(&b->to, b->bytes, b->rows, b->slices);
    size_t read = span(&b->from, b->bytes, b->rows, b->slices);
    if (!fits(to, b->to.at, written))
        notice_place(b->to.at, written);
    else if (!fits(from, b->from.at, read))
        notice_place(b->from.at, read);
    if (written == SIZE_MAX || read == SIZE_MAX || !fits(to, b->to.at, written) ||
        !fits(from, b->from.at, read) || narrow(&b->to, b->bytes, b->rows, b->slices) ||
        narrow(&b->from, b->bytes, b->rows, b->slices))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

static void copy_row(char *to, const char *from, size_t bytes, bool first, int device,
                     bool to_device, bool from_device)
{
    if (to_device && from_device) {
        wire_command c = {.op = WIRE_COPY,
                          .device = (uint16_t)device,
                          .as.copy = {(uintptr_t)to, (uintptr_t)from, bytes, first}};
        send_command(c, NULL, 0);
    } else if (to_device) {
        send_bytes(device, (uintptr_t)to, from, bytes, first);
    } else if (from_device) {
        fetch_bytes(device, to, (uintptr_t)from, bytes, first);
    } else {
        memmove(to, from, bytes);
    }
}

// Rows without gaps become one.
static void flatten(place *a, place *b, size_t *bytes, size_t *rows, size_t *slices)
{
    if (*rows > 1 && a->pitch == *bytes && b->pitch == *bytes) {
        *bytes *= *rows;
        *rows = 1;
    }
    if (*rows == 1 && *slices > 1 && a->slice == *bytes && b->slice == *bytes) {
        *bytes *= *slices;
        *slices = 1;
    }
}

static bool is_pinned(const memory *m)
{
    return m && !on_device(m);
}

void copy_now(const box *asked, int device)
{
    box b = *asked;
    bool to_device = on_device(memory_at(b.to.at));
    bool from_device = on_device(memory_at(b.from.at));
    flatten(&b.to, &b.from, &b.bytes, &b.rows, &b.slices);
    now_sending.pinned = is_pinned(memory_at(b.to.at)) || is_pinned(memory_at(b.from.at));
    for (size_t z = 0; z < b.slices; z++)
        for (size_t y = 0; y < b.rows; y++)
            copy_row(b.to.at + z * b.to.slice + y * b.to.pitch,
                     b.from.at + z * b.from.slice + y * b.from.pitch, b.bytes, !y && !z,
                     device, to_device, from_device);
    now_sending.pinned = false;
}

// Pageable memory's rows, one after the other, in memory of our own.
static void *packed(box *b)
{
    char *data = malloc(b->bytes * b->rows * b->slices), *at = data;
    for (size_t z = 0; data && z < b->slices; z++)
        for (size_t y = 0; y < b->rows; y++, at += b->bytes)
            memcpy(at, b->from.at + z * b->from.slice + y * b->from.pitch, b->bytes);
    b->from = (place){data, b->bytes, b->bytes * b->rows};
    return data;
}

static bool is_small(const box *b)
{
    return b->bytes <= MOST_STAGED && b->rows <= MOST_STAGED / b->bytes &&
           b->slices <= MOST_STAGED / b->bytes / b->rows;
}

static bool in_device_memory(const memory *m)
{
    return m && (m->kind == DEVICE || m->kind == VARIABLE);
}

// Between two devices: after all that either has to do, and before all that follows.
static int copy_across(const box *b, int to, int from, stream *s)
{
    run_before(legacy_stream(to));
    run_before(legacy_stream(from));
    run_before(s);
    copy_now(b, s->device);
    return front_wait(s->device);
}

int copy_box(box b, int kind, stream *s, bool async)
{
    if (!s)
        return cudaErrorInvalidResourceHandle;
    int code = check_box(&b, kind);
    if (!code && !async)
        code = capture_allows_work(s);
    if (!code && !async)
        code = capture_allows();
    if (code || !b.bytes || !b.rows || !b.slices)
        return code;
    const memory *to = memory_at(b.to.at), *from = memory_at(b.from.at);
    bool within = in_device_memory(to) && in_device_memory(from);
    work w = {.kind = WORK_COPY, .copy = b};
    if (within && !async && to->device != from->device)
        return copy_across(&b, to->device, from->device, s);
    // Also a synchronous copy in device memory is put off: the host does not wait for
    // it. A graph's copy is made when it runs, whatever it touches.
    if (within || (async && ((to && from) || s->capture)))
        return stream_add(s, w);
    if (async && to && is_small(&b)) {
        w.data = packed(&w.copy);
        return w.data ? stream_add(s, w) : cudaErrorMemoryAllocation;
    }
    code = capture_allows_work(s);
    if (code)
        return code;
    run_before(s);
    copy_now(&b, s->device);
    return front_wait(s->device);
}

int copy_line(void *to, const void *from, size_t bytes, int kind, stream *s, bool async)
{
    box b = {{to, bytes, bytes}, {(char *)(uintptr_t)from, bytes, bytes}, bytes, 1, 1};
    return copy_box(b, kind, s, async);
}

// ---- Fills ----------------------------------------------------------------------

int check_filling(const filling *f)
{
    const memory *m = memory_live(f->to.at);
    if (!f->bytes || !f->rows || !f->slices)
        return cudaSuccess;
    size_t written = span(&f->to, f->bytes, f->rows, f->slices);
    if (!on_device(m) || !fits(m, f->to.at, written))
        notice_place(f->to.at, written);
    if (!on_device(m) || written == SIZE_MAX || !fits(m, f->to.at, written) ||
        narrow(&f->to, f->bytes, f->rows, f->slices))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

void fill_now(const filling *asked, int device)
{
    filling f = *asked;
    flatten(&f.to, &f.to, &f.bytes, &f.rows, &f.slices);
    for (size_t z = 0; z < f.slices; z++)
        for (size_t y = 0; y < f.rows; y++) {
            char *at = f.to.at + z * f.to.slice + y * f.to.pitch;
            wire_command c = {
                .op = WIRE_FILL,
                .device = (uint16_t)device,
                .as.fill = {(uintptr_t)at, f.bytes, f.value, f.element, !y && !z}};
            send_command(c, NULL, 0);
        }
}

int fill_box(filling f, stream *s, bool async)
{
    if (!s)
        return cudaErrorInvalidResourceHandle;
    int code = check_filling(&f);
    if (!code && !async)
        code = capture_allows_work(s);
    if (!code && !async)
        code = capture_allows();
    if (code || !f.bytes || !f.rows || !f.slices)
        return code;
    f.value &= f.element == 1 ? 255 : f.element == 2 ? 65535 : ~0u;
    code = stream_add(s, (work){.kind = WORK_FILL, .fill = f});
    if (code || async || in_device_memory(memory_at(f.to.at)))
        return code;
    run_before(s);
    return front_wait(s->device);
}
