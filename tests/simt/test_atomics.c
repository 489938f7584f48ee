// atom and red: every operation and type, in global, shared and generic memory, against
// exact arithmetic; and the orders, scopes and hints that loads and stores may carry.
//
// Each thread has a place of its own, so an oracle needs no order of threads; what
// happens where they meet is what test_kernels.c and the programs of runtime/ try.

#include "lab.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 256, ROUNDS = 16, BYTES = 16 };
typedef unsigned __int128 word;
typedef word change(word old, word b, word c);

static float f32_of(word x)
{
    uint32_t u = (uint32_t)x;
    float f;
    memcpy(&f, &u, 4);
    return f;
}
static word of_f32(float f)
{
    uint32_t u;
    memcpy(&u, &f, 4);
    return f != f ? 0x7fffffffu : u;
}
static double f64_of(word x)
{
    uint64_t u = (uint64_t)x;
    double f;
    memcpy(&f, &u, 8);
    return f;
}
static word of_f64(double f)
{
    uint64_t u;
    memcpy(&u, &f, 8);
    return u;
}
static float no_subnormal(float f)
{
    return fabsf(f) < 0x1p-126f ? copysignf(0, f) : f;
}
static _Float16 f16_of(word x)
{
    uint16_t u = (uint16_t)x;
    _Float16 f;
    memcpy(&f, &u, 2);
    return f;
}
static word of_f16(_Float16 f)
{
    uint16_t u;
    memcpy(&u, &f, 2);
    return f != f ? 0x7fff : u;
}
static long double bf16_of(word x)
{
    return f32_of((word)((uint32_t)(uint16_t)x << 16));
}
// The nearest of two neighbours, the even one of two equally near.
static word of_bf16(long double s)
{
    if (s != s)
        return 0x7fff;
    uint32_t sign = signbit(s) ? 0x8000 : 0;
    long double a = fabsl(s);
    uint32_t low = 0;
    for (uint32_t bit = 0x4000; bit; bit >>= 1)
        if ((low | bit) <= 0x7f80 && (low | bit) != 0x7f80 && bf16_of(low | bit) <= a)
            low |= bit;
    long double next = low == 0x7f7f ? 0x1p128L : bf16_of(low + 1), here = bf16_of(low);
    bool up = a - here > next - a || (a - here == next - a && low & 1);
    return isinf(s) ? sign | 0x7f80 : sign | (low + up);
}

#define C(name, expression)                                                           \
    static word name(word old, word b, word c)                                        \
    {                                                                                 \
        (void)old, (void)b, (void)c;                                                  \
        return expression;                                                            \
    }
#define U(x) ((uint32_t)(x))
#define S(x) ((int32_t)(x))
#define UU(x) ((uint64_t)(x))
#define SS(x) ((int64_t)(x))
C(add, old + b) C(min_u32, U(old) < U(b) ? old : b) C(max_u32, U(old) > U(b) ? old : b)
C(min_s32, S(old) < S(b) ? old : b) C(max_s32, S(old) > S(b) ? old : b)
C(min_u64, UU(old) < UU(b) ? old : b) C(max_u64, UU(old) > UU(b) ? old : b)
C(min_s64, SS(old) < SS(b) ? old : b) C(max_s64, SS(old) > SS(b) ? old : b)
C(inc, U(old) >= U(b) ? 0 : old + 1) C(dec, U(old) == 0 || U(old) > U(b) ? b : old - 1)
C(and, old &b) C(or, old | b) C(xor, old ^ b) C(exch, b)
C(cas16, (uint16_t)old == (uint16_t)b ? c : old) C(cas32, U(old) == U(b) ? c : old)
C(cas64, UU(old) == UU(b) ? c : old) C(cas128, old == b ? c : old)
C(add_f32, of_f32(f32_of(old) + f32_of(b)))
C(add_ftz, of_f32(no_subnormal(no_subnormal(f32_of(old)) + no_subnormal(f32_of(b)))))
C(add_f64, of_f64(f64_of(old) + f64_of(b)))
C(add_f16, of_f16((_Float16)((float)f16_of(old) + (float)f16_of(b))))
C(add_bf16, of_bf16(bf16_of(old) + bf16_of(b)))
C(add_f16x2, add_f16(old, b, 0) | add_f16(old >> 16, b >> 16, 0) << 16)
C(add_bf16x2, add_bf16(old, b, 0) | add_bf16(old >> 16, b >> 16, 0) << 16)
static word lesser(word a, word b, float x, float y)
{
    return x != x ? (y != y ? 0x7fff : b) : y != y ? a : x == y ? (signbit(x) ? a : b) : x < y ? a : b;
}
static word greater(word a, word b, float x, float y)
{
    return x != x ? (y != y ? 0x7fff : b) : y != y ? a : x == y ? (signbit(x) ? b : a) : x > y ? a : b;
}
C(min_f16, lesser((uint16_t)old, (uint16_t)b, (float)f16_of(old), (float)f16_of(b)))
C(max_f16, greater((uint16_t)old, (uint16_t)b, (float)f16_of(old), (float)f16_of(b)))
C(min_bf16, lesser((uint16_t)old, (uint16_t)b, (float)bf16_of(old), (float)bf16_of(b)))
#define EACH(name, one, n, bits)                                                      \
    static word name(word old, word b, word c)                                        \
    {                                                                                 \
        word r = 0;                                                                   \
        for (int i = 0; i < n; i++) {                                                 \
            word v = one(old >> (i * bits), b >> (i * bits), c);                      \
            r |= (v & (((word)1 << bits) - 1)) << (i * bits);                         \
        }                                                                             \
        return r;                                                                     \
    }
