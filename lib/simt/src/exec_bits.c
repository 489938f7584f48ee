// Logic, shifts, bit fields, moves and selection.

#include "lanes.h"

OP2(and_b16, u16, u16, u16, x & y)
OP2(and_b32, u32, u32, u32, x & y)
OP2(and_b64, u64, u64, u64, x & y)
OP2(or_b16, u16, u16, u16, x | y)
OP2(or_b32, u32, u32, u32, x | y)
OP2(or_b64, u64, u64, u64, x | y)
OP2(xor_b16, u16, u16, u16, x ^ y)
OP2(xor_b32, u32, u32, u32, x ^ y)
OP2(xor_b64, u64, u64, u64, x ^ y)
OP2(and_pred, u8, u8, u8, x & y)
OP2(or_pred, u8, u8, u8, x | y)
OP2(xor_pred, u8, u8, u8, x ^ y)
OP1(not_pred, u8, u8, ~x)
OP1(not_b16, u16, u16, ~x)
OP1(not_b32, u32, u32, ~x)
OP1(not_b64, u64, u64, ~x)
OP1(cnot_b16, u16, u16, x == 0)
OP1(cnot_b32, u32, u32, x == 0)
OP1(cnot_b64, u64, u64, x == 0)

// Shift amounts beyond the width clamp to it.
OP2(shl_b16, u16, u16, u32, y > 15 ? 0 : (u32)x << (y & 15))
OP2(shl_b32, u32, u32, u32, y > 31 ? 0 : x << (y & 31))
OP2(shl_b64, u64, u64, u32, y > 63 ? 0 : x << (y & 63))
OP2(shr_u16, u16, u16, u32, y > 15 ? 0 : x >> (y & 15))
OP2(shr_u32, u32, u32, u32, y > 31 ? 0 : x >> (y & 31))
OP2(shr_u64, u64, u64, u32, y > 63 ? 0 : x >> (y & 63))
OP2(shr_s16, s16, s16, u32, x >> (y > 15 ? 15 : y))
OP2(shr_s32, s32, s32, u32, x >> (y > 31 ? 31 : y))
OP2(shr_s64, s64, s64, u32, x >> (y > 63 ? 63 : y))

// Funnel shifts of y:x by z.
#define FUNNEL(y, x) ((u64)(y) << 32 | (x))
OP3(shf_l_wrap, u32, u32, u32, u32, FUNNEL(y, x) << (z & 31) >> 32)
OP3(shf_r_wrap, u32, u32, u32, u32, FUNNEL(y, x) >> (z & 31))
OP3(shf_l_clamp, u32, u32, u32, u32, z > 31 ? x : (u32)(FUNNEL(y, x) << (z & 31) >> 32))
OP3(shf_r_clamp, u32, u32, u32, u32, z > 31 ? y : (u32)(FUNNEL(y, x) >> (z & 31)))

OP1(popc_b32, u32, u32, __builtin_popcount(x))
OP1(popc_b64, u32, u64, __builtin_popcountll(x))
OP1(clz_b32, u32, u32, x ? __builtin_clz(x) : 32)
OP1(clz_b64, u32, u64, x ? __builtin_clzll(x) : 64)

static inline u32 reverse32(u32 x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}
OP1(brev_b32, u32, u32, reverse32(x))
OP1(brev_b64, u64, u64, (u64)reverse32((u32)x) << 32 | reverse32((u32)(x >> 32)))

// Position of the highest bit that differs from the sign; all ones if there is none.
static inline u32 find64(u64 x, int bits, bool shift)
{
    if (!x)
        return ~0u;
    u32 at = 63 - (u32)__builtin_clzll(x);
    return shift ? (u32)bits - 1 - at : at;
}
OP1(bfind_u32, u32, u32, find64(x, 32, o->sub))
OP1(bfind_s32, u32, s32, find64((u32)(x < 0 ? ~x : x), 32, o->sub))
OP1(bfind_u64, u32, u64, find64(x, 64, o->sub))
OP1(bfind_s64, u32, s64, find64((u64)(x < 0 ? ~x : x), 64, o->sub))

