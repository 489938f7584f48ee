// Floating-point instructions. The oracles compute in a wider type and round, with the
// host's own rounding modes where PTX names one; approximations get a bound.

#include "lab.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

typedef uint64_t u64;
typedef uint32_t u32;
typedef float f32;
typedef double f64;

static f32 f(u64 bits) { u32 b = (u32)bits; f32 x; memcpy(&x, &b, 4); return x; }
static u64 b32(f32 x) { u32 b; memcpy(&b, &x, 4); return x != x ? 0x7fffffffu : b; }
static f64 g(u64 bits) { f64 x; memcpy(&x, &bits, 8); return x; }
static u64 b64(f64 x) { u64 b; memcpy(&b, &x, 8); return b; }
static f32 flush(f32 x) { return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x; }

#define F(name, expression)                                                           \
    static u64 name(u64 a, u64 b, u64 c)                                              \
    {                                                                                 \
        (void)a;                                                                      \
        (void)b;                                                                      \
        (void)c;                                                                      \
        return (u64)(expression);                                                     \
    }
// A double holds the exact sum, difference or product of floats closely enough that
// rounding twice is rounding once (53 >= 2 * 24 + 2).
F(add_f, b32((f32)((f64)f(a) + f(b)))) F(sub_f, b32((f32)((f64)f(a) - f(b)))) F(mul_f, b32((f32)((f64)f(a) * f(b))))
F(div_f, b32((f32)((f64)f(a) / f(b)))) F(rcp_f, b32((f32)(1.0 / f(a)))) F(sqrt_f, b32((f32)sqrt((f64)f(a))))
F(fma_f, b32((f32)fmal((long double)f(a), f(b), f(c))))
F(add_d, b64(g(a) + g(b))) F(sub_d, b64(g(a) - g(b))) F(mul_d, b64(g(a) * g(b))) F(div_d, b64(g(a) / g(b)))
F(fma_d, b64(fma(g(a), g(b), g(c)))) F(rcp_d, b64(1 / g(a))) F(sqrt_d, b64(sqrt(g(a))))
static u64 directed(int mode, int op, f32 x, f32 y)
{
    fesetround(mode);
    volatile f64 vx = x, vy = y;
    volatile f32 r = 0;
    if (op == 0) { volatile f32 fx = x, fy = y; r = fx + fy; }
    if (op == 1) { volatile f32 fx = x, fy = y; r = fx * fy; }
    if (op == 2) { volatile f32 fx = x, fy = y; r = fx / fy; }
    (void)vx;
    (void)vy;
    fesetround(FE_TONEAREST);
    return b32(r);
}
F(add_rz, directed(FE_TOWARDZERO, 0, f(a), f(b))) F(mul_rm, directed(FE_DOWNWARD, 1, f(a), f(b))) F(div_rp, directed(FE_UPWARD, 2, f(a), f(b)))
F(add_ftz, b32(flush((f32)((f64)flush(f(a)) + flush(f(b)))))) F(mul_ftz, b32(flush((f32)((f64)flush(f(a)) * flush(f(b))))))
static f32 sat(f32 x) { return x > 0 ? (x < 1 ? x : 1) : 0; }
F(add_sat, b32(sat((f32)((f64)f(a) + f(b)))))
F(neg_f, (u32)a ^ 0x80000000u) F(abs_f, (u32)a & 0x7fffffffu) F(neg_d, a ^ 1ull << 63) F(abs_d, a << 1 >> 1)
static f32 least(f32 x, f32 y) { return isnan(x) ? y : isnan(y) ? x : x == 0 && y == 0 ? (signbit(x) ? x : y) : x < y ? x : y; }
static f32 most(f32 x, f32 y) { return isnan(x) ? y : isnan(y) ? x : x == 0 && y == 0 ? (signbit(x) ? y : x) : x > y ? x : y; }
F(min_f, b32(least(f(a), f(b)))) F(max_f, b32(most(f(a), f(b))))
F(min_nan, b32(isnan(f(a)) || isnan(f(b)) ? NAN : least(f(a), f(b))))
static f64 least_d(f64 x, f64 y) { return isnan(x) ? y : isnan(y) ? x : x == 0 && y == 0 ? (signbit(x) ? x : y) : x < y ? x : y; }
F(min_d, b64(least_d(g(a), g(b)))) F(max_d, b64(-least_d(-g(a), -g(b))))
F(rsqrt_f, b32((f32)(1 / sqrtl(f(a))))) F(ex2_f, b32((f32)exp2l(f(a)))) F(lg2_f, b32((f32)log2l(f(a))))
F(sin_f, b32((f32)sinl(f(a)))) F(cos_f, b32((f32)cosl(f(a)))) F(tanh_f, b32((f32)tanhl(f(a))))
F(copysign_f, ((u32)a & 0x80000000u) | ((u32)b & 0x7fffffffu)) F(copysign_d, (a & 1ull << 63) | b << 1 >> 1)
F(lt_f, f(a) < f(b)) F(geu_f, !(f(a) < f(b))) F(num_f, !isnan(f(a)) && !isnan(f(b))) F(ne_f, f(a) < f(b) || f(a) > f(b))
F(equ_d, !(g(a) < g(b) || g(a) > g(b))) F(le_d, g(a) <= g(b)) F(set_f, f(a) < f(b) ? 0x3f800000u : 0)
F(is_normal, isnormal(f(a)) || f(a) == 0) F(is_finite, isfinite(f(a))) F(is_subnormal, fpclassify(f(a)) == FP_SUBNORMAL) F(is_nan_d, isnan(g(a)))
F(is_infinite, isinf(f(a)) != 0) F(is_number, !isnan(f(a)))

