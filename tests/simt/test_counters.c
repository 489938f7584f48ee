// The table of single accesses that ncu counted on an H200 (CUDA 13.0, driver 580.159,
// 2026-11-21), and that the counts do not depend on the number of host threads.

#include "lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double counter(simt_device *d, const char *name)
{
    double v = simt_counter(d, name);
    ck_assert_msg(v >= 0, "no counter '%s'", name);
    return v;
}

typedef struct access_case {
    const char *name;
    int blocks;          // of 256 threads
    int width, stride, offset; // bytes a lane; in elements
    const char *type;    // "u32", "v2.u32", ...
    int every;           // lanes that take part: those below `every` of 32
    double requests, cost, conflicts; // sectors or wavefronts
} access_case;

static const access_case global_loads[] = {
    {"int, stride 1", 8, 4, 1, 0, "u32", 32, 64, 256, 0}, {"int, stride 1, offset 1", 8, 4, 1, 1, "u32", 32, 64, 320, 0},
    {"int, stride 2", 8, 4, 2, 0, "u32", 32, 64, 512, 0}, {"int, stride 3", 8, 4, 3, 0, "u32", 32, 64, 768, 0},
    {"int, stride 8", 8, 4, 8, 0, "u32", 32, 64, 2048, 0}, {"int, stride 9", 8, 4, 9, 0, "u32", 32, 64, 2048, 0}, {"int, stride 32", 8, 4, 32, 0, "u32", 32, 64, 2048, 0},
    {"char, stride 1", 8, 1, 1, 0, "u8", 32, 64, 64, 0}, {"char, stride 1, offset 3", 8, 1, 1, 3, "u8", 32, 64, 128, 0},
    {"short, offset 5", 8, 2, 1, 5, "u16", 32, 64, 192, 0}, {"8 bytes, stride 1", 8, 8, 1, 0, "u64", 32, 64, 512, 0},
    {"8 bytes, offset 1", 8, 8, 1, 1, "u64", 32, 64, 576, 0}, {"16 bytes, stride 1", 8, 16, 1, 0, "v4.u32", 32, 64, 1024, 0},
    {"16 bytes, offset 1", 8, 16, 1, 1, "v4.u32", 32, 64, 1088, 0}, {"16 bytes, stride 2", 8, 16, 2, 0, "v4.u32", 32, 64, 2048, 0},
    {"16 bytes, stride 3", 8, 16, 3, 0, "v4.u32", 32, 64, 2048, 0}, {"half the lanes", 8, 4, 1, 0, "u32", 16, 64, 128, 0},
    {"one address", 8, 4, 0, 0, "u32", 32, 64, 64, 0},
};
static const access_case global_stores[] = {
    {"int, stride 1", 8, 4, 1, 0, "u32", 32, 64, 256, 0}, {"int, offset 1", 8, 4, 1, 1, "u32", 32, 64, 320, 0},
    {"int, stride 2", 8, 4, 2, 0, "u32", 32, 64, 512, 0}, {"int, stride 8", 8, 4, 8, 0, "u32", 32, 64, 2048, 0},
};
static const access_case shared_loads[] = {
    {"int, stride 1", 1, 4, 1, 0, "u32", 32, 8, 8, 0}, {"int, stride 3", 1, 4, 3, 0, "u32", 32, 8, 8, 0}, {"int, stride 5", 1, 4, 5, 0, "u32", 32, 8, 8, 0},
    {"int, stride 33", 1, 4, 33, 0, "u32", 32, 8, 8, 0}, {"int, stride 2", 1, 4, 2, 0, "u32", 32, 8, 16, 8}, {"int, stride 4", 1, 4, 4, 0, "u32", 32, 8, 32, 24},
    {"int, stride 8", 1, 4, 8, 0, "u32", 32, 8, 64, 56}, {"int, stride 16", 1, 4, 16, 0, "u32", 32, 8, 128, 120}, {"int, stride 32", 1, 4, 32, 0, "u32", 32, 8, 256, 248},
    {"8 bytes, stride 1", 1, 8, 1, 0, "u64", 32, 8, 16, 0}, {"8 bytes, stride 3", 1, 8, 3, 0, "u64", 32, 8, 16, 0}, {"8 bytes, stride 2", 1, 8, 2, 0, "u64", 32, 8, 32, 16},
    {"16 bytes, stride 1", 1, 16, 1, 0, "v4.u32", 32, 8, 32, 0}, {"16 bytes, stride 3", 1, 16, 3, 0, "v4.u32", 32, 8, 32, 0}, {"16 bytes, stride 2", 1, 16, 2, 0, "v4.u32", 32, 8, 64, 32},
    {"half the lanes, stride 2", 1, 4, 2, 0, "u32", 16, 8, 8, 0},
};
static const access_case shared_stores[] = {
    {"8 bytes, stride 1", 1, 8, 1, 0, "u64", 32, 8, 16, 0}, {"8 bytes, stride 2", 1, 8, 2, 0, "u64", 32, 8, 32, 16},
    {"1 byte, stride 1", 1, 1, 1, 0, "u8", 32, 8, 8, 0}, {"2 bytes, stride 1", 1, 2, 1, 0, "u16", 32, 8, 8, 0},
};

