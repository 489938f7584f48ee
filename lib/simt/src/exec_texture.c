// Texture reads, and loads and stores of surfaces: lane by lane, since what they do
// depends on each lane's coordinates. What a request costs is counted in the sectors that
// its lanes touch together.

#include "access.h"
#include "texture.h"

#include <stdlib.h>

static float real_at(warp *w, u32 operand, int l)
{
    return ((const f32 *)AT(w, operand))[l];
}

static s32 whole_at(warp *w, u32 operand, int l)
{
    return ((const s32 *)AT(w, operand))[l];
}

static const simt_texture *object_of(warp *w, const op *o, const texture_op *t, int l)
{
    u64 object = ((const u64 *)AT(w, t->object))[l];
    const simt_texture *found = texture_at(w->worker->launch->device, object);
    if (found)
        return found;
    fault_text(w, "%#llx is no texture or surface object", (unsigned long long)object);
    fault_here(w, o, SIMT_FOREIGN_POINTER, l);
    return NULL;
}

typedef struct touched { // sectors of one request, by the lanes of a warp
    u64 sector[32 * 16];
    u32 count;
} touched;

static int by_number(const void *a, const void *b)
{
    u64 x = *(const u64 *)a, y = *(const u64 *)b;
    return (x > y) - (x < y);
}

static void count_touched(warp *w, const op *o, touched *seen)
{
    site_count *c = &w->sites[o->site];
    c->requests++;
    c->lanes += (u32)__builtin_popcount(w->mask);
    qsort(seen->sector, seen->count, sizeof *seen->sector, by_number);
    for (u32 i = 0; i < seen->count; i++)
        c->sectors += i == 0 || seen->sector[i] != seen->sector[i - 1];
}

static void touch_sector(touched *seen, u64 address)
{
    u64 sector = address >> 5;
    if (!seen->count || seen->sector[seen->count - 1] != sector)
        seen->sector[seen->count++] = sector;
}

int SIMT_FN(tex)(warp *w, const op *o)
{
    const texture_op *t = o->extra;
    touched seen;
    seen.count = 0;
    for (u32 m = w->mask; m; m &= m - 1) {
        int l = (int)first_lane(m);
        const simt_texture *from = object_of(w, o, t, l);
        if (!from)
            return FAULTED;
        texture_read r = {.shape = t->shape, .layered = t->layered, .whole = t->whole,
                          .gather = t->gather};
        float dx[3] = {0}, dy[3] = {0};
        for (int k = 0; k < t->sides; k++) {
            if (t->whole)
                r.at_whole[k] = whole_at(w, t->at[k], l);
            else
                r.at[k] = real_at(w, t->at[k], l);
            if (t->gradients) {
                dx[k] = real_at(w, t->dx[k], l);
                dy[k] = real_at(w, t->dy[k], l);
            }
        }
        if (t->layered)
            r.layer = (u32)whole_at(w, t->layer, l);
        r.lod = t->gradients ? texture_lod(from, &r, dx, dy) : t->lod ? real_at(w, t->lod, l) : 0;
        texels x;
        if (!texture_sample(w, o, from, &r, &x))
            return fault_access(w, o, l, x.address[x.count - 1], x.bytes);
        for (int i = 0; i < x.count; i++)
            touch_sector(&seen, x.address[i]);
        for (int i = 0; i < t->results; i++) {
            if (t->floats)
                ((f32 *)AT(w, t->result[i]))[l] = x.f[i];
            else
                ((u32 *)AT(w, t->result[i]))[l] = x.u[i];
        }
        if (t->resident)
            ((u8 *)AT(w, t->resident))[l] = 255;
    }
    count_touched(w, o, &seen);
    return GO;
}

// The element's host address; NULL with *skip: it lies outside and that is allowed.
static char *element(warp *w, const op *o, const texture_op *t, int l, touched *seen,
                     bool *skip)
{
    const simt_texture *s = object_of(w, o, t, l);
    *skip = false;
    if (!s)
        return NULL;
    u32 texel, size = t->bytes * (u32)t->results;
    texture_channels(s, &texel);
    s64 n[3] = {(s64)s->width * texel, s->height ? s->height : 1, s->depth ? s->depth : 1};
    s64 at[3] = {0}, layer = t->layered ? whole_at(w, t->layer, l) : 0;
    s64 layers = s->layers ? s->layers : 1;
    bool outside = layer < 0 || layer >= layers;
    for (int k = 0; k < t->sides; k++) {
        at[k] = whole_at(w, t->at[k], l);
        s64 most = k ? n[k] - 1 : n[k] - size;
        outside |= at[k] < 0 || at[k] > most;
        if (t->outside == 1)
            at[k] = at[k] < 0 ? 0 : at[k] > most ? most : at[k];
    }
    if (outside && t->outside == 1)
        layer = layer < 0 ? 0 : layer >= layers ? layers - 1 : layer;
    if (outside && t->outside == 2) {
        *skip = true;
        return NULL;
    }
    u64 a = s->level[0].address + (u64)at[0] + (u64)at[1] * s->level[0].row +
            (u64)(t->sides == 3 ? at[2] : layer) * s->level[0].slice;
    if (outside && t->outside == 0) {
        fault_text(w, "(%lld, %lld, %lld) of a surface of %u x %u x %u elements",
                   (long long)(at[0] / texel), (long long)at[1],
                   (long long)(t->sides == 3 ? at[2] : layer), s->width, s->height,
                   s->layers ? s->layers : s->depth);
        fault_here(w, o, SIMT_OUT_OF_BOUNDS, l);
        return NULL;
    }
    if (a % size) {
        fault_access(w, o, l, a, size);
        return NULL;
    }
    char *host = global_pointer(w, o, a, size);
    if (!host)
        fault_access(w, o, l, a, size);
    touch_sector(seen, a);
    return host;
}

static int surface(warp *w, const op *o, bool stores)
{
    const texture_op *t = o->extra;
    touched seen;
    seen.count = 0;
    for (u32 m = w->mask; m; m &= m - 1) {
        int l = (int)first_lane(m);
        bool skip;
        char *at = element(w, o, t, l, &seen, &skip);
        if (!at && !skip)
            return FAULTED;
        for (int i = 0; i < t->results; i++) {
            char *reg = (char *)AT(w, t->result[i]) + (size_t)l * t->width;
            if (stores && at) {
                memcpy(at + (u32)i * t->bytes, reg, t->bytes);
            } else if (!stores) {
                memset(reg, 0, t->width);
                if (at)
                    memcpy(reg, at + (u32)i * t->bytes, t->bytes);
            }
        }
    }
    count_touched(w, o, &seen);
    return GO;
}

int SIMT_FN(suld)(warp *w, const op *o)
{
    return surface(w, o, false);
}

int SIMT_FN(sust)(warp *w, const op *o)
{
    return surface(w, o, true);
}
