// Integer and bit instructions, each with what it must give, in plain C that knows
// nothing of the emulator: wide arithmetic, shifts of checked amounts, loops over bits.

#include "lab.h"

typedef uint64_t u64;
typedef uint32_t u32;
typedef uint16_t u16;
typedef int64_t s64;
typedef int32_t s32;
typedef int16_t s16;
typedef unsigned __int128 u128;
typedef __int128 s128;

#define F(name, expression)                                                           \
    static u64 name(u64 a, u64 b, u64 c)                                              \
    {                                                                                 \
        (void)a;                                                                      \
        (void)b;                                                                      \
        (void)c;                                                                      \
        return (u64)(expression);                                                     \
    }

F(add16, (u16)(a + b)) F(add32, (u32)(a + b)) F(add64, a + b)
F(sub16, (u16)(a - b)) F(sub32, (u32)(a - b)) F(sub64, a - b)
F(mul16, (u16)(a *b)) F(mul32, (u32)(a *b)) F(mul64, a *b)
F(hi_u16, (u16)((u32)(u16)a * (u16)b >> 16)) F(hi_s16, (u16)((s32)(s16)a * (s16)b >> 16))
F(hi_u32, (u32)((u64)(u32)a * (u32)b >> 32)) F(hi_s32, (u32)((s64)(s32)a * (s32)b >> 32))
F(hi_u64, (u128)a *b >> 64) F(hi_s64, (u64)(((s128)(s64)a * (s64)b) >> 64))
F(wide_u16, (u32)(u16)a * (u16)b) F(wide_s16, (u32)((s32)(s16)a * (s16)b))
F(wide_u32, (u64)(u32)a * (u32)b) F(wide_s32, (u64)((s64)(s32)a * (s32)b))
F(mad32, (u32)(a *b + c)) F(mad64, a *b + c) F(mad16, (u16)(a *b + c))
F(mad_hi_u32, (u32)(((u64)(u32)a * (u32)b >> 32) + c))
F(mad_hi_s32, (u32)((u64)((s64)(s32)a * (s32)b >> 32) + c))
F(mad_hi_u64, (u64)((u128)a * b >> 64) + c) F(mad_hi_s64, (u64)((s128)(s64)a * (s64)b >> 64) + c)
F(mad_wide_u32, (u64)(u32)a * (u32)b + c) F(mad_wide_s32, (u64)((s64)(s32)a * (s32)b) + c)
F(mad_wide_u16, (u32)((u32)(u16)a * (u16)b + c))
F(mad_wide_s16, (u32)((u32)((s32)(s16)a * (s16)b) + c))
F(mul24u, (u32)((a & 0xffffff) * (b & 0xffffff)))
static s64 low24(u64 x) { s64 v = (s64)(x & 0xffffff); return v >= 1 << 23 ? v - (1 << 24) : v; }
F(mul24s, (u32)(low24(a) * low24(b)))
F(mad24u, (u32)((a & 0xffffff) * (b & 0xffffff) + c))
F(sad_u, (u32)(((u32)a > (u32)b ? (u32)a - (u32)b : (u32)b - (u32)a) + c))
F(sad_s, (u32)((u64)((s64)(s32)a > (s32)b ? (s64)(s32)a - (s32)b : (s64)(s32)b - (s32)a) + c))
F(div_u16, (u16)b ? (u16)a / (u16)b : 0xffff) F(div_u32, (u32)b ? (u32)a / (u32)b : 0xffffffffu)
F(div_u64, b ? a / b : ~0ull)
F(div_s32, (s32)b ? (u32)((s64)(s32)a / (s32)b) : 0xffffffffu)
F(div_s64, b ? (u64)((s128)(s64)a / (s64)b) : ~0ull)
F(rem_u32, (u32)b ? (u32)a % (u32)b : 0xffffffffu) F(rem_u64, b ? a % b : ~0ull)
F(rem_s32, (s32)b ? (u32)((s64)(s32)a % (s32)b) : 0xffffffffu)
F(rem_s64, b ? (u64)((s128)(s64)a % (s64)b) : ~0ull)
F(abs16, (u16)((s16)a < 0 ? -(s32)(s16)a : (s16)a)) F(abs32, (u32)((s32)a < 0 ? -(s64)(s32)a : (s32)a))
F(abs64, (s64)a < 0 ? (u64)(-(s128)(s64)a) : a)
F(neg16, (u16)(0 - a)) F(neg32, (u32)(0 - a)) F(neg64, 0 - a)
F(min_u16, (u16)a < (u16)b ? (u16)a : (u16)b) F(max_u16, (u16)a > (u16)b ? (u16)a : (u16)b)
F(min_s16, (u16)((s16)a < (s16)b ? a : b)) F(max_s16, (u16)((s16)a > (s16)b ? a : b))
F(min_u32, (u32)a < (u32)b ? (u32)a : (u32)b) F(max_u32, (u32)a > (u32)b ? (u32)a : (u32)b)
F(min_s32, (u32)((s32)a < (s32)b ? a : b)) F(max_s32, (u32)((s32)a > (s32)b ? a : b))
F(min_u64, a < b ? a : b) F(max_u64, a > b ? a : b)
F(min_s64, (s64)a < (s64)b ? a : b) F(max_s64, (s64)a > (s64)b ? a : b)