EACH(add_v2_f32, add_ftz, 2, 32) EACH(add_v4_f32, add_ftz, 4, 32) EACH(add_v8_f16, add_f16, 8, 16)
EACH(min_v2_f16, min_f16, 2, 16) EACH(max_v4_f16, max_f16, 4, 16) EACH(add_v4_bf16, add_bf16, 4, 16)
EACH(add_v4_f16x2, add_f16, 8, 16) EACH(min_v2_bf16x2, min_bf16, 4, 16)

typedef struct atomic_case {
    const char *op;   // behind the space
    const char *regs; // of an element: b16, b32, b64, b128, f32, ...
    int bytes, vec, operands;
    change *global, *shared; // NULL: not there
} atomic_case;
static const atomic_case cases[] = {
    {"add.u32", "b32", 4, 1, 1, add, add}, {"add.s32", "b32", 4, 1, 1, add, add},
    {"add.u64", "b64", 8, 1, 1, add, add}, {"relaxed.gpu.OP.add.u32", "b32", 4, 1, 1, add, add},
    {"min.u32", "b32", 4, 1, 1, min_u32, min_u32}, {"max.u32", "b32", 4, 1, 1, max_u32, max_u32},
    {"min.s32", "b32", 4, 1, 1, min_s32, min_s32}, {"max.s32", "b32", 4, 1, 1, max_s32, max_s32},
    {"min.u64", "b64", 8, 1, 1, min_u64, min_u64}, {"max.u64", "b64", 8, 1, 1, max_u64, max_u64},
    {"min.s64", "b64", 8, 1, 1, min_s64, min_s64}, {"max.s64", "b64", 8, 1, 1, max_s64, max_s64},
    {"inc.u32", "b32", 4, 1, 1, inc, inc}, {"dec.u32", "b32", 4, 1, 1, dec, dec},
    {"and.b32", "b32", 4, 1, 1, and, and}, {"or.b32", "b32", 4, 1, 1, or, or},
    {"xor.b32", "b32", 4, 1, 1, xor, xor}, {"and.b64", "b64", 8, 1, 1, and, and},
    {"or.b64", "b64", 8, 1, 1, or, or}, {"xor.b64", "b64", 8, 1, 1, xor, xor},
    {"acq_rel.sys.OP.or.b32", "b32", 4, 1, 1, or, or}, {"release.cta.OP.exch.b32", "b32", 4, 1, 1, exch, exch},
    {"exch.b64", "b64", 8, 1, 1, exch, exch}, {"acquire.cluster.OP.cas.b32", "b32", 4, 1, 2, cas32, cas32},
    {"cas.b64", "b64", 8, 1, 2, cas64, cas64}, {"cas.b16", "b16", 2, 1, 2, cas16, cas16},
    {"exch.b128", "b128", 16, 1, 1, exch, exch}, {"cas.b128", "b128", 16, 1, 2, cas128, cas128},
    {"add.f32", "f32", 4, 1, 1, add_ftz, add_f32}, {"add.f64", "f64", 8, 1, 1, add_f64, add_f64},
    {"add.noftz.f16", "b16", 2, 1, 1, add_f16, add_f16}, {"add.noftz.bf16", "b16", 2, 1, 1, add_bf16, add_bf16},
    {"add.noftz.f16x2", "b32", 4, 1, 1, add_f16x2, add_f16x2}, {"add.noftz.bf16x2", "b32", 4, 1, 1, add_bf16x2, add_bf16x2},
    {"add.v2.f32", "f32", 4, 2, 1, add_v2_f32, NULL}, {"add.v4.f32", "f32", 4, 4, 1, add_v4_f32, NULL},
    {"add.noftz.v8.f16", "b16", 2, 8, 1, add_v8_f16, NULL}, {"min.noftz.v2.f16", "b16", 2, 2, 1, min_v2_f16, NULL},
    {"max.noftz.v4.f16", "b16", 2, 4, 1, max_v4_f16, NULL}, {"add.noftz.v4.bf16", "b16", 2, 4, 1, add_v4_bf16, NULL},
    {"add.noftz.v4.f16x2", "b32", 4, 4, 1, add_v4_f16x2, NULL}, {"min.noftz.v2.bf16x2", "b32", 4, 2, 1, min_v2_bf16x2, NULL},
};
enum { CASES = sizeof cases / sizeof *cases };

