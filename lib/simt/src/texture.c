// The texture unit: coordinates to texels, texels to a colour.
//
// Positions are worked out in double; the weights of linear filtering have 8 bits of
// fraction, as the CUDA programming guide says of the hardware. Wrap and mirror exist for
// normalized coordinates only; otherwise they are clamp (the runtime's documentation).

#include "texture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Objects --------------------------------------------------------------------

enum { MOST_WIDTH = 1 << 28, MOST_ROWS = 1 << 17, MOST_OBJECTS = 1 << 20 };
#define MOST_BYTES ((uint64_t)1 << 40)

// No address of a texel can wrap around. What it then is, each access finds out.
static bool within_reach(const simt_texture *t)
{
    for (uint32_t i = 0; i < t->levels; i++)
        if (t->level[i].address >> 60 || t->level[i].row > MOST_BYTES ||
            t->level[i].slice > MOST_BYTES)
            return false;
    return t->width <= MOST_WIDTH && t->height <= MOST_ROWS && t->depth <= MOST_ROWS &&
           t->layers <= MOST_ROWS;
}

static bool sensible(const simt_texture *t)
{
    if (t->levels < 1 || t->levels > 16 || (!t->width && !t->linear) || t->filter > 1 || t->mip_filter > 1)
        return false;
    uint32_t bits = t->bits[0];
    if (t->format > 2 || (bits != 8 && bits != 16 && bits != 32) ||
        (t->format == 2 && bits == 8))
        return false;
    for (int i = 0; i < 4; i++)
        if (t->bits[i] && t->bits[i] != bits)
            return false;
    for (int i = 0; i < 3; i++)
        if (t->address_mode[i] > 3)
            return false;
    return within_reach(t) && !(t->bits[2] && !t->bits[1]) &&
           !(t->bits[3] && !t->bits[2]);
}

// A number for an object. Those of dropped ones are used again only when all were used,
// so that a stale one is found.
static int number_for(simt_device *d, uint32_t *number)
{
    for (*number = 0; d->texture_count == MOST_OBJECTS; ++*number)
        if (*number == MOST_OBJECTS)
            return 2;
        else if (!d->textures[*number])
            return 0;
    simt_texture **more =
        realloc(d->textures, (d->texture_count + 1) * sizeof *more);
    if (!more)
        return 2;
    d->textures = more;
    *number = d->texture_count;
    d->textures[d->texture_count++] = NULL;
    return 0;
}

int simt_texture_new(simt_device *device, const simt_texture *texture, uint64_t *object)
{
    if (!sensible(texture))
        return 1;
    simt_texture *copy = malloc(sizeof *copy);
    uint32_t number;
    if (!copy || number_for(device, &number)) {
        free(copy);
        return 2;
    }
    *copy = *texture;
    device->textures[number] = copy;
    *object = number + 1;
    return 0;
}

int simt_texture_drop(simt_device *device, uint64_t object)
{
    if (!texture_at(device, object))
        return 1;
    free(device->textures[object - 1]);
    device->textures[object - 1] = NULL;
    return 0;
}

const simt_texture *texture_at(const simt_device *device, uint64_t object)
{
    return object - 1 < device->texture_count ? device->textures[object - 1] : NULL;
}

void textures_forget(simt_device *device)
{
    for (uint32_t i = 0; i < device->texture_count; i++)
        free(device->textures[i]);
    free(device->textures);
    device->textures = NULL;
    device->texture_count = 0;
}

int texture_channels(const simt_texture *t, uint32_t *bytes)
{
    int n = 0;
    while (n < 4 && t->bits[n])
        n++;
    *bytes = (uint32_t)n * t->bits[0] / 8;
    return n;
}

// ---- One texel ------------------------------------------------------------------

static uint32_t side(uint32_t of_level_0, uint32_t level)
{
    return of_level_0 >> level ? of_level_0 >> level : 1;
}

static float from_half(uint16_t h)
{
    uint32_t e = h >> 10 & 31, m = h & 1023;
    float x = e == 31  ? (m ? NAN : INFINITY)
              : e == 0 ? ldexpf((float)m, -24)
                       : ldexpf((float)(m | 1024), (int)e - 25);
    return h >> 15 ? -x : x;
}

static float curve(float x) // sRGB to linear, IEC 61966-2-1
{
    return x <= 0.04045f ? x / 12.92f : powf((x + 0.055f) / 1.055f, 2.4f);
}

