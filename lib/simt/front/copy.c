// Copies and fills.
//
// A copy's direction is found from its addresses (addressing is unified); the `kind`
// can only be refused. What host memory it touches decides when it runs: pageable
// memory is staged now (source) or waited for (destination), all else is put off.

#include "front.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STAGED = 4 << 20 }; // larger sources are copied at once

static bool on_device(const memory *m)
{
    return m && (m->kind != REGISTERED || m->shared);
}

// Bytes that a row pattern spans.
static size_t extent(size_t pitch, size_t bytes, size_t height)
{
    return pitch * (height - 1) + bytes;
}

static bool fits(const memory *m, const void *at, size_t bytes)
{
    return !m || (uintptr_t)at - m->base + bytes <= m->bytes;
}

// Device addresses that no live allocation holds must never be followed.
static bool stray(const memory *m, const void *at)
{
    uint64_t address = (uintptr_t)at;
    return !at || (!m && address >= 0x300000000000 && address < 0x400000000000) ||
           (!m && address >= WIRE_ARENA && address - WIRE_ARENA < WIRE_ARENA_BYTES);
}

static int check(const rows *r, int kind)
{
    const memory *to = memory_at(r->to), *from = memory_at(r->from);
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (r->to_pitch < r->bytes || r->from_pitch < r->bytes)
        return r->height > 1 || r->to_pitch || r->from_pitch
                   ? cudaErrorInvalidPitchValue
                   : cudaErrorInvalidValue;
    if (!r->bytes || !r->height)
        return cudaSuccess;
    if (stray(to, r->to) || stray(from, r->from))
        return cudaErrorInvalidValue;
    if (!to && (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice))
        return cudaErrorInvalidValue;
    if (!from && (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice))
        return cudaErrorInvalidValue;
    if (r->height > 1 && (r->to_pitch > SIZE_MAX / r->height - r->bytes ||
                          r->from_pitch > SIZE_MAX / r->height - r->bytes))
        return cudaErrorInvalidValue;
    if (!fits(to, r->to, extent(r->to_pitch, r->bytes, r->height)) ||
        !fits(from, r->from, extent(r->from_pitch, r->bytes, r->height)))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

static void copy_row(const rows *r, size_t y, bool to_device, bool from_device)
{
    char *to = (char *)r->to + y * r->to_pitch;
    const char *from = (const char *)r->from + y * r->from_pitch;
    if (to_device && from_device) {
        wire_command c = {.op = WIRE_COPY,
                          .as.copy = {(uintptr_t)to, (uintptr_t)from, r->bytes, !y}};
        send_command(c, NULL, 0);
    } else if (to_device) {
        send_bytes((uintptr_t)to, from, r->bytes, !y);
    } else if (from_device) {
        fetch_bytes(to, (uintptr_t)from, r->bytes, !y);
    } else {
        memmove(to, from, r->bytes);
    }
}

void copy_now(const rows *r)
{
    bool to_device = on_device(memory_at(r->to));
    bool from_device = on_device(memory_at(r->from));
    rows all = *r;
    if (r->to_pitch == r->bytes && r->from_pitch == r->bytes) { // one row
        all.bytes *= r->height;
        all.height = 1;
    }
    for (size_t y = 0; y < all.height; y++)
        copy_row(&all, y, to_device, from_device);
}

// Pageable memory's rows, one after the other, in memory of our own.
static void *packed(rows *r)
{
    char *data = malloc(r->bytes * r->height);
    for (size_t y = 0; data && y < r->height; y++)
        memcpy(data + y * r->bytes, (const char *)r->from + y * r->from_pitch,
               r->bytes);
    r->from = data;
    r->from_pitch = r->bytes;
    return data;
}

int copy_rows(rows r, int kind, stream *s, bool async)
{
    if (!s)
        return cudaErrorInvalidResourceHandle;
    int code = check(&r, kind);
    if (code || !r.bytes || !r.height)
        return code;
    const memory *to = memory_at(r.to), *from = memory_at(r.from);
    bool within = to && from && (to->kind == DEVICE || to->kind == VARIABLE) &&
                  (from->kind == DEVICE || from->kind == VARIABLE);
    item it = {.kind = COPY_ROWS, .rows = r};
    if (within || (async && to && from))
        return enqueue(s, it); // also of a synchronous copy: the host does not wait
    if (async && to && r.bytes <= MOST_STAGED && r.height <= MOST_STAGED / r.bytes) {
        it.data = packed(&it.rows);
        return it.data ? enqueue(s, it) : cudaErrorMemoryAllocation;
    }
    run_before(s);
    copy_now(&r);
    return front_wait();
}

int fill_rows(void *to, size_t pitch, int byte, size_t bytes, size_t height, stream *s,
              bool async)
{
    const memory *m = memory_at(to);
    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (!bytes || !height)
        return cudaSuccess;
    if (pitch < bytes || !on_device(m) ||
        (height > 1 && pitch > SIZE_MAX / height - bytes) ||
        !fits(m, to, extent(pitch, bytes, height)))
        return cudaErrorInvalidValue;
    if (pitch == bytes) {
        bytes *= height;
        height = 1;
    }
    for (size_t y = 0; y < height; y++) {
        wire_command c = {.op = WIRE_FILL, .as.fill = {(uintptr_t)to + y * pitch, bytes,
                                                       (unsigned char)byte, !y}};
        int code = enqueue(s, (item){.kind = COMMANDED, .command = c});
        if (code)
            return code;
    }
    if (async || m->kind == DEVICE || m->kind == VARIABLE)
        return cudaSuccess;
    run_before(s);
    return front_wait();
}

static int copy(void *to, const void *from, size_t bytes, int kind, cudaStream_t s,
                bool async)
{
    rows r = {to, from, bytes, bytes, bytes, 1};
    return copy_rows(r, kind, stream_of(s), async);
}

// ---- The calls ------------------------------------------------------------------

cudaError_t CUDARTAPI cudaMemcpy(void *to, const void *from, size_t bytes,
                                 enum cudaMemcpyKind kind)
{
    return CALL(copy(to, from, bytes, (int)kind, 0, false));
}

cudaError_t CUDARTAPI cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                                      enum cudaMemcpyKind kind, cudaStream_t s)
{
    return CALL(copy(to, from, bytes, (int)kind, s, true));
}

