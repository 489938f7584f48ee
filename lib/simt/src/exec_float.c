// Floating point. The plain forms (round to nearest even, subnormals kept) are lane
// loops; every other rounding, .ftz and .sat goes through a second handler, name_any.

#include "lanes.h"

#include <fenv.h>

#define N32(e) nan_f32(e)

OP2(add_f32, f32, f32, f32, N32(x + y))
OP2(sub_f32, f32, f32, f32, N32(x - y))
OP2(mul_f32, f32, f32, f32, N32(x * y))
OP3(fma_f32, f32, f32, f32, f32, N32(__builtin_fmaf(x, y, z)))
OP2(div_f32, f32, f32, f32, N32(x / y))
OP1(rcp_f32, f32, f32, N32(1.0f / x))
OP1(sqrt_f32, f32, f32, N32(__builtin_sqrtf(x)))
OP1(neg_f32, u32, u32, x ^ 0x80000000u)
OP1(abs_f32, u32, u32, x & 0x7fffffffu)
OP2(add_f64, f64, f64, f64, x + y)
OP2(sub_f64, f64, f64, f64, x - y)
OP2(mul_f64, f64, f64, f64, x * y)
OP3(fma_f64, f64, f64, f64, f64, __builtin_fma(x, y, z))
OP2(div_f64, f64, f64, f64, x / y)
OP1(rcp_f64, f64, f64, 1.0 / x)
OP1(sqrt_f64, f64, f64, __builtin_sqrt(x))
OP1(neg_f64, u64, u64, x ^ 1ull << 63)
OP1(abs_f64, u64, u64, x & ~(1ull << 63))

// A number beats a NaN, and -0 is less than +0.
static inline f32 min_f32(f32 x, f32 y)
{
    f32 r = x < y ? x : y < x ? y : f32_bits(bits_f32(x) | bits_f32(y));
    return x != x ? N32(y) : y != y ? x : r;
}
static inline f32 max_f32(f32 x, f32 y)
{
    f32 r = x > y ? x : y > x ? y : f32_bits(bits_f32(x) & bits_f32(y));
    return x != x ? N32(y) : y != y ? x : r;
}
static inline f64 min_f64(f64 x, f64 y)
{
    f64 r = x < y ? x : y < x ? y : f64_bits(bits_f64(x) | bits_f64(y));
    return x != x ? y : y != y ? x : r;
}
static inline f64 max_f64(f64 x, f64 y)
{
    f64 r = x > y ? x : y > x ? y : f64_bits(bits_f64(x) & bits_f64(y));
    return x != x ? y : y != y ? x : r;
}
OP2(min_f32, f32, f32, f32, min_f32(x, y))
OP2(max_f32, f32, f32, f32, max_f32(x, y))
OP2(min_f64, f64, f64, f64, min_f64(x, y))
OP2(max_f64, f64, f64, f64, max_f64(x, y))

// Approximations: computed in double and rounded, which is nearer than PTX promises.
OP1(rsqrt_any_f64, f64, f64, 1.0 / sqrt(x))
// .approx.ftz.f64 looks at the high word alone, keeps that of the result, and knows no
// subnormals: a NaN whose bits are all in the low word is an infinity.
static inline f64 high(f64 x)
{
    u64 b = bits_f64(x);
    return f64_bits(b & 0x7ff0000000000000u ? b & 0xffffffff00000000u : b & (u64)1 << 63);
}
OP1(rcp_high_f64, f64, f64, high(1.0 / high(x)))
OP1(rsqrt_high_f64, f64, f64, high(1.0 / sqrt(high(x))))

// testp.{finite, infinite, number, notanumber, normal, subnormal}: o->sub in that order.
#define TESTP(name, T)                                                                \
    int SIMT_FN(name)(warp * w, const op *o)                                          \
    {                                                                                 \
        const T *a = AT(w, o->a);                                                     \
        u8 *d = AT(w, o->d);                                                          \
        for (int l = 0; l < 32; l++) {                                                \
            T x = a[l];                                                               \
            bool r[6] = {isfinite(x), isinf(x), !isnan(x), isnan(x),                  \
                         isnormal(x) || x == 0, fpclassify(x) == FP_SUBNORMAL};    \
            if (ACTIVE(w, l))                                                         \
                d[l] = r[o->sub] ? 255 : 0;                                           \
        }                                                                             \
        return GO;                                                                    \
    }
TESTP(testp_f32, f32)
TESTP(testp_f64, f64)

// ---- Other roundings, flushing and saturation -------------------------------------

static inline int rounding_begin(const op *o)
{
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    int mode = o->mode & MODE_ROUNDING;
    if (mode != MODE_RN)
        fesetround(modes[mode]);
    return mode;
}

// r: results that must have been computed by now.
static inline void rounding_end(int mode, void *r)
{
    __asm__ volatile("" : : "r"(r) : "memory");
    if (mode != MODE_RN)
        fesetround(FE_TONEAREST);
}

// .ftz flushes what would be below the least normal number if exponents had no bound: a
// result that only came to be that number by rounding may still have to go. `scaled` is
// the same operation, 2^64 times as large, which tells, and an H200 does so.
#define SCALE 0x1p64f
static inline bool is_least(f32 x)
{
    return (bits_f32(x) & 0x7fffffffu) == 0x00800000u;
}

