// Arrays: device memory that a texture would read, one element after the other.
//
// A row begins at a multiple of 512 bytes, a slice (or layer, or face) follows the last
// row of the one before. A mipmapped array is one for each level.

#include "memory.h"

#include <stdlib.h>

enum {
    PITCH = 512,
    KNOWN = cudaArrayLayered | cudaArrayCubemap | cudaArraySurfaceLoadStore |
            cudaArrayTextureGather,
    MOST_1D = 131072,
    MOST_2D_X = 131072,
    MOST_2D_Y = 65536,
    MOST_3D = 16384,
    MOST_LAYERS = 2048,
};

size_t format_bytes(const struct cudaChannelFormatDesc *d)
{
    const int bits[] = {d->x, d->y, d->z, d->w};
    int channels = 0;
    while (channels < 4 && bits[channels])
        channels++;
    for (int i = 0; i < 4; i++)
        if (bits[i] != (i < channels ? bits[0] : 0))
            return 0;
    if (channels == 0 || channels == 3 ||
        (bits[0] != 8 && bits[0] != 16 && bits[0] != 32) ||
        (d->f == cudaChannelFormatKindFloat && bits[0] == 8) ||
        d->f > cudaChannelFormatKindFloat)
        return 0;
    return (size_t)channels * (size_t)bits[0] / 8;
}

static bool fits(struct cudaExtent e, unsigned flags)
{
    bool layered = flags & cudaArrayLayered, cube = flags & cudaArrayCubemap;
    if (!e.width || flags & ~(unsigned)KNOWN)
        return false;
    if (cube)
        return e.width == e.height && e.width <= 32768 &&
               (layered ? e.depth && e.depth % 6 == 0 && e.depth <= 2046
                        : e.depth == 6);
    if (layered)
        return e.depth && e.depth <= MOST_LAYERS && e.width <= 32768 &&
               e.height <= 32768;
    if (e.depth)
        return e.height && e.width <= MOST_3D && e.height <= MOST_3D &&
               e.depth <= MOST_3D;
    return e.height ? e.width <= MOST_2D_X && e.height <= MOST_2D_Y
                    : e.width <= MOST_1D;
}

static int take(array **made, const struct cudaChannelFormatDesc *format,
                struct cudaExtent e, unsigned flags)
{
    if (!made || !format)
        return cudaErrorInvalidValue;
    *made = NULL;
    size_t element = format_bytes(format);
    if (!element)
        return cudaErrorInvalidChannelDescriptor;
    if (!fits(e, flags))
        return cudaErrorInvalidValue;
    array *a = calloc(1, sizeof *a);
    if (!a)
        return cudaErrorMemoryAllocation;
    *a = (array){.format = *format,
                 .extent = e,
                 .flags = flags,
                 .device = here,
                 .element = element,
                 .rows = e.height ? e.height : 1,
                 .slices = e.depth ? e.depth : 1};
    a->pitch = (e.width * element + PITCH - 1) / PITCH * PITCH;
    void *at;
    int code = device_take_array(a->pitch * a->rows * a->slices, here, &at);
    if (code) {
        free(a);
        return code;
    }
    a->at = at;
    *made = a;
    return cudaSuccess;
}

static array **all; // so that a wrong handle is told
static size_t count, room;

static int keep(array *a)
{
    if (count == room) {
        size_t more = room * 2 + 16;
        array **larger = realloc(all, more * sizeof *all);
        if (!larger)
            return cudaErrorMemoryAllocation;
        all = larger;
        room = more;
    }
    all[count++] = a;
    return cudaSuccess;
}

static void forget(const array *a)
{
    for (size_t i = 0; i < count; i++)
        if (all[i] == a) {
            all[i] = all[--count];
            return;
        }
}

array *array_of(cudaArray_const_t handle)
{
    for (size_t i = 0; i < count; i++)
        if (all[i] == (const array *)handle && !all[i]->levels)
            return all[i];
    return NULL;
}

array *mipmaps_of(const void *handle)
{
    for (size_t i = 0; i < count; i++)
        if (all[i] == handle && all[i]->levels)
            return all[i];
    return NULL;
}

static int make(cudaArray_t *to, const struct cudaChannelFormatDesc *format,
                struct cudaExtent e, unsigned flags)
{
    array *a = NULL;
    int code = to ? take(&a, format, e, flags) : cudaErrorInvalidValue;
    if (!code)
        code = keep(a);
    if (to)
        *to = (cudaArray_t)a;
    return code;
}

static void drop(array *a)
{
    const memory *m = memory_based(a->at);
    if (m)
        give_back(m);
    memory_drop(a->at);
}

