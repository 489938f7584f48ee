// How handlers are written: loops over lanes for the operations of exec_*.c.
//
// The files that include this are compiled once for each instruction set; SIMT_FN
// gives every handler its instruction set's name. A loop computes all 32 lanes and
// keeps the results of the active ones, which costs less than testing each lane.

#ifndef SIMT_LANES_H
#define SIMT_LANES_H

#include "exec.h"

#include <math.h>
#include <string.h>

#ifndef SIMT_ISA
#define SIMT_ISA base
#endif
#define SIMT_JOIN_(name, isa) name##_##isa
#define SIMT_JOIN(name, isa) SIMT_JOIN_(name, isa)
#define SIMT_FN(name) SIMT_JOIN(h_##name, SIMT_ISA)

#define AT(w, operand) ((void *)((w)->bank[(operand) >> 30] + ((operand) & 0x3fffffffu)))
#define LANES(l) _Pragma("GCC ivdep") for (int l = 0; l < 32; l++)
#define ACTIVE(w, l) ((w)->mask >> (l) & 1)

// d = expression of x, y, z, which have type T; R is the type of the result.
#define OP1(name, R, T, expression)                                                   \
    int SIMT_FN(name)(warp * w, const op *o)                                          \
    {                                                                                 \
        const T *a = AT(w, o->a);                                            \
        R *d = AT(w, o->d);                                                           \
        if (w->full) {                                                                \
            LANES (l) {                                                               \
                T x = a[l];                                                  \
                d[l] = (R)(expression);                                               \
            }                                                                         \
        } else {                                                                      \
            LANES (l) {                                                               \
                T x = a[l];                                                  \
                R r = (R)(expression);                                                \
                d[l] = w->lane[l] ? r : d[l];                                         \
            }                                                                         \
        }                                                                             \
        return GO;                                                                    \
    }

#define OP2(name, R, T, U, expression)                                                \
    int SIMT_FN(name)(warp * w, const op *o)                                          \
    {                                                                                 \
        const T *a = AT(w, o->a);                                                     \
        const U *b = AT(w, o->b);                                                     \
        R *d = AT(w, o->d);                                                           \
        if (w->full) {                                                                \
            LANES (l) {                                                               \
                T x = a[l];                                                           \
                U y = b[l];                                                           \
                d[l] = (R)(expression);                                               \
            }                                                                         \
        } else {                                                                      \
            LANES (l) {                                                               \
                T x = a[l];                                                           \
                U y = b[l];                                                           \
                R r = (R)(expression);                                                \
                d[l] = w->lane[l] ? r : d[l];                                         \
            }                                                                         \
        }                                                                             \
        return GO;                                                                    \
    }

#define OP3(name, R, T, U, V, expression)                                             \
    int SIMT_FN(name)(warp * w, const op *o)                                          \
    {                                                                                 \
        const T *a = AT(w, o->a);                                                     \
        const U *b = AT(w, o->b);                                                     \
        const V *c = AT(w, o->c);                                                     \
        R *d = AT(w, o->d);                                                           \
        if (w->full) {                                                                \
            LANES (l) {                                                               \
                T x = a[l];                                                           \
                U y = b[l];                                                           \
                V z = c[l];                                                           \
                d[l] = (R)(expression);                                               \
            }                                                                         \
        } else {                                                                      \
            LANES (l) {                                                               \
                T x = a[l];                                                           \
                U y = b[l];                                                           \
                V z = c[l];                                                           \
                R r = (R)(expression);                                                \
                d[l] = w->lane[l] ? r : d[l];                                         \
            }                                                                         \
        }                                                                             \
        return GO;                                                                    \
    }

typedef uint8_t u8;
typedef int8_t s8;
typedef uint16_t u16;
typedef int16_t s16;
typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
typedef int64_t s64;
typedef float f32;
typedef double f64;
typedef unsigned __int128 u128;
typedef __int128 s128;

static inline u32 bits_f32(f32 x)
{
    u32 r;
    memcpy(&r, &x, 4);
    return r;
}

static inline f32 f32_bits(u32 x)
{
    f32 r;
    memcpy(&r, &x, 4);
    return r;
}

static inline u64 bits_f64(f64 x)
{
    u64 r;
    memcpy(&r, &x, 8);
    return r;
}

static inline f64 f64_bits(u64 x)
{
    f64 r;
    memcpy(&r, &x, 8);
    return r;
}

// PTX: the NaN that an f32 operation makes is 0x7fffffff, whatever went in.
static inline f32 nan_f32(f32 x)
{
    return x == x ? x : f32_bits(0x7fffffffu);
}

static inline f32 flush_f32(f32 x)
{
    u32 b = bits_f32(x);
    return b & 0x7f800000u ? x : f32_bits(b & 0x80000000u);
}

static inline f32 saturate_f32(f32 x) // [0, 1], NaN to +0
{
    return !(x > 0) ? 0 : x < 1 ? x : 1;
}

static inline f64 saturate_f64(f64 x)
{
    return !(x > 0) ? 0 : x < 1 ? x : 1;
}

// Bit l of a predicate register's lane l.
static inline u32 predicate_mask(const u8 *p)
{
#if defined(__AVX2__)
    typedef char v32 __attribute__((vector_size(32)));
    v32 v;
    memcpy(&v, p, 32);
    return (u32)__builtin_ia32_pmovmskb256(v);
#elif defined(__SSE2__)
    typedef char v16 __attribute__((vector_size(16)));
    v16 low, high;
    memcpy(&low, p, 16);
    memcpy(&high, p + 16, 16);
    return (u32)__builtin_ia32_pmovmskb128(low) |
           (u32)__builtin_ia32_pmovmskb128(high) << 16;
#else
    u32 m = 0;
    for (int l = 0; l < 32; l++)
        m |= (u32)(p[l] & 1) << l;
    return m;
#endif
}

#endif
