// Calls through pointers, recursion, memory that a frame or a kernel takes: what they
// give, and what is said when they go wrong.

#include "lab.h"

#include <stdio.h>
#include <string.h>

#define FUNCTIONS                                                                     \
    ".func (.param .b32 r) twice(.param .b32 n)\n{ .reg .b32 %a<3>;\n"                \
    "ld.param.u32 %a1, [n]; shl.b32 %a2, %a1, 1; st.param.b32 [r], %a2; ret; }\n"     \
    ".func (.param .b32 r) square(.param .b32 n)\n{ .reg .b32 %a<3>;\n"               \
    "ld.param.u32 %a1, [n]; mul.lo.u32 %a2, %a1, %a1; st.param.b32 [r], %a2; ret; }\n" \
    ".func (.param .b32 r) minus(.param .b32 n, .param .b32 m)\n{ .reg .b32 %a<4>;\n" \
    "ld.param.u32 %a1, [n]; ld.param.u32 %a2, [m]; sub.u32 %a3, %a1, %a2;\n"          \
    "st.param.b32 [r], %a3; ret; }\n"                                                 \
    ".func (.param .b32 r) endless(.param .b32 n)\n{ .reg .b32 %a<3>;\n"              \
    ".loc 1 5 1\n{ .param .b32 x; ld.param.u32 %a1, [n]; st.param.b32 [x], %a1; .param .b32 y;\n" \
    " call (y), endless, (x); ld.param.b32 %a2, [y]; }\n st.param.b32 [r], %a2; ret; }\n" \
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"                          \
    ".extern .func free(.param .b64 p);\n"                                            \
    ".global .align 8 .u64 table[2] = {twice, square};\n"

#define CALL(to)                                                                      \
    "{ .param .b32 x; st.param.b32 [x], %r1; .param .b32 y;\n"                        \
    "P: .callprototype (.param .b32 _) _ (.param .b32 _);\n"                          \
    "T: .calltargets twice, square;\n"                                                \
    "call (y), " to ", (x), P; ld.param.b32 %r3, [y]; }\n"
#define MALLOC(to, bytes)                                                             \
    "{ .param .b64 x; st.param.b64 [x], " bytes "; .param .b64 y; call (y), malloc, (x);\n" \
    "ld.param.b64 " to ", [y]; }\n"
#define FREE(what) "{ .param .b64 x; st.param.b64 [x], " what "; call free, (x); }\n"
#define START "mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 4; add.u64 %d3, %q0, %d1;\n"
#define STORE "st.global.u32 [%d3], %r3;"

typedef uint32_t want(uint32_t t);
static uint32_t doubled(uint32_t t) { return 2 * t; }
static uint32_t squared(uint32_t t) { return t * t; }
static uint32_t either(uint32_t t) { return t % 2 ? t * t : 2 * t; }
static uint32_t both(uint32_t t) { return t % 3 ? t * t : 2 * t; }
static uint32_t number(uint32_t t) { return t; }
static uint32_t one(uint32_t t) { return (void)t, 1; }
static uint32_t none(uint32_t t) { return (void)t, 0; }
static uint32_t sum(uint32_t t) { return t + 7; }

