// Integer arithmetic, as PTX defines it: wrapping. Where PTX leaves it open an H200
// decides: quotient and remainder of a division by zero are all ones.

#include "lanes.h"

#define EACH_WIDTH(M, name, expression)                                               \
    M(name##_u16, u16, u16, u16, expression) M(name##_u32, u32, u32, u32, expression) \
    M(name##_u64, u64, u64, u64, expression)
#define EACH_SIGNED(M, name, expression)                                              \
    M(name##_s16, s16, s16, s16, expression) M(name##_s32, s32, s32, s32, expression) \
    M(name##_s64, s64, s64, s64, expression)

EACH_WIDTH(OP2, add, x + y)
EACH_WIDTH(OP2, sub, x - y)
OP2(mul_u16, u16, u16, u16, (u32)x * y)
OP2(mul_u32, u32, u32, u32, x * y)
OP2(mul_u64, u64, u64, u64, x * y)
static inline s32 clamp_s32(s64 x)
{
    return (s32)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x);
}
OP2(add_sat_s32, s32, s32, s32, clamp_s32((s64)x + y))
OP2(sub_sat_s32, s32, s32, s32, clamp_s32((s64)x - y))
EACH_WIDTH(OP2, min, x < y ? x : y)
EACH_WIDTH(OP2, max, x > y ? x : y)
EACH_SIGNED(OP2, min, x < y ? x : y)
EACH_SIGNED(OP2, max, x > y ? x : y)
OP2(min_relu_s32, s32, s32, s32, (x < y ? x : y) < 0 ? 0 : x < y ? x : y)
OP2(max_relu_s32, s32, s32, s32, (x > y ? x : y) < 0 ? 0 : x > y ? x : y)

// Pairs of 16-bit integers.
#define PAIR(T, e) (u32)(u16)e((T)x, (T)y) | (u32)(u16)e((T)(x >> 16), (T)(y >> 16)) << 16
#define SUM(x, y) ((x) + (y))
#define LESS(x, y) ((x) < (y) ? (x) : (y))
#define MORE(x, y) ((x) > (y) ? (x) : (y))
#define RELU(x) ((x) < 0 ? 0 : (x))
#define LESS_RELU(x, y) RELU(LESS(x, y))
#define MORE_RELU(x, y) RELU(MORE(x, y))
OP2(add_u16x2, u32, u32, u32, PAIR(u16, SUM))
OP2(min_u16x2, u32, u32, u32, PAIR(u16, LESS))
OP2(max_u16x2, u32, u32, u32, PAIR(u16, MORE))
OP2(min_s16x2, u32, u32, u32, PAIR(s16, LESS))
OP2(max_s16x2, u32, u32, u32, PAIR(s16, MORE))
OP2(min_relu_s16x2, u32, u32, u32, PAIR(s16, LESS_RELU))
OP2(max_relu_s16x2, u32, u32, u32, PAIR(s16, MORE_RELU))

EACH_WIDTH(OP2, div, y ? x / y : (__typeof__(x))-1)
EACH_WIDTH(OP2, rem, y ? x % y : (__typeof__(x))-1)

// The one quotient that does not fit wraps; its remainder is 0.
#define DIVIDE(T, U)                                                                  \
    OP2(div_##T, T, T, T, y == 0 ? -1 : y == -1 ? (T)(0 - (U)x) : x / y)              \
    OP2(rem_##T, T, T, T, y == 0 ? -1 : y == -1 ? 0 : x % y)
DIVIDE(s16, u16)
DIVIDE(s32, u32)
DIVIDE(s64, u64)

OP2(mul_hi_u16, u16, u16, u16, (u32)x * y >> 16)
OP2(mul_hi_u32, u32, u32, u32, (u64)x * y >> 32)
OP2(mul_hi_u64, u64, u64, u64, (u128)x * y >> 64)
OP2(mul_hi_s16, s16, s16, s16, (s32)x * y >> 16)
OP2(mul_hi_s32, s32, s32, s32, (s64)x * y >> 32)
OP2(mul_hi_s64, s64, s64, s64, (s128)x * y >> 64)
OP2(mul_wide_u16, u32, u16, u16, (u32)x * y)
OP2(mul_wide_u32, u64, u32, u32, (u64)x * y)
OP2(mul_wide_s16, s32, s16, s16, (s32)x * y)
OP2(mul_wide_s32, s64, s32, s32, (s64)x * y)

// 24 by 24 bits: the lower 32 bits of the product, or those from bit 16 on.
#define S24(x) ((s64)((s32)((u32)(x) << 8) >> 8))
#define U24(x) ((u64)((x) & 0xffffff))
OP2(mul24_u32, u32, u32, u32, U24(x) * U24(y))
OP2(mul24_s32, u32, u32, u32, S24(x) * S24(y))
OP2(mul24_hi_u32, u32, u32, u32, U24(x) * U24(y) >> 16)
OP2(mul24_hi_s32, u32, u32, u32, S24(x) * S24(y) >> 16)
OP3(mad24_u32, u32, u32, u32, u32, U24(x) * U24(y) + z)
OP3(mad24_s32, u32, u32, u32, u32, (u64)(S24(x) * S24(y)) + z)
OP3(mad24_hi_u32, u32, u32, u32, u32, (U24(x) * U24(y) >> 16) + z)
OP3(mad24_hi_s32, u32, u32, u32, u32, (u64)(S24(x) * S24(y) >> 16) + z)
OP3(mad24_hi_sat_s32, s32, u32, u32, s32, clamp_s32((S24(x) * S24(y) >> 16) + z))

OP3(mad_u16, u16, u16, u16, u16, (u32)x * y + z)
OP3(mad_u32, u32, u32, u32, u32, x * y + z)
OP3(mad_u64, u64, u64, u64, u64, x * y + z)
OP3(mad_hi_u16, u16, u16, u16, u16, ((u32)x * y >> 16) + z)
OP3(mad_hi_s16, u16, s16, s16, u16, (u32)((s32)x * y >> 16) + z)
OP3(mad_hi_sat_s32, s32, s32, s32, s32, clamp_s32(((s64)x * y >> 32) + z))
OP3(mad_hi_u32, u32, u32, u32, u32, (u32)((u64)x * y >> 32) + z)
OP3(mad_hi_s32, u32, s32, s32, u32, (u32)((s64)x * y >> 32) + z)
OP3(mad_hi_u64, u64, u64, u64, u64, (u64)((u128)x * y >> 64) + z)
OP3(mad_hi_s64, u64, s64, s64, u64, (u64)((s128)x * y >> 64) + z)
OP3(mad_wide_u16, u32, u16, u16, u32, (u32)x * y + z)
OP3(mad_wide_u32, u64, u32, u32, u64, (u64)x * y + z)
OP3(mad_wide_s16, u32, s16, s16, u32, (u32)((s32)x * y) + z)
OP3(mad_wide_s32, u64, s32, s32, u64, (u64)((s64)x * y) + z)
OP3(sad_u16, u16, u16, u16, u16, (x > y ? x - y : y - x) + z)
OP3(sad_s16, u16, s16, s16, u16, (u32)(x > y ? x - y : y - x) + z)
OP3(sad_u64, u64, u64, u64, u64, (x > y ? x - y : y - x) + z)
OP3(sad_s64, u64, s64, s64, u64, (x > y ? (u64)x - (u64)y : (u64)y - (u64)x) + z)
OP3(sad_u32, u32, u32, u32, u32, (x > y ? x - y : y - x) + z)
OP3(sad_s32, u32, s32, s32, u32, (x > y ? (u32)x - (u32)y : (u32)y - (u32)x) + z)

OP1(neg_s16, u16, u16, 0 - x)
OP1(neg_s32, u32, u32, 0 - x)
OP1(neg_s64, u64, u64, 0 - x)
OP1(abs_s16, u16, u16, x >> 15 ? 0 - x : x)
OP1(abs_s32, u32, u32, x >> 31 ? 0 - x : x)
OP1(abs_s64, u64, u64, x >> 63 ? 0 - x : x)

// Four 8-bit, or two 16-bit by 8-bit, products added to z. o->sub: bit 0 a is signed,
// bit 1 b is signed, bit 2 dp2a takes the upper half of b.
int SIMT_FN(dp4a)(warp *w, const op *o)
{
    const u32 *a = AT(w, o->a), *b = AT(w, o->b), *c = AT(w, o->c);
    u32 *d = AT(w, o->d);
    for (int l = 0; l < 32; l++) {
        u32 sum = c[l];
        for (int i = 0; i < 32; i += 8) {
            s32 x = o->sub & 1 ? (s8)(a[l] >> i) : (u8)(a[l] >> i);
            s32 y = o->sub & 2 ? (s8)(b[l] >> i) : (u8)(b[l] >> i);
            sum += (u32)(x * y);
        }
        d[l] = ACTIVE(w, l) ? sum : d[l];
    }
    return GO;
}

int SIMT_FN(dp2a)(warp *w, const op *o)
{
    const u32 *a = AT(w, o->a), *b = AT(w, o->b), *c = AT(w, o->c);
    u32 *d = AT(w, o->d);
    for (int l = 0; l < 32; l++) {
        u32 sum = c[l];
        for (int i = 0; i < 2; i++) {
            s32 x = o->sub & 1 ? (s16)(a[l] >> 16 * i) : (u16)(a[l] >> 16 * i);
            int at = 8 * i + (o->sub & 4 ? 16 : 0);
            s32 y = o->sub & 2 ? (s8)(b[l] >> at) : (u8)(b[l] >> at);
            sum += (u32)(x * y);
        }
        d[l] = ACTIVE(w, l) ? sum : d[l];
    }
    return GO;
}

// add.cc, addc, sub.cc, subc, mad.cc, madc: o->sub bit 0 takes the carry in, bit 1
// sets it, bit 2 subtracts, bit 3 multiplies low, bit 4 multiplies high.
#define CARRY(name, T, S, W, X, bits)                                                       \
    int SIMT_FN(name)(warp * w, const op *o)                                          \
    {                                                                                 \
        const T *a = AT(w, o->a), *b = AT(w, o->b), *c = AT(w, o->c);                 \
        T *d = AT(w, o->d);                                                           \
        for (int l = 0; l < 32; l++) {                                                \
            if (!ACTIVE(w, l))                                                        \
                continue;                                                             \
            W product = (W)a[l] * b[l], in = o->sub & 1 ? w->carry[l] : 0, r;         \
            if (o->sub & 8)                                                           \
                r = (W)(T)product + c[l] + in;                                        \
            else if (o->sub & 16)                                                     \
                r = (W)(T)((o->is_signed ? (W)((X)(S)a[l] * (S)b[l]) : product) >> bits) + c[l] + in;                              \
            else if (o->sub & 4)                                                      \
                r = (W)a[l] - b[l] - in;                                              \
            else                                                                      \
                r = (W)a[l] + b[l] + in;                                              \
            d[l] = (T)r;                                                              \
            if (o->sub & 2)                                                           \
                w->carry[l] = (u8)(r >> bits & 1);                                    \
        }                                                                             \
        return GO;                                                                    \
    }
CARRY(carry_u32, u32, s32, u64, s64, 32)
CARRY(carry_u64, u64, s64, u128, s128, 64)