static uint64_t state = 88172645463325252ull;
static uint64_t draw(void)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
}

// Random bits, edges, and often equal operands, so that a cas succeeds.
static void fill(uint8_t *at, const atomic_case *c, int i)
{
    static const uint32_t edges[] = {0, 1, 0x80000000u, 0x7fffffffu, 0xffffffffu, 0x7f800000u, 0xff800000u,
                                     0x00400000u, 0x80000001u, 0x7fc00001u, 0x3f800000u, 0x7bff7bffu,
                                     0x00010001u, 0x80018001u, 0x7c007c00u, 0x04000400u};
    for (int k = 0; k < BYTES; k += 4) {
        uint32_t u = i % 3 ? (uint32_t)draw() : edges[draw() % 16];
        memcpy(at + k, &u, 4);
    }
    if (i % 5 == 0 && c->regs[0] != 'f') // small numbers
        for (int k = 0; k < BYTES; k++)
            at[k] = k % c->bytes ? 0 : at[k] & 3;
}

static int list(char *to, const char *stem, int vec)
{
    if (vec == 1)
        return sprintf(to, "%%%s0", stem);
    int n = sprintf(to, "{");
    for (int i = 0; i < vec; i++)
        n += sprintf(to + n, "%s%%%s%d", i ? ", " : "", stem, i);
    return n + sprintf(to + n, "}");
}

// ld and st of a whole operand.
static int move(char *to, const atomic_case *c, const char *ld, const char *space, const char *stem, const char *at)
{
    static char l[200];
    list(l, stem, c->vec > 4 ? 4 : c->vec);
    char v[8] = "", type[8];
    if (c->vec > 1)
        sprintf(v, ".v%d", c->vec > 4 ? 4 : c->vec);
    sprintf(type, "b%d", c->bytes * 8);
    bool load = ld[0] == 'l';
    int n = load ? sprintf(to, "%s.%s%s.%s %s, [%s];\n", ld, space, v, type, l, at)
                 : sprintf(to, "%s.%s%s.%s [%s], %s;\n", ld, space, v, type, at, l);
    if (c->vec == 8) {
        sprintf(l, "{%%%s4, %%%s5, %%%s6, %%%s7}", stem, stem, stem, stem);
        n += load ? sprintf(to + n, "%s.%s.v4.%s %s, [%s+8];\n", ld, space, type, l, at)
                  : sprintf(to + n, "%s.%s.v4.%s [%s+8], %s;\n", ld, space, type, at, l);
    }
    return n;
}