static u64 ones(u64 x) { u64 n = 0; for (; x; x >>= 1) n += x & 1; return n; }
static u64 zeros(u64 x, int bits) { u64 n = 0; for (int i = bits - 1; i >= 0 && !(x >> i & 1); i--) n++; return n; }
static u64 turned(u64 x, int bits) { u64 r = 0; for (int i = 0; i < bits; i++) r |= (x >> i & 1) << (bits - 1 - i); return r; }
F(popc32, ones((u32)a)) F(popc64, ones(a)) F(clz32, zeros((u32)a, 32)) F(clz64, zeros(a, 64))
F(brev32, turned((u32)a, 32)) F(brev64, turned(a, 64))
static u64 found(u64 x, int bits, int is_signed)
{
    u64 sign = is_signed ? x >> (bits - 1) & 1 : 0;
    for (int i = bits - 1; i >= 0; i--)
        if ((x >> i & 1) != sign)
            return (u64)i;
    return 0xffffffffu;
}
F(bfind_u32, found((u32)a, 32, 0)) F(bfind_s32, found((u32)a, 32, 1))
F(bfind_u64, found(a, 64, 0)) F(bfind_s64, found(a, 64, 1))
F(bfind_shift, (u32)a ? 31 - found((u32)a, 32, 0) : 0xffffffffu)
// PTX's own definition, bit by bit.
static u64 extract(u64 a, u64 pos, u64 len, int bits, int is_signed)
{
    pos &= 255;
    len &= 255;
    int msb = bits - 1;
    u64 sign = 0, d = 0;
    if (is_signed && len)
        sign = a >> (pos + len - 1 < (u64)msb ? (int)(pos + len - 1) : msb) & 1;
    for (int i = 0; i <= msb; i++)
        d |= ((u64)i < len && pos + (u64)i <= (u64)msb ? a >> (pos + (u64)i) & 1 : sign) << i;
    return d;
}
F(bfe_u32, extract((u32)a, b, c, 32, 0)) F(bfe_s32, extract((u32)a, b, c, 32, 1))
F(bfe_u64, extract(a, b, c, 64, 0)) F(bfe_s64, extract(a, b, c, 64, 1))
static u64 inserted(u64 a, u64 b, u64 pos, u64 len, int bits)
{
    pos &= 255;
    for (u64 i = 0; i < (len & 255) && pos + i < (u64)bits; i++)
        b = (b & ~(1ull << (pos + i))) | (a >> i & 1) << (pos + i);
    return b;
}
F(bfi32, inserted((u32)a, (u32)b, c, 9, 32)) F(bfi64, inserted(a, b, c, 40, 64))
static u64 field_mask(u64 at, u64 n) { u64 r = 0; for (u64 i = 0; i < n && at + i < 32; i++) r |= 1ull << (at + i); return r; }
F(bmsk_clamp, (u32)a > 31 ? 0 : field_mask((u32)a, (u32)b > 32 ? 32 : (u32)b))
F(bmsk_wrap, field_mask(a & 31, b & 31))

