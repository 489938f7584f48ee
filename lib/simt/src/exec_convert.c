// cvt: the common conversions as lane loops, all others through one general handler that
// takes any type to any other by way of an exact double or integer and rounds once.

#include "half.h"

OP1(cvt_u64_u32, u64, u32, x)
OP1(cvt_s64_s32, s64, s32, x)
OP1(cvt_u32_u64, u32, u64, x)
OP1(cvt_u32_u16, u32, u16, x)
OP1(cvt_s32_s16, s32, s16, x)
OP1(cvt_u16_u32, u16, u32, x)
OP1(cvt_u64_u16, u64, u16, x)
OP1(cvt_s64_s16, s64, s16, x)
OP1(cvt_u16_u64, u16, u64, x)
OP1(cvt_f32_s32, f32, s32, x)
OP1(cvt_f32_u32, f32, u32, x)
OP1(cvt_f64_s32, f64, s32, x)
OP1(cvt_f64_u32, f64, u32, x)
OP1(cvt_f64_f32, f64, f32, x)
OP1(cvt_f32_f64, f32, f64, (f32)x) // a NaN keeps its upper bits
OP1(cvt_f32_bf16, u32, u16, (u32)x << 16)
OP1(cvt_bf16_f32, u16, f32, bf16_of_f32(x))

int SIMT_FN(cvt_f32_f16)(warp *w, const op *o)
{
    f32 r[32], *d = AT(w, o->d);
    widen_f16(r, AT(w, o->a), 32);
    LANES (l)
        d[l] = w->lane[l] ? nan_f32(r[l]) : d[l];
    return GO;
}

int SIMT_FN(cvt_f16_f32)(warp *w, const op *o)
{
    u16 r[32];
    narrow_f16(r, AT(w, o->a), 32);
    return store_halves(w, o, r, 32);
}

// f32 to integers of 32 bits: out of range clamps, NaN becomes 0.
#define TO_INTEGER(name, T, low, high, over)                                          \
    int SIMT_FN(name)(warp * w, const op *o)                                          \
    {                                                                                 \
        const f32 *a = AT(w, o->a);                                                   \
        T *d = AT(w, o->d);                                                           \
        f32 r[32];                                                                    \
        LANES (l)                                                                     \
            r[l] = o->mode & MODE_FTZ ? flush_f32(a[l]) : a[l];                       \
        switch (o->mode & MODE_ROUNDING) {                                            \
        case MODE_RZ: break;                                                          \
        case MODE_RM: LANES (l) r[l] = floorf(r[l]); break;                           \
        case MODE_RP: LANES (l) r[l] = ceilf(r[l]); break;                            \
        default: LANES (l) r[l] = nearbyintf(r[l]);                                   \
        }                                                                             \
        LANES (l) {                                                                   \
            f32 x = r[l];                                                             \
            T v = x >= high ? over : x >= low ? (T)x : x == x ? (T)low : 0;           \
            d[l] = w->lane[l] ? v : d[l];                                             \
        }                                                                             \
        return GO;                                                                    \
    }
TO_INTEGER(cvt_s32_f32, s32, -0x1p31f, 0x1p31f, INT32_MAX)
TO_INTEGER(cvt_u32_f32, u32, 0.0f, 0x1p32f, UINT32_MAX)

// ---- Encoding ---------------------------------------------------------------------

typedef struct shape { // of a binary float; e4m3 has no infinity, one NaN and more range
    int exponent, fraction;
    u32 nan, most;     // most: the greatest number
} shape;

static const shape F16 = {5, 10, 0x7fff, 0x7bff}, BF16 = {8, 7, 0x7fff, 0x7f7f},
                   F32 = {8, 23, 0x7fffffff, 0x7f7fffff}, TF32 = {8, 10, 0x3ffff, 0x3fbff},
                   E4M3 = {4, 3, 0x7f, 0x7e}, E5M2 = {5, 2, 0x7f, 0x7b};