// Lane address = base + (thread of the block or of the grid * stride + offset) * width.
static simt_device *run_access(const access_case *c, bool shared, bool stores)
{
    simt_device *d = lab_open(1, false);
    uint64_t p[4] = {0};
    char text[2048], value[64];
    simt_alloc(d, 4 << 20, &p[0]);
    snprintf(value, sizeof value, !strncmp(c->type, "v4", 2) ? "{%%r10, %%r11, %%r12, %%r13}"
                                  : c->width == 8            ? "%%d10"
                                  : c->width == 2            ? "%%h1"
                                                             : "%%r10");
    // Shared strides wrap at 32 KiB, a multiple of all banks, to stay in a block's memory.
    snprintf(text, sizeof text,
             ".shared .align 16 .b8 s[49152];\n mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%ctaid.x; and.b32 %%r3, %%r1, 31;\n"
             "setp.ge.u32 %%p1, %%r3, %d; @%%p1 bra E; %s mad.lo.u32 %%r4, %%r1, %d, %d; mul.lo.u32 %%r4, %%r4, %d;\n"
             "%s\nE:",
             c->every, shared ? "" : "mad.lo.u32 %r1, %r2, 256, %r1;", c->stride, c->offset, c->width,
             shared ? "and.b32 %r4, %r4, 32767; mov.u32 %r5, s; add.u32 %r4, %r4, %r5;"
                    : "cvt.u64.u32 %d1, %r4; add.u64 %d1, %d1, %q0;");
    char *end = strstr(text, "\nE:");
    snprintf(end, sizeof text - (size_t)(end - text), stores ? "\n%s.%s.%s [%s], %s;\nE:" : "\n%s.%s.%s %s, [%s];\nE:",
             stores ? "st" : "ld", shared ? "shared" : "global", c->type,
             stores ? (shared ? "%r4" : "%d1") : value, stores ? value : shared ? "%r4" : "%d1");
    ck_assert_int_eq(lab_run(d, lab_kernel(text), (uint32_t)c->blocks, 256, p, 4), 0);
    return d;
}