F(and16, (u16)(a &b)) F(and32, (u32)(a &b)) F(and64, a &b) F(or32, (u32)(a | b)) F(or64, a | b)
F(xor32, (u32)(a ^ b)) F(xor64, a ^ b) F(not16, (u16)~a) F(not32, (u32)~a) F(not64, ~a)
F(cnot32, !(u32)a) F(cnot64, !a)
F(lop_96, (u32)(a ^ b ^ c)) F(lop_e8, (u32)((a & b) | (c & (a | b)))) F(lop_17, (u32)~((a & b) | (c & (a | b))))
F(shl16, (u32)b > 15 ? 0 : (u16)(a << (u32)b)) F(shl32, (u32)b > 31 ? 0 : (u32)((u64)(u32)a << (u32)b))
F(shl64, (u32)b > 63 ? 0 : a << (u32)b)
F(shr_u32, (u32)b > 31 ? 0 : (u32)a >> (u32)b) F(shr_u64, (u32)b > 63 ? 0 : a >> (u32)b)
F(shr_s32, (u32)((s64)(s32)a >> ((u32)b > 31 ? 31 : (u32)b))) F(shr_s64, (u64)((s64)a >> ((u32)b > 63 ? 63 : (u32)b)))
F(shr_u16, (u32)b > 15 ? 0 : (u16)a >> (u32)b) F(shr_s16, (u16)((s32)(s16)a >> ((u32)b > 15 ? 15 : (u32)b)))
F(shf_l_wrap, (u32)((((u64)(u32)b << 32 | (u32)a) << (c & 31)) >> 32))
F(shf_r_wrap, (u32)(((u64)(u32)b << 32 | (u32)a) >> (c & 31)))
F(shf_l_clamp, (u32)((u128)((u64)(u32)b << 32 | (u32)a) << ((u32)c > 32 ? 32 : (u32)c) >> 32))
F(shf_r_clamp, (u32)((u128)((u64)(u32)b << 32 | (u32)a) >> ((u32)c > 32 ? 32 : (u32)c)))
static u64 picked(u64 a, u64 b, u64 c)
{
    u64 r = 0;
    for (int i = 0; i < 4; i++) {
        unsigned s = c >> 4 * i & 15, k = s & 7;
        u64 byte = (k < 4 ? a >> 8 * k : b >> 8 * (k - 4)) & 255;
        r |= (s & 8 ? (byte >> 7 ? 255u : 0u) : byte) << 8 * i;
    }
    return r;
}
F(prmt, picked((u32)a, (u32)b, c)) F(prmt_f4e, (u32)(((u128)b << 32 | (u32)a) >> 8 * (c & 3)))
F(sel32, (u32)c & 1 ? (u32)a : (u32)b) F(sel64, (u32)c & 1 ? a : b)
F(slct32, (s32)c >= 0 ? (u32)a : (u32)b) F(slct64, (s32)c >= 0 ? a : b)
F(slctf, ((u32)c == 0x80000000u || (u32)c <= 0x7f800000u) ? (u32)a : (u32)b)
F(set_lt, (s32)a < (s32)b ? 0xffffffffu : 0)
F(lt_s32, (s32)a < (s32)b) F(lo_u32, (u32)a < (u32)b) F(le_s64, (s64)a <= (s64)b) F(ge_u16, (u16)a >= (u16)b)
F(eq_u64, a == b) F(gt_s16, (s16)a > (s16)b) F(ne_b32, (u32)a != (u32)b)
F(lt_and, (u32)a < (u32)b && (c & 1)) F(lt_xor_not, ((u32)a < (u32)b) != !(c & 1))
F(low_word, (u32)a) F(swap_words, a << 32 | a >> 32) F(swap_halves, (u32)(a << 16) | (u16)(a >> 16))
F(copy32, (u32)a) F(copy64, a) F(copy16, (u16)a)
static u64 dot4(u32 a, u32 b, u64 c, int sa, int sb)
{
    for (int i = 0; i < 32; i += 8) {
        s64 x = sa ? (s64)(signed char)(a >> i) : (s64)(unsigned char)(a >> i);
        s64 y = sb ? (s64)(signed char)(b >> i) : (s64)(unsigned char)(b >> i);
        c += (u64)(x * y);
    }
    return (u32)c;
}
F(dp4a_u, dot4((u32)a, (u32)b, c, 0, 0)) F(dp4a_s, dot4((u32)a, (u32)b, c, 1, 1)) F(dp4a_su, dot4((u32)a, (u32)b, c, 1, 0))
F(dp2a, (u32)(c + (u64)((s64)(s16)a * (signed char)b) + (u64)((s64)(s16)(a >> 16) * (signed char)(b >> 8))))
F(dp2a_hi, (u32)(c + (u64)((u64)(u16)a * (unsigned char)(b >> 16)) + (u64)((u64)(u16)(a >> 16) * (unsigned char)(b >> 24))))
F(add_carry, (u32)((a >> 32) + (((u64)(u32)a + (u32)b) >> 32))) F(sub_hi, (u32)((u32)c - ((u32)a < (u32)b)))
F(madc_hi, (u32)(((u64)(u32)a * (u32)b + (u32)c) >> 32))

