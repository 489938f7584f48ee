// setp and set: compare, combine with a predicate, write one or two predicates.
//
// o->sub: the comparison. o->mode: how to combine with predicate c (COMBINE_*).
// o->e: the second result, the combination with the comparison's opposite.

#include "half.h"

enum { C_EQ, C_NE, C_LT, C_LE, C_GT, C_GE, C_EQU, C_NEU, C_LTU, C_LEU, C_GTU, C_GEU,
       C_NUM, C_NAN };

// t: what the comparison says; u: of a pair's upper halves, else NULL.
static inline int combine(warp *w, const op *o, const u8 *t, const u8 *u)
{
    u8 *d = AT(w, o->d), *e = AT(w, o->e);
    const u8 *c = AT(w, o->c);
    if (o->mode == 0 && !o->e && !u) { // most of them
        if (w->full)
            memcpy(d, t, 32);
        else
            LANES (l)
                d[l] = w->lane[l] ? t[l] : d[l];
        return GO;
    }
    u8 p[32], q[32], flip = o->mode > 3 ? 255 : 0;
    LANES (l) {
        p[l] = t[l];
        q[l] = u ? u[l] : (u8)~t[l];
    }
    switch (o->mode & 3) {
    case 1:
        LANES (l) {
            p[l] &= c[l] ^ flip;
            q[l] &= c[l] ^ flip;
        }
        break;
    case 2:
        LANES (l) {
            p[l] |= c[l] ^ flip;
            q[l] |= c[l] ^ flip;
        }
        break;
    case 3:
        LANES (l) {
            p[l] ^= c[l] ^ flip;
            q[l] ^= c[l] ^ flip;
        }
        break;
    }
    LANES (l)
        d[l] = w->lane[l] ? p[l] : d[l];
    if (o->e)
        LANES (l)
            e[l] = w->lane[l] ? q[l] : e[l];
    return GO;
}

#define LOOP(condition)                                                               \
    LANES (l) {                                                                       \
        __typeof__(a[0]) x = a[l], y = b[l];                                          \
        t[l] = (condition) ? 255 : 0;                                                 \
    }                                                                                 \
    break

#define INTEGERS(T)                                                                   \
    int SIMT_FN(setp_##T)(warp * w, const op *o)                                      \
    {                                                                                 \
        const T *a = AT(w, o->a), *b = AT(w, o->b);                                   \
        _Alignas(32) u8 t[32];                                                        \
        switch (o->sub) {                                                             \
        case C_EQ: LOOP(x == y);                                                      \
        case C_NE: LOOP(x != y);                                                      \
        case C_LT: LOOP(x < y);                                                       \
        case C_LE: LOOP(x <= y);                                                      \
        case C_GT: LOOP(x > y);                                                       \
        default: LOOP(x >= y);                                                        \
        }                                                                             \
        return combine(w, o, t, NULL);                                                     \
    }
INTEGERS(u16)
INTEGERS(s16)
INTEGERS(u32)
INTEGERS(s32)
INTEGERS(u64)
INTEGERS(s64)

#define COMPARE(T)                                                                    \
    static inline void compare_##T(int how, const T *a, const T *b, u8 *t, int n)     \
    {                                                                                 \
        switch (how) {                                                                \
        case C_EQ: MANY(x == y);                                                      \
        case C_NE: MANY(x < y || x > y);                                              \
        case C_LT: MANY(x < y);                                                       \
        case C_LE: MANY(x <= y);                                                      \
        case C_GT: MANY(x > y);                                                       \
        case C_GE: MANY(x >= y);                                                      \
        case C_EQU: MANY(!(x < y || x > y));                                          \
        case C_NEU: MANY(x != y);                                                     \
        case C_LTU: MANY(!(x >= y));                                                  \
        case C_LEU: MANY(!(x > y));                                                   \
        case C_GTU: MANY(!(x <= y));                                                  \
        case C_GEU: MANY(!(x < y));                                                   \
        case C_NUM: MANY(x == x && y == y);                                           \
        default: MANY(x != x || y != y);                                              \
        }                                                                             \
    }
#define MANY(condition)                                                               \
    for (int l = 0; l < n; l++) {                                                     \
        __typeof__(a[0]) x = a[l], y = b[l];                                          \
        t[l] = (condition) ? 255 : 0;                                                 \
    }                                                                                 \
    break
COMPARE(f32)
COMPARE(f64)

int SIMT_FN(setp_f32)(warp *w, const op *o)
{
    const f32 *a = AT(w, o->a), *b = AT(w, o->b);
    _Alignas(32) u8 t[32];
    f32 x[32], y[32];
    if (o->imm) { // .ftz
        LANES (l) {
            x[l] = flush_f32(a[l]);
            y[l] = flush_f32(b[l]);
        }
        a = x;
        b = y;
    }
    compare_f32(o->sub, a, b, t, 32);
    return combine(w, o, t, NULL);
}

int SIMT_FN(setp_f64)(warp *w, const op *o)
{
    _Alignas(32) u8 t[32];
    compare_f64(o->sub, AT(w, o->a), AT(w, o->b), t, 32);
    return combine(w, o, t, NULL);
}

// 16-bit floats: o->bytes 1 for bf16; o->width 4 for pairs, whose lower halves' result is
// p and whose upper halves' is q.
int SIMT_FN(setp_half)(warp *w, const op *o)
{
    f32 x[64], y[64];
    u8 t[64], low[32], high[32];
    int n = 16 * o->width;
    widen_halves(x, AT(w, o->a), n, o->bytes, o->imm);
    widen_halves(y, AT(w, o->b), n, o->bytes, o->imm);
    compare_f32(o->sub, x, y, t, n);
    if (n == 32)
        return combine(w, o, t, NULL);
    LANES (l) {
        low[l] = t[2 * l];
        high[l] = t[2 * l + 1];
    }
    return combine(w, o, low, high);
}

// set writes o->imm (ones, or a 1.0) where setp, in scratch, wrote true: a, and of a pair
// b for the upper half.
OP1(set_b32, u32, u8, x ? (u32)o->imm : 0)
OP1(set_b16, u16, u8, x ? (u16)o->imm : 0)
OP2(set_pair, u32, u8, u8, (x ? (u32)o->imm : 0) | (y ? (u32)o->imm << 16 : 0))
