// cvt: the common conversions as lane loops, all others through one general handler.

#include "lanes.h"

#include <fenv.h>

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
OP1(cvt_f32_f64, f32, f64, nan_f32((f32)x))

// ---- 16-bit floats ------------------------------------------------------------------

static f32 from_f16(u16 h)
{
    u32 sign = (u32)(h & 0x8000) << 16, exponent = h >> 10 & 31, m = h & 1023;
    if (exponent == 31)
        return m ? f32_bits(0x7fffffffu) : f32_bits(sign | 0x7f800000u);
    if (exponent == 0) {
        f32 r = (f32)m * 0x1p-24f;
        return sign ? -r : r;
    }
    return f32_bits(sign | (exponent + 112) << 23 | m << 13);
}

// Round a double to a format of `bits` fraction bits and exponents from `low` to
// `high`; mode as MODE_RN...RP. The result is exact in double.
static f64 round_to(f64 x, int bits, int low, int high, int mode)
{
    if (x == 0 || isnan(x) || isinf(x))
        return x;
    int e;
    frexp(x, &e);
    e = e - 1 < low ? low : e - 1;
    f64 unit = ldexp(1, e - bits), q = x / unit; // exact: a power of two
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    int before = fegetround();
    fesetround(modes[mode]);
    volatile f64 r = nearbyint(q);
    fesetround(before);
    f64 y = r * unit, most = ldexp(2 - ldexp(1, -bits), high);
    if (fabs(y) > most) {
        bool stays = mode == MODE_RZ || (mode == MODE_RM && x > 0) || (mode == MODE_RP && x < 0);
        return copysign(stays ? most : INFINITY, x);
    }
    return y == 0 ? copysign(0, x) : y;
}

static u16 to_f16(f64 x, int mode)
{
    if (isnan(x))
        return 0x7fff;
    f64 y = round_to(x, 10, -14, 15, mode);
    u16 sign = signbit(y) ? 0x8000 : 0;
    if (isinf(y))
        return sign | 0x7c00;
    y = fabs(y);
    if (y < 0x1p-14)
        return sign | (u16)(y * 0x1p24);
    int e;
    f64 m = frexp(y, &e);
    return sign | (u16)((e + 14) << 10) | (u16)((m * 2 - 1) * 1024);
}

static u16 to_bf16(f64 x, int mode)
{
    if (isnan(x))
        return 0x7fff;
    return (u16)(bits_f32((f32)round_to(x, 7, -126, 127, mode)) >> 16);
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
    const char *at = (const char *)a + (size_t)l * (size_t)bytes;
    u16 h;
    u32 b;
    f64 d;
    switch (type) {
    case T_F16:
        memcpy(&h, at, 2);
        return from_f16(h);
    case T_BF16:
        memcpy(&h, at, 2);
        return f32_bits((u32)h << 16);
    case T_F32:
        memcpy(&b, at, 4);
        return f32_bits(b);
    default:
        memcpy(&d, at, 8);
        return d;
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

// PTX: out of range clamps to the nearest, NaN becomes 0.
static u64 clamp_integer(f64 x, ptx_type type)
{
    int bits = 8 * ptx_type_bytes(type);
    bool is_signed = ptx_type_kind(type) == 's';
    if (isnan(x))
        return 0;
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

static u64 pack_real(f64 x, ptx_type type, int mode)
{
    int r = mode & MODE_ROUNDING;
    if (mode & MODE_SAT)
        x = saturate_f64(x);
    switch (type) {
    case T_F16: return to_f16(x, r);
    case T_BF16: return to_bf16(x, r);
    case T_F32: {
        f32 y = (f32)round_to(x, 23, -126, 127, r);
        return bits_f32(nan_f32(mode & MODE_FTZ ? flush_f32(y) : y));
    }
    default: return bits_f64(x);
    }
}

// An integer of up to 64 bits to a real: rounded once, from its exact value.
static u64 pack_integer(s128 v, ptx_type type, int mode)
{
    if (type == T_F64 || v > (s128)1 << 53 || v < -((s128)1 << 53)) {
        static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
        int before = fegetround();
        fesetround(modes[mode & MODE_ROUNDING]);
        u64 out;
        if (type == T_F64) {
            volatile f64 d = v > INT64_MAX ? (f64)(u64)v : (f64)(s64)v;
            out = bits_f64(d);
        } else {
            volatile f32 f = v > INT64_MAX ? (f32)(u64)v : (f32)(s64)v;
            out = type == T_F32 ? bits_f32(f) : pack_real(f, type, mode);
        }
        fesetround(before);
        return out;
    }
    return pack_real((f64)(s64)v, type, mode);
}

int SIMT_FN(cvt_general)(warp *w, const op *o)
{
    ptx_type to = (ptx_type)o->sub, from = (ptx_type)o->space;
    const void *a = AT(w, o->a);
    char *d = AT(w, o->d);
    char kt = ptx_type_kind(to), kf = ptx_type_kind(from);
    bool real_to = kt == 'f' || kt == 'g', real_from = kf == 'f' || kf == 'g';
    for (int l = 0; l < 32; l++) {
        if (!ACTIVE(w, l))
            continue;
        u64 r;
        if (real_from) {
            f64 x = real_of(a, l, o->bytes, from);
            if (o->mode & MODE_FTZ && from == T_F32)
                x = flush_f32((f32)x);
            if (real_to)
                r = pack_real(o->imm ? to_integral(x, o->mode) : x, to,
                              o->imm ? o->mode & ~MODE_ROUNDING : o->mode);
            else
                r = clamp_integer(to_integral(x, o->mode), to);
        } else {
            s128 v = integer_of(a, l, o->bytes, from);
            r = real_to            ? pack_integer(v, to, o->mode)
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

// cvt.rn.f16x2.f32 d, a, b: a in the upper half. o->sub: T_F16 or T_BF16.
int SIMT_FN(cvt_pair)(warp *w, const op *o)
{
    const f32 *a = AT(w, o->a), *b = AT(w, o->b);
    u32 *d = AT(w, o->d);
    int r = o->mode & MODE_ROUNDING;
    for (int l = 0; l < 32; l++) {
        u16 high = o->sub == T_F16 ? to_f16(a[l], r) : to_bf16(a[l], r);
        u16 low = o->sub == T_F16 ? to_f16(b[l], r) : to_bf16(b[l], r);
        if (ACTIVE(w, l))
            d[l] = (u32)high << 16 | low;
    }
    return GO;
}
