// What PTX says a floating-point form gives, on the exact numbers of real.h.

#include "real.h"

#include <string.h>

static const format *format_of(const char *type)
{
    static const struct { const char *name; const format *f; } names[] = {
        {"f16", &FORMAT_F16}, {"bf16", &FORMAT_BF16}, {"f32", &FORMAT_F32}, {"f64", &FORMAT_F64},
        {"f16x2", &FORMAT_F16}, {"bf16x2", &FORMAT_BF16}, {"tf32", &FORMAT_TF32},
        {"e4m3x2", &FORMAT_E4M3}, {"e5m2x2", &FORMAT_E5M2}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i].name, type))
            return names[i].f;
    return NULL;
}

// The types among the mnemonic's parts, last first.
static const char *type_from_end(const form *f, int skip)
{
    for (int i = f->parts - 1; i > 0; i--) {
        const char *p = f->part[i];
        bool is = format_of(p) || (strchr("usb", p[0]) && p[1] >= '1' && p[1] <= '8');
        if (is && skip-- == 0)
            return p;
    }
    return NULL;
}

static int bits_of(const char *type) // of an integer
{
    return (int)(type[1] - '0') * (type[2] ? 10 : 1) + (type[2] ? type[2] - '0' : 0);
}

static rounding rounding_of(const form *f)
{
    return HAS(f, rz) || HAS(f, rzi)   ? RZ
           : HAS(f, rm) || HAS(f, rmi) ? RM
           : HAS(f, rp) || HAS(f, rpi) ? RP
           : HAS(f, rna)                      ? RNA
                                                     : RN;
}

static u64 sign_bit(const format *t)
{
    return (u64)1 << (t->exponent + t->fraction);
}

// .ftz: of cvt it means f32 only, but not when that becomes an f16 (so an H200); of the
// others the type at hand; never f64.
static bool flushes(const form *f, const format *t)
{
    bool cvt = f->part[0][1] == 'v';
    if (cvt && f->d == KIND_F16)
        return false;
    return HAS(f, ftz) && (cvt ? t == &FORMAT_F32 : t != &FORMAT_F64);
}

static u64 flush(const format *t, u64 bits)
{
    return is_subnormal(t, bits) ? bits & sign_bit(t) : bits;
}

static real input(const form *f, const format *t, u64 bits)
{
    return real_decode(t, flushes(f, t) ? flush(t, bits) : bits);
}

// Whether .ftz flushes x: rounded to as many bits, but with exponents without bound, it is
// less than the least normal number. An H200 decides so.
static bool is_tiny(const format *t, real x, rounding r)
{
    int up = t->exponent == 5 ? 8 : 64;
    real least = {.what = R_FINITE, .m = 1, .e = 2 - (1 << (t->exponent - 1)) + up};
    if (x.what != R_FINITE)
        return false;
    x.e += up;
    x = real_decode(t, real_encode(t, x, r, false));
    x.sign = false;
    return x.what == R_ZERO || (x.what == R_FINITE && real_compare(x, least) < 0);
}

static u64 output(const form *f, const format *t, real x, rounding r)
{
    if (HAS(f, sat)) {
        real one = real_of_integer(1);
        if (x.what == R_NAN || x.sign)
            x = (real){.what = R_ZERO};
        else if (x.what == R_INF || (x.what == R_FINITE && real_compare(x, one) > 0))
            x = one;
    }
    if (HAS(f, relu) && x.what != R_NAN && x.sign)
        x = (real){.what = R_ZERO};
    u64 bits = real_encode(t, x, r, HAS(f, satfinite));
    if (flushes(f, t) && f->part[0][1] != 'v' && is_tiny(t, x, r))
        return bits & sign_bit(t);
    return flushes(f, t) ? flush(t, bits) : bits;
}

static real lesser(real x, real y, bool greater)
{
    int c = real_compare(x, y);
    if (c == 0)
        return x.sign != greater ? x : y;
    return (c < 0) != greater ? x : y;
}