cudaError_t CUDARTAPI cudaMemcpy2D(void *to, size_t to_pitch, const void *from,
                                   size_t from_pitch, size_t bytes, size_t height,
                                   enum cudaMemcpyKind kind)
{
    rows r = {to, from, to_pitch, from_pitch, bytes, height};
    return CALL(copy_rows(r, (int)kind, stream_of(0), false));
}

cudaError_t CUDARTAPI cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                                        size_t from_pitch, size_t bytes, size_t height,
                                        enum cudaMemcpyKind kind, cudaStream_t s)
{
    rows r = {to, from, to_pitch, from_pitch, bytes, height};
    return CALL(copy_rows(r, (int)kind, stream_of(s), true));
}

cudaError_t CUDARTAPI cudaMemset(void *to, int byte, size_t bytes)
{
    return CALL(fill_rows(to, bytes, byte, bytes, 1, stream_of(0), false));
}

cudaError_t CUDARTAPI cudaMemsetAsync(void *to, int byte, size_t bytes, cudaStream_t s)
{
    return CALL(fill_rows(to, bytes, byte, bytes, 1, stream_of(s), true));
}

cudaError_t CUDARTAPI cudaMemset2D(void *to, size_t pitch, int byte, size_t bytes,
                                   size_t height)
{
    return CALL(fill_rows(to, pitch, byte, bytes, height, stream_of(0), false));
}

cudaError_t CUDARTAPI cudaMemset2DAsync(void *to, size_t pitch, int byte, size_t bytes,
                                        size_t height, cudaStream_t s)
{
    return CALL(fill_rows(to, pitch, byte, bytes, height, stream_of(s), true));
}