static void decode_texel(const simt_texture *t, const char *from, int channels, float *f,
                         uint32_t *u)
{
    uint32_t bits = t->bits[0];
    for (int i = 0; i < channels; i++) {
        uint32_t v = 0;
        memcpy(&v, from + i * (int)bits / 8, bits / 8);
        int32_t s = (int32_t)(v << (32 - bits)) >> (32 - bits);
        u[i] = t->format == 0 ? (uint32_t)s : v;
        if (t->format == 2 && bits == 16)
            f[i] = from_half((uint16_t)v);
        else if (t->format == 2)
            memcpy(&f[i], &v, 4);
        else if (t->format == 1)
            f[i] = (float)((double)v / (bits == 8 ? 255 : 65535));
        else
            f[i] = (float)fmax((double)s / (bits == 8 ? 127 : 32767), -1);
        if (t->srgb && bits == 8 && i < 3)
            f[i] = curve(f[i]);
        if (t->format == 2)
            memcpy(&u[i], &f[i], 4);
    }
}

// Index i of n texels under an addressing mode; -1 is the border.
static int64_t wrapped(int64_t i, int64_t n, int mode, bool normalized)
{
    if (mode == 3)
        return i < 0 || i >= n ? -1 : i;
    if (mode == 1 || !normalized)
        return i < 0 ? 0 : i >= n ? n - 1 : i;
    int64_t period = mode == 0 ? n : 2 * n;
    i = (i % period + period) % period;
    return i < n ? i : 2 * n - 1 - i;
}

typedef struct level_view {
    const simt_texture *t;
    uint32_t level, layer;
    int sides;
    int64_t n[3];
} level_view;

static bool fetch(warp *w, const op *o, const level_view *v, const int64_t *at, texels *x,
                  float *f, uint32_t *u)
{
    const simt_texture *t = v->t;
    uint32_t bytes;
    int channels = texture_channels(t, &bytes);
    int64_t i[3] = {0};
    memset(u, 0, 16);
    for (int k = 0; k < 4; k++)
        f[k] = 0;
    for (int k = 0; k < v->sides; k++) {
        i[k] = t->linear ? (at[k] < 0 || at[k] >= v->n[k] ? -1 : at[k])
                         : wrapped(at[k], v->n[k], t->address_mode[k],
                                   t->normalized_coordinates);
        if (i[k] < 0) {
            for (int c = 0; c < channels && !t->linear; c++) {
                f[c] = t->border[c];
                memcpy(&u[c], &t->border[c], 4);
            }
            return true;
        }
    }
    const struct simt_texture_level *l = &t->level[v->level];
    uint64_t a = l->address + (uint64_t)i[0] * bytes + (uint64_t)i[1] * l->row +
                 (uint64_t)(v->sides == 3 ? i[2] : v->layer) * l->slice;
    range *r = &w->cache[o->site];
    if (x->count < 16)
        x->address[x->count++] = a;
    const simt_device *d = w->worker->launch->device;
    if ((a < r->low || a + bytes > r->high) &&
        !heap_touch(d->heap, d->config.number, a, bytes, false, r)) {
        x->address[x->count - 1] = a;
        return false;
    }
    decode_texel(t, r->host + (a - r->low), channels, f, u);
    return true;
}

// ---- One level ------------------------------------------------------------------

static double coordinate(const texture_read *r, const level_view *v, int k)
{
    if (r->whole)
        return r->at_whole[k];
    double x = isfinite(r->at[k]) ? r->at[k] : 0;
    x *= v->t->normalized_coordinates ? (double)v->n[k] : 1;
    return fmin(fmax(x, -0x1p40), 0x1p40);
}

static double weight(double x) // 8 bits of fraction
{
    return floor((x - floor(x)) * 256 + 0.5) / 256;
}

