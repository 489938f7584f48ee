// Texture and surface objects: what they read is checked here and handed to the device,
// which gives the object its number. The descriptors are kept, so that they can be told.

#include "memory.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PITCH_ALIGNMENT = 32, ALIGNMENT = 512 }; // as the device's properties say
#define MOST_LINEAR ((size_t)1 << 28)
enum { MOST_PITCHED_X = 131072, MOST_PITCHED_Y = 65000, MOST_PITCH = 2097120 };

typedef struct object {
    struct object *next;
    uint64_t number;
    int device;
    bool surface;
    struct cudaResourceDesc resource;
    struct cudaTextureDesc texture;
} object;

static object *objects;

static object **slot_of(uint64_t number, bool surface)
{
    for (object **o = &objects; *o; o = &(*o)->next)
        if ((*o)->number == number && (*o)->device == here && (*o)->surface == surface)
            return o;
    return NULL;
}

// ---- Texels ---------------------------------------------------------------------

static int format_of(const struct cudaChannelFormatDesc *f, wire_texture *w)
{
    const int bits[] = {f->x, f->y, f->z, f->w};
    if (!format_bytes(f))
        return cudaErrorInvalidChannelDescriptor;
    for (int i = 0; i < 4; i++)
        w->bits[i] = (uint8_t)bits[i];
    w->format = (uint8_t)f->f;
    return cudaSuccess;
}

static int of_linear(const struct cudaResourceDesc *r, wire_texture *w)
{
    uint64_t at = (uintptr_t)r->res.linear.devPtr;
    int code = format_of(&r->res.linear.desc, w);
    if (code)
        return code;
    size_t elements = r->res.linear.sizeInBytes / format_bytes(&r->res.linear.desc);
    if (!at || at % ALIGNMENT || elements > MOST_LINEAR)
        return cudaErrorInvalidValue;
    w->linear = 1;
    w->levels = 1;
    w->width = (uint32_t)elements;
    w->level[0].address = at;
    return cudaSuccess;
}

static int of_pitched(const struct cudaResourceDesc *r, wire_texture *w)
{
    uint64_t at = (uintptr_t)r->res.pitch2D.devPtr;
    size_t x = r->res.pitch2D.width, y = r->res.pitch2D.height;
    size_t pitch = r->res.pitch2D.pitchInBytes;
    int code = format_of(&r->res.pitch2D.desc, w);
    if (code)
        return code;
    if (!at || at % ALIGNMENT || !x || x > MOST_PITCHED_X || y > MOST_PITCHED_Y ||
        pitch % PITCH_ALIGNMENT || pitch > MOST_PITCH ||
        pitch < x * format_bytes(&r->res.pitch2D.desc))
        return cudaErrorInvalidValue;
    w->levels = 1;
    w->width = (uint32_t)x;
    w->height = (uint32_t)y;
    w->level[0].address = at;
    w->level[0].row = pitch;
    return cudaSuccess;
}

static void add_level(const array *a, wire_texture *w)
{
    w->level[w->levels].address = (uintptr_t)a->at;
    w->level[w->levels].row = a->pitch;
    w->level[w->levels++].slice = a->pitch * a->rows;
}

static int of_array(const array *a, wire_texture *w)
{
    if (!a)
        return cudaErrorInvalidResourceHandle;
    bool layers = a->flags & (cudaArrayLayered | cudaArrayCubemap);
    w->width = (uint32_t)a->extent.width;
    w->height = (uint32_t)a->extent.height;
    *(layers ? &w->layers : &w->depth) = (uint32_t)a->extent.depth;
    add_level(a, w);
    return format_of(&a->format, w);
}

static int texels_of(const struct cudaResourceDesc *r, wire_texture *w)
{
    if (r->resType == cudaResourceTypeLinear)
        return of_linear(r, w);
    if (r->resType == cudaResourceTypePitch2D)
        return of_pitched(r, w);
    if (r->resType == cudaResourceTypeArray)
        return of_array(array_of(r->res.array.array), w);
    if (r->resType != cudaResourceTypeMipmappedArray)
        return cudaErrorInvalidValue;
    const array *all = mipmaps_of(r->res.mipmap.mipmap);
    int code = of_array(all ? &all->levels[0] : NULL, w);
    for (unsigned i = 1; !code && i < all->level_count && i < 16; i++)
        add_level(&all->levels[i], w);
    return code;
}

// ---- How they are read ----------------------------------------------------------

static int reading(const struct cudaTextureDesc *t, wire_texture *w)
{
    bool normalizes = t->readMode == cudaReadModeNormalizedFloat;
    bool floats = w->format == cudaChannelFormatKindFloat;
    bool linear = t->filterMode == cudaFilterModeLinear ||
                  (w->levels > 1 && t->mipmapFilterMode == cudaFilterModeLinear);
    if ((unsigned)t->readMode > cudaReadModeNormalizedFloat ||
        (unsigned)t->filterMode > cudaFilterModeLinear ||
        (unsigned)t->mipmapFilterMode > cudaFilterModeLinear)
        return cudaErrorInvalidValue;
    if (normalizes && (floats || w->bits[0] == 32))
        return cudaErrorInvalidNormSetting;
    if (linear && !w->linear && !floats && !normalizes)
        return cudaErrorInvalidFilterSetting;
    for (int i = 0; i < 3; i++) {
        if ((unsigned)t->addressMode[i] > cudaAddressModeBorder)
            return cudaErrorInvalidValue;
        w->address_mode[i] = (uint8_t)t->addressMode[i];
    }
    w->filter = (uint8_t)t->filterMode;
    w->mip_filter = (uint8_t)t->mipmapFilterMode;
    w->normalized_coordinates = t->normalizedCoords != 0;
    w->normalized_float = normalizes;
    w->srgb = t->sRGB != 0;
    memcpy(w->border, t->borderColor, sizeof w->border);
    w->level_bias = t->mipmapLevelBias;
    w->min_level = t->minMipmapLevelClamp;
    w->max_level = t->maxMipmapLevelClamp;
    return cudaSuccess;
}

