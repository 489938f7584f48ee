// Floating point. The plain forms (round to nearest even, subnormals kept) are lane
// loops; every other rounding, .ftz and .sat goes through one slower handler.

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
OP1(rsqrt_f32, f32, f32, N32((f32)(1.0 / sqrt((f64)x))))
OP1(ex2_f32, f32, f32, N32((f32)exp2((f64)x)))
OP1(lg2_f32, f32, f32, N32((f32)log2((f64)x)))
OP1(sin_f32, f32, f32, N32((f32)sin((f64)x)))
OP1(cos_f32, f32, f32, N32((f32)cos((f64)x)))
OP1(tanh_f32, f32, f32, N32((f32)tanh((f64)x)))
OP1(rsqrt_f64, f64, f64, 1.0 / sqrt(x))
// .ftz.f64 keeps only the high word of the result.
OP1(rcp_high_f64, f64, f64, f64_bits(bits_f64(1.0 / x) & 0xffffffff00000000ull))
OP1(rsqrt_high_f64, f64, f64, f64_bits(bits_f64(1.0 / sqrt(x)) & 0xffffffff00000000ull))

// testp.{finite, infinite, number, notanumber, normal, subnormal}: o->sub in that order.
#define TESTP(name, T)                                                                \
    int SIMT_FN(name)(warp * w, const op *o)                                          \
    {                                                                                 \
        const T *a = AT(w, o->a);                                                     \
        u8 *d = AT(w, o->d);                                                          \
        for (int l = 0; l < 32; l++) {                                                \
            T x = a[l];                                                               \
            bool r[6] = {isfinite(x), isinf(x),    !isnan(x),                         \
                         isnan(x),    isnormal(x), fpclassify(x) == FP_SUBNORMAL};    \
            if (ACTIVE(w, l))                                                         \
                d[l] = r[o->sub] ? 255 : 0;                                           \
        }                                                                             \
        return GO;                                                                    \
    }
TESTP(testp_f32, f32)
TESTP(testp_f64, f64)

// ---- Other roundings, flushing and saturation -------------------------------------

enum { F_ADD, F_SUB, F_MUL, F_FMA, F_DIV, F_RCP, F_SQRT, F_MIN, F_MAX, F_EX2, F_LG2,
       F_SIN, F_COS, F_RSQRT, F_NEG, F_ABS };

static int rounding(const op *o)
{
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    return modes[o->mode & MODE_ROUNDING];
}

#define GENERAL(T, FMA, SQRT, MIN, MAX)                                               \
    static __attribute__((noinline)) T general_##T(int what, T x, T y, T z)           \
    {                                                                                 \
        volatile T a = x, b = y, c = z, r = 0; /* nothing moves past fesetround */    \
        switch (what) {                                                               \
        case F_ADD: r = a + b; break;                                                 \
        case F_SUB: r = a - b; break;                                                 \
        case F_MUL: r = a * b; break;                                                 \
        case F_FMA: r = FMA(a, b, c); break;                                          \
        case F_DIV: r = a / b; break;                                                 \
        case F_RCP: r = 1 / a; break;                                                 \
        case F_SQRT: r = SQRT(a); break;                                              \
        case F_MIN: r = MIN(a, b); break;                                             \
        case F_MAX: r = MAX(a, b); break;                                             \
        case F_EX2: r = (T)exp2((f64)a); break;                                       \
        case F_LG2: r = (T)log2((f64)a); break;                                       \
        case F_SIN: r = (T)sin((f64)a); break;                                        \
        case F_COS: r = (T)cos((f64)a); break;                                        \
        case F_RSQRT: r = (T)(1.0 / sqrt((f64)a)); break;                             \
        case F_NEG: r = -a; break;                                                    \
        case F_ABS: r = a < 0 ? -a : a; break;                                        \
        }                                                                             \
        return r;                                                                     \
    }
GENERAL(f32, fmaf, sqrtf, min_f32, max_f32)
GENERAL(f64, fma, sqrt, min_f64, max_f64)

int SIMT_FN(general_f32)(warp *w, const op *o)
{
    const f32 *a = AT(w, o->a), *b = AT(w, o->b), *c = AT(w, o->c);
    f32 *d = AT(w, o->d);
    bool ftz = o->mode & MODE_FTZ;
    int before = fegetround();
    for (int l = 0; l < 32; l++) {
        if (!ACTIVE(w, l))
            continue;
        f32 x = a[l], y = b[l], z = c[l];
        if (ftz)
            x = flush_f32(x), y = flush_f32(y), z = flush_f32(z);
        fesetround(rounding(o));
        f32 r = general_f32(o->sub, x, y, z);
        fesetround(before);
        bool quiet = (o->sub == F_MIN || o->sub == F_MAX) && o->mode & MODE_NAN;
        if (quiet && (x != x || y != y))
            r = f32_bits(0x7fffffffu);
        if (ftz)
            r = flush_f32(r);
        d[l] = o->mode & MODE_SAT ? saturate_f32(r) : o->sub >= F_NEG ? r : N32(r);
    }
    return GO;
}

int SIMT_FN(general_f64)(warp *w, const op *o)
{
    const f64 *a = AT(w, o->a), *b = AT(w, o->b), *c = AT(w, o->c);
    f64 *d = AT(w, o->d);
    int before = fegetround();
    for (int l = 0; l < 32; l++) {
        if (!ACTIVE(w, l))
            continue;
        fesetround(rounding(o));
        f64 r = general_f64(o->sub, a[l], b[l], c[l]);
        fesetround(before);
        d[l] = o->mode & MODE_SAT ? saturate_f64(r) : r;
    }
    return GO;
}
