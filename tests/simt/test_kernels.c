// Small kernels: memory in every space, control flow, calls, and what the lanes of a
// warp do together. Expectations are worked out by hand or by a loop over threads.

#include "lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const tried_by_kernels =
    " ld st ldu prefetch prefetchu discard applypriority isspacep cvta bra brx call ret exit "
    "trap brkpt nanosleep pmevent bar barrier membar fence atom red vote match activemask redux "
    "cp mbarrier createpolicy mapa getctarank griddepcontrol setmaxnreg elect shfl mov alloca stacksave stackrestore "
    "tex tld4 suld sust mma wmma ldmatrix stmatrix movmatrix ";

enum { N = 64 };

// Run a body with %q0 = an array of N words (in), %q1 = an array of 2 N words (out).
static void run(const char *body, uint32_t block, const uint32_t *in, uint32_t *out)
{
    simt_device *d = lab_open(1, true);
    uint64_t p[4] = {0};
    ck_assert_int_eq(simt_alloc(d, 4 * N, &p[0]), 0);
    ck_assert_int_eq(simt_alloc(d, 8 * N, &p[1]), 0);
    ck_assert_int_eq(simt_write(d, p[0], in, 4 * N), 0);
    ck_assert_int_eq(simt_fill(d, p[1], 0xee, 8 * N), 0);
    char text[8192];
    snprintf(text, sizeof text,
             "mov.u32 %%r1, %%tid.x; mul.wide.u32 %%d1, %%r1, 4;\n"
             "add.u64 %%d2, %%q0, %%d1; add.u64 %%d3, %%q1, %%d1;\n"
             "ld.global.u32 %%r2, [%%d2];\n%s\n",
             body);
    int error = lab_run(d, lab_kernel(text), 1, block, p, 4);
    const simt_fault *f = simt_fault_at(d, 0);
    ck_assert_msg(error == 0 && !f, "%d %s %d", error, f ? f->detail : "", f ? (int)f->kind : 0);
    ck_assert_int_eq(simt_read(d, out, p[1], 8 * N), 0);
    simt_close(d);
}

#define STORE "st.global.u32 [%d3], %r3;"
typedef uint32_t want(uint32_t t, const uint32_t *in);
typedef struct kernel_case {
    const char *name, *body;
    uint32_t block;
    want *expected;
} kernel_case;

#define W(name, expression)                                                           \
    static uint32_t name(uint32_t t, const uint32_t *in)                              \
    {                                                                                 \
        (void)t;                                                                      \
        (void)in;                                                                     \
        return expression;                                                            \
    }
W(own, in[t]) W(number, t) W(down1, t % 32 + 1 < 32 ? in[t + 1] : in[t]) W(up3, t % 32 >= 3 ? in[t - 3] : in[t])
W(bfly8, in[t ^ 8]) W(idx5, in[t / 32 * 32 + 5]) W(width8, (t % 8) + 2 < 8 ? in[t + 2] : in[t]) W(inside, t % 8 + 2 < 8)
static uint32_t ballot_of(uint32_t t, const uint32_t *in)
{
    uint32_t r = 0;
    for (uint32_t l = 0; l < 32; l++)
        r |= (in[t / 32 * 32 + l] & 1) << l;
    return r;
}
static uint32_t sum_warp(uint32_t t, const uint32_t *in)
{
    uint32_t r = 0;
    for (uint32_t l = 0; l < 32; l++)
        r += in[t / 32 * 32 + l];
    return r;
}
static uint32_t same_low(uint32_t t, const uint32_t *in)
{
    uint32_t r = 0;
    for (uint32_t l = 0; l < 32; l++)
        r |= (uint32_t)((in[t / 32 * 32 + l] & 3) == (in[t] & 3)) << l;
    return r;
}
W(turned, in[63 - t]) W(odd_even, t % 2 ? in[t] * 3 : in[t] + 7) W(loops, t * (t + 1) / 2) W(byte_of, (in[t] >> 8) & 0xff)
W(half_of, (uint32_t)(int16_t)(in[t] >> 16)) W(sorted_case, "abcd"[t % 4] * 1000u + t) W(five, 5) W(one, 1) W(odd_mask, t % 2 ? 0xaaaaaaaau : 0x55555555u)
W(first_lane, t % 32 == 0) W(sum_all, 64 * 63 / 2)
W(pairs, in[t & ~1u]) W(count_odd, (uint32_t)__builtin_popcount(ballot_of(0, in)) + (uint32_t)__builtin_popcount(ballot_of(32, in))) W(exits, t < 40 ? t : 0xeeeeeeee) W(locked, 64)
W(tiles, t % 32 < 16 ? 0xffffu : 0xffff0000u)

