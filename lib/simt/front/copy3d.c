// Copies that are told by structures: boxes, arrays, other devices.

#include "graph.h"
#include "memory.h"

// A corner of an array, positions in bytes, rows, slices; it must hold the extent from
// there.
static int in_array(const array *a, size_t x, size_t y, size_t z, const box *b,
                    place *p)
{
    if (!a)
        return cudaErrorInvalidResourceHandle;
    size_t width = a->extent.width * a->element;
    if (x > width || b->bytes > width - x || y > a->rows || b->rows > a->rows - y ||
        z > a->slices || b->slices > a->slices - z)
        return cudaErrorInvalidValue;
    *p =
        (place){a->at + (z * a->rows + y) * a->pitch + x, a->pitch, a->pitch * a->rows};
    return cudaSuccess;
}

static place in_memory(const struct cudaPitchedPtr *p, struct cudaPos at)
{
    size_t slice = p->pitch * p->ysize;
    return (place){(char *)p->ptr + at.z * slice + at.y * p->pitch + at.x, p->pitch,
                   slice};
}

// One side of a box: an array or memory; positions of arrays count elements.
static int side(cudaArray_t handle, const struct cudaPitchedPtr *p, struct cudaPos at,
                const box *b, place *to)
{
    if (!handle == !p->ptr)
        return cudaErrorInvalidValue; // neither, or both
    if (handle) {
        const array *a = array_of(handle);
        return in_array(a, a ? at.x * a->element : 0, at.y, at.z, b, to);
    }
    if (b->bytes && b->rows && b->slices) {
        if (p->pitch && at.x + b->bytes > p->pitch && (b->rows > 1 || b->slices > 1))
            return cudaErrorInvalidPitchValue;
        if (b->slices > 1 && at.y + b->rows > p->ysize)
            return cudaErrorInvalidValue;
    }
    *to = in_memory(p, at);
    return cudaSuccess;
}

int box_of(const struct cudaMemcpy3DParms *p, box *b)
{
    if (!p)
        return cudaErrorInvalidValue;
    const array *from = array_of(p->srcArray), *to = array_of(p->dstArray);
    size_t element = from ? from->element : to ? to->element : 1;
    if (from && to && from->element != to->element)
        return cudaErrorInvalidValue;
    *b = (box){.bytes = p->extent.width * element,
               .rows = p->extent.height,
               .slices = p->extent.depth};
    int code = side(p->dstArray, &p->dstPtr, p->dstPos, b, &b->to);
    return code ? code : side(p->srcArray, &p->srcPtr, p->srcPos, b, &b->from);
}

int copy_3d(const struct cudaMemcpy3DParms *p, stream *s, bool async)
{
    box b;
    int code = box_of(p, &b);
    return code ? code : copy_box(b, (int)p->kind, s, async);
}

int copy_3d_peer(const struct cudaMemcpy3DPeerParms *p, stream *s, bool async)
{
    if (!p)
        return cudaErrorInvalidValue;
    if (!is_device(p->srcDevice) || !is_device(p->dstDevice))
        return cudaErrorInvalidDevice;
    struct cudaMemcpy3DParms q = {p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                                  p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDefault};
    return copy_3d(&q, s, async);
}

int copy_peer(void *to, int to_device, const void *from, int from_device, size_t bytes,
              stream *s, bool async)
{
    if (!is_device(to_device) || !is_device(from_device))
        return cudaErrorInvalidDevice;
    const memory *a = memory_live(to), *b = memory_live(from);
    if (bytes && ((a && a->kind == DEVICE && a->device != to_device) ||
                  (b && b->kind == DEVICE && b->device != from_device)))
        return cudaErrorInvalidValue;
    return copy_line(to, from, bytes, cudaMemcpyDefault, s, async);
}

// ---- Rows of arrays
// ---------------------------------------------------------------------

int copy_to_array(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                  size_t bytes, size_t rows, int kind, stream *s, bool async)
{
    box b = {.from = {(char *)(uintptr_t)from, pitch, pitch * rows},
             .bytes = bytes,
             .rows = rows,
             .slices = 1};
    if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    int code = in_array(array_of(to), x, y, 0, &b, &b.to);
    if (!code && rows > 1 && pitch < bytes)
        code = cudaErrorInvalidPitchValue;
    return code ? code : copy_box(b, kind, s, async);
}

int copy_from_array(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                    size_t bytes, size_t rows, int kind, stream *s, bool async)
{
    box b = {
        .to = {to, pitch, pitch * rows}, .bytes = bytes, .rows = rows, .slices = 1};
    if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    int code = in_array(array_of(from), x, y, 0, &b, &b.from);
    if (!code && rows > 1 && pitch < bytes)
        code = cudaErrorInvalidPitchValue;
    return code ? code : copy_box(b, kind, s, async);
}

int copy_arrays(cudaArray_t to, size_t tx, size_t ty, cudaArray_const_t from, size_t fx,
                size_t fy, size_t bytes, size_t rows, int kind, stream *s)
{
    box b = {.bytes = bytes, .rows = rows, .slices = 1};
    if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    int code = in_array(array_of(to), tx, ty, 0, &b, &b.to);
    if (!code)
        code = in_array(array_of(from), fx, fy, 0, &b, &b.from);
    return code ? code : copy_box(b, kind, s, false);
}