// n: kept bits of a magnitude; rest: what was dropped, in units where half is 2^63.
static bool rounds_up(int rounding, bool negative, u64 n, u64 rest)
{
    switch (rounding) {
    case MODE_RN: return rest > 1ull << 63 || (rest == 1ull << 63 && n & 1);
    case MODE_RZ: return false;
    case MODE_RM: return negative && rest;
    default: return !negative && rest;
    }
}

// A double rounded to a format; finite: what is too large becomes the greatest number.
static u32 encode(f64 x, const shape *f, int rounding, bool finite)
{
    u64 b = bits_f64(x), a = b & ~0ull >> 1;
    bool negative = b >> 63;
    u32 sign = negative ? 1u << (f->exponent + f->fraction) : 0;
    u32 infinite = f->nan == f->most + 1 ? f->nan : f->most + 1;
    if (a > 0x7ff0000000000000u)
        return f->nan;
    if (a == 0x7ff0000000000000u)
        return sign | (finite ? f->most : infinite);
    int bias = (1 << (f->exponent - 1)) - 1, e = (int)(a >> 52) - 1023;
    u64 m = (a & 0xfffffffffffffu) | (a >> 52 ? 1ull << 52 : 0);
    int drop = 52 - f->fraction + (e < 1 - bias ? 1 - bias - e : 0);
    u64 n = drop > 63 ? 0 : m >> drop, rest = drop > 63 ? m != 0 : m << (64 - drop);
    n += rounds_up(rounding, negative, n, rest);
    if (e >= 1 - bias)
        n += (u64)(e + bias - 1) << f->fraction;
    if (n > f->most) {
        bool stays = finite || rounding == MODE_RZ || rounding == (negative ? MODE_RP : MODE_RM);
        return sign | (stays ? f->most : infinite);
    }
    return sign | (u32)n;
}

// ---- The general handler ------------------------------------------------------------
//
// o->sub: destination type, o->space: source type (ptx_type); o->width, o->bytes: what
// their registers hold. o->imm: 1 round to an integer first (.rni ... .rpi).

static s128 integer_of(const void *a, int l, int bytes, ptx_type type)
{
    u64 raw = 0;
    memcpy(&raw, (const char *)a + (size_t)l * (size_t)bytes, (size_t)bytes);
    int bits = 8 * ptx_type_bytes(type);
    if (bits < 64)
        raw &= ((u64)1 << bits) - 1;
    if (ptx_type_kind(type) != 's')
        return (s128)raw;
    return bits < 64 ? (s128)((s64)(raw << (64 - bits)) >> (64 - bits)) : (s128)(s64)raw;
}

static f64 real_of(const void *a, int l, int bytes, ptx_type type)
{
    u64 raw = 0;
    memcpy(&raw, (const char *)a + (size_t)l * (size_t)bytes, (size_t)bytes);
    switch (type) {
    case T_F16: return f32_of_f16((u16)raw);
    case T_BF16: return f32_bits((u32)raw << 16);
    case T_F32: return f32_bits((u32)raw);
    default: return f64_bits(raw);
    }
}

static f64 to_integral(f64 x, int mode)
{
    switch (mode & MODE_ROUNDING) {
    case MODE_RZ: return trunc(x);
    case MODE_RM: return floor(x);
    case MODE_RP: return ceil(x);
    default: return nearbyint(x);
    }
}

// PTX: out of range clamps to the nearest; NaN becomes 0, or the upper bit alone if 64
// bits are on either side.
static u64 clamp_integer(f64 x, ptx_type type, ptx_type from)
{
    int bits = 8 * ptx_type_bytes(type);
    bool is_signed = ptx_type_kind(type) == 's';
    if (isnan(x))
        return from == T_F64 || bits == 64 ? (u64)1 << (bits - 1) : 0;
    f64 most = ldexp(1, is_signed ? bits - 1 : bits), least = is_signed ? -most : 0;
    if (x >= most)
        return is_signed ? ((u64)1 << (bits - 1)) - 1 : bits == 64 ? ~0ull : ((u64)1 << bits) - 1;
    if (x < least)
        return is_signed ? (u64)1 << (bits - 1) : 0;
    return x < 0 ? (u64)(s64)x : (u64)x;
}