// Where: 0 global, 1 shared, 2 generic to global, 3 generic to shared. red: no old value.
static void run_case(const atomic_case *c, int where, bool red)
{
    static char body[8192];
    static uint8_t in[THREADS * ROUNDS][3][BYTES], out[THREADS * ROUNDS][2][BYTES];
    bool shared = where & 1, generic = where >= 2;
    change *expected = shared ? c->shared : c->global;
    char lists[4][200], op[80], *cut;
    const char *stems[] = {"o", "b", "c"};
    for (int i = 0; i < 3; i++)
        list(lists[i], stems[i], c->vec);
    snprintf(op, sizeof op, "%s", c->op);
    int n = sprintf(body, ".reg .%s %%o<8>, %%b<8>, %%c<8>; .shared .align 16 .b8 s[4096];\n"
                          "mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%ctaid.x; mad.lo.u32 %%r3, %%r2, 256, %%r1;\n"
                          "mul.wide.u32 %%d1, %%r3, 48; add.u64 %%d1, %%q0, %%d1; add.u64 %%d4, %%d1, 16; add.u64 %%d5, %%d1, 32;\n"
                          "mul.wide.u32 %%d2, %%r3, 32; add.u64 %%d2, %%q1, %%d2; add.u64 %%d6, %%d2, 16;\n"
                          "mul.wide.u32 %%d3, %%r1, 16; mov.u64 %%d7, s; add.u64 %%d3, %%d3, %%d7; mov.u64 %%d8, %%d3;\n",
                    c->regs);
    if (!shared)
        n += sprintf(body + n, "mov.u64 %%d3, %%d2; mov.u64 %%d8, %%d2;\n");
    else if (generic)
        n += sprintf(body + n, "cvta.shared.u64 %%d8, %%d3;\n");
    const char *space = shared ? "shared" : "global";
    n += move(body + n, c, "ld", "global", "o", "%d1");
    n += move(body + n, c, "st", space, "o", "%d3");
    n += move(body + n, c, "ld", "global", "b", "%d4");
    if (c->operands == 2)
        n += move(body + n, c, "ld", "global", "c", "%d5");
    if ((cut = strstr(op, ".OP"))) // sem.scope before the space
        n += sprintf(body + n, "%s.%.*s%s%s%s ", red ? "red" : "atom", (int)(cut - op), op,
                     generic ? "" : ".", generic ? "" : space, cut + 3);
    else
        n += sprintf(body + n, "%s%s%s.%s ", red ? "red" : "atom", generic ? "" : ".", generic ? "" : space, op);
    if (!red)
        n += sprintf(body + n, "%s, ", lists[0]);
    n += sprintf(body + n, "[%%d8], %s%s%s;\n", lists[1], c->operands == 2 ? ", " : "", c->operands == 2 ? lists[2] : "");
    n += move(body + n, c, "st", "global", "o", "%d6");
    n += move(body + n, c, "ld", space, "o", "%d3");
    n += move(body + n, c, "st", "global", "o", "%d2");

    for (int i = 0; i < THREADS * ROUNDS; i++) {
        for (int k = 0; k < 3; k++)
            fill(in[i][k], c, i / 7 + k);
        if (i % 4 == 0)
            memcpy(in[i][1], in[i][0], BYTES);
    }
    simt_device *d = lab_open(1, false);
    uint64_t p[4] = {0};
    simt_alloc(d, sizeof in, &p[0]);
    simt_alloc(d, sizeof out, &p[1]);
    simt_write(d, p[0], in, sizeof in);
    int error = lab_run(d, lab_kernel(body), ROUNDS, THREADS, p, 4);
    ck_assert_msg(error == 0, "%s: %d %s\n%s", c->op, error, error ? simt_fault_at(d, 0)->detail : "", body);
    simt_read(d, out, p[1], sizeof out);
    word mask = c->bytes * c->vec == 16 ? ~(word)0 : ((word)1 << (c->bytes * c->vec * 8)) - 1;
    for (int i = 0; i < THREADS * ROUNDS; i++) {
        word old, b, x, now, before;
        memcpy(&old, in[i][0], 16), memcpy(&b, in[i][1], 16), memcpy(&x, in[i][2], 16);
        memcpy(&now, out[i][0], 16), memcpy(&before, out[i][1], 16);
        word want = expected(old & mask, b & mask, x & mask) & mask;
        bool nan = c->regs[0] == 'f' && c->bytes == 8 && isnan(f64_of(want)) && isnan(f64_of(now));
        ck_assert_msg((now & mask) == want || nan, "%s %d: %llx%016llx and %llx%016llx: got %llx%016llx, want %llx%016llx", c->op, where,
                      (unsigned long long)(old >> 64), (unsigned long long)old, (unsigned long long)(b >> 64), (unsigned long long)b,
                      (unsigned long long)(now >> 64), (unsigned long long)now, (unsigned long long)(want >> 64), (unsigned long long)want);
        if (!red)
            ck_assert_msg((before & mask) == (old & mask), "%s %d: the old value", c->op, where);
    }
    simt_close(d);
}