#define P "{.reg .pred p; "
#define YES "selp.b32 %d, 1, 0, p;}"
const op_case float_cases[] = {
    {"add.rn.f32 %d, %a, %b;", "f32", "f32", "f32", 0, add_f, 0}, {"sub.f32 %d, %a, %b;", "f32", "f32", "f32", 0, sub_f, 0},
    {"mul.f32 %d, %a, %b;", "f32", "f32", "f32", 0, mul_f, 0}, {"div.rn.f32 %d, %a, %b;", "f32", "f32", "f32", 0, div_f, 0},
    {"div.full.f32 %d, %a, %b;", "f32", "f32", "f32", 0, div_f, 2}, {"div.approx.f32 %d, %a, %b;", "f32", "f32", "f32", 0, div_f, 2},
    {"fma.rn.f32 %d, %a, %b, %c;", "f32", "f32", "f32", "f32", fma_f, 0}, {"mad.rn.f32 %d, %a, %b, %c;", "f32", "f32", "f32", "f32", fma_f, 0},
    {"rcp.rn.f32 %d, %a;", "f32", "f32", 0, 0, rcp_f, 0}, {"rcp.approx.f32 %d, %a;", "f32", "f32", 0, 0, rcp_f, 1},
    {"sqrt.rn.f32 %d, %a;", "f32", "f32", 0, 0, sqrt_f, 0}, {"sqrt.approx.f32 %d, %a;", "f32", "f32", 0, 0, sqrt_f, 2},
    {"add.f64 %d, %a, %b;", "f64", "f64", "f64", 0, add_d, 0}, {"sub.rn.f64 %d, %a, %b;", "f64", "f64", "f64", 0, sub_d, 0},
    {"mul.f64 %d, %a, %b;", "f64", "f64", "f64", 0, mul_d, 0}, {"div.rn.f64 %d, %a, %b;", "f64", "f64", "f64", 0, div_d, 0},
    {"fma.rn.f64 %d, %a, %b, %c;", "f64", "f64", "f64", "f64", fma_d, 0}, {"rcp.rn.f64 %d, %a;", "f64", "f64", 0, 0, rcp_d, 0},
    {"sqrt.rn.f64 %d, %a;", "f64", "f64", 0, 0, sqrt_d, 0}, {"add.rz.f32 %d, %a, %b;", "f32", "f32", "f32", 0, add_rz, 0},
    {"mul.rm.f32 %d, %a, %b;", "f32", "f32", "f32", 0, mul_rm, 0}, {"div.rp.f32 %d, %a, %b;", "f32", "f32", "f32", 0, div_rp, 0},
    {"add.ftz.f32 %d, %a, %b;", "f32", "f32", "f32", 0, add_ftz, 0}, {"mul.ftz.f32 %d, %a, %b;", "f32", "f32", "f32", 0, mul_ftz, 0},
    {"add.sat.f32 %d, %a, %b;", "f32", "f32", "f32", 0, add_sat, 0}, {"neg.f32 %d, %a;", "f32", "f32", 0, 0, neg_f, 0},
    {"abs.f32 %d, %a;", "f32", "f32", 0, 0, abs_f, 0}, {"neg.f64 %d, %a;", "f64", "f64", 0, 0, neg_d, 0}, {"abs.f64 %d, %a;", "f64", "f64", 0, 0, abs_d, 0},
    {"min.f32 %d, %a, %b;", "f32", "f32", "f32", 0, min_f, 0}, {"max.f32 %d, %a, %b;", "f32", "f32", "f32", 0, max_f, 0},
    {"min.NaN.f32 %d, %a, %b;", "f32", "f32", "f32", 0, min_nan, 0}, {"min.f64 %d, %a, %b;", "f64", "f64", "f64", 0, min_d, 0},
    {"max.f64 %d, %a, %b;", "f64", "f64", "f64", 0, max_d, 0}, {"rsqrt.approx.f32 %d, %a;", "f32", "f32", 0, 0, rsqrt_f, 2},
    {"ex2.approx.f32 %d, %a;", "f32", "f32", 0, 0, ex2_f, 2}, {"lg2.approx.f32 %d, %a;", "f32", "f32", 0, 0, lg2_f, 2},
    {"sin.approx.f32 %d, %a;", "f32", "f32", 0, 0, sin_f, 2}, {"cos.approx.f32 %d, %a;", "f32", "f32", 0, 0, cos_f, 2},
    {"tanh.approx.f32 %d, %a;", "f32", "f32", 0, 0, tanh_f, 2}, {"copysign.f32 %d, %a, %b;", "f32", "f32", "f32", 0, copysign_f, 0},
    {"copysign.f64 %d, %a, %b;", "f64", "f64", "f64", 0, copysign_d, 0}, {P "setp.lt.f32 p, %a, %b; " YES, "b32", "f32", "f32", 0, lt_f, 0},
    {P "setp.geu.f32 p, %a, %b; " YES, "b32", "f32", "f32", 0, geu_f, 0}, {P "setp.num.f32 p, %a, %b; " YES, "b32", "f32", "f32", 0, num_f, 0},
    {P "setp.ne.f32 p, %a, %b; " YES, "b32", "f32", "f32", 0, ne_f, 0}, {P "setp.equ.f64 p, %a, %b; " YES, "b32", "f64", "f64", 0, equ_d, 0},
    {P "setp.le.f64 p, %a, %b; " YES, "b32", "f64", "f64", 0, le_d, 0}, {"set.lt.f32.f32 %d, %a, %b;", "f32", "f32", "f32", 0, set_f, 0},
    {P "testp.normal.f32 p, %a; " YES, "b32", "f32", 0, 0, is_normal, 0}, {P "testp.finite.f32 p, %a; " YES, "b32", "f32", 0, 0, is_finite, 0},
    {P "testp.subnormal.f32 p, %a; " YES, "b32", "f32", 0, 0, is_subnormal, 0}, {P "testp.notanumber.f64 p, %a; " YES, "b32", "f64", 0, 0, is_nan_d, 0},
    {P "testp.infinite.f32 p, %a; " YES, "b32", "f32", 0, 0, is_infinite, 0}, {P "testp.number.f32 p, %a; " YES, "b32", "f32", 0, 0, is_number, 0},
};
const size_t float_count = sizeof float_cases / sizeof *float_cases;