static u64 clamp_to(s128 v, ptx_type type)
{
    int bits = 8 * ptx_type_bytes(type);
    bool is_signed = ptx_type_kind(type) == 's';
    s128 most = is_signed ? ((s128)1 << (bits - 1)) - 1 : ((s128)1 << bits) - 1;
    s128 least = is_signed ? -((s128)1 << (bits - 1)) : 0;
    return (u64)(v > most ? most : v < least ? least : v);
}

static u64 pack_real(f64 x, ptx_type type, int mode, int rounding)
{
    bool finite = mode & MODE_FINITE;
    if (mode & MODE_SAT)
        x = saturate_f64(x);
    if (mode & MODE_RELU && !(x > 0) && x == x)
        x = 0;
    switch (type) {
    case T_F16:
    case T_F16X2: return encode(x, &F16, rounding, finite);
    case T_BF16:
    case T_BF16X2: return encode(x, &BF16, rounding, finite);
    case T_E4M3X2: return encode(x, &E4M3, rounding, finite);
    case T_E5M2X2: return encode(x, &E5M2, rounding, finite);
    case T_TF32: return bits_f32(nan_f32(f32_bits(encode(x, &TF32, rounding, finite) << 13)));
    case T_F32: {
        f32 y = f32_bits(encode(x, &F32, rounding, finite));
        return bits_f32(mode & MODE_FTZ ? flush_f32(y) : y);
    }
    default: return bits_f64(x);
    }
}

// An integer of up to 64 bits to a real: rounded once, from its exact value.
static u64 pack_integer(s128 v, ptx_type type, int mode)
{
    int rounding = mode & MODE_ROUNDING;
    u64 m = (u64)(v < 0 ? -v : v);
    int top = m ? 63 - __builtin_clzll(m) : 0;
    if (mode & MODE_SAT)
        return pack_real(v > 0, type, 0, MODE_RN);
    if (top <= 52)
        return pack_real((f64)(s64)v, type, mode, rounding);
    int drop = top - 52;
    u64 n = m >> drop, rest = m << (64 - drop);
    if (type == T_F64) {
        n += rounds_up(rounding, v < 0, n, rest);
        return ((u64)(v < 0) << 63 | (u64)(drop + 1023 + 51) << 52) + n;
    }
    f64 x = ldexp((f64)(n | (rest != 0)), drop); // the lowest bit stands for all below it
    return pack_real(v < 0 ? -x : x, type, mode, rounding);
}

// To the nearest, halves away from zero: an addition to the bits, as on a GPU.
OP1(cvt_tf32_f32, u32, u32, ((x & 0x7f800000u) == 0x7f800000u ? x : x + 0x1000) & 0xffffe000u)

