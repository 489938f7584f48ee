// Faults as data: kind, code, line, block, thread, address, nearest allocation.

#include "lab.h"

#include <string.h>

typedef struct fault_case {
    const char *body;
    uint32_t grid, block;
    simt_fault_kind kind;
    int code, line, other_line;
    uint32_t at_block, at_thread;
} fault_case;

// %q0: 256 bytes; %q1: an address that was freed; %q2: a host address.
#define AT "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 32, %r1; mul.wide.u32 %d1, %r3, 4; add.u64 %d2, %q0, %d1;\n"
static const fault_case cases[] = {
    {AT ".loc 1 7 1\n st.global.u32 [%d2], %r1;", 4, 32, SIMT_OUT_OF_BOUNDS, 700, 7, 0, 2, 0},
    {AT ".loc 1 8 1\n ld.global.u32 %r4, [%q0+2];", 1, 32, SIMT_MISALIGNED, 716, 8, 0, 0, 0},
    {".loc 1 9 1\n ld.global.u32 %r4, [%q1+16];", 1, 1, SIMT_USE_AFTER_FREE, 700, 9, 0, 0, 0},
    {".loc 1 10 1\n st.global.u32 [%q2], %r4;", 1, 1, SIMT_FOREIGN_POINTER, 700, 10, 0, 0, 0},
    {".loc 1 11 1\n mov.u64 %d5, 0; atom.global.add.u32 %r4, [%d5+8], 1;", 1, 1, SIMT_NULL_POINTER, 700, 11, 0, 0, 0},
    {AT ".shared .align 4 .b8 s[64]; .loc 1 12 1\n shl.b32 %r5, %r1, 2; mov.u32 %r6, s; add.u32 %r6, %r6, %r5; st.shared.u32 [%r6], %r5;", 1, 32, SIMT_SHARED_BOUNDS, 700, 12, 0, 0, 16},
    {".local .align 4 .b8 l[16]; mov.u64 %d4, l; .loc 1 13 1\n st.local.u32 [%d4+16], %r1;", 1, 1, SIMT_LOCAL_BOUNDS, 700, 13, 0, 0, 0},
    {".loc 1 14 1\n L: bra L;", 1, 32, SIMT_LIMIT, 702, 14, 0, 0, 0},
    {".loc 1 15 1\n trap;", 1, 32, SIMT_TRAP, 719, 15, 0, 0, 0},
    {AT "setp.lt.u32 %p1, %r1, 16; @!%p1 bra E; .loc 1 16 1\n bar.sync 1, 64; E: .loc 1 17 1\n bar.sync 0;", 1, 32, SIMT_BARRIER, 719, 16, 17, 0, 0},
    {AT "setp.lt.u32 %p1, %r1, 16; @!%p1 bra E; .loc 1 18 1\n shfl.sync.down.b32 %r4, %r1, 1, 31, 0xffffffff; bra F; E: .loc 1 19 1\n bar.sync 0; F:", 1, 32, SIMT_BARRIER, 719, 18, 19, 0, 0},
    {AT ".loc 1 20 1\n shfl.sync.down.b32 %r4, %r1, 1, 31, 0xff;", 1, 32, SIMT_SHUFFLE, 719, 20, 0, 0, 8},
    {AT ".loc 1 21 1\n bar.sync 2, 96;", 1, 32, SIMT_DEADLOCK, 719, 21, 0, 0, 0},
    // The last word there is, behind one that is good.
    {AT ".loc 1 33 1\n mov.u64 %d5, -4; setp.eq.u32 %p1, %r1, 5; selp.b64 %d6, %d5, %q0, %p1; .loc 1 33 1\n ld.global.u32 %r4, [%d6];", 1, 32, SIMT_FOREIGN_POINTER, 700, 33, 0, 0, 5},
    // Findings: the launch goes on.
    {AT ".shared .align 4 .b8 s[256]; mov.u32 %r6, s; shl.b32 %r5, %r1, 2; add.u32 %r6, %r6, %r5; .loc 1 22 1\n st.shared.u32 [%r6], %r1; xor.b32 %r7, %r6, 128; .loc 1 23 1\n ld.shared.u32 %r8, [%r7];", 1, 64, SIMT_RACE, 0, 22, 23, 0, 32},
    {AT ".shared .align 4 .b8 s[256]; mov.u32 %r6, s; shl.b32 %r5, %r1, 2; add.u32 %r6, %r6, %r5; .loc 1 24 1\n st.shared.u32 [%r6], %r1; xor.b32 %r7, %r6, 4; .loc 1 25 1\n ld.shared.u32 %r8, [%r7];", 1, 32, SIMT_RACE, 0, 25, 24, 0, 0},
    {AT ".shared .align 4 .b8 s[4]; .loc 1 26 1\n st.shared.u32 [s], %r1;", 1, 64, SIMT_RACE, 0, 26, 26, 0, 1},
    {AT "setp.lt.u32 %p1, %r1, 16; @!%p1 bra E; .loc 1 29 1\n bar.sync 0; E: setp.eq.u32 %p2, %r1, 99; @%p2 bra F; .loc 1 30 1\n add.u32 %r4, %r1, 1; F:", 1, 32, SIMT_BARRIER, 0, 29, 30, 0, 0},
    {AT ".shared .align 4 .b8 s[256]; mov.u32 %r6, s; shl.b32 %r5, %r1, 2; add.u32 %r6, %r6, %r5; .loc 1 31 1\n ld.shared.u32 %r8, [%r6+64]; ld.shared.u32 %r7, [%r6]; add.u32 %r7, %r7, %r1; .loc 1 32 1\n st.shared.u32 [%r6], %r7;", 1, 32, SIMT_RACE, 0, 32, 31, 0, 16},
    {AT "setp.lt.u32 %p1, %r1, 32; @!%p1 bra E; .loc 1 27 1\n bar.sync 0; bra F; E: .loc 1 28 1\n bar.sync 0; F:", 1, 64, SIMT_BARRIER, 0, 28, 27, 0, 32},
};