static const kernel_case kernels[] = {
    {"ld and st", "mov.u32 %r3, %r2;" STORE, N, own},
    {"tid", "mov.u32 %r3, %tid.x;" STORE, N, number},
    {"hints", "prefetch.global.L2 [%d2]; prefetchu.L1 [%d2]; discard.global.L2 [%d3], 128; applypriority.global.L2::evict_normal [%d2], 128;"
              "nanosleep.u32 20; pmevent 1; membar.gl; fence.acq_rel.gpu; ldu.global.u32 %r3, [%d2];" STORE, N, own},
    {"brkpt", "setp.ne.u32 %p1, %r1, 99; @!%p1 brkpt; mov.u32 %r3, %r2;" STORE, N, own},
    {"narrow loads", "ld.global.u8 %r3, [%d2+1];" STORE, N, byte_of},
    {"signed narrow loads", "ld.global.s16 %r3, [%d2+2];" STORE, N, half_of},
    {"vectors", "and.b32 %r4, %r1, 62; mul.wide.u32 %d4, %r4, 4; add.u64 %d4, %q0, %d4; ld.global.v2.u32 {%r3, %r5}, [%d4];" STORE, N, pairs},
    {"shared", ".shared .align 4 .b8 s[256]; mov.u32 %r4, s; shl.b32 %r5, %r1, 2; add.u32 %r5, %r4, %r5; st.shared.u32 [%r5], %r2; bar.sync 0;"
               "sub.u32 %r6, 63, %r1; shl.b32 %r6, %r6, 2; add.u32 %r6, %r4, %r6; ld.shared.u32 %r3, [%r6];" STORE, N, turned},
    {"generic", ".shared .align 4 .b8 s[256]; mov.u64 %d4, s; cvta.shared.u64 %d4, %d4; add.u64 %d5, %d4, %d1; st.u32 [%d5], %r2; barrier.sync 0;"
                "sub.u64 %d6, 252, %d1; add.u64 %d6, %d4, %d6; ld.u32 %r3, [%d6];" STORE, N, turned},
    {"isspacep", ".shared .align 4 .b8 s[4]; mov.u64 %d4, s; cvta.shared.u64 %d4, %d4; isspacep.shared %p1, %d4; isspacep.global %p2, %d4; not.pred %p2, %p2; and.pred %p1, %p1, %p2;"
                 "isspacep.global %p2, %d2; and.pred %p1, %p1, %p2; selp.b32 %r3, 1, 0, %p1;" STORE, N, one},
    {"local", ".local .align 4 .b8 l[16]; mov.u64 %d4, l; st.local.u32 [%d4+8], %r2; cvta.local.u64 %d5, %d4; ld.u32 %r3, [%d5+8];" STORE, N, own},
    {"if and else", "and.b32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, 0; @%p1 bra EVEN; mul.lo.u32 %r3, %r2, 3; bra.uni JOIN; EVEN: add.u32 %r3, %r2, 7; JOIN:" STORE, N, odd_even},
    {"a loop of lanes", "mov.u32 %r3, 0; mov.u32 %r4, 0; L: setp.gt.u32 %p1, %r4, %r1; @%p1 bra OUT; add.u32 %r3, %r3, %r4; add.u32 %r4, %r4, 1; bra L; OUT:" STORE, N, loops},
    {"a jump table", "and.b32 %r4, %r1, 3; TS: .branchtargets A, B, C, D; brx.idx %r4, TS; A: mov.u32 %r3, 97; bra J; B: mov.u32 %r3, 98; bra J; C: mov.u32 %r3, 99; bra J; D: mov.u32 %r3, 100;"
                     "J: mad.lo.u32 %r3, %r3, 1000, %r1;" STORE, N, sorted_case},
    {"exit", "setp.ge.u32 %p1, %r1, 40; @%p1 exit; mov.u32 %r3, %r1;" STORE, N, exits},
    {"shfl.down", "shfl.sync.down.b32 %r3, %r2, 1, 31, 0xffffffff;" STORE, N, down1},
    {"shfl.up", "shfl.sync.up.b32 %r3, %r2, 3, 0, 0xffffffff;" STORE, N, up3},
    {"shfl.bfly", "shfl.sync.bfly.b32 %r3, %r2, 8, 31, 0xffffffff;" STORE, N, bfly8},
    {"shfl.idx", "shfl.sync.idx.b32 %r3, %r2, 5, 31, 0xffffffff;" STORE, N, idx5},
    {"shfl of width 8", "shfl.sync.down.b32 %r3|%p1, %r2, 2, 0x1807, 0xffffffff;" STORE, N, width8},
    {"shfl's predicate", "shfl.sync.down.b32 %r4|%p1, %r2, 2, 0x1807, 0xffffffff; selp.b32 %r3, 1, 0, %p1;" STORE, N, inside},
    {"vote.ballot", "and.b32 %r4, %r2, 1; setp.ne.u32 %p1, %r4, 0; vote.sync.ballot.b32 %r3, %p1, 0xffffffff;" STORE, N, ballot_of},
    {"vote.any and all", "setp.lt.u32 %p1, %r1, 64; vote.sync.all.pred %p2, %p1, 0xffffffff; vote.sync.any.pred %p3, !%p1, 0xffffffff; not.pred %p3, %p3; vote.sync.uni.pred %p4, %p1, 0xffffffff;"
                         "and.pred %p2, %p2, %p3; and.pred %p2, %p2, %p4; selp.b32 %r3, 1, 0, %p2;" STORE, N, one},
    {"activemask", "and.b32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, 0; @%p1 bra E; activemask.b32 %r3; bra J; E: activemask.b32 %r3; J:" STORE, N, odd_mask},
    {"match.any", "and.b32 %r4, %r2, 3; match.any.sync.b32 %r3, %r4, 0xffffffff;" STORE, N, same_low},
    {"match.all", "mov.u32 %r4, 7; match.all.sync.b32 %r5|%p1, %r4, 0xffffffff; selp.b32 %r3, 1, 0, %p1;" STORE, N, one},
    {"redux", "redux.sync.add.u32 %r3, %r2, 0xffffffff;" STORE, N, sum_warp},
    {"elect", "elect.sync %r4|%p1, 0xffffffff; selp.b32 %r3, 1, 0, %p1;" STORE, N, first_lane},
    {"tiles in one shuffle", "setp.lt.u32 %p1, %r1, 0; mov.u32 %r4, %laneid; setp.lt.u32 %p1, %r4, 16; selp.b32 %r5, 0xffff, 0xffff0000, %p1; setp.ne.u32 %p2, %r5, 0; vote.sync.ballot.b32 %r3, %p2, %r5;" STORE, N, tiles},
    {"bar.red", "and.b32 %r4, %r2, 1; setp.ne.u32 %p1, %r4, 0; bar.red.popc.u32 %r3, 0, %p1;" STORE, N, count_odd},
    {"bar.red.or", "setp.eq.u32 %p1, %r1, 3; bar.red.or.pred %p2, 0, %p1; bar.red.and.pred %p3, 0, %p1; not.pred %p3, %p3; and.pred %p2, %p2, %p3; selp.b32 %r3, 1, 0, %p2;" STORE, N, one},
    {"atom.add", ".shared .align 4 .b8 s[4]; mov.u32 %r4, s; st.shared.u32 [%r4], 0; bar.sync 0; atom.shared.add.u32 %r5, [%r4], %r1; bar.sync 0; ld.shared.u32 %r3, [%r4];" STORE, N, sum_all},
    {"red", "red.global.add.u32 [%q1+300], 1; bar.sync 0; ld.global.u32 %r3, [%q1+300]; sub.u32 %r3, %r3, 0xeeeeeeee; setp.eq.u32 %p1, %r3, 64; selp.b32 %r3, 1, 0, %p1;" STORE, N, one},
    {"atom of every kind", "atom.global.exch.b32 %r4, [%d3], 6; atom.global.min.u32 %r4, [%d3], 5; atom.global.max.s32 %r4, [%d3], 4; atom.global.and.b32 %r4, [%d3], 13; atom.global.or.b32 %r4, [%d3], 2;"
                           "atom.global.xor.b32 %r4, [%d3], 4; atom.global.inc.u32 %r4, [%d3], 9; atom.global.dec.u32 %r4, [%d3], 9; atom.global.cas.b32 %r4, [%d3], 3, 5; ld.global.u32 %r3, [%d3];" STORE, N, five},
    {"a lock between lanes of a warp", ".shared .align 4 .b8 s[8]; mov.u32 %r4, s; st.shared.u32 [%r4], 0; st.shared.u32 [%r4+4], 0; bar.sync 0;"
        "SPIN: atom.shared.cas.b32 %r5, [%r4], 0, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra SPIN; ld.volatile.shared.u32 %r6, [%r4+4]; add.u32 %r6, %r6, 1; st.volatile.shared.u32 [%r4+4], %r6;"
        "membar.cta; atom.shared.exch.b32 %r5, [%r4], 0; bar.sync 0; ld.shared.u32 %r3, [%r4+4];" STORE, N, locked},
};