static bool arithmetic(const form *f, const format *t, const u64 *in, u64 *out)
{
    const char *op = f->part[0];
    rounding r = rounding_of(f);
    real x = input(f, t, in[0]), y = f->arity > 1 ? input(f, t, in[1]) : x;
    if (IS(op, "sub"))
        y.sign = !y.sign;
    if (IS(op, "add") || IS(op, "sub"))
        *out = output(f, t, real_add(x, y, r), r);
    else if (IS(op, "mul"))
        *out = output(f, t, real_mul(x, y), r);
    else if (IS(op, "fma") || IS(op, "mad"))
        *out = output(f, t, real_add(real_mul(x, y), input(f, t, in[2]), r), r);
    else if (IS(op, "div"))
        *out = output(f, t, real_div(x, y), r);
    else if (IS(op, "rcp"))
        *out = output(f, t, real_div(real_of_integer(1), x), r);
    else if (IS(op, "sqrt"))
        *out = output(f, t, real_sqrt(x), r);
    else if (IS(op, "min") || IS(op, "max")) {
        bool sign = x.sign != y.sign, absolute = HAS(f, abs);
        real z = x;
        if (absolute)
            x.sign = y.sign = false;
        if (x.what == R_NAN || y.what == R_NAN)
            z = HAS(f, NaN) || x.what == y.what ? (real){.what = R_NAN} : x.what == R_NAN ? y : x;
        else
            z = lesser(x, y, op[1] == 'a');
        if (absolute)
            z.sign = sign;
        *out = real_encode(t, z, RN, false);
    } else if (IS(op, "abs") || IS(op, "neg")) {
        x.sign = op[0] == 'n' && !x.sign;
        *out = real_encode(t, x, RN, false);
    } else if (IS(op, "copysign")) {
        *out = (in[0] & sign_bit(t)) | (in[1] & ~sign_bit(t) & (sign_bit(t) * 2 - 1));
    } else if (IS(op, "testp")) {
        bool sub = is_subnormal(t, in[0]), finite = x.what == R_ZERO || x.what == R_FINITE;
        *out = HAS(f, finite)       ? finite
               : HAS(f, infinite)   ? x.what == R_INF
               : HAS(f, number)     ? x.what != R_NAN
               : HAS(f, notanumber) ? x.what == R_NAN
               : HAS(f, normal)     ? finite && !sub
                                           : sub;
    } else {
        return false;
    }
    return true;
}

bool reference_compare(const form *f, int c, bool unordered, bool third, u64 *out);

static bool compare(const form *f, const format *t, const u64 *in, u64 *out)
{
    real x = input(f, t, in[0]), y = input(f, t, in[1]);
    bool unordered = x.what == R_NAN || y.what == R_NAN;
    return reference_compare(f, unordered ? 0 : real_compare(x, y), unordered, (s32)in[2] < 0, out);
}

static u64 clamp(s128 v, const char *type)
{
    int bits = bits_of(type);
    s128 most = ((s128)1 << (type[0] == 's' ? bits - 1 : bits)) - 1;
    s128 least = type[0] == 's' ? -most - 1 : 0;
    return (u64)(v > most ? most : v < least ? least : v);
}

static s128 integer(u64 bits, const char *type)
{
    int n = 64 - bits_of(type);
    return type[0] == 's' ? (s128)((s64)(bits << n) >> n) : (s128)(bits << n >> n);
}

// A form's last two types, looked up once for its many cases.
static struct types {
    const form *f;
    const char *from, *to;
    const format *source, *target;
} types;

static void look_up(const form *f)
{
    if (types.f == f)
        return;
    types = (struct types){f, type_from_end(f, 0), type_from_end(f, 1), NULL, NULL};
    types.source = types.from ? format_of(types.from) : NULL;
    types.target = types.to ? format_of(types.to) : NULL;
}