static simt_device *run_fault(const fault_case *c, int workers)
{
    simt_config config = {.workers = workers, .checks = SIMT_CHECK_RACE, .memory = 1 << 26,
                          .instruction_limit = 100000};
    simt_device *d = simt_open(&config);
    uint64_t p[4] = {0};
    ck_assert_int_eq(simt_alloc(d, 256, &p[0]), 0);
    ck_assert_int_eq(simt_alloc(d, 256, &p[1]), 0);
    ck_assert_int_eq(simt_free(d, p[1]), 0);
    p[2] = (uint64_t)(uintptr_t)&config;
    static char text[8192];
    strcpy(text, lab_kernel(c->body));
    strcat(text, ".file 1 \"kernel.cu\"\n");
    int error = lab_run(d, text, c->grid, c->block, p, 4);
    ck_assert_msg(error == c->code, "line %d: error %d, not %d", c->line, error, c->code);
    return d;
}

START_TEST(says_what_where_and_who)
{
    const fault_case *c = &cases[_i];
    for (int workers = 1; workers <= 2; workers++) {
        simt_device *d = run_fault(c, workers);
        const simt_fault *f = simt_fault_at(d, 0);
        ck_assert_msg(f != NULL, "line %d: nothing was found", c->line);
        ck_assert_msg(f->kind == c->kind, "line %d: kind %d, not %d (%s)", c->line, (int)f->kind, (int)c->kind, f->detail);
        ck_assert_int_eq(f->at.line, c->line);
        ck_assert_int_eq(f->other.line, c->other_line);
        ck_assert_str_eq(f->at.file, "kernel.cu");
        ck_assert_str_eq(f->kernel, "k");
        ck_assert_uint_eq(f->at.block[0], c->at_block);
        ck_assert_uint_eq(f->at.thread[0], c->at_thread);
        simt_close(d);
    }
}
END_TEST

