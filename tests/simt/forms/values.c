// Inputs: the edges of each kind crossed with each other, then a stream of numbers that
// depends on the kind, the slot and the case alone. One 16-bit operand: all its values.

#include "forms.h"

enum { EDGES = 32 };

static const u32 edges_f32[EDGES] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
    0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff, 0x3f000000, 0x3fc00000, 0x40200000, 0xc0600000,
    0x4b000001, 0x477fe000, 0x477ff000, 0x4effffff, 0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000,
    0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffffffff, 0x40490fdb};
static const u64 edges_f64[EDGES] = {
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x8000000000000001,
    0x000fffffffffffff, 0x800fffffffffffff, 0x0010000000000000, 0x8010000000000000,
    0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000000000001, 0x3fefffffffffffff,
    0x3fe0000000000000, 0x3ff8000000000000, 0x4004000000000000, 0xc00c000000000000,
    0x4330000000000001, 0x40effc0000000000, 0x41dfffffffe00000, 0xc1e0000000000000,
    0x43e0000000000000, 0x43f0000000000000, 0x381fffffffffffff, 0x36a0000000000000,
    0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
    0x7ff8000000000000, 0x7ff0000000000001, 0xffffffffffffffff, 0x400921fb54442d18};
static const u16 edges_f16[EDGES] = {
    0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x3c00, 0xbc00, 0x3c01,
    0x3bff, 0x3800, 0x3e00, 0x4100, 0xc300, 0x6401, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00,
    0x7c01, 0xffff, 0x1000, 0x0fff, 0x5bff, 0x57f8, 0x7800, 0xb555, 0x4248, 0x2e66};
static const u16 edges_bf16[EDGES] = {
    0x0000, 0x8000, 0x0001, 0x8001, 0x007f, 0x807f, 0x0080, 0x8080, 0x3f80, 0xbf80, 0x3f81,
    0x3f7f, 0x3f00, 0x3fc0, 0x4020, 0xc060, 0x4301, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0,
    0x7f81, 0xffff, 0x2000, 0x1fff, 0x5f00, 0x4f00, 0x0480, 0xbeab, 0x4049, 0x3dcd};
static const u64 edges_int[EDGES] = {
    0, 1, 2, 3, 31, 32, 33, 63, 64, 127, 128, 255, 0x7ffe, 0x7fff, 0x8000, 0x8001, 0xffff,
    0x7fffff, 0x800000, 0xffffff, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x80ff7f01ff807f00,
    0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 0x0123456789abcdef,
    0x8000800080008000, 0xfffffffffffffffe, 0xffffff80ffff8000};
static const u32 edges_shift[EDGES] = {
    0, 1, 2, 3, 7, 8, 15, 16, 17, 23, 24, 30, 31, 32, 33, 34, 40, 47, 48, 62, 63, 64, 65, 127, 128,
    254, 255, 256, 287, 0x7fffffff, 0x80000000, 0xffffffff};

static u64 mix(u64 x) // splitmix64
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

// Half of the floats have any bits, half an exponent near that of 1, where sums cancel.
static u64 real_bits(u64 r, int exponent_bits, int fraction_bits)
{
    int bits = 1 + exponent_bits + fraction_bits;
    u64 v = bits == 64 ? r : r & (((u64)1 << bits) - 1);
    if (mix(r) & 1)
        return v;
    u64 field = ((u64)1 << exponent_bits) - 1, bias = field >> 1, wide = exponent_bits > 5 ? 63 : 15;
    u64 e = bias - wide / 2 + (mix(r + 1) & wide);
    return (v & ~(field << fraction_bits)) | e << fraction_bits;
}

static u64 edge(kind k, u64 i, u64 j)
{
    i %= EDGES;
    j %= EDGES;
    switch (k) {
    case KIND_F32:
    case KIND_F32N: return edges_f32[i];
    case KIND_F64: return edges_f64[i];
    case KIND_F16: return edges_f16[i];
    case KIND_BF16: return edges_bf16[i];
    case KIND_F16X2: return edges_f16[i] | (u32)edges_f16[j] << 16;
    case KIND_BF16X2: return edges_bf16[i] | (u32)edges_bf16[j] << 16;
    case KIND_SHIFT: return edges_shift[i];
    default: return edges_int[i];
    }
}

static u64 random_value(kind k, u64 r)
{
    switch (k) {
    case KIND_F32:
    case KIND_F32N: return real_bits(r, 8, 23);
    case KIND_F64: return real_bits(r, 11, 52);
    case KIND_F16: return real_bits(r, 5, 10);
    case KIND_BF16: return real_bits(r, 8, 7);
    case KIND_F16X2: return real_bits(r, 5, 10) | real_bits(mix(r + 2), 5, 10) << 16;
    case KIND_BF16X2: return real_bits(r, 8, 7) | real_bits(mix(r + 2), 8, 7) << 16;
    case KIND_SHIFT: return r & 1 ? r >> 57 : r >> 32;
    default: return r & 1 ? r : r >> (r >> 1) % 64;
    }
}

u64 value_of(kind k, int slot, int arity, u32 i)
{
    int bytes = kind_bytes(k);
    u64 v, r = mix((u64)i << 16 | (u64)(slot << 8) | (u64)k);
    if (bytes == 2 && arity == 1)
        v = i;
    else if (i < (arity == 1 ? EDGES : arity == 2 ? EDGES * EDGES : EDGES * EDGES * EDGES))
        v = edge(k, slot == 3 ? r >> 7 : i >> 5 * slot, mix(r));
    else
        v = random_value(k, r);
    return bytes == 8 ? v : v & (((u64)1 << 8 * bytes) - 1);
}

u64 canonical(kind k, u64 v)
{
    switch (k) {
    case KIND_F64: return (v & ~0ull >> 1) > 0x7ff0000000000000u ? 0x7ff8000000000000u : v;
    case KIND_F32N: return (v & 0x7fffffffu) > 0x7f800000u ? 0x7fffffffu : v;
    case KIND_F16: return (v & 0x7fff) > 0x7c00 ? 0x7fff : v;
    case KIND_BF16: return (v & 0x7fff) > 0x7f80 ? 0x7fff : v;
    case KIND_F16X2: return canonical(KIND_F16, v & 0xffff) | canonical(KIND_F16, v >> 16) << 16;
    case KIND_BF16X2: return canonical(KIND_BF16, v & 0xffff) | canonical(KIND_BF16, v >> 16) << 16;
    default: return v;
    }
}
