// Exact arithmetic on binary floats: 128-bit significands, what falls off is kept as one
// sticky bit, rounding happens once, in real_encode.

#include "real.h"

const format FORMAT_F16 = {5, 10, false, 0x7fff}, FORMAT_BF16 = {8, 7, false, 0x7fff},
             FORMAT_F32 = {8, 23, false, 0x7fffffff},
             FORMAT_F64 = {11, 52, false, 0x7ff8000000000000}, FORMAT_E4M3 = {4, 3, true, 0x7f},
             FORMAT_E5M2 = {5, 2, false, 0x7f}, FORMAT_TF32 = {8, 10, false, 0x3ffff};

static int bias_of(const format *f)
{
    return (1 << (f->exponent - 1)) - 1;
}

static int top_bit(u128 m)
{
    return m >> 64 ? 127 - __builtin_clzll((u64)(m >> 64)) : 63 - __builtin_clzll((u64)m);
}

real real_decode(const format *f, u64 bits)
{
    u64 ones = ((u64)1 << f->exponent) - 1, field = bits >> f->fraction & ones;
    u64 m = bits & (((u64)1 << f->fraction) - 1);
    real x = {.sign = bits >> (f->exponent + f->fraction) & 1};
    if (f->no_infinity ? field == ones && m == ((u64)1 << f->fraction) - 1 : field == ones && m)
        x.what = R_NAN;
    else if (field == ones && !f->no_infinity)
        x.what = R_INF;
    else if (field || m) {
        x.what = R_FINITE;
        x.m = field ? m | (u64)1 << f->fraction : m;
        x.e = (int)(field ? field : 1) - bias_of(f) - f->fraction;
    }
    return x;
}

bool is_subnormal(const format *f, u64 bits)
{
    u64 field = bits >> f->fraction & (((u64)1 << f->exponent) - 1);
    return !field && bits & (((u64)1 << f->fraction) - 1);
}

static u128 shift_right(u128 m, int by) // with a sticky bit
{
    if (by <= 0)
        return m;
    if (by > 127)
        return m != 0;
    return m >> by | ((m << (128 - by)) != 0);
}

// m * 2^e as a multiple of 2^q.
static u128 round_at(real x, int q, rounding r)
{
    int shift = q - x.e;
    if (shift <= 0)
        return x.m << -shift;
    u128 n = shift > 127 ? 0 : x.m >> shift;
    u128 rest = shift > 127 ? x.m != 0 : x.m << (128 - shift), half = (u128)1 << 127;
    if (shift > 127)
        rest = x.m ? 1 : 0;
    bool up = false;
    switch (r) {
    case RN: up = rest > half || (rest == half && n & 1); break;
    case RNA: up = rest >= half; break;
    case RZ: break;
    case RM: up = rest && x.sign; break;
    case RP: up = rest && !x.sign; break;
    }
    return n + up;
}

u64 real_encode(const format *f, real x, rounding r, bool finite)
{
    u64 sign = (u64)x.sign << (f->exponent + f->fraction), ones = ((u64)1 << f->exponent) - 1;
    u64 most = f->no_infinity ? (ones << f->fraction | (((u64)1 << f->fraction) - 1)) - 1
                              : (ones << f->fraction) - 1;
    if (x.what == R_NAN)
        return f->nan;
    if (x.what == R_ZERO)
        return sign;
    if (x.what == R_INF)
        return sign | (finite ? most : f->no_infinity ? f->nan : ones << f->fraction);
    int least = 1 - bias_of(f), top = top_bit(x.m) + x.e;
    int q = (top > least ? top : least) - f->fraction;
    u64 n = (u64)round_at(x, q, r);
    u64 bits = n; // subnormal, or with its hidden bit the smallest normal
    if (top > least)
        bits = ((u64)(top + bias_of(f) - 1) << f->fraction) + n;
    if (top - least > (1 << f->exponent) || bits > most) {
        bool stays = finite || r == RZ || (r == RM && !x.sign) || (r == RP && x.sign);
        bits = stays ? most : f->no_infinity ? f->nan : ones << f->fraction;
    }
    return sign | bits;
}

real real_of_integer(s128 v)
{
    real x = {.what = v ? R_FINITE : R_ZERO, .sign = v < 0, .m = v < 0 ? -(u128)v : (u128)v};
    return x;
}