static bool convert(const form *f, const u64 *in, u64 *out)
{
    const char *from = types.from, *to = types.to;
    const format *source = types.source, *target = types.target;
    rounding r = rounding_of(f);
    u64 width = 8 * (u64)kind_bytes(f->d);
    if (strstr(to, "x2")) { // two results from two values, or from a pair
        bool fp8_in = strchr(from, 'e'), pair = strstr(from, "x2") != NULL;
        int n = fp8_in ? 8 : 16, m = to[0] == 'e' ? 8 : 16;
        u64 low = pair ? in[0] & ((1u << n) - 1) : in[1], high = pair ? in[0] >> n : in[0];
        *out = output(f, target, input(f, source, low), r) |
               output(f, target, input(f, source, high), r) << m;
        return true;
    }
    if (r == RNA) { // an H200 adds to the bits
        bool finite = (in[0] & 0x7f800000) != 0x7f800000;
        *out = (in[0] + (finite ? 0x1000 : 0)) & 0xffffe000u;
        return true;
    }
    if (!strcmp(to, "tf32")) {
        *out = output(f, target, input(f, source, in[0]), r) << 13;
        if ((*out & 0x7fffffff) > 0x7f800000)
            *out = 0x7fffffff;
        return true;
    }
    if (source && target) {
        real x = input(f, source, in[0]);
        bool integral = HAS(f, rni) || HAS(f, rzi) || HAS(f, rmi) ||
                        HAS(f, rpi);
        bool plain = source == &FORMAT_F32 && !f->asked; // a copy
        if (x.what == R_NAN && target == &FORMAT_F32 && !HAS(f, sat) &&
            (plain || source == &FORMAT_F64 || source == &FORMAT_BF16)) {
            // A NaN keeps its bits, as many as there is room for, on an H200.
            *out = plain                     ? in[0]
                   : source == &FORMAT_BF16 ? in[0] << 16
                                             : in[0] >> 63 << 31 | 0x7fc00000 | (in[0] >> 29 & 0x7fffff);
            return true;
        }
        if (integral)
            x = real_integral(x, r), r = RN;
        *out = output(f, target, x, r);
    } else if (source) {
        real x = input(f, source, in[0]);
        int bits = bits_of(to);
        *out = x.what != R_NAN ? clamp(real_to_integer(x, r), to)
               : source == &FORMAT_F64 || bits == 64 // PTX: the upper bit alone, else 0
                   ? (u64)integer((u64)1 << (bits - 1), to)
                   : 0;
    } else if (target) {
        *out = output(f, target, real_of_integer(integer(in[0], from)), r);
    } else {
        s128 v = integer(in[0], from);
        *out = HAS(f, sat) ? clamp(v, to) : (u64)integer((u64)v, to);
    }
    *out = width == 64 ? *out : *out & (((u64)1 << width) - 1);
    return true;
}

bool reference_real(const form *f, const u64 *in, u64 *out)
{
    look_up(f);
    if (IS(f->part[0], "cvt"))
        return convert(f, in, out);
    const char *type = types.from;
    const format *t = types.source;
    if (!t)
        return false;
    bool comparison = !strncmp(f->part[0], "set", 3);
    if (!strstr(type, "x2"))
        return comparison ? compare(f, t, in, out) : arithmetic(f, t, in, out);
    u64 low[SOURCES], high[SOURCES], p, q;
    for (int i = 0; i < SOURCES; i++) {
        low[i] = in[i] & 0xffff;
        high[i] = in[i] >> 16;
    }
    if (comparison) {
        low[2] = high[2] = in[2];
        if (!compare(f, t, low, &p) || !compare(f, t, high, &q))
            return false;
        *out = f->part[0][3] ? (p & 1) | (q & 1) << 1 : p | q << 16; // setp: p low, q high
        return true;
    }
    if (!arithmetic(f, t, low, &p) || !arithmetic(f, t, high, &q))
        return false;
    *out = p | q << 16;
    return true;
}