START_TEST(does_what_it_says)
{
    const kernel_case *k = &kernels[_i];
    uint32_t in[N], out[2 * N];
    for (uint32_t i = 0; i < N; i++)
        in[i] = (i + 3) * 2654435761u;
    bool lock = strstr(k->name, "lock") != NULL;
    if (lock) { // its data passes through a lock, which the race check does not know
        simt_device *d = lab_open(1, false);
        uint64_t p[4] = {0};
        simt_alloc(d, 4 * N, &p[0]);
        simt_alloc(d, 8 * N, &p[1]);
        char text[8192];
        snprintf(text, sizeof text, "mov.u32 %%r1, %%tid.x; mul.wide.u32 %%d1, %%r1, 4; add.u64 %%d3, %%q1, %%d1;\n%s\n", k->body);
        ck_assert_int_eq(lab_run(d, lab_kernel(text), 1, k->block, p, 4), 0);
        simt_read(d, out, p[1], 8 * N);
        simt_close(d);
    } else {
        run(k->body, k->block, in, out);
    }
    for (uint32_t t = 0; t < k->block; t++)
        ck_assert_msg(out[t] == k->expected(t, in), "%s, thread %u: got %x, want %x", k->name, t,
                      out[t], k->expected(t, in));
}
END_TEST