#define ANY_F32(name, expression, scaled, nan)                                        \
    int SIMT_FN(name##_any_f32)(warp * w, const op *o)                                \
    {                                                                                 \
        const f32 *a = AT(w, o->a), *b = AT(w, o->b), *c = AT(w, o->c);               \
        f32 *d = AT(w, o->d), r[32];                                                  \
        bool ftz = o->mode & MODE_FTZ, sat = o->mode & MODE_SAT, least = false;       \
        int rounding = rounding_begin(o);                                             \
        LANES (l) {                                                                   \
            f32 x = ftz ? flush_f32(a[l]) : a[l], y = ftz ? flush_f32(b[l]) : b[l];   \
            f32 z = ftz ? flush_f32(c[l]) : c[l];                                     \
            (void)x, (void)y;                                                         \
            (void)z;                                                                  \
            r[l] = expression;                                                        \
            least |= is_least(r[l]);                                                  \
        }                                                                             \
        for (int l = 0; ftz && least && l < 32; l++) {                                \
            f32 x = flush_f32(a[l]), y = flush_f32(b[l]), z = flush_f32(c[l]);        \
            (void)x, (void)y;                                                         \
            (void)z;                                                                  \
            if (is_least(r[l]) && fabsf(scaled) < 0x1p-126f * SCALE)                  \
                r[l] = copysignf(0, r[l]);                                            \
        }                                                                             \
        rounding_end(rounding, r);                                                    \
        LANES (l) {                                                                   \
            f32 v = nan(r[l]);                                                        \
            v = ftz ? flush_f32(v) : v;                                               \
            v = sat ? saturate_f32(v) : v;                                            \
            d[l] = w->lane[l] ? v : d[l];                                             \
        }                                                                             \
        return GO;                                                                    \
    }
#define ANY_F64(name, expression)                                                     \
    int SIMT_FN(name##_any_f64)(warp * w, const op *o)                                \
    {                                                                                 \
        const f64 *a = AT(w, o->a), *b = AT(w, o->b), *c = AT(w, o->c);               \
        f64 *d = AT(w, o->d), r[32];                                                  \
        int rounding = rounding_begin(o);                                             \
        LANES (l) {                                                                   \
            f64 x = a[l], y = b[l], z = c[l];                                         \
            (void)x, (void)y;                                                         \
            (void)z;                                                                  \
            r[l] = expression;                                                        \
        }                                                                             \
        rounding_end(rounding, r);                                                    \
        LANES (l)                                                                     \
            d[l] = w->lane[l] ? r[l] : d[l];                                          \
        return GO;                                                                    \
    }
#define SAME(x) (x)
ANY_F32(add, x + y, INFINITY, N32) ANY_F64(add, x + y)
ANY_F32(sub, x - y, INFINITY, N32) ANY_F64(sub, x - y)
ANY_F32(mul, x * y, fabsf(x) < 1 ? x * SCALE * y : x * (y * SCALE), N32) ANY_F64(mul, x * y)
ANY_F32(fma, __builtin_fmaf(x, y, z),
        fabsf(x) < 1 ? __builtin_fmaf(x * SCALE, y, z * SCALE)
                     : __builtin_fmaf(x, y * SCALE, z * SCALE), N32)
 ANY_F64(fma, __builtin_fma(x, y, z))
ANY_F32(div, x / y, x * SCALE / y, N32) ANY_F64(div, x / y)
ANY_F32(rcp, 1 / x, SCALE / x, N32) ANY_F64(rcp, 1 / x)
ANY_F32(sqrt, __builtin_sqrtf(x), INFINITY, N32) ANY_F64(sqrt, __builtin_sqrt(x))
ANY_F32(ex2, (f32)exp2((f64)x), INFINITY, N32)
ANY_F32(lg2, (f32)log2((f64)x), INFINITY, N32)
ANY_F32(sin, (f32)sin((f64)x), INFINITY, N32)
ANY_F32(cos, (f32)cos((f64)x), INFINITY, N32)
ANY_F32(tanh, (f32)tanh((f64)x), INFINITY, N32)
ANY_F32(rsqrt, (f32)(1.0 / sqrt((f64)x)), INFINITY, N32)
ANY_F32(neg, f32_bits(bits_f32(x) ^ 0x80000000u), INFINITY, SAME)
ANY_F32(abs, f32_bits(bits_f32(x) & 0x7fffffffu), INFINITY, SAME)

// .NaN: a NaN wins. .xorsign.abs: of the magnitudes, with the product's sign.
static inline f32 with_modes(int mode, f32 x, f32 y, bool least)
{
    u32 sign = (bits_f32(x) ^ bits_f32(y)) & 0x80000000u;
    if (mode & MODE_ABS) {
        x = f32_bits(bits_f32(x) & 0x7fffffffu);
        y = f32_bits(bits_f32(y) & 0x7fffffffu);
    }
    f32 r = least ? min_f32(x, y) : max_f32(x, y);
    if (mode & MODE_NAN && (x != x || y != y))
        r = f32_bits(0x7fffffffu);
    return mode & MODE_ABS && r == r ? f32_bits((bits_f32(r) & 0x7fffffffu) | sign) : r;
}
ANY_F32(min, with_modes(o->mode, x, y, true), INFINITY, N32)
ANY_F32(max, with_modes(o->mode, x, y, false), INFINITY, N32)