START_TEST(names_the_nearest_allocation)
{
    simt_device *d = run_fault(&cases[0], 1);
    const simt_fault *f = simt_fault_at(d, 0);
    ck_assert_uint_eq(f->address, 0x300000000100ull);
    ck_assert_uint_eq(f->nearest, 0x300000000000ull);
    ck_assert_uint_eq(f->nearest_bytes, 256);
    ck_assert_int_eq(f->distance, 0);
    ck_assert_str_eq(f->access, "store");
    ck_assert_str_eq(f->space, "global");
    ck_assert_uint_eq(f->bytes, 4);
    simt_close(d);
}
END_TEST

START_TEST(finds_no_race_where_there_is_none)
{
    static const char *const clean[] = {
        AT ".shared .align 4 .b8 s[256]; mov.u32 %r6, s; shl.b32 %r5, %r1, 2; add.u32 %r6, %r6, %r5; st.shared.u32 [%r6], %r1; bar.sync 0; xor.b32 %r7, %r6, 128; ld.shared.u32 %r8, [%r7];",
        AT ".shared .align 4 .b8 s[256]; mov.u32 %r6, s; shl.b32 %r5, %r1, 2; add.u32 %r6, %r6, %r5; st.shared.u32 [%r6], %r1; bar.warp.sync 0xffffffff; xor.b32 %r7, %r6, 4; ld.shared.u32 %r8, [%r7];",
        AT ".shared .align 4 .b8 s[4]; st.shared.u32 [s], 7;", // equal values
        AT ".shared .align 4 .b8 s[4]; atom.shared.add.u32 %r4, [s], 1;",
        AT ".shared .align 4 .b8 s[64]; mov.u32 %r6, s; add.u32 %r6, %r6, %r1; st.shared.u8 [%r6], %r1;", // bytes of a word
    };
    for (size_t i = 0; i < sizeof clean / sizeof *clean; i++) {
        fault_case c = {clean[i], 1, 64, SIMT_NONE, 0, 0, 0, 0, 0};
        simt_device *d = run_fault(&c, 1);
        ck_assert_msg(!simt_fault_at(d, 0), "%s", clean[i]);
        simt_close(d);
    }
}
END_TEST

START_TEST(refuses_launches_as_the_runtime_does)
{
    static const struct { uint32_t grid[3], block[3], shared; int error; } launches[] = {
        {{1, 1, 1}, {2048, 1, 1}, 0, 9}, {{0, 1, 1}, {32, 1, 1}, 0, 9}, {{1, 1, 1}, {0, 1, 1}, 0, 9},
        {{1, 65536, 1}, {1, 1, 1}, 0, 9}, {{1, 1, 1}, {1, 1, 65}, 0, 9}, {{1, 1, 1}, {32, 32, 2}, 0, 9},
        {{1, 1, 1}, {1, 1, 1}, 200 << 10, 1}, {{1, 1, 1}, {1024, 1, 1}, 0, 0}};
    simt_device *d = lab_open(1, false);
    const char *text = lab_kernel("");
    uint32_t module, kernel;
    uint64_t words[4] = {0};
    ck_assert_int_eq(simt_load(d, text, strlen(text), &module), 0);
    ck_assert_int_eq(simt_find_kernel(d, module, "k", &kernel), 0);
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        simt_launch l = {.kernel = kernel, .shared = launches[i].shared, .parameters = words, .parameter_bytes = 32};
        memcpy(l.grid, launches[i].grid, sizeof l.grid);
        memcpy(l.block, launches[i].block, sizeof l.block);
        ck_assert_int_eq(simt_run(d, &l), launches[i].error);
    }
    simt_close(d);
}
END_TEST

Suite *fault_suite(void)
{
    Suite *suite = suite_create("faults");
    TCase *tc = tcase_create("faults");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, says_what_where_and_who, 0, (int)(sizeof cases / sizeof *cases));
    tcase_add_test(tc, names_the_nearest_allocation);
    tcase_add_test(tc, finds_no_race_where_there_is_none);
    tcase_add_test(tc, refuses_launches_as_the_runtime_does);
    suite_add_tcase(suite, tc);
    return suite;
}