// Device functions: a result, two arguments, recursion through the frame's own memory.
START_TEST(calls_functions)
{
    static const char *const text =
        ".version 9.0\n.target sm_80\n.address_size 64\n"
        ".func (.param .b32 r) fact(.param .b32 n)\n{\n.reg .b32 %a<4>; .reg .pred %p<2>;\n"
        "ld.param.u32 %a1, [n]; setp.lt.u32 %p1, %a1, 2; @%p1 bra ONE; sub.u32 %a2, %a1, 1;\n"
        "{ .param .b32 x; st.param.b32 [x], %a2; .param .b32 y; call.uni (y), fact, (x); ld.param.b32 %a3, [y]; }\n"
        "mul.lo.u32 %a3, %a3, %a1; st.param.b32 [r], %a3; ret;\nONE: mov.u32 %a3, 1; st.param.b32 [r], %a3; ret;\n}\n"
        ".visible .entry k(.param .u64 q0)\n{\n.reg .b32 %a<5>; .reg .b64 %d<4>;\n"
        "ld.param.u64 %d1, [q0]; mov.u32 %a1, %tid.x; and.b32 %a2, %a1, 7;\n"
        "{ .param .b32 x; st.param.b32 [x], %a2; .param .b32 y; call.uni (y), fact, (x); ld.param.b32 %a3, [y]; }\n"
        "mul.wide.u32 %d2, %a1, 4; add.u64 %d3, %d1, %d2; st.global.u32 [%d3], %a3; ret;\n}\n";
    simt_device *d = lab_open(1, true);
    uint64_t p[4] = {0};
    static const uint32_t factorials[] = {1, 1, 2, 6, 24, 120, 720, 5040};
    uint32_t out[N];
    simt_alloc(d, 4 * N, &p[0]);
    ck_assert_int_eq(lab_run(d, text, 1, N, p, 4), 0);
    simt_read(d, out, p[0], 4 * N);
    for (uint32_t t = 0; t < N; t++)
        ck_assert_uint_eq(out[t], factorials[t % 8]);
    simt_close(d);
}
END_TEST

START_TEST(fills_variables_and_their_addresses)
{
    static const char *const text =
        ".version 9.0\n.target sm_80\n.address_size 64\n.global .align 4 .u32 list[3] = {5, 6, 7};\n"
        ".const .align 4 .b8 c[4] = {1, 2, 3, 4};\n.global .align 8 .u64 p = list+8;\n"
        ".visible .entry k(.param .u64 q0)\n{\n.reg .b32 %a<6>; .reg .b64 %d<4>;\n"
        "ld.param.u64 %d1, [q0]; ld.global.u64 %d2, [p]; ld.global.u32 %a1, [%d2]; ld.const.u32 %a2, [c]; add.u32 %a1, %a1, %a2; st.global.u32 [%d1], %a1; ret;\n}\n";
    simt_device *d = lab_open(1, true);
    uint64_t p[4] = {0};
    uint32_t out;
    simt_alloc(d, 4, &p[0]);
    ck_assert_int_eq(lab_run(d, text, 1, 1, p, 4), 0);
    simt_read(d, &out, p[0], 4);
    ck_assert_uint_eq(out, 0x04030201u + 7);
    simt_close(d);
}
END_TEST

