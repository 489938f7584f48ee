// 16-bit floats of atomics: exactly to wider ones, and back with one rounding to nearest
// even. NaN is 0x7fff.

#ifndef SIMT_HALF_H
#define SIMT_HALF_H

#include "lanes.h"

static inline f64 from_half(u16 h)
{
    u32 exponent = h >> 10 & 31, m = h & 1023;
    f64 r = exponent == 31 ? (m ? NAN : INFINITY)
            : exponent     ? ldexp(1024 + m, (int)exponent - 25)
                           : ldexp(m, -24);
    return h & 0x8000 ? -r : r;
}

static inline u16 half_of(f64 x)
{
    u16 sign = signbit(x) ? 0x8000 : 0;
    if (x != x)
        return 0x7fff;
    x = fabs(x);
    if (x < 0x1p-14)
        return sign | (u16)rint(x * 0x1p24);
    if (x >= 65520)
        return sign | 0x7c00;
    int e;
    f64 m = rint(frexp(x, &e) * 2048); // 1024 to 2048
    return sign | (u16)(((u32)(e + 13) << 10) + (u32)m);
}

static inline f32 from_bf16(u16 h)
{
    return f32_bits((u32)h << 16);
}

static inline u16 bf16_of(f32 x)
{
    u32 b = bits_f32(x);
    return x != x ? 0x7fff : (u16)((b + 0x7fff + (b >> 16 & 1)) >> 16);
}

#endif