START_TEST(changes_memory_exactly)
{
    const atomic_case *c = &cases[_i / 4];
    int where = _i % 4;
    if (!(where & 1 ? c->shared : c->global))
        return;
    run_case(c, where, false);
    if (!strstr(c->op, "cas") && !strstr(c->op, "exch") && !strstr(c->op, "acq"))
        run_case(c, where, true);
}
END_TEST

// Lanes of one warp, some in shared and some in global memory, in one instruction.
START_TEST(changes_two_memories_at_once)
{
    simt_device *d = lab_open(1, false);
    uint64_t p[4] = {0};
    uint32_t out[64];
    simt_alloc(d, sizeof out, &p[0]);
    simt_fill(d, p[0], 0, sizeof out);
    const char *body =
        ".shared .align 4 .b8 s[4]; mov.u32 %r1, %tid.x; st.shared.u32 [s], 100; mov.u64 %d1, s; cvta.shared.u64 %d1, %d1;\n"
        "and.b32 %r2, %r1, 1; setp.ne.u32 %p1, %r2, 0; selp.b64 %d2, %d1, %q0, %p1; atom.add.u32 %r3, [%d2], 2;\n"
        "bar.warp.sync -1; mul.wide.u32 %d3, %r1, 4; add.u64 %d3, %q0, %d3; setp.eq.u32 %p2, %r1, 0; @%p2 bra E; st.global.u32 [%d3], %r3;\n"
        "E: setp.ne.u32 %p2, %r1, 31; @%p2 exit; ld.shared.u32 %r4, [s]; st.global.u32 [%q0+252], %r4;";
    ck_assert_int_eq(lab_run(d, lab_kernel(body), 1, 32, p, 4), 0);
    simt_read(d, out, p[0], sizeof out);
    ck_assert_uint_eq(out[0], 32);
    ck_assert_uint_eq(out[63], 132);
    for (uint32_t t = 1; t < 32; t++)
        ck_assert_uint_eq(out[t], (t % 2 ? 100 : 0) + t / 2 * 2);
    simt_close(d);
}
END_TEST

// Loads and stores with every word that PTX lets them carry move the same bytes.
START_TEST(moves_bytes_whatever_the_hints)
{
    static const char *const pairs[][2] = {
        {"ld.weak.global.u32", "st.weak.global.u32"}, {"ld.volatile.global.u32", "st.volatile.global.u32"},
        {"ld.relaxed.cta.global.u32", "st.relaxed.cta.global.u32"}, {"ld.relaxed.cluster.global.u32", "st.relaxed.cluster.global.u32"},
        {"ld.relaxed.gpu.global.u32", "st.relaxed.gpu.global.u32"}, {"ld.relaxed.sys.global.u32", "st.relaxed.sys.global.u32"},
        {"ld.acquire.cta.global.u32", "st.release.cta.global.u32"}, {"ld.acquire.gpu.global.u32", "st.release.gpu.global.u32"},
        {"ld.acquire.sys.u32", "st.release.sys.u32"}, {"ld.mmio.relaxed.sys.global.u32", "st.mmio.relaxed.sys.global.u32"},
        {"ld.global.ca.u32", "st.global.wb.u32"}, {"ld.global.cg.u32", "st.global.cg.u32"}, {"ld.global.cs.u32", "st.global.cs.u32"},
        {"ld.global.lu.u32", "st.global.wt.u32"}, {"ld.global.cv.u32", "st.volatile.u32"}, {"ld.global.nc.u32", "st.global.u32"},
        {"ld.global.nc.L1::no_allocate.L2::128B.u32", "st.global.L1::no_allocate.u32"},
        {"ld.global.L1::evict_first.u32", "st.global.L1::evict_last.u32"}, {"ld.global.L2::256B.u32", "st.u32"},
        {"ld.global.L1::evict_unchanged.L2::64B.u32", "st.relaxed.gpu.global.L1::evict_normal.u32"},
    };
    static char body[4096];
    simt_device *d = lab_open(1, false);
    uint64_t p[4] = {0};
    uint32_t in[32], out[32];
    for (uint32_t i = 0; i < 32; i++)
        in[i] = i * 2654435761u;
    simt_alloc(d, sizeof in, &p[0]);
    simt_alloc(d, sizeof out, &p[1]);
    simt_write(d, p[0], in, sizeof in);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        simt_fill(d, p[1], 0, sizeof out);
        snprintf(body, sizeof body, "mov.u32 %%r1, %%tid.x; mul.wide.u32 %%d1, %%r1, 4; add.u64 %%d2, %%q0, %%d1; add.u64 %%d3, %%q1, %%d1;\n%s %%r2, [%%d2]; %s [%%d3], %%r2;", pairs[i][0], pairs[i][1]);
        ck_assert_msg(lab_run(d, lab_kernel(body), 1, 32, p, 4) == 0, "%s", pairs[i][0]);
        simt_read(d, out, p[1], sizeof out);
        ck_assert_msg(!memcmp(in, out, sizeof in), "%s %s", pairs[i][0], pairs[i][1]);
    }
    static const char policy[] = "createpolicy.fractional.L2::evict_last.b64 %d9, 1.0; createpolicy.range.L2::evict_last.L2::evict_first.b64 %d8, [%q0], 64, 128; createpolicy.cvt.L2.b64 %d7, %d8;\n"
                                 "mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 4; add.u64 %d2, %q0, %d1; add.u64 %d3, %q1, %d1; ld.global.L2::cache_hint.u32 %r2, [%d2], %d9; st.global.L2::cache_hint.u32 [%d3], %r2, %d8;\n"
                                 "atom.global.add.L2::cache_hint.u32 %r3, [%d3], 5, %d9; red.global.add.L2::cache_hint.u32 [%d3], 6, %d9; fence.sc.cta; fence.acq_rel.cluster; fence.sc.gpu; fence.sc.sys; fence.proxy.alias; fence.proxy.async; fence.proxy.async.shared::cta; fence.mbarrier_init.release.cluster; membar.cta; membar.sys;";
    ck_assert_int_eq(lab_run(d, lab_kernel(policy), 1, 32, p, 4), 0);
    simt_read(d, out, p[1], sizeof out);
    for (uint32_t i = 0; i < 32; i++)
        ck_assert_uint_eq(out[i], in[i] + 11);
    simt_close(d);
}
END_TEST