// A block waits for a flag that a later block sets: all blocks must get their turn.
START_TEST(lets_a_block_wait_for_a_later_one)
{
    simt_device *d = lab_open(0, false);
    uint64_t p[4] = {0};
    uint32_t zero = 0;
    simt_alloc(d, 4, &p[0]);
    simt_write(d, p[0], &zero, 4);
    int error = lab_run(d, lab_kernel("mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 9; @%p1 bra SET;\n"
                                      "W: ld.acquire.gpu.global.u32 %r2, [%q0]; setp.eq.u32 %p1, %r2, 0; @%p1 bra W; bra E;\n"
                                      "SET: st.release.gpu.global.u32 [%q0], 1; E:"),
                        10, 32, p, 4);
    ck_assert_int_eq(error, 0);
    simt_close(d);
}
END_TEST

START_TEST(refuses_by_name_what_it_does_not_have)
{
    simt_device *d = lab_open(1, false);
    uint64_t p[4] = {0};
    int error = lab_run(d, lab_kernel("wgmma.fence.sync.aligned;"), 1, 1, p, 4);
    ck_assert_int_eq(error, 801);
    ck_assert_int_eq(simt_fault_at(d, 0)->kind, SIMT_UNSUPPORTED);
    ck_assert_str_eq(simt_fault_at(d, 0)->detail, "wgmma.fence.sync.aligned");
    simt_close(d);
}
END_TEST

START_TEST(says_where_a_program_is_damaged)
{
    simt_device *d = lab_open(1, false);
    static const char *const bad[] = {
        ".version 9.0\n.entry k(\n", ".version 9.0\n.entry k() {\n add.u32 %r1 %r2;\n}", "garbage",
        ".version 9.0\n.visible .entry k() { .reg .b32 %r<4294967295>; mov.u32 %r1, 1 }",
        ".global .u32 x[3] = {1,2,3,4};", ".global .u32 x[99999999999999];", "\"", ".section {{{{"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint32_t module;
        ck_assert_int_eq(simt_load(d, bad[i], strlen(bad[i]), &module), 218);
        ck_assert_msg(strstr(simt_load_error(d), "PTX line") != NULL, "%s", bad[i]);
    }
    simt_close(d);
}
END_TEST

static const struct bounds {
    const char *directives;
    int least, most;
} bounds[] = {
    {"", 100, 255},
    {".maxntid 1024, 1, 1", 1, 64},
    {".maxntid 96", 100, 255},
    {".reqntid 32, 10", 1, 200},
    {".maxntid 256 .minnctapersm 4", 1, 64},
    {".maxnreg 40", 1, 40},
};

// A kernel of many registers, which ptxas would have to make fit.
START_TEST(keeps_to_the_registers_that_bounds_leave)
{
    const struct bounds *b = &bounds[_i];
    simt_device *d = lab_open(1, false);
    uint32_t module, kernel;
    simt_kernel_info info;
    char ptx[60000];
    int n = snprintf(ptx, sizeof ptx, ".version 9.0\n.target sm_80\n.address_size 64\n"
                     ".visible .entry k()\n%s\n{ .reg .b32 %%r<2000>;", b->directives);
    for (int i = 0; i < 2000; i++)
        n += snprintf(ptx + n, sizeof ptx - (size_t)n, "mov.u32 %%r%d, 1;\n", i);
    snprintf(ptx + n, sizeof ptx - (size_t)n, "ret; }\n");
    ck_assert_int_eq(simt_load(d, ptx, strlen(ptx), &module), 0);
    ck_assert_int_eq(simt_find_kernel(d, module, "k", &kernel), 0);
    ck_assert_int_eq(simt_kernel_info_of(d, kernel, &info), 0);
    ck_assert_int_ge(info.registers, b->least);
    ck_assert_int_le(info.registers, b->most);
    simt_close(d);
}
END_TEST

Suite *kernel_suite(void)
{
    Suite *suite = suite_create("kernels");
    TCase *tc = tcase_create("kernels");
    TCase *answers = lab_answers(suite);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(answers, does_what_it_says, 0, (int)(sizeof kernels / sizeof *kernels));
    tcase_add_test(answers, calls_functions);
    tcase_add_test(answers, fills_variables_and_their_addresses);
    tcase_add_test(answers, lets_a_block_wait_for_a_later_one);
    tcase_add_test(tc, refuses_by_name_what_it_does_not_have);
    tcase_add_test(tc, says_where_a_program_is_damaged);
    tcase_add_loop_test(tc, keeps_to_the_registers_that_bounds_leave, 0,
                        (int)(sizeof bounds / sizeof *bounds));
    suite_add_tcase(suite, tc);
    return suite;
}