START_TEST(counts_global_loads)
{
    const access_case *c = &global_loads[_i];
    simt_device *d = run_access(c, false, false);
    ck_assert_msg(counter(d, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum") == c->requests, "%s", c->name);
    ck_assert_msg(counter(d, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") == c->cost, "%s: %g", c->name,
                  counter(d, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"));
    simt_close(d);
}
END_TEST

START_TEST(counts_global_stores)
{
    const access_case *c = &global_stores[_i];
    simt_device *d = run_access(c, false, true);
    ck_assert_msg(counter(d, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum") == c->requests, "%s", c->name);
    ck_assert_msg(counter(d, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum") == c->cost, "%s", c->name);
    simt_close(d);
}
END_TEST

START_TEST(counts_shared_loads)
{
    const access_case *c = &shared_loads[_i];
    simt_device *d = run_access(c, true, false);
    ck_assert_msg(counter(d, "shared_requests_ld") == c->requests, "%s", c->name);
    ck_assert_msg(counter(d, "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum") == c->cost, "%s: %g", c->name,
                  counter(d, "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"));
    ck_assert_msg(counter(d, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum") == c->conflicts, "%s", c->name);
    simt_close(d);
}
END_TEST

START_TEST(counts_shared_stores)
{
    const access_case *c = &shared_stores[_i];
    simt_device *d = run_access(c, true, true);
    ck_assert_msg(counter(d, "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum") == c->cost, "%s: %g", c->name,
                  counter(d, "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum"));
    ck_assert_msg(counter(d, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum") == c->conflicts, "%s", c->name);
    simt_close(d);
}
END_TEST

// A warp whose lanes are all off makes no request: n = 2000 of 2048 threads, 63 of 64.
START_TEST(counts_no_request_for_a_warp_that_is_off)
{
    simt_device *d = lab_open(1, false);
    uint64_t p[4] = {0};
    simt_alloc(d, 8192, &p[0]);
    ck_assert_int_eq(lab_run(d, lab_kernel("mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r1, %r1, 256, %r2; setp.lt.u32 %p1, %r1, 2000;"
                                           "mul.wide.u32 %d1, %r1, 4; add.u64 %d1, %q0, %d1; @%p1 ld.global.u32 %r3, [%d1];"), 8, 256, p, 4), 0);
    ck_assert(counter(d, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum") == 63);
    simt_close(d);
}
END_TEST

// An atomic whose old value nobody reads is a reduction: sectors as a store's.
START_TEST(counts_unused_atomics_as_reductions)
{
    simt_device *d = lab_open(1, false);
    uint64_t p[4] = {0};
    simt_alloc(d, 8192, &p[0]);
    ck_assert_int_eq(lab_run(d, lab_kernel("mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 4; add.u64 %d1, %q0, %d1; atom.global.add.u32 %r3, [%d1], 1; atom.global.add.u32 %r4, [%q0], 1;"), 1, 32, p, 4), 0);
    ck_assert(counter(d, "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum") == 2);
    ck_assert(counter(d, "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum") == 5);
    ck_assert(counter(d, "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum") == 0);
    ck_assert(counter(d, "atomic_serialization") == 33);
    simt_close(d);
}
END_TEST

// The same record, to the letter, with one host thread and with two, twice.
START_TEST(does_not_depend_on_the_host)
{
    static char first[1 << 16];
    for (int i = 0; i < 4; i++) {
        char *text = NULL;
        size_t size = 0;
        simt_device *d = lab_open(1 + i % 2, true);
        uint64_t p[4] = {0};
        simt_alloc(d, 1 << 20, &p[0]);
        ck_assert_int_eq(lab_run(d, lab_kernel(".shared .align 4 .b8 s[1024]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r3, %r1, 256, %r2; mul.wide.u32 %d1, %r3, 4; add.u64 %d1, %q0, %d1;"
            "ld.global.u32 %r4, [%d1]; shl.b32 %r5, %r2, 3; and.b32 %r5, %r5, 1023; mov.u32 %r6, s; add.u32 %r6, %r6, %r5; st.shared.u32 [%r6], %r3; rem.u32 %r7, %r3, 7; setp.eq.u32 %p1, %r7, 0; @%p1 bra E; add.u32 %r4, %r4, 1; E: red.global.add.u32 [%q0+1040000], %r4;"),
            1000, 256, p, 4), 0);
        FILE *f = open_memstream(&text, &size);
        simt_write_record(d, f);
        fclose(f);
        ck_assert(size < sizeof first);
        if (i == 0)
            strcpy(first, text);
        if (strcmp(text, first)) {
            size_t at = 0;
            while (text[at] == first[at])
                at++;
            ck_abort_msg("records differ: %.200s", text + (at > 80 ? at - 80 : 0));
        }
        free(text);
        simt_close(d);
    }
}
END_TEST

Suite *counter_suite(void)
{
    Suite *suite = suite_create("counters");
    TCase *tc = tcase_create("counters");
    tcase_set_timeout(tc, 60);
#define ALL(list) (int)(sizeof list / sizeof *list)
    tcase_add_loop_test(tc, counts_global_loads, 0, ALL(global_loads));
    tcase_add_loop_test(tc, counts_global_stores, 0, ALL(global_stores));
    tcase_add_loop_test(tc, counts_shared_loads, 0, ALL(shared_loads));
    tcase_add_loop_test(tc, counts_shared_stores, 0, ALL(shared_stores));
    tcase_add_test(tc, counts_no_request_for_a_warp_that_is_off);
    tcase_add_test(tc, counts_unused_atomics_as_reductions);
    tcase_add_test(tc, does_not_depend_on_the_host);
    suite_add_tcase(suite, tc);
    return suite;
}