START_TEST(moves_128_bits)
{
    simt_device *d = lab_open(1, false);
    uint64_t p[4] = {0}, in[64], out[64];
    for (uint64_t i = 0; i < 64; i++)
        in[i] = i * 0x9e3779b97f4a7c15ull;
    simt_alloc(d, sizeof in, &p[0]);
    simt_alloc(d, sizeof out, &p[1]);
    simt_write(d, p[0], in, sizeof in);
    ck_assert_int_eq(lab_run(d, lab_kernel(".reg .b128 %w<4>; mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 16; add.u64 %d2, %q0, %d1; add.u64 %d3, %q1, %d1;\n"
                                           "ld.global.b128 %w1, [%d2]; mov.b128 %w2, %w1; mov.b128 {%d4, %d5}, %w2; mov.b128 %w3, {%d5, %d4}; st.global.b128 [%d3], %w3;"),
                             1, 32, p, 4), 0);
    simt_read(d, out, p[1], sizeof out);
    for (int i = 0; i < 64; i++)
        ck_assert(out[i] == in[i ^ 1]);
    simt_close(d);
}
END_TEST

// What PTX does not have must not seem to work.
START_TEST(refuses_forms_that_do_not_exist)
{
    static const char *const none[] = {
        "atom.global.inc.s64 %d1, [%q0], %d2;", "atom.global.min.f32 %f1, [%q0], %f2;", "atom.global.add.b128 %d1, [%q0], %d2;",
        "atom.shared.add.v2.f32 {%f1, %f2}, [%r1], {%f3, %f4};", "red.global.xor.noftz.f16x2 [%q0], %r1;", "red.async.relaxed.cluster.global.add.u32 [%q0], %r1;"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        simt_device *d = lab_open(1, false);
        uint64_t p[4] = {0};
        simt_alloc(d, 64, &p[0]);
        ck_assert_msg(lab_run(d, lab_kernel(none[i]), 1, 1, p, 4) == 801, "%s", none[i]);
        simt_close(d);
    }
}
END_TEST

Suite *atomic_suite(void)
{
    Suite *suite = suite_create("atomics");
    TCase *tc = tcase_create("atomics");
    TCase *answers = lab_answers(suite);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(answers, changes_memory_exactly, 0, CASES * 4);
    tcase_add_test(answers, changes_two_memories_at_once);
    tcase_add_test(answers, moves_bytes_whatever_the_hints);
    tcase_add_test(answers, moves_128_bits);
    tcase_add_test(tc, refuses_forms_that_do_not_exist);
    suite_add_tcase(suite, tc);
    return suite;
}
