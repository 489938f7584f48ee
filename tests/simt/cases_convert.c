// Conversions: exact rules of PTX (clamp, NaN to 0, rounding) in plain C.

#include "lab.h"

#include <math.h>
#include <string.h>

typedef uint64_t u64;
typedef uint32_t u32;

static float f(u64 bits) { u32 b = (u32)bits; float x; memcpy(&x, &b, 4); return x; }
static double g(u64 bits) { double x; memcpy(&x, &bits, 8); return x; }
static u64 b32(float x) { u32 b; memcpy(&b, &x, 4); return x != x ? 0x7fffffffu : b; }
static u64 raw32(float x) { u32 b; memcpy(&b, &x, 4); return b; }
static u64 b64(double x) { u64 b; memcpy(&b, &x, 8); return b; }
static u64 clamp(double x, double low, double high, u64 least, u64 most)
{
    if (isnan(x))
        return 0;
    return x <= low ? least : x >= high ? most : x < 0 ? (u64)(int64_t)x : (u64)x;
}
// Half precision by search: the candidate nearest to x, ties to the even one.
static float half(unsigned h)
{
    int e = (int)(h >> 10 & 31);
    double m = h & 1023, v = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
    return (float)(h >> 15 ? -v : v);
}
static u64 to_half(double x)
{
    if (isnan(x))
        return 0x7fff;
    unsigned sign = signbit(x) ? 0x8000 : 0, low = 0, high = 0x7c00;
    x = fabs(x);
    while (high - low > 1) {
        unsigned middle = (low + high) / 2;
        if (half(middle) <= x)
            low = middle;
        else
            high = middle;
    }
    double below = half(low), above = high == 0x7c00 ? 65536 : half(high);
    unsigned r = x - below < above - x ? low : x - below > above - x ? high : low % 2 ? high : low;
    return sign | (isinf(x) ? 0x7c00 : r);
}
static u64 to_bf16(float x)
{
    if (isnan(x))
        return 0x7fff;
    u32 b = (u32)b32(x), low = b & 0xffff, r = b >> 16;
    return (r + (low > 0x8000 || (low == 0x8000 && r % 2))) & 0xffff;
}

#define F(name, expression)                                                           \
    static u64 name(u64 a, u64 b, u64 c)                                              \
    {                                                                                 \
        (void)a;                                                                      \
        (void)b;                                                                      \
        (void)c;                                                                      \
        return (u64)(expression);                                                     \
    }
F(zext, (u32)a) F(sext, (int64_t)(int32_t)a) F(trunc32, (u32)a) F(zext16, (uint16_t)a) F(sext16, (u32)(int16_t)a)
F(sext16_64, (int64_t)(int16_t)a) F(trunc16, (uint16_t)a) F(zext8, (uint8_t)a) F(sext8, (u32)(int8_t)a) F(sat8, (int32_t)a > 127 ? 127 : (int32_t)a < -128 ? (u32)-128 : (u32)(int32_t)a)
F(satu8, (u32)a > 255 ? 255 : (u32)a) F(same32, (u32)a)
F(f_s32, b32((float)(int32_t)a)) F(f_u32, b32((float)(u32)a)) F(f_s64, b32((float)(int64_t)a)) F(f_u64, b32((float)a))
F(d_s32, b64((double)(int32_t)a)) F(d_u32, b64((double)(u32)a)) F(d_s64, b64((double)(int64_t)a)) F(d_u64, b64((double)a))
F(d_f, b64((double)f(a))) F(f_d, raw32((float)g(a)))
F(s32_f, (u32)clamp(trunc(f(a)), -0x1p31, 0x1p31, 0x80000000u, 0x7fffffff)) F(u32_f, clamp(trunc(f(a)), 0, 0x1p32, 0, 0xffffffffu))
F(s32_rni, (u32)clamp(nearbyint(f(a)), -0x1p31, 0x1p31, 0x80000000u, 0x7fffffff)) F(s32_rmi, (u32)clamp(floor(f(a)), -0x1p31, 0x1p31, 0x80000000u, 0x7fffffff))
F(s64_d, isnan(g(a)) ? 1ull << 63 : clamp(trunc(g(a)), -0x1p63, 0x1p63, 1ull << 63, ~0ull >> 1))
F(u64_d, isnan(g(a)) ? 1ull << 63 : clamp(ceil(g(a)), 0, 0x1p64, 0, ~0ull))
F(rni_f, b32(nearbyintf(f(a)))) F(rmi_f, b32(floorf(f(a)))) F(rpi_f, b32(ceilf(f(a)))) F(rzi_d, b64(trunc(g(a))))
F(sat_f, b32(f(a) > 0 ? (f(a) < 1 ? f(a) : 1) : 0))
F(h_f, to_half(f(a))) F(f_h, b32(half((unsigned)a & 0xffff))) F(bf_f, to_bf16(f(a))) F(pair, to_half(f(a)) << 16 | to_half(f(b)))
F(f_bf, (u64)(uint16_t)a << 16)