static const struct {
    const char *name, *body;
    want *expected;
} cases[] = {
    {"a function's address", "mov.u64 %d4, twice;" CALL("%d4"), doubled},
    {"a table in an initialiser", "ld.global.u64 %d4, [table+8];" CALL("%d4"), squared},
    {"each lane its own", "and.b32 %r2, %r1, 1; mul.wide.u32 %d5, %r2, 8; mov.u64 %d4, table; add.u64 %d4, %d4, %d5; ld.global.u64 %d4, [%d4];" CALL("%d4"), either},
    {"under a guard", "rem.u32 %r2, %r1, 3; setp.ne.u32 %p1, %r2, 0; mov.u64 %d4, twice; @%p1 mov.u64 %d4, square;" CALL("%d4"), both},
    {"some lanes stay", "mov.u32 %r3, %r1; setp.eq.u32 %p1, %r1, %r1; @%p1 bra E; mov.u64 %d4, twice;" CALL("%d4") "E:", number},
    {"equal addresses", "mov.u64 %d4, square; ld.global.u64 %d5, [table+8]; setp.eq.u64 %p1, %d4, %d5; selp.b32 %r3, 1, 0, %p1;", one},
    {"alloca", "add.u32 %r4, %r1, 1; cvt.u64.u32 %d4, %r4; shl.b64 %d4, %d4, 2; alloca.u64 %d5, %d4, 8; shl.b32 %r5, %r1, 2; cvt.u64.u32 %d6, %r5; add.u64 %d6, %d5, %d6;"
               "st.local.u32 [%d6], %r1; cvta.local.u64 %d7, %d6; ld.u32 %r3, [%d7];", number},
    {"alloca in a call's way", "mov.u64 %d4, 16; alloca.u64 %d5, %d4; st.local.u32 [%d5+12], %r1; mov.u64 %d8, twice;" CALL("%d8") "ld.local.u32 %r3, [%d5+12];", number},
    {"stacksave", "stacksave.u64 %d4; mov.u64 %d5, 32; alloca.u64 %d6, %d5; stackrestore.u64 %d4; alloca.u64 %d7, %d5; sub.u64 %d7, %d7, %d6; cvt.u32.u64 %r3, %d7;", none},
    {"malloc", MALLOC("%d4", "8") "st.u32 [%d4+4], %r1; ld.u32 %r3, [%d4+4]; add.u32 %r3, %r3, 7;" FREE("%d4"), sum},
    {"malloc of too much", MALLOC("%d4", "0x10000000000") "setp.eq.u64 %p1, %d4, 0; selp.b32 %r3, 1, 0, %p1;" FREE("%d4"), one},
    {"malloc over and over", "mov.u32 %r5, 0; L:" MALLOC("%d4", "100000") "setp.eq.u64 %p1, %d4, 0; @%p1 trap; st.u32 [%d4], %r1; ld.u32 %r3, [%d4];" FREE("%d4") "add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 20; @%p1 bra L;", number},
    {"a jump table out of a loop", "mov.u32 %r3, 0; mov.u32 %r4, 0; L: TS: .branchtargets A, B; setp.ge.u32 %p1, %r4, %r1; selp.u32 %r5, 1, 0, %p1; brx.idx %r5, TS; A: add.u32 %r4, %r4, 1; add.u32 %r3, %r3, 1; bra L; B:", number},
};

static simt_device *run(const char *body, uint32_t block, int code, uint64_t *at)
{
    simt_device *d = lab_open(1, true);
    uint64_t p[4] = {0};
    ck_assert_int_eq(simt_alloc(d, 256, &p[0]), 0);
    *at = p[0];
    static char text[16384];
    strcpy(text, lab_program(FUNCTIONS, body));
    strcat(text, ".file 1 \"kernel.cu\"\n");
    int error = lab_run(d, text, 1, block, p, 4);
    const simt_fault *f = simt_fault_at(d, 0);
    ck_assert_msg(error == code, "%s: %d %s", body, error, f ? f->detail : "");
    return d;
}

START_TEST(does_what_it_says)
{
    static char body[8192];
    uint64_t at;
    uint32_t out[64];
    snprintf(body, sizeof body, "%s%s\n%s", START, cases[_i].body, STORE);
    simt_device *d = run(body, 64, 0, &at);
    simt_read(d, out, at, sizeof out);
    for (uint32_t t = 0; t < 64; t++)
        ck_assert_msg(out[t] == cases[_i].expected(t), "%s, thread %u: got %u, want %u",
                      cases[_i].name, t, out[t], cases[_i].expected(t));
    simt_close(d);
}
END_TEST