#define P "{.reg .pred p, q; .reg .b32 t;"
const op_case integer_cases[] = {
    {"add.u16 %d, %a, %b;", "b16", "b16", "b16", 0, add16, 0}, {"add.s32 %d, %a, %b;", "b32", "b32", "b32", 0, add32, 0},
    {"add.u64 %d, %a, %b;", "b64", "b64", "b64", 0, add64, 0}, {"sub.s16 %d, %a, %b;", "b16", "b16", "b16", 0, sub16, 0},
    {"sub.u32 %d, %a, %b;", "b32", "b32", "b32", 0, sub32, 0}, {"sub.s64 %d, %a, %b;", "b64", "b64", "b64", 0, sub64, 0},
    {"mul.lo.u16 %d, %a, %b;", "b16", "b16", "b16", 0, mul16, 0}, {"mul.lo.s32 %d, %a, %b;", "b32", "b32", "b32", 0, mul32, 0},
    {"mul.lo.u64 %d, %a, %b;", "b64", "b64", "b64", 0, mul64, 0}, {"mul.hi.u16 %d, %a, %b;", "b16", "b16", "b16", 0, hi_u16, 0},
    {"mul.hi.s16 %d, %a, %b;", "b16", "b16", "b16", 0, hi_s16, 0}, {"mul.hi.u32 %d, %a, %b;", "b32", "b32", "b32", 0, hi_u32, 0},
    {"mul.hi.s32 %d, %a, %b;", "b32", "b32", "b32", 0, hi_s32, 0}, {"mul.hi.u64 %d, %a, %b;", "b64", "b64", "b64", 0, hi_u64, 0},
    {"mul.hi.s64 %d, %a, %b;", "b64", "b64", "b64", 0, hi_s64, 0}, {"mul.wide.u16 %d, %a, %b;", "b32", "b16", "b16", 0, wide_u16, 0},
    {"mul.wide.s16 %d, %a, %b;", "b32", "b16", "b16", 0, wide_s16, 0}, {"mul.wide.u32 %d, %a, %b;", "b64", "b32", "b32", 0, wide_u32, 0},
    {"mul.wide.s32 %d, %a, %b;", "b64", "b32", "b32", 0, wide_s32, 0}, {"mad.lo.s32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", mad32, 0},
    {"mad.lo.u64 %d, %a, %b, %c;", "b64", "b64", "b64", "b64", mad64, 0}, {"mad.lo.u16 %d, %a, %b, %c;", "b16", "b16", "b16", "b16", mad16, 0},
    {"mad.hi.u32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", mad_hi_u32, 0}, {"mad.hi.s32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", mad_hi_s32, 0},
    {"mad.hi.u64 %d, %a, %b, %c;", "b64", "b64", "b64", "b64", mad_hi_u64, 0}, {"mad.hi.s64 %d, %a, %b, %c;", "b64", "b64", "b64", "b64", mad_hi_s64, 0},
    {"mad.wide.u32 %d, %a, %b, %c;", "b64", "b32", "b32", "b64", mad_wide_u32, 0}, {"mad.wide.s32 %d, %a, %b, %c;", "b64", "b32", "b32", "b64", mad_wide_s32, 0},
    {"mad.wide.u16 %d, %a, %b, %c;", "b32", "b16", "b16", "b32", mad_wide_u16, 0}, {"mad.wide.s16 %d, %a, %b, %c;", "b32", "b16", "b16", "b32", mad_wide_s16, 0},
    {"mul24.lo.u32 %d, %a, %b;", "b32", "b32", "b32", 0, mul24u, 0}, {"mul24.lo.s32 %d, %a, %b;", "b32", "b32", "b32", 0, mul24s, 0},
    {"mad24.lo.u32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", mad24u, 0}, {"sad.u32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", sad_u, 0},
    {"sad.s32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", sad_s, 0}, {"div.u16 %d, %a, %b;", "b16", "b16", "b16", 0, div_u16, 0},
    {"div.u32 %d, %a, %b;", "b32", "b32", "b32", 0, div_u32, 0}, {"div.u64 %d, %a, %b;", "b64", "b64", "b64", 0, div_u64, 0},
    {"div.s32 %d, %a, %b;", "b32", "b32", "b32", 0, div_s32, 0}, {"div.s64 %d, %a, %b;", "b64", "b64", "b64", 0, div_s64, 0},
    {"rem.u32 %d, %a, %b;", "b32", "b32", "b32", 0, rem_u32, 0}, {"rem.u64 %d, %a, %b;", "b64", "b64", "b64", 0, rem_u64, 0},
    {"rem.s32 %d, %a, %b;", "b32", "b32", "b32", 0, rem_s32, 0}, {"rem.s64 %d, %a, %b;", "b64", "b64", "b64", 0, rem_s64, 0},
    {"abs.s16 %d, %a;", "b16", "b16", 0, 0, abs16, 0}, {"abs.s32 %d, %a;", "b32", "b32", 0, 0, abs32, 0}, {"abs.s64 %d, %a;", "b64", "b64", 0, 0, abs64, 0},
    {"neg.s16 %d, %a;", "b16", "b16", 0, 0, neg16, 0}, {"neg.s32 %d, %a;", "b32", "b32", 0, 0, neg32, 0}, {"neg.s64 %d, %a;", "b64", "b64", 0, 0, neg64, 0},
    {"min.u16 %d, %a, %b;", "b16", "b16", "b16", 0, min_u16, 0}, {"max.u16 %d, %a, %b;", "b16", "b16", "b16", 0, max_u16, 0},
    {"min.s16 %d, %a, %b;", "b16", "b16", "b16", 0, min_s16, 0}, {"max.s16 %d, %a, %b;", "b16", "b16", "b16", 0, max_s16, 0},
    {"min.u32 %d, %a, %b;", "b32", "b32", "b32", 0, min_u32, 0}, {"max.u32 %d, %a, %b;", "b32", "b32", "b32", 0, max_u32, 0},
    {"min.s32 %d, %a, %b;", "b32", "b32", "b32", 0, min_s32, 0}, {"max.s32 %d, %a, %b;", "b32", "b32", "b32", 0, max_s32, 0},
    {"min.u64 %d, %a, %b;", "b64", "b64", "b64", 0, min_u64, 0}, {"max.u64 %d, %a, %b;", "b64", "b64", "b64", 0, max_u64, 0},
    {"min.s64 %d, %a, %b;", "b64", "b64", "b64", 0, min_s64, 0}, {"max.s64 %d, %a, %b;", "b64", "b64", "b64", 0, max_s64, 0},
    {"popc.b32 %d, %a;", "b32", "b32", 0, 0, popc32, 0}, {"popc.b64 %d, %a;", "b32", "b64", 0, 0, popc64, 0},
    {"clz.b32 %d, %a;", "b32", "b32", 0, 0, clz32, 0}, {"clz.b64 %d, %a;", "b32", "b64", 0, 0, clz64, 0},
    {"brev.b32 %d, %a;", "b32", "b32", 0, 0, brev32, 0}, {"brev.b64 %d, %a;", "b64", "b64", 0, 0, brev64, 0},
    {"bfind.u32 %d, %a;", "b32", "b32", 0, 0, bfind_u32, 0}, {"bfind.s32 %d, %a;", "b32", "b32", 0, 0, bfind_s32, 0},
    {"bfind.u64 %d, %a;", "b32", "b64", 0, 0, bfind_u64, 0}, {"bfind.s64 %d, %a;", "b32", "b64", 0, 0, bfind_s64, 0},
    {"bfind.shiftamt.u32 %d, %a;", "b32", "b32", 0, 0, bfind_shift, 0},
    {"bfe.u32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", bfe_u32, 0}, {"bfe.s32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", bfe_s32, 0},
    {"bfe.u64 %d, %a, %b, %c;", "b64", "b64", "b32", "b32", bfe_u64, 0}, {"bfe.s64 %d, %a, %b, %c;", "b64", "b64", "b32", "b32", bfe_s64, 0},
    {"bfi.b32 %d, %a, %b, %c, 9;", "b32", "b32", "b32", "b32", bfi32, 0}, {"bfi.b64 %d, %a, %b, %c, 40;", "b64", "b64", "b64", "b32", bfi64, 0},
    {"bmsk.clamp.b32 %d, %a, %b;", "b32", "b32", "b32", 0, bmsk_clamp, 0}, {"bmsk.wrap.b32 %d, %a, %b;", "b32", "b32", "b32", 0, bmsk_wrap, 0},
    {"and.b16 %d, %a, %b;", "b16", "b16", "b16", 0, and16, 0}, {"and.b32 %d, %a, %b;", "b32", "b32", "b32", 0, and32, 0}, {"and.b64 %d, %a, %b;", "b64", "b64", "b64", 0, and64, 0},
    {"or.b32 %d, %a, %b;", "b32", "b32", "b32", 0, or32, 0}, {"or.b64 %d, %a, %b;", "b64", "b64", "b64", 0, or64, 0},
    {"xor.b32 %d, %a, %b;", "b32", "b32", "b32", 0, xor32, 0}, {"xor.b64 %d, %a, %b;", "b64", "b64", "b64", 0, xor64, 0},
    {"not.b16 %d, %a;", "b16", "b16", 0, 0, not16, 0}, {"not.b32 %d, %a;", "b32", "b32", 0, 0, not32, 0}, {"not.b64 %d, %a;", "b64", "b64", 0, 0, not64, 0},
    {"cnot.b32 %d, %a;", "b32", "b32", 0, 0, cnot32, 0}, {"cnot.b64 %d, %a;", "b64", "b64", 0, 0, cnot64, 0},
    {"lop3.b32 %d, %a, %b, %c, 0x96;", "b32", "b32", "b32", "b32", lop_96, 0}, {"lop3.b32 %d, %a, %b, %c, 0xe8;", "b32", "b32", "b32", "b32", lop_e8, 0},
    {"lop3.b32 %d, %a, %b, %c, 0x17;", "b32", "b32", "b32", "b32", lop_17, 0},
    {"shl.b16 %d, %a, %b;", "b16", "b16", "b32", 0, shl16, 0}, {"shl.b32 %d, %a, %b;", "b32", "b32", "b32", 0, shl32, 0}, {"shl.b64 %d, %a, %b;", "b64", "b64", "b32", 0, shl64, 0},
    {"shr.u16 %d, %a, %b;", "b16", "b16", "b32", 0, shr_u16, 0}, {"shr.s16 %d, %a, %b;", "b16", "b16", "b32", 0, shr_s16, 0},
    {"shr.u32 %d, %a, %b;", "b32", "b32", "b32", 0, shr_u32, 0}, {"shr.s32 %d, %a, %b;", "b32", "b32", "b32", 0, shr_s32, 0},
    {"shr.u64 %d, %a, %b;", "b64", "b64", "b32", 0, shr_u64, 0}, {"shr.s64 %d, %a, %b;", "b64", "b64", "b32", 0, shr_s64, 0},
    {"shf.l.wrap.b32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", shf_l_wrap, 0}, {"shf.r.wrap.b32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", shf_r_wrap, 0},
    {"shf.l.clamp.b32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", shf_l_clamp, 0}, {"shf.r.clamp.b32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", shf_r_clamp, 0},
    {"prmt.b32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", prmt, 0}, {"prmt.b32.f4e %d, %a, %b, %c;", "b32", "b32", "b32", "b32", prmt_f4e, 0},
    {P "and.b32 t, %c, 1; setp.ne.u32 p, t, 0; selp.b32 %d, %a, %b, p;}", "b32", "b32", "b32", "b32", sel32, 0},
    {P "and.b32 t, %c, 1; setp.ne.u32 p, t, 0; selp.b64 %d, %a, %b, p;}", "b64", "b64", "b64", "b32", sel64, 0},
    {"slct.b32.s32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", slct32, 0}, {"slct.b64.s32 %d, %a, %b, %c;", "b64", "b64", "b64", "b32", slct64, 0},
    {"slct.b32.f32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", slctf, 0}, {"set.lt.u32.s32 %d, %a, %b;", "b32", "b32", "b32", 0, set_lt, 0},
    {P "setp.lt.s32 p, %a, %b; selp.b32 %d, 1, 0, p;}", "b32", "b32", "b32", 0, lt_s32, 0}, {P "setp.lo.u32 p, %a, %b; selp.b32 %d, 1, 0, p;}", "b32", "b32", "b32", 0, lo_u32, 0},
    {P "setp.le.s64 p, %a, %b; selp.b32 %d, 1, 0, p;}", "b32", "b64", "b64", 0, le_s64, 0}, {P "setp.ge.u16 p, %a, %b; selp.b32 %d, 1, 0, p;}", "b32", "b16", "b16", 0, ge_u16, 0},
    {P "setp.eq.b64 p, %a, %b; selp.b32 %d, 1, 0, p;}", "b32", "b64", "b64", 0, eq_u64, 0}, {P "setp.gt.s16 p, %a, %b; selp.b32 %d, 1, 0, p;}", "b32", "b16", "b16", 0, gt_s16, 0},
    {P "setp.eq.b32 p|q, %a, %b; selp.b32 %d, 1, 0, q;}", "b32", "b32", "b32", 0, ne_b32, 0},
    {P "and.b32 t, %c, 1; setp.ne.u32 q, t, 0; setp.lt.and.u32 p, %a, %b, q; selp.b32 %d, 1, 0, p;}", "b32", "b32", "b32", "b32", lt_and, 0},
    {P "and.b32 t, %c, 1; setp.ne.u32 q, t, 0; setp.lt.xor.u32 p, %a, %b, !q; selp.b32 %d, 1, 0, p;}", "b32", "b32", "b32", "b32", lt_xor_not, 0},
    {P "mov.b64 {%d, t}, %a;}", "b32", "b64", 0, 0, low_word, 0}, {"{.reg .b32 l, h; mov.b64 {l, h}, %a; mov.b64 %d, {h, l};}", "b64", "b64", 0, 0, swap_words, 0},
    {"{.reg .b16 l, h; mov.b32 {l, h}, %a; mov.b32 %d, {h, l};}", "b32", "b32", 0, 0, swap_halves, 0},
    {"mov.b16 %d, %a;", "b16", "b16", 0, 0, copy16, 0}, {"mov.u32 %d, %a;", "b32", "b32", 0, 0, copy32, 0}, {"mov.u64 %d, %a;", "b64", "b64", 0, 0, copy64, 0},
    {"dp4a.u32.u32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", dp4a_u, 0}, {"dp4a.s32.s32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", dp4a_s, 0},
    {"dp4a.s32.u32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", dp4a_su, 0}, {"dp2a.lo.s32.s32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", dp2a, 0},
    {"dp2a.hi.u32.u32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", dp2a_hi, 0},
    {"{.reg .b32 l, h, x; mov.b64 {l, h}, %a; add.cc.u32 x, l, %b; addc.u32 x, h, 0; cvt.u64.u32 %d, x;}", "b64", "b64", "b32", 0, add_carry, 0},
    {P "sub.cc.u32 t, %a, %b; subc.u32 %d, %c, 0;}", "b32", "b32", "b32", "b32", sub_hi, 0},
    {P "mad.lo.cc.u32 t, %a, %b, %c; madc.hi.u32 %d, %a, %b, 0;}", "b32", "b32", "b32", "b32", madc_hi, 0},
};
const size_t integer_count = sizeof integer_cases / sizeof *integer_cases;
