// setp and set: compare, combine with a predicate, write one or two predicates.
//
// o->sub: the comparison. o->mode: how to combine with predicate c (COMBINE_*).
// o->e: the second result, the combination with the comparison's opposite.

#include "lanes.h"

enum { C_EQ, C_NE, C_LT, C_LE, C_GT, C_GE, C_EQU, C_NEU, C_LTU, C_LEU, C_GTU, C_GEU,
       C_NUM, C_NAN };

static inline int combine(warp *w, const op *o, const u8 *t)
{
    u8 *d = AT(w, o->d), *e = AT(w, o->e);
    const u8 *c = AT(w, o->c);
    if (o->mode == 0 && !o->e) { // most of them
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
        q[l] = (u8)~t[l];
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
        return combine(w, o, t);                                                      \
    }
INTEGERS(u16)
INTEGERS(s16)
INTEGERS(u32)
INTEGERS(s32)
INTEGERS(u64)
INTEGERS(s64)

#define FLUSH(x) (o->imm ? flush_f32(x) : (x))
#define REALS(T)                                                                      \
    int SIMT_FN(setp_##T)(warp * w, const op *o)                                      \
    {                                                                                 \
        const T *a = AT(w, o->a), *b = AT(w, o->b);                                   \
        _Alignas(32) u8 t[32];                                                        \
        T flushed[2][32];                                                             \
        if (o->imm) { /* .ftz */                                                      \
            for (int l = 0; l < 32; l++) {                                            \
                flushed[0][l] = (T)flush_f32((f32)a[l]);                              \
                flushed[1][l] = (T)flush_f32((f32)b[l]);                              \
            }                                                                         \
            a = flushed[0];                                                           \
            b = flushed[1];                                                           \
        }                                                                             \
        switch (o->sub) {                                                             \
        case C_EQ: LOOP(x == y);                                                      \
        case C_NE: LOOP(x < y || x > y);                                              \
        case C_LT: LOOP(x < y);                                                       \
        case C_LE: LOOP(x <= y);                                                      \
        case C_GT: LOOP(x > y);                                                       \
        case C_GE: LOOP(x >= y);                                                      \
        case C_EQU: LOOP(!(x < y || x > y));                                          \
        case C_NEU: LOOP(x != y);                                                     \
        case C_LTU: LOOP(!(x >= y));                                                  \
        case C_LEU: LOOP(!(x > y));                                                   \
        case C_GTU: LOOP(!(x <= y));                                                  \
        case C_GEU: LOOP(!(x < y));                                                   \
        case C_NUM: LOOP(x == x && y == y);                                           \
        default: LOOP(x != x || y != y);                                              \
        }                                                                             \
        return combine(w, o, t);                                                      \
    }
REALS(f32)
REALS(f64)

// set writes all ones (or 1.0) where setp writes true: o->a is setp's result.
OP1(set_b32, u32, u8, x ? 0xffffffffu : 0)
OP1(set_f32, f32, u8, x ? 1.0f : 0.0f)
OP1(set_b16, u16, u8, x ? 0xffffu : 0)