static int refuse(const char *what, atomic_flag *said)
{
    if (!atomic_flag_test_and_set(said))
        fprintf(stderr, "simt: %s is not supported\n", what);
    return cudaErrorNotSupported;
}

// ---- Objects --------------------------------------------------------------------

static int make(unsigned long long *to, const wire_texture *w,
                const struct cudaResourceDesc *r, const struct cudaTextureDesc *t)
{
    static wire_reply reply;
    object *o = calloc(1, sizeof *o);
    if (!o)
        return cudaErrorMemoryAllocation;
    wire_command c = {.op = WIRE_TEXTURE, .device = (uint16_t)here};
    int code = ask(c, w, sizeof *w, &reply);
    if (code) {
        free(o);
        return code;
    }
    *o = (object){.next = objects, .number = reply.value[0], .device = here,
                  .surface = !t, .resource = *r};
    if (t)
        o->texture = *t;
    objects = o;
    *to = o->number;
    return cudaSuccess;
}

static int make_texture(cudaTextureObject_t *to, const struct cudaResourceDesc *r,
                        const struct cudaTextureDesc *t,
                        const struct cudaResourceViewDesc *view)
{
    static atomic_flag said_view = ATOMIC_FLAG_INIT, said_seams = ATOMIC_FLAG_INIT;
    if (!to || !r)
        return cudaErrorInvalidValue;
    if (!t)
        return cudaErrorInvalidResourceHandle;
    wire_texture w = {0};
    int code = texels_of(r, &w);
    if (!code)
        code = reading(t, &w);
    if (code)
        return code;
    if (view)
        return r->resType == cudaResourceTypeLinear ||
                       r->resType == cudaResourceTypePitch2D
                   ? cudaErrorInvalidValue
                   : refuse("a resource view", &said_view);
    if (t->seamlessCubemap && w.filter)
        return refuse("seamlessCubemap with linear filtering", &said_seams);
    return make(to, &w, r, t);
}

static int make_surface(cudaSurfaceObject_t *to, const struct cudaResourceDesc *r)
{
    if (!to || !r || r->resType != cudaResourceTypeArray)
        return cudaErrorInvalidValue;
    wire_texture w = {0};
    // An array made without cudaArraySurfaceLoadStore is accepted, as an H200 does.
    int code = of_array(array_of(r->res.array.array), &w);
    return code ? code : make(to, &w, r, NULL);
}

static void drop(object **o)
{
    object *gone = *o;
    wire_command c = {.op = WIRE_UNTEXTURE,
                      .device = (uint16_t)gone->device,
                      .as.object.id = gone->number};
    send_command(c, NULL, 0);
    *o = gone->next;
    free(gone);
}

// Launches that were put off still read it.
static int end(unsigned long long number, bool surface)
{
    object **o = slot_of(number, surface);
    if (!o)
        return cudaErrorInvalidValue;
    run_all(here);
    drop(o);
    return cudaSuccess;
}

void textures_forget(int number)
{
    for (object **o = &objects; *o;)
        if ((*o)->device == number)
            drop(o);
        else
            o = &(*o)->next;
}

static int about(unsigned long long number, bool surface, struct cudaResourceDesc *r,
                 struct cudaTextureDesc *t)
{
    object **o = slot_of(number, surface);
    if (!o || (!r && !t))
        return cudaErrorInvalidValue;
    if (r)
        *r = (*o)->resource;
    if (t)
        *t = (*o)->texture;
    return cudaSuccess;
}

// ---- The calls ------------------------------------------------------------------

cudaError_t CUDARTAPI cudaCreateTextureObject(cudaTextureObject_t *to,
                                              const struct cudaResourceDesc *r,
                                              const struct cudaTextureDesc *t,
                                              const struct cudaResourceViewDesc *view)
{
    return CALL(make_texture(to, r, t, view));
}

cudaError_t CUDARTAPI cudaDestroyTextureObject(cudaTextureObject_t number)
{
    return CALL(end(number, false));
}

cudaError_t CUDARTAPI cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *r,
                                                       cudaTextureObject_t number)
{
    return CALL(about(number, false, r, NULL));
}

cudaError_t CUDARTAPI cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *t,
                                                      cudaTextureObject_t number)
{
    return CALL(about(number, false, NULL, t));
}

// No object has a view.
cudaError_t CUDARTAPI cudaGetTextureObjectResourceViewDesc(
    struct cudaResourceViewDesc *view, cudaTextureObject_t number)
{
    (void)view, (void)number;
    return CALL(cudaErrorInvalidValue);
}

cudaError_t CUDARTAPI cudaCreateSurfaceObject(cudaSurfaceObject_t *to,
                                              const struct cudaResourceDesc *r)
{
    return CALL(make_surface(to, r));
}

cudaError_t CUDARTAPI cudaDestroySurfaceObject(cudaSurfaceObject_t number)
{
    return CALL(end(number, true));
}

cudaError_t CUDARTAPI cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *r,
                                                       cudaSurfaceObject_t number)
{
    return CALL(about(number, true, r, NULL));
}