static inline u64 field(u64 x, u32 at, u32 length, int bits, bool is_signed)
{
    at &= 255;
    length &= 255;
    u64 top = (u64)1 << (bits - 1);
    u64 sign = 0;
    if (is_signed && length)
        sign = at + length - 1 < (u32)bits ? x >> (at + length - 1) & 1 : (x & top) != 0;
    u64 r = at < (u32)bits ? x >> at : 0;
    u32 have = at < (u32)bits ? (u32)bits - at : 0;
    u32 keep = length < have ? length : have;
    u64 mask = keep >= 64 ? ~0ull : ((u64)1 << keep) - 1;
    return (r & mask) | (sign ? ~mask : 0);
}
OP3(bfe_u32, u32, u32, u32, u32, field(x, y, z, 32, false))
OP3(bfe_s32, u32, u32, u32, u32, field(x, y, z, 32, true))
OP3(bfe_u64, u64, u64, u32, u32, field(x, y, z, 64, false))
OP3(bfe_s64, u64, u64, u32, u32, field(x, y, z, 64, true))

#define INSERT(name, T, bits)                                                         \
    int SIMT_FN(name)(warp * w, const op *o)                                          \
    {                                                                                 \
        const T *a = AT(w, o->a), *b = AT(w, o->b);                                   \
        const u32 *c = AT(w, o->c), *e = AT(w, o->e);                                 \
        T *d = AT(w, o->d);                                                           \
        for (int l = 0; l < 32; l++) {                                                \
            u32 at = c[l] & 255, n = e[l] & 255;                                      \
            T ones = n >= bits ? (T)~(T)0 : (T)(((T)1 << n) - 1);                     \
            T mask = at < bits ? (T)(ones << at) : 0;                                 \
            T r = (b[l] & ~mask) | (at < bits ? (T)(a[l] << at) & mask : 0);          \
            d[l] = ACTIVE(w, l) ? r : d[l];                                           \
        }                                                                             \
        return GO;                                                                    \
    }
INSERT(bfi_b32, u32, 32)
INSERT(bfi_b64, u64, 64)

static inline u32 mask_of(u32 at, u32 n, bool clamp)
{
    if (!clamp) {
        at &= 31;
        n &= 31;
    }
    if (at > 31)
        return 0;
    u64 ones = n > 31 ? 0xffffffffu : ((u64)1 << n) - 1;
    return (u32)(ones << at);
}
OP2(bmsk_b32, u32, u32, u32, mask_of(x, y, o->sub))

// szext: the lower y bits of x, extended by their sign or by zeros.
static inline u32 extend(u32 x, u32 n, bool clamp, bool is_signed)
{
    if (!clamp)
        n &= 31;
    if (n > 31)
        return x;
    u32 mask = ((u32)1 << n) - 1;
    bool sign = is_signed && n && x >> (n - 1) & 1;
    return sign ? x | ~mask : x & mask;
}
OP2(szext_u32, u32, u32, u32, extend(x, y, o->sub, false))
OP2(szext_s32, u32, u32, u32, extend(x, y, o->sub, true))

// fns: the z-th set bit of x from bit y on, upwards or (z < 0) downwards.
static u32 find_nth(u32 x, u32 from, s32 nth)
{
    s32 step = nth < 0 ? -1 : 1;
    s64 left = nth < 0 ? -(s64)nth : nth;
    if (from > 31)
        return ~0u;
    if (nth == 0)
        return x >> from & 1 ? from : ~0u;
    for (s32 i = (s32)from; i >= 0 && i < 32; i += step)
        if (x >> i & 1 && --left == 0)
            return (u32)i;
    return ~0u;
}
OP3(fns_b32, u32, u32, u32, s32, find_nth(x, y, z))

