// Exact arithmetic on binary floats of any format, slowly: the oracle's numbers.

#ifndef REAL_H
#define REAL_H

#include "forms.h"

// value = (-1)^sign * m * 2^e; the lowest bit of m also stands for all bits below it.
typedef struct real {
    enum { R_ZERO, R_FINITE, R_INF, R_NAN } what;
    bool sign;
    u128 m;
    int e;
} real;

typedef struct format {
    int exponent, fraction; // bits
    bool no_infinity;       // e4m3
    u64 nan;
} format;
extern const format FORMAT_F16, FORMAT_BF16, FORMAT_F32, FORMAT_F64, FORMAT_E4M3, FORMAT_E5M2,
    FORMAT_TF32;

typedef enum rounding { RN, RZ, RM, RP, RNA } rounding;

real real_decode(const format *f, u64 bits);
u64 real_encode(const format *f, real x, rounding r, bool finite);
real real_of_integer(s128 v);
s128 real_to_integer(real x, rounding r); // finite; saturates at 2^100
real real_integral(real x, rounding r);
real real_add(real x, real y, rounding r);
real real_mul(real x, real y);
real real_div(real x, real y);
real real_sqrt(real x);
int real_compare(real x, real y); // -1, 0, 1; neither a NaN
bool is_subnormal(const format *f, u64 bits);

#endif
