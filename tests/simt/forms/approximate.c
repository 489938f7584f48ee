// The error of an approximate result, as a share of what the PTX manual allows.

#include "real.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef long double wide;

static wide value(const format *t, u64 bits, bool ftz)
{
    if (ftz && is_subnormal(t, bits))
        bits &= (u64)1 << (t->exponent + t->fraction);
    real x = real_decode(t, bits);
    wide v = x.what == R_NAN ? NAN : x.what == R_INF ? INFINITY : ldexpl((wide)x.m, x.e);
    return x.sign ? -v : v;
}

static wide exact(const form *f, wide x, wide y)
{
    const char *op = f->part[0];
    return IS(op, "div")     ? x / y
           : IS(op, "rcp")   ? 1 / x
           : IS(op, "sqrt")  ? sqrtl(x)
           : IS(op, "rsqrt") ? 1 / sqrtl(x)
           : IS(op, "sin")   ? sinl(x)
           : IS(op, "cos")   ? cosl(x)
           : IS(op, "lg2")   ? log2l(x)
           : IS(op, "ex2")   ? exp2l(x)
                                  : tanhl(x);
}

static double error_one(const form *f, const format *t, u64 a, u64 b, u64 got)
{
    bool ftz = HAS(f, ftz);
    int low = 1 - ((1 << (t->exponent - 1)) - 1);
    wide x = value(t, a, ftz), y = value(t, b, ftz), want = exact(f, x, y), z = value(t, got, false);
    const char *op = f->part[0];
    double limit = exp2(atof(f->bound + 4));
    wide most = value(t, (((u64)1 << t->exponent) - 1) << t->fraction, false), unit = ldexpl(1, low);
    most = ldexpl(2 - ldexpl(1, -t->fraction), -low + 1);
    if (IS(op, "div") && fabsl(y) > 0x1p126L && !isinf(y))
        return 0; // div.approx says 0 or NaN there; div.full scales
    if (isnan(want) || isnan(z))
        return isnan(want) && isnan(z) ? 0 : INFINITY;
    if (IS(op, "sin") || IS(op, "cos")) {
        if (fabsl(x) > 100 * 3.1416L)
            return 0; // no bound is given
        if (fabsl(x) > 2 * 3.1415926L)
            limit = 0x1.3p-15; // 2^-14.7
    }
    if (ftz && fabsl(want) < unit)
        return fabsl(z) <= unit ? 0 : INFINITY;
    if (isinf(want) || fabsl(want) > most)
        return z == copysignl(INFINITY, want) || fabsl(z) >= most ? 0 : INFINITY;
    if (isinf(z))
        return fabsl(want) > most * (1 - ldexpl(1, -t->fraction)) ? 0 : INFINITY;
    wide off = fabsl(z - want);
    if (!off)
        return 0;
    wide scale = fabsl(want), quantum = ldexpl(1, low - t->fraction);
    if (f->bound[0] == 'u') {
        int e = scale ? (int)floorl(log2l(scale)) : low;
        return (double)(off / ldexpl(1, (e < low ? low : e) - t->fraction) / atof(f->bound + 4));
    }
    if (IS(op, "lg2") && x > 0.5L && x < 2)
        scale = 1;
    else if (f->bound[0] == 'a')
        scale = 1;
    wide allowed = scale * limit;
    if (allowed < quantum && f->bound[0] == 'r')
        allowed = quantum; // a subnormal cannot be nearer
    return (double)(off / allowed);
}

double error_of(const form *f, const u64 *in, u64 got)
{
    switch (f->d) {
    case KIND_F32: return error_one(f, &FORMAT_F32, in[0], in[1], got);
    case KIND_F64: { // rcp and rsqrt with .ftz do not look at the low word
        u64 seen = HAS(f, ftz) ? in[0] & 0xffffffff00000000u : in[0];
        return error_one(f, &FORMAT_F64, seen, in[1], got);
    }
    case KIND_F16: return error_one(f, &FORMAT_F16, in[0], in[1], got);
    case KIND_BF16: return error_one(f, &FORMAT_BF16, in[0], in[1], got);
    default: break;
    }
    const format *t = f->d == KIND_F16X2 ? &FORMAT_F16 : &FORMAT_BF16;
    double x = error_one(f, t, in[0] & 0xffff, in[1] & 0xffff, got & 0xffff);
    double y = error_one(f, t, in[0] >> 16, in[1] >> 16, got >> 16);
    return x > y ? x : y;
}
