// 16-bit floats as floats: arrays of f16 or bf16 widened to f32 and rounded back.
//
// A register of pairs is an array of 64 halves, one of single ones an array of 32, so
// one loop serves both.

#ifndef SIMT_HALF_H
#define SIMT_HALF_H

#include "lanes.h"

#ifdef __F16C__
#include <immintrin.h>
#endif

// Subnormal f16 to zeros of their sign.
static inline u16 flush_f16(u16 x)
{
    return x & 0x7c00 ? x : x & 0x8000;
}

static inline f32 f32_of_f16(u16 h)
{
    // Scaled by 2^112, which makes numbers of subnormals too.
    f32 x = f32_bits((u32)(h & 0x7fff) << 13) * 0x1p112f;
    u32 b = bits_f32(x) | (u32)(h & 0x8000) << 16;
    return f32_bits((h & 0x7c00) == 0x7c00 ? b | 0x7f800000u : b);
}

// To nearest even; a NaN is 0x7fff.
static inline u16 f16_of_f32(f32 x)
{
    u32 b = bits_f32(x), sign = b >> 16 & 0x8000, a = b & 0x7fffffffu;
    u32 normal = (a - 0x38000000u + 0xfff + (a >> 13 & 1)) >> 13;
    u32 tiny = bits_f32(f32_bits(a) + 0.5f) - 0x3f000000u; // units of 2^-24
    u32 r = a < 0x38800000u ? tiny : a < 0x477ff000u ? normal : 0x7c00;
    return (u16)(a > 0x7f800000u ? 0x7fff : r | sign);
}

static inline u16 bf16_of_f32(f32 x)
{
    u32 b = bits_f32(x), r = (b + 0x7fff + (b >> 16 & 1)) >> 16;
    return (u16)(x != x ? 0x7fff : r);
}

static inline void widen_f16(f32 *restrict to, const u16 *restrict from, int n)
{
#ifdef __F16C__
    for (int i = 0; i < n; i += 8)
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(from + i))));
#else
    for (int i = 0; i < n; i++)
        to[i] = f32_of_f16(from[i]);
#endif
}

static inline void narrow_f16(u16 *restrict to, const f32 *restrict from, int n)
{
#ifdef __F16C__
    const __m128i ones = _mm_set1_epi16(0x7fff), most = _mm_set1_epi16(0x7c00);
    for (int i = 0; i < n; i += 8) {
        __m128i r = _mm256_cvtps_ph(_mm256_loadu_ps(from + i), 0);
        __m128i nan = _mm_cmpgt_epi16(_mm_and_si128(r, ones), most);
        _mm_storeu_si128((__m128i *)(to + i), _mm_blendv_epi8(r, ones, nan));
    }
#else
    for (int i = 0; i < n; i++)
        to[i] = f16_of_f32(from[i]);
#endif
}

static inline void widen_halves(f32 *restrict to, const u16 *restrict from, int n, bool bf16,
                                bool ftz)
{
    if (bf16) {
        for (int i = 0; i < n; i++)
            to[i] = f32_bits((u32)from[i] << 16);
    } else if (ftz) {
        u16 flushed[64];
        for (int i = 0; i < n; i++)
            flushed[i] = flush_f16(from[i]);
        widen_f16(to, flushed, n);
    } else {
        widen_f16(to, from, n);
    }
}

static inline void narrow_halves(u16 *restrict to, const f32 *restrict from, int n, bool bf16)
{
    if (bf16)
        for (int i = 0; i < n; i++)
            to[i] = bf16_of_f32(from[i]);
    else
        narrow_f16(to, from, n);
}

// Store n / 32 halves a lane where the lane is active.
static inline int store_halves(warp *w, const op *o, const u16 *r, int n)
{
    void *to = AT(w, o->d);
    if (w->full) {
        memcpy(to, r, 2 * (size_t)n);
    } else if (n == 32) {
        u16 *d = to;
        LANES (l)
            d[l] = w->lane[l] ? r[l] : d[l];
    } else {
        u32 *d = to, pair[32];
        memcpy(pair, r, sizeof pair);
        LANES (l)
            d[l] = w->lane[l] ? pair[l] : d[l];
    }
    return GO;
}

#endif