static const struct {
    const char *body;
    simt_fault_kind kind;
    int code, line;
    const char *detail;
} faults[] = {
    {START "mov.u64 %d4, 0;\n.loc 1 6 1\n" CALL("%d4"), SIMT_BAD_CALL, 718, 6, "0x0 is no function's address"},
    {START ".loc 1 7 1\n" CALL("%q0"), SIMT_BAD_CALL, 718, 7, "is no function's address"},
    {START "mov.u64 %d4, minus;\n.loc 1 8 1\n" CALL("%d4"), SIMT_BAD_CALL, 718, 8, "minus takes 2 arguments, not 1"},
    {START "mov.u64 %d4, endless;" CALL("%d4"), SIMT_STACK, 719, 5, "calls deep"},
    {START "mov.u64 %d4, 0x7fffffffff;\n.loc 1 9 1\n alloca.u64 %d5, %d4;", SIMT_STACK, 719, 9, "alloca"},
    {START MALLOC("%d4", "64") FREE("%d4") ".loc 1 10 1\n" FREE("%d4"), SIMT_BAD_FREE, 719, 10, "was freed before"},
    {START MALLOC("%d4", "64") "add.u64 %d4, %d4, 16;\n.loc 1 11 1\n" FREE("%d4"), SIMT_BAD_FREE, 719, 11, "not its start"},
    {START ".loc 1 12 1\n" FREE("%q0"), SIMT_BAD_FREE, 719, 12, "was not allocated"},
    {START MALLOC("%d4", "64") ".loc 1 13 1\n st.u32 [%d4+64], %r1;", SIMT_OUT_OF_BOUNDS, 700, 13, ""},
    {START MALLOC("%d4", "64") FREE("%d4") ".loc 1 14 1\n ld.u32 %r2, [%d4];", SIMT_USE_AFTER_FREE, 700, 14, ""},
    {START "TS: .branchtargets A, B; add.u32 %r2, %r1, 1;\n.loc 1 15 1\n brx.idx %r2, TS; A: B:", SIMT_TRAP, 719, 15, ""},
};

START_TEST(says_what_went_wrong)
{
    uint64_t at;
    simt_device *d = run(faults[_i].body, 32, faults[_i].code, &at);
    const simt_fault *f = simt_fault_at(d, 0);
    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(f->kind, faults[_i].kind);
    ck_assert_int_eq(f->at.line, faults[_i].line);
    ck_assert_uint_eq(f->at.thread[0], faults[_i].line == 15 ? 1 : 0);
    ck_assert_msg(strstr(f->detail, faults[_i].detail), "%s", f->detail);
    simt_close(d);
}
END_TEST

// The heap's size can be told until a kernel has used it.
START_TEST(fixes_the_heap_at_first_use)
{
    uint64_t at;
    simt_device *d = run(START MALLOC("%d4", "64") STORE, 1, 0, &at);
    ck_assert_int_eq(simt_set_limit(d, SIMT_LIMIT_HEAP, 1 << 20), 1);
    ck_assert_int_eq(simt_set_limit(d, SIMT_LIMIT_STACK, 4096), 0);
    simt_close(d);
    d = lab_open(1, false);
    ck_assert_int_eq(simt_set_limit(d, SIMT_LIMIT_HEAP, 1 << 12), 0);
    ck_assert_int_eq(simt_set_limit(d, SIMT_LIMITS, 1), 1);
    uint64_t p[4] = {0};
    uint32_t out[2];
    ck_assert_int_eq(simt_alloc(d, 8, &p[0]), 0);
    ck_assert_int_eq(lab_run(d, lab_program(FUNCTIONS, MALLOC("%d4", "4000") MALLOC("%d5", "4000")
                                            "setp.eq.u64 %p1, %d4, 0; selp.b32 %r1, 1, 0, %p1; setp.eq.u64 %p1, %d5, 0; selp.b32 %r2, 1, 0, %p1; st.global.v2.u32 [%q0], {%r1, %r2};"),
                             1, 1, p, 4), 0);
    simt_read(d, out, p[0], 8);
    ck_assert_uint_eq(out[0], 0);
    ck_assert_uint_eq(out[1], 1);
    simt_close(d);
}
END_TEST

Suite *call_suite(void)
{
    Suite *suite = suite_create("calls");
    TCase *tc = tcase_create("calls");
    TCase *answers = lab_answers(suite);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(answers, does_what_it_says, 0, (int)(sizeof cases / sizeof *cases));
    tcase_add_loop_test(tc, says_what_went_wrong, 0, (int)(sizeof faults / sizeof *faults));
    tcase_add_test(tc, fixes_the_heap_at_first_use);
    suite_add_tcase(suite, tc);
    return suite;
}