const op_case convert_cases[] = {
    {"cvt.u64.u32 %d, %a;", "b64", "b32", 0, 0, zext, 0}, {"cvt.s64.s32 %d, %a;", "b64", "b32", 0, 0, sext, 0},
    {"cvt.u32.u64 %d, %a;", "b32", "b64", 0, 0, trunc32, 0}, {"cvt.u32.u16 %d, %a;", "b32", "b16", 0, 0, zext16, 0},
    {"cvt.s32.s16 %d, %a;", "b32", "b16", 0, 0, sext16, 0}, {"cvt.s64.s16 %d, %a;", "b64", "b16", 0, 0, sext16_64, 0},
    {"cvt.u16.u32 %d, %a;", "b16", "b32", 0, 0, trunc16, 0}, {"cvt.u16.u64 %d, %a;", "b16", "b64", 0, 0, trunc16, 0},
    {"cvt.u64.u16 %d, %a;", "b64", "b16", 0, 0, zext16, 0}, {"cvt.u32.u8 %d, %a;", "b32", "b16", 0, 0, zext8, 0},
    {"cvt.s32.s8 %d, %a;", "b32", "b32", 0, 0, sext8, 0}, {"cvt.sat.s8.s32 %d, %a;", "b32", "b32", 0, 0, sat8, 0},
    {"cvt.sat.u8.u32 %d, %a;", "b32", "b32", 0, 0, satu8, 0}, {"cvt.s32.u32 %d, %a;", "b32", "b32", 0, 0, same32, 0},
    {"cvt.rn.f32.s32 %d, %a;", "f32", "b32", 0, 0, f_s32, 0}, {"cvt.rn.f32.u32 %d, %a;", "f32", "b32", 0, 0, f_u32, 0},
    {"cvt.rn.f32.s64 %d, %a;", "f32", "b64", 0, 0, f_s64, 0}, {"cvt.rn.f32.u64 %d, %a;", "f32", "b64", 0, 0, f_u64, 0},
    {"cvt.rn.f64.s32 %d, %a;", "f64", "b32", 0, 0, d_s32, 0}, {"cvt.rn.f64.u32 %d, %a;", "f64", "b32", 0, 0, d_u32, 0},
    {"cvt.rn.f64.s64 %d, %a;", "f64", "b64", 0, 0, d_s64, 0}, {"cvt.rn.f64.u64 %d, %a;", "f64", "b64", 0, 0, d_u64, 0},
    {"cvt.f64.f32 %d, %a;", "f64", "f32", 0, 0, d_f, 0}, {"cvt.rn.f32.f64 %d, %a;", "f32", "f64", 0, 0, f_d, 0},
    {"cvt.rzi.s32.f32 %d, %a;", "b32", "f32", 0, 0, s32_f, 0}, {"cvt.rzi.u32.f32 %d, %a;", "b32", "f32", 0, 0, u32_f, 0},
    {"cvt.rni.s32.f32 %d, %a;", "b32", "f32", 0, 0, s32_rni, 0}, {"cvt.rmi.s32.f32 %d, %a;", "b32", "f32", 0, 0, s32_rmi, 0},
    {"cvt.rzi.s64.f64 %d, %a;", "b64", "f64", 0, 0, s64_d, 0}, {"cvt.rpi.u64.f64 %d, %a;", "b64", "f64", 0, 0, u64_d, 0},
    {"cvt.rni.f32.f32 %d, %a;", "f32", "f32", 0, 0, rni_f, 0}, {"cvt.rmi.f32.f32 %d, %a;", "f32", "f32", 0, 0, rmi_f, 0},
    {"cvt.rpi.f32.f32 %d, %a;", "f32", "f32", 0, 0, rpi_f, 0}, {"cvt.rzi.f64.f64 %d, %a;", "f64", "f64", 0, 0, rzi_d, 0},
    {"cvt.sat.f32.f32 %d, %a;", "f32", "f32", 0, 0, sat_f, 0}, {"cvt.rn.f16.f32 %d, %a;", "b16", "f32", 0, 0, h_f, 0},
    {"cvt.f32.f16 %d, %a;", "f32", "b16", 0, 0, f_h, 0}, {"cvt.rn.bf16.f32 %d, %a;", "b16", "f32", 0, 0, bf_f, 0},
    {"cvt.f32.bf16 %d, %a;", "f32", "b16", 0, 0, f_bf, 0}, {"cvt.rn.f16x2.f32 %d, %a, %b;", "b32", "f32", "f32", 0, pair, 0},
};
const size_t convert_count = sizeof convert_cases / sizeof *convert_cases;
