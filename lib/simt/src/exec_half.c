// Arithmetic of f16, bf16 and pairs of them.
//
// Halves are widened to f32, computed and rounded back. Sums, differences and products
// come out as if rounded once, for f32 has more than twice the bits; fma takes care by
// rounding to odd on the way. o->sub: 1 for bf16; o->width: bytes of the register.

#include "half.h"

#define COUNT(o) (16 * (o)->width)

static inline void widen(f32 *restrict to, const void *from, const op *o)
{
    widen_halves(to, from, COUNT(o), o->sub, o->mode & MODE_FTZ);
}

// .ftz flushes what would round to less than the least normal number if exponents had no
// bound, 2^-14 (1 - 2^-12) for f16, as an H200 does.
static inline int finish(warp *w, const op *o, f32 *restrict r)
{
    int n = COUNT(o);
    u16 out[64];
    f32 least = o->sub ? 0x1p-126f : 0x1.ffep-15f;
    if (o->mode & MODE_FTZ)
        for (int i = 0; i < n; i++)
            r[i] = fabsf(r[i]) < least ? copysignf(0, r[i]) : r[i];
    if (o->mode & MODE_SAT)
        for (int i = 0; i < n; i++)
            r[i] = saturate_f32(r[i]);
    if (o->mode & MODE_RELU)
        for (int i = 0; i < n; i++)
            r[i] = r[i] > 0 || r[i] != r[i] ? r[i] : 0;
    narrow_halves(out, r, n, o->sub);
    return store_halves(w, o, out, n);
}

#define HALF2(name, expression)                                                       \
    int SIMT_FN(name)(warp * w, const op *o)                                          \
    {                                                                                 \
        f32 a[64], b[64];                                                             \
        int n = COUNT(o);                                                             \
        widen(a, AT(w, o->a), o);                                                      \
        widen(b, AT(w, o->b), o);                                                      \
        for (int i = 0; i < n; i++) {                                                 \
            f32 x = a[i], y = b[i];                                                   \
            a[i] = expression;                                                        \
        }                                                                             \
        return finish(w, o, a);                                                         \
    }
HALF2(half_add, x + y)
HALF2(half_sub, x - y)
HALF2(half_mul, x * y)

// A sum that is not exact gets its last bit set: rounding it again to fewer bits, two or
// more, is then as good as rounding the exact sum. up, down: the exact sum lies there.
static inline f32 odd_f32(f32 s, bool up, bool down)
{
    u32 b = bits_f32(s);
    bool off = (up || down) && !(b & 1);
    return f32_bits(off ? b + (up == !(b >> 31) ? 1 : -1u) : b);
}

static inline f64 odd_f64(f64 s, f64 e) // e: what the sum lacks
{
    u64 b = bits_f64(s);
    bool off = (e > 0 || e < 0) && !(b & 1);
    return f64_bits(off ? b + ((e > 0) == !(b >> 63) ? 1 : -1ull) : b);
}

// An f16 product is exact in f32; what its sum lacks, two subtractions tell (Knuth).
int SIMT_FN(half_fma)(warp *w, const op *o)
{
    f32 a[64], b[64], c[64];
    int n = COUNT(o);
    widen(a, AT(w, o->a), o);
    widen(b, AT(w, o->b), o);
    widen(c, AT(w, o->c), o);
    for (int i = 0; i < n; i++) {
        f32 p = a[i] * b[i], s = p + c[i], t = s - p, e = (p - (s - t)) + (c[i] - t);
        a[i] = odd_f32(s, e > 0, e < 0);
    }
    return finish(w, o, a);
}

// bf16 has f32's exponents, so its products need f64's.
int SIMT_FN(half_fma_bf16)(warp *w, const op *o)
{
    f32 a[64], b[64], c[64];
    int n = COUNT(o);
    widen(a, AT(w, o->a), o);
    widen(b, AT(w, o->b), o);
    widen(c, AT(w, o->c), o);
    for (int i = 0; i < n; i++) {
        f64 p = (f64)a[i] * b[i], z = c[i], s = p + z, t = s - p;
        s = odd_f64(s, (p - (s - t)) + (z - t));
        f32 r = (f32)s;
        a[i] = odd_f32(r, s > r, s < r);
    }
    return finish(w, o, a);
}

// A number beats a NaN unless .NaN; -0 is less than +0. .xorsign.abs: of the magnitudes,
// with the product's sign.
static inline f32 lesser(f32 x, f32 y, int mode)
{
    u32 sign = (bits_f32(x) ^ bits_f32(y)) & 0x80000000u;
    if (mode & MODE_ABS) {
        x = f32_bits(bits_f32(x) & 0x7fffffffu);
        y = f32_bits(bits_f32(y) & 0x7fffffffu);
    }
    f32 r = x < y ? x : y < x ? y : f32_bits(bits_f32(x) | bits_f32(y));
    r = mode & MODE_NAN ? (x != x ? x : y != y ? y : r) : x != x ? y : y != y ? x : r;
    return mode & MODE_ABS ? f32_bits((bits_f32(r) & 0x7fffffffu) | sign) : r;
}

static inline f32 greater(f32 x, f32 y, int mode)
{
    u32 sign = (bits_f32(x) ^ bits_f32(y)) & 0x80000000u;
    if (mode & MODE_ABS) {
        x = f32_bits(bits_f32(x) & 0x7fffffffu);
        y = f32_bits(bits_f32(y) & 0x7fffffffu);
    }
    f32 r = x > y ? x : y > x ? y : f32_bits(bits_f32(x) & bits_f32(y));
    r = mode & MODE_NAN ? (x != x ? x : y != y ? y : r) : x != x ? y : y != y ? x : r;
    return mode & MODE_ABS ? f32_bits((bits_f32(r) & 0x7fffffffu) | sign) : r;
}
HALF2(half_min, lesser(x, y, o->mode))
HALF2(half_max, greater(x, y, o->mode))

// Signs are bits.
static inline int signs(warp *w, const op *o, bool negate)
{
    const u16 *a = AT(w, o->a);
    u16 out[64];
    int n = COUNT(o);
    bool ftz = o->mode & MODE_FTZ;
    for (int i = 0; i < n; i++) {
        u16 x = ftz ? flush_f16(a[i]) : a[i];
        out[i] = negate ? x ^ 0x8000 : x & 0x7fff;
    }
    return store_halves(w, o, out, n);
}
int SIMT_FN(half_neg)(warp *w, const op *o) { return signs(w, o, true); }
int SIMT_FN(half_abs)(warp *w, const op *o) { return signs(w, o, false); }

// Approximations: nearer than PTX promises.
#define HALF1(name, expression)                                                       \
    int SIMT_FN(name)(warp * w, const op *o)                                          \
    {                                                                                 \
        f32 a[64];                                                                    \
        int n = COUNT(o);                                                             \
        widen(a, AT(w, o->a), o);                                                      \
        for (int i = 0; i < n; i++)                                                   \
            a[i] = expression(a[i]);                                                  \
        return finish(w, o, a);                                                         \
    }
HALF1(half_ex2, exp2f)
HALF1(half_tanh, tanhf)