int SIMT_FN(cvt_general)(warp *w, const op *o)
{
    ptx_type to = (ptx_type)o->sub, from = (ptx_type)o->space;
    const void *a = AT(w, o->a);
    char *d = AT(w, o->d);
    char kt = ptx_type_kind(to), kf = ptx_type_kind(from);
    bool real_to = kt == 'f' || kt == 'g' || kt == 't', real_from = kf == 'f' || kf == 'g';
    int rounding = o->mode & MODE_ROUNDING;
    for (int l = 0; l < 32; l++) {
        if (!ACTIVE(w, l))
            continue;
        u64 r;
        if (real_from) {
            f64 x = real_of(a, l, o->bytes, from);
            if (o->mode & MODE_FTZ && from == T_F32 && to != T_F16)
                x = flush_f32((f32)x);
            if (from == T_F64 && to == T_F32 && x != x && !(o->mode & MODE_SAT))
                r = bits_f32((f32)x); // a NaN keeps its upper bits
            else if (!real_to)
                r = clamp_integer(to_integral(x, o->mode), to, from);
            else if (o->imm)
                r = pack_real(to_integral(x, o->mode), to, o->mode, MODE_RN);
            else
                r = pack_real(x, to, o->mode, rounding);
        } else {
            s128 v = integer_of(a, l, o->bytes, from);
            r = real_to              ? pack_integer(v, to, o->mode)
                : o->mode & MODE_SAT ? clamp_to(v, to)
                                     : (u64)v;
        }
        // A result narrower than its register is extended by its own sign.
        int bits = 8 * ptx_type_bytes(to);
        if (bits < 64)
            r = kt == 's' ? (u64)((s64)(r << (64 - bits)) >> (64 - bits))
                          : r & (((u64)1 << bits) - 1);
        memcpy(d + (size_t)l * o->width, &r, o->width);
    }
    return GO;
}

// ---- Pairs --------------------------------------------------------------------------

// cvt.rn.f16x2.f32 d, a, b and the like: a in the upper half. o->sub: the pair's type.
int SIMT_FN(cvt_pair)(warp *w, const op *o)
{
    const f32 *a = AT(w, o->a), *b = AT(w, o->b);
    u16 r[64];
    if (o->mode == MODE_RN) {
        f32 both[64];
        LANES (l) {
            both[2 * l] = b[l];
            both[2 * l + 1] = a[l];
        }
        narrow_halves(r, both, 64, o->sub == T_BF16X2);
    } else {
        for (int l = 0; l < 32; l++) {
            r[2 * l] = (u16)pack_real(b[l], (ptx_type)o->sub, o->mode, o->mode & MODE_ROUNDING);
            r[2 * l + 1] = (u16)pack_real(a[l], (ptx_type)o->sub, o->mode, o->mode & MODE_ROUNDING);
        }
    }
    return store_halves(w, o, r, 64);
}

// Two floats, or a pair of f16 (o->imm), to two bytes of e4m3 or e5m2.
int SIMT_FN(cvt_to_fp8)(warp *w, const op *o)
{
    const f32 *a = AT(w, o->a), *b = AT(w, o->b);
    const u16 *pair = AT(w, o->a);
    u16 r[32];
    for (int l = 0; l < 32; l++) {
        f64 high = o->imm ? f32_of_f16(pair[2 * l + 1]) : a[l];
        f64 low = o->imm ? f32_of_f16(pair[2 * l]) : b[l];
        r[l] = (u16)(pack_real(high, (ptx_type)o->sub, o->mode, MODE_RN) << 8 |
                     pack_real(low, (ptx_type)o->sub, o->mode, MODE_RN));
    }
    return store_halves(w, o, r, 32);
}

static u16 f16_of_fp8(u8 x, ptx_type type, int mode)
{
    u16 r = (u16)x << 8; // e5m2 is the upper byte of f16
    if (type == T_E4M3X2) {
        f32 v = (x & 0x7f) == 0x7f ? NAN : f32_bits((u32)(x & 0x7f) << 20) * 0x1p120f;
        r = f16_of_f32(v) | (x & 0x80) << 8;
    }
    if ((r & 0x7fff) > 0x7c00)
        return 0x7fff;
    return mode & MODE_RELU && r & 0x8000 ? 0 : r;
}

int SIMT_FN(cvt_from_fp8)(warp *w, const op *o)
{
    const u16 *a = AT(w, o->a);
    u16 r[64];
    for (int l = 0; l < 32; l++) {
        r[2 * l] = f16_of_fp8((u8)a[l], (ptx_type)o->sub, o->mode);
        r[2 * l + 1] = f16_of_fp8((u8)(a[l] >> 8), (ptx_type)o->sub, o->mode);
    }
    return store_halves(w, o, r, 64);
}