// prmt: each of four result bytes picked from the eight of y:x.
static u32 permute(u32 a, u32 b, u32 selector, int mode)
{
    u64 all = (u64)b << 32 | a;
    u32 r = 0, low = selector & 3;
    static const u8 table[6][4][4] = { // f4e b4e rc8 ecl ecr rc16, by selector and byte
        {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}},
        {{0, 7, 6, 5}, {1, 0, 7, 6}, {2, 1, 0, 7}, {3, 2, 1, 0}},
        {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}},
        {{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 3}, {3, 3, 3, 3}},
        {{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}},
        {{0, 1, 0, 1}, {2, 3, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}},
    };
    for (int i = 0; i < 4; i++) {
        u32 pick = mode ? table[mode - 1][low][i] : selector >> 4 * i & 15;
        u32 byte = (u32)(all >> 8 * (pick & 7)) & 255;
        if (pick & 8)
            byte = byte & 128 ? 255 : 0;
        r |= byte << 8 * i;
    }
    return r;
}
OP3(prmt_b32, u32, u32, u32, u32, permute(x, y, z, o->sub))

// lop3: bit i of the table is the result for the i-th combination of (x, y, z).
int SIMT_FN(lop3_b32)(warp *w, const op *o)
{
    const u32 *a = AT(w, o->a), *b = AT(w, o->b), *c = AT(w, o->c);
    u32 *d = AT(w, o->d);
    u32 t = (u32)o->imm;
    LANES (l) {
        u32 x = a[l], y = b[l], z = c[l], r = 0;
        r |= t & 1 ? ~x & ~y & ~z : 0;
        r |= t & 2 ? ~x & ~y & z : 0;
        r |= t & 4 ? ~x & y & ~z : 0;
        r |= t & 8 ? ~x & y & z : 0;
        r |= t & 16 ? x & ~y & ~z : 0;
        r |= t & 32 ? x & ~y & z : 0;
        r |= t & 64 ? x & y & ~z : 0;
        r |= t & 128 ? x & y & z : 0;
        d[l] = w->lane[l] ? r : d[l];
    }
    return GO;
}

OP1(mov_b16, u16, u16, x)
OP1(mov_b32, u32, u32, x)
OP1(mov_b64, u64, u64, x)
OP1(mov_pred, u8, u8, x)
// Packing and unpacking: mov.b64 %rd, {%r1, %r2} and back.
OP2(pack_b32, u32, u16, u16, (u32)y << 16 | x)
OP2(pack_b64, u64, u32, u32, (u64)y << 32 | x)
OP1(low_b32, u16, u32, x)
OP1(high_b32, u16, u32, x >> 16)
OP1(low_b64, u32, u64, x)
OP1(high_b64, u32, u64, x >> 32)

OP3(selp_b16, u16, u16, u16, u8, z ? x : y)
OP3(selp_b32, u32, u32, u32, u8, z ? x : y)
OP3(selp_b64, u64, u64, u64, u8, z ? x : y)
OP3(slct_b32, u32, u32, u32, s32, z >= 0 ? x : y)
OP3(slct_b64, u64, u64, u64, s32, z >= 0 ? x : y)
#define IS_POSITIVE(z) ((o->sub ? flush_f32(z) : (z)) >= 0) // o->sub: .ftz
OP3(slct_f_b16, u16, u16, u16, f32, IS_POSITIVE(z) ? x : y)
OP3(slct_f_b32, u32, u32, u32, f32, IS_POSITIVE(z) ? x : y)
OP3(slct_f_b64, u64, u64, u64, f32, IS_POSITIVE(z) ? x : y)
OP3(slct_b16, u16, u16, u16, s32, z >= 0 ? x : y)
OP2(copysign_f32, u32, u32, u32, (x & 0x80000000u) | (y & 0x7fffffffu))
OP2(copysign_f64, u64, u64, u64, (x & 1ull << 63) | (y & ~(1ull << 63)))
