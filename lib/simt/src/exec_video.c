// Video instructions: arithmetic on 32-bit values or their bytes and halves, with
// selection, saturation and a second operation. One handler, an element at a time.

#include "lanes.h"
#include "video.h"

static s64 element(u64 both, int bits, int which, bool is_signed)
{
    u64 v = both >> (which * bits) & (bits == 32 ? 0xffffffffu : (1u << bits) - 1);
    return is_signed ? (s64)(v << (64 - bits)) >> (64 - bits) : (s64)v;
}

static s64 clamp(s64 v, int bits, bool is_signed)
{
    s64 most = (s64)((1ull << (is_signed ? bits - 1 : bits)) - 1);
    s64 least = is_signed ? -most - 1 : 0;
    return v > most ? most : v < least ? least : v;
}

static s64 first(const video *v, s64 x, s64 y, s64 z)
{
    s64 by = v->wraps ? y & 31 : y > 32 ? 32 : y;
    switch (v->kind) {
    case VIDEO_ADD: return x + y;
    case VIDEO_SUB: return x - y;
    case VIDEO_ABSDIFF: return x > y ? x - y : y - x;
    case VIDEO_MIN: return x < y ? x : y;
    case VIDEO_MAX: return x > y ? x : y;
    case VIDEO_AVERAGE: return (x + y + (x + y >= 0)) >> 1;
    case VIDEO_SHL: return (s64)((u64)x << by);
    case VIDEO_SHR: return x >> by;
    case VIDEO_MAD: return (s64)(((s128)x * y + z + v->plus_one) >> v->scale);
    default:
        switch (v->comparison) {
        case 0: return x == y;
        case 1: return x != y;
        case 2: return x < y;
        case 3: return x <= y;
        case 4: return x > y;
        default: return x >= y;
        }
    }
}

static u32 compute(const video *v, u32 a, u32 b, u32 c)
{
    u64 both = v->lanes > 1 ? (u64)b << 32 | a : a;
    u32 merged = v->keeps ? c : 0, sum = v->second == VIDEO_PLUS && v->lanes > 1 ? c : 0;
    for (int i = 0; i < v->lanes; i++) {
        if (!(v->mask >> i & 1))
            continue;
        s64 x = element(both, v->a_bits, v->a_from[i], v->a_signed);
        s64 y = element(v->lanes > 1 ? both : b, v->b_bits, v->b_from[i], v->b_signed);
        s64 r = first(v, x, y, v->d_signed ? (s32)c : (s64)c);
        if (v->saturates)
            r = clamp(r, v->d_bits, v->d_signed);
        sum += (u32)r;
        u32 ones = v->d_bits == 32 ? ~0u : (1u << v->d_bits) - 1;
        int at = v->d_at + i * v->d_bits;
        merged = (merged & ~(ones << at)) | ((u32)r & ones) << at;
        if (v->lanes == 1 && v->second) {
            u32 t = (u32)r;
            bool less = v->d_signed ? (s32)t < (s32)c : t < c;
            merged = v->second == VIDEO_PLUS ? t + c : less == (v->second == VIDEO_LEAST) ? t : c;
        }
    }
    return v->lanes > 1 && v->second ? sum : merged;
}

int SIMT_FN(video)(warp *w, const op *o)
{
    const u32 *a = AT(w, o->a), *b = AT(w, o->b), *c = AT(w, o->c);
    u32 *d = AT(w, o->d);
    for (int l = 0; l < 32; l++)
        if (ACTIVE(w, l))
            d[l] = compute(o->extra, a[l], b[l], c[l]);
    return GO;
}