static int let_go(array *a, bool mipmapped, bool null)
{
    if (!a)
        return null ? cudaSuccess : cudaErrorInvalidResourceHandle;
    if (a->level && !mipmapped)
        return cudaErrorInvalidValue;
    run_all(a->device);
    int code = front_wait(a->device);
    if (code)
        return code;
    if (!mipmapped)
        drop(a);
    for (unsigned i = 0; i < a->level_count; i++) {
        drop(&a->levels[i]);
        forget(&a->levels[i]);
    }
    free(a->levels);
    forget(a);
    free(a);
    return cudaSuccess;
}

static size_t halved(size_t n, unsigned level)
{
    return !n ? 0 : n >> level ? n >> level : 1;
}

static int make_mipmaps(cudaMipmappedArray_t *to,
                        const struct cudaChannelFormatDesc *format, struct cudaExtent e,
                        unsigned levels, unsigned flags)
{
    if (!to || !format || !levels)
        return cudaErrorInvalidValue;
    size_t longest = e.width > e.height ? e.width : e.height;
    bool flat = flags & (cudaArrayLayered | cudaArrayCubemap);
    longest = !flat && e.depth > longest ? e.depth : longest;
    unsigned most = 1;
    while (longest >> most)
        most++;
    levels = levels < most ? levels : most;
    array *a = calloc(1, sizeof *a);
    if (a)
        a->levels = calloc(levels, sizeof *a->levels);
    if (!a || !a->levels) {
        free(a);
        return cudaErrorMemoryAllocation;
    }
    a->device = here;
    int code = cudaSuccess;
    for (unsigned i = 0; i < levels && !code; i++) {
        struct cudaExtent half = {halved(e.width, i), halved(e.height, i),
                                  flat ? e.depth : halved(e.depth, i)};
        array *level;
        code = take(&level, format, half, flags);
        if (code)
            break;
        a->levels[i] = *level;
        a->levels[i].level = true;
        a->level_count++;
        free(level);
        code = keep(&a->levels[i]);
    }
    if (!code)
        code = keep(a);
    if (code)
        let_go(a, true, true);
    *to = code ? NULL : (cudaMipmappedArray_t)a;
    return code;
}

static int level_of(cudaArray_t *to, cudaMipmappedArray_const_t handle, unsigned level)
{
    array *a = mipmaps_of(handle);
    if (!to || !a || level >= a->level_count)
        return a || !to ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    *to = (cudaArray_t)&a->levels[level];
    return cudaSuccess;
}

static int about(struct cudaChannelFormatDesc *format, struct cudaExtent *e,
                 unsigned *flags, const array *a)
{
    if (!a)
        return cudaErrorInvalidResourceHandle;
    if (format)
        *format = a->format;
    if (e)
        *e = a->extent;
    if (flags)
        *flags = a->flags;
    return cudaSuccess;
}

// ---- The calls ------------------------------------------------------------------

struct cudaChannelFormatDesc CUDARTAPI
cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind kind)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}

cudaError_t CUDARTAPI cudaGetChannelDesc(struct cudaChannelFormatDesc *format,
                                         cudaArray_const_t a)
{
    return CALL(format ? about(format, NULL, NULL, array_of(a))
                       : cudaErrorInvalidValue);
}

cudaError_t CUDARTAPI cudaMallocArray(cudaArray_t *to,
                                      const struct cudaChannelFormatDesc *format,
                                      size_t width, size_t height, unsigned flags)
{
    return CALL_UNSAFE(make(to, format, (struct cudaExtent){width, height, 0}, flags));
}

cudaError_t CUDARTAPI cudaMalloc3DArray(cudaArray_t *to,
                                        const struct cudaChannelFormatDesc *format,
                                        struct cudaExtent e, unsigned flags)
{
    return CALL_UNSAFE(make(to, format, e, flags));
}

cudaError_t CUDARTAPI cudaMallocMipmappedArray(
    cudaMipmappedArray_t *to, const struct cudaChannelFormatDesc *format,
    struct cudaExtent e, unsigned levels, unsigned flags)
{
    return CALL_UNSAFE(make_mipmaps(to, format, e, levels, flags));
}

cudaError_t CUDARTAPI cudaGetMipmappedArrayLevel(cudaArray_t *to,
                                                 cudaMipmappedArray_const_t a,
                                                 unsigned level)
{
    return CALL(level_of(to, a, level));
}

cudaError_t CUDARTAPI cudaFreeArray(cudaArray_t a)
{
    return CALL_UNSAFE(let_go(array_of(a), false, !a));
}

cudaError_t CUDARTAPI cudaFreeMipmappedArray(cudaMipmappedArray_t a)
{
    return CALL_UNSAFE(let_go(mipmaps_of(a), true, !a));
}

cudaError_t CUDARTAPI cudaArrayGetInfo(struct cudaChannelFormatDesc *format,
                                       struct cudaExtent *e, unsigned *flags,
                                       cudaArray_t a)
{
    return CALL(about(format, e, flags, array_of(a)));
}