static bool sample_level(warp *w, const op *o, const level_view *v, const texture_read *r,
                         texels *x)
{
    int64_t low[3] = {0};
    double a[3] = {0};
    bool linear = (v->t->filter == 1 && !r->whole) || r->gather >= 0;
    for (int k = 0; k < v->sides; k++) {
        double at = coordinate(r, v, k) - (linear ? 0.5 : 0);
        low[k] = (int64_t)floor(at);
        a[k] = weight(at);
    }
    if (r->gather >= 0) { // counter-clockwise from the lower left
        static const int places[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
        for (int i = 0; i < 4; i++) {
            int64_t at[3] = {low[0] + places[i][0], low[1] + places[i][1], 0};
            float f[4];
            uint32_t u[4];
            if (!fetch(w, o, v, at, x, f, u))
                return false;
            x->f[i] = f[r->gather];
            x->u[i] = u[r->gather];
        }
        return true;
    }
    if (!linear)
        return fetch(w, o, v, low, x, x->f, x->u);
    double sum[4] = {0};
    for (int corner = 0; corner < 1 << v->sides; corner++) {
        int64_t at[3];
        double share = 1;
        float f[4];
        uint32_t u[4];
        for (int k = 0; k < v->sides; k++) {
            at[k] = low[k] + (corner >> k & 1);
            share *= corner >> k & 1 ? a[k] : 1 - a[k];
        }
        if (!fetch(w, o, v, at, x, f, u))
            return false;
        for (int c = 0; c < 4; c++)
            sum[c] += share == 0 ? 0 : share * (double)f[c];
    }
    // An H200 filters a row as a plane of height 1: a border above it counts half.
    bool border_above = v->sides == 1 && v->t->address_mode[1] == 3;
    for (int c = 0; c < 4; c++) {
        double f = border_above ? (sum[c] + (double)v->t->border[c]) / 2 : sum[c];
        if (v->t->normalized_float && v->t->bits[0] == 8 && v->t->format == 1 && !v->t->srgb)
            f = floor(f * 65535 + 0.5) / 65535; // bytes are mixed in 16 bits, it shows too
        x->f[c] = (float)f;
    }
    return true;
}

// ---- A request ------------------------------------------------------------------

// A direction becomes a face and a place on it.
static void onto_cube(texture_read *r)
{
    float x = r->at[0], y = r->at[1], z = r->at[2];
    float ax = fabsf(x), ay = fabsf(y), az = fabsf(z), m, s, t;
    uint32_t face;
    if (ax >= ay && ax >= az)
        face = x < 0, m = ax, s = x < 0 ? z : -z, t = -y;
    else if (ay >= az)
        face = 2 + (y < 0), m = ay, s = x, t = y < 0 ? -z : z;
    else
        face = 4 + (z < 0), m = az, s = z < 0 ? -x : x, t = -y;
    r->at[0] = (s / m + 1) / 2;
    r->at[1] = (t / m + 1) / 2;
    r->layer = 6 * (r->layered ? r->layer : 0) + face;
    r->shape = SHAPE_2D;
    r->layered = true;
}

float texture_lod(const simt_texture *t, const texture_read *r, const float *dx,
                  const float *dy)
{
    double n[3] = {t->width, t->height, t->depth}, x = 0, y = 0;
    int sides = r->shape == SHAPE_1D ? 1 : r->shape == SHAPE_2D ? 2 : 3;
    for (int k = 0; k < sides; k++) {
        double scale = t->normalized_coordinates ? n[k] : 1;
        x += pow(dx[k] * scale, 2);
        y += pow(dy[k] * scale, 2);
    }
    return (float)(0.5 * log2(fmax(x, y)));
}

static bool at_level(warp *w, const op *o, const simt_texture *t, const texture_read *r,
                     uint32_t level, texels *x)
{
    level_view v = {.t = t, .level = level, .n = {side(t->width, level), 1, 1}};
    v.sides = r->shape == SHAPE_1D ? 1 : r->shape == SHAPE_2D ? 2 : 3;
    if (v.sides > 1)
        v.n[1] = side(t->height, level);
    if (v.sides > 2)
        v.n[2] = side(t->depth, level);
    if (r->layered)
        v.layer = !t->layers ? 0 : r->layer < t->layers ? r->layer : t->layers - 1;
    return sample_level(w, o, &v, r, x);
}

bool texture_sample(warp *w, const op *o, const simt_texture *t, const texture_read *read,
                    texels *x)
{
    texture_read r = *read;
    if (r.shape == SHAPE_CUBE)
        onto_cube(&r);
    x->count = 0;
    texture_channels(t, &x->bytes);
    double most = t->levels - 1, lod = (isnan(r.lod) ? 0 : r.lod) + (double)t->level_bias;
    lod = fmin(fmax(lod, t->min_level), t->max_level);
    lod = fmin(fmax(lod, 0), most);
    if (most == 0 || t->mip_filter == 0)
        return at_level(w, o, t, &r, (uint32_t)floor(lod + 0.5), x);
    double a = weight(lod);
    uint32_t level = (uint32_t)floor(lod);
    if (!at_level(w, o, t, &r, level, x))
        return false;
    if (a == 0 || level + 1 > most)
        return true;
    float first[4];
    memcpy(first, x->f, sizeof first);
    if (!at_level(w, o, t, &r, level + 1, x))
        return false;
    for (int c = 0; c < 4; c++)
        x->f[c] = (float)((1 - a) * (double)first[c] + a * (double)x->f[c]);
    return true;
}