s128 real_to_integer(real x, rounding r)
{
    if (x.what == R_ZERO)
        return 0;
    s128 most = (s128)1 << 100;
    if (x.what == R_INF || top_bit(x.m) + x.e >= 100)
        return x.sign ? -most : most;
    u128 n = round_at(x, 0, r);
    return x.sign ? -(s128)n : (s128)n;
}

real real_integral(real x, rounding r)
{
    if (x.what != R_FINITE || x.e >= 0)
        return x;
    real y = {.what = R_FINITE, .sign = x.sign, .m = round_at(x, 0, r)};
    if (!y.m)
        y.what = R_ZERO;
    return y;
}

static real nan_real(void)
{
    return (real){.what = R_NAN};
}

static real up_to(real x, int top) // the same value with its highest bit there
{
    int by = top - top_bit(x.m);
    x.m = by >= 0 ? x.m << by : shift_right(x.m, -by);
    x.e -= by;
    return x;
}

real real_add(real x, real y, rounding r)
{
    if (x.what == R_NAN || y.what == R_NAN)
        return nan_real();
    if (x.what == R_INF || y.what == R_INF)
        return x.what != R_INF ? y : y.what != R_INF || x.sign == y.sign ? x : nan_real();
    if (x.what == R_ZERO && y.what == R_ZERO) {
        x.sign = x.sign == y.sign ? x.sign : r == RM;
        return x;
    }
    if (x.what == R_ZERO || y.what == R_ZERO)
        return x.what == R_ZERO ? y : x;
    x = up_to(x, 124);
    y = up_to(y, 124);
    if (x.e < y.e) {
        real t = x;
        x = y;
        y = t;
    }
    y.m = shift_right(y.m, x.e - y.e);
    if (x.sign == y.sign) {
        x.m += y.m;
        return x;
    }
    if (x.m == y.m)
        return (real){.what = R_ZERO, .sign = r == RM};
    x.sign = x.m > y.m ? x.sign : y.sign;
    x.m = x.m > y.m ? x.m - y.m : y.m - x.m;
    return x;
}

real real_mul(real x, real y)
{
    bool sign = x.sign != y.sign;
    if (x.what == R_NAN || y.what == R_NAN || (x.what == R_INF && y.what == R_ZERO) ||
        (x.what == R_ZERO && y.what == R_INF))
        return nan_real();
    if (x.what == R_INF || y.what == R_INF)
        return (real){.what = R_INF, .sign = sign};
    if (x.what == R_ZERO || y.what == R_ZERO)
        return (real){.what = R_ZERO, .sign = sign};
    return (real){.what = R_FINITE, .sign = sign, .m = x.m * y.m, .e = x.e + y.e};
}

real real_div(real x, real y)
{
    bool sign = x.sign != y.sign;
    if (x.what == R_NAN || y.what == R_NAN || (x.what == y.what && x.what != R_FINITE))
        return nan_real();
    if (x.what == R_INF || y.what == R_ZERO)
        return (real){.what = R_INF, .sign = sign};
    if (x.what == R_ZERO || y.what == R_INF)
        return (real){.what = R_ZERO, .sign = sign};
    x = up_to(x, 126);
    real q = {.what = R_FINITE, .sign = sign, .m = x.m / y.m, .e = x.e - y.e};
    q.m |= x.m % y.m != 0;
    return q;
}

real real_sqrt(real x)
{
    if (x.what == R_NAN || x.what == R_ZERO || (x.what == R_INF && !x.sign))
        return x;
    if (x.sign)
        return nan_real();
    x = up_to(x, 125);
    if (x.e & 1)
        x.m <<= 1, x.e -= 1;
    u128 root = 0, rest = x.m;
    for (u128 bit = (u128)1 << 126; bit; bit >>= 2) {
        if (rest >= root + bit) {
            rest -= root + bit;
            root = (root >> 1) + bit;
        } else {
            root >>= 1;
        }
    }
    return (real){.what = R_FINITE, .m = root | (rest != 0), .e = x.e / 2};
}

int real_compare(real x, real y)
{
    if (x.what == R_ZERO && y.what == R_ZERO)
        return 0;
    if (x.what == R_INF && y.what == R_INF && x.sign == y.sign)
        return 0;
    if (x.what == R_INF || y.what == R_INF)
        return x.what == R_INF ? (x.sign ? -1 : 1) : y.sign ? 1 : -1;
    y.sign = !y.sign;
    real d = real_add(x, y, RN);
    return d.what == R_ZERO ? 0 : d.sign ? -1 : 1;
}
