// Chapter 1: what a first kernel writes, what a failed launch reports, who a thread is.

#include "workbook.h"

#include "kernel.h"

#include <string.h>

enum { ILLEGAL_ADDRESS = 700 }; // cudaError_t

// cudaErrorInvalidConfiguration (9) before CUDA 13, cudaErrorInvalidValue (1) since.
static bool says_impossible(int error)
{
    return error == 9 || error == 1;
}

// ---- device_query ---------------------------------------------------------------------

static device_facts query(void)
{
    device_facts h_facts[1];
    memset(h_facts, 0x7f, sizeof h_facts);
    wb_call("device_query", wb_named(wb_host_inout(h_facts, sizeof h_facts), "h_facts"));
    return h_facts[0];
}

START_TEST(says_how_many_multiprocessors_there_are)
{
    int got = query().multiprocessors;
    wb_expect(got == wb_multiprocessors(), "multiprocessors is %d, and the device has %d", got,
              wb_multiprocessors());
}
END_TEST

START_TEST(says_how_large_a_block_may_be)
{
    device_facts f = query();
    wb_expect(f.warp_size == 32, "warp_size is %d; every GPU so far has 32", f.warp_size);
    wb_expect(f.threads_per_block == 1024, "threads_per_block is %d; since 2010 it is 1024",
              f.threads_per_block);
    wb_expect(f.shared_per_block == 48 * 1024, "shared_per_block is %d; without asking for more "
              "it is 49152 bytes", f.shared_per_block);
}
END_TEST

START_TEST(says_its_compute_capability)
{
    device_facts f = query();
    wb_expect(f.major >= 7 && f.major < 20 && f.minor >= 0 && f.minor < 10,
              "major.minor is %d.%d", f.major, f.minor);
}
END_TEST

// ---- hello and checked_launch ---------------------------------------------------------

typedef struct shape {
    int blocks, threads;
} shape;
static const shape good[] = {{1, 1}, {1, 31}, {3, 32}, {2, 33}, {1, 1024}, {100, 64}, {7, 257}};
static const shape bad[] = {{0, 32}, {1, 0}, {1, 1025}, {1, 2048}, {-1, 32}, {4, -32}};

static void expect_greetings(const uint32_t *d_out, size_t n)
{
    uint32_t *want = wb_new(n * sizeof *want);
    for (size_t i = 0; i < n; i++)
        want[i] = GREETING + (uint32_t)i;
    wb_equal_u32("d_out", d_out, want, n);
}

START_TEST(greets_from_every_thread)
{
    shape s = good[_i];
    size_t n = (size_t)s.blocks * (size_t)s.threads;
    uint32_t *d_out = wb_new(n * sizeof *d_out);
    wb_call("hello", WB_OUT(d_out, n), wb_i32(s.blocks), wb_i32(s.threads));
    expect_greetings(d_out, n);
}
END_TEST

START_TEST(returns_the_error_of_an_impossible_launch)
{
    uint32_t d_out[1] = {0};
    int error = wb_try("hello", WB_INOUT(d_out, 1), wb_i32(bad[_i].blocks), wb_i32(bad[_i].threads));
    wb_expect(says_impossible(error), "%d blocks of %d threads cannot be launched, but hello "
              "returned %s", bad[_i].blocks, bad[_i].threads, wb_error(error));
}
END_TEST

START_TEST(works_again_after_a_failed_launch)
{
    uint32_t d_none[1] = {0}, d_out[64];
    wb_try("hello", WB_INOUT(d_none, 1), wb_i32(1), wb_i32(4096));
    wb_call("hello", WB_OUT(d_out, 64), wb_i32(2), wb_i32(32));
    expect_greetings(d_out, 64);
}
END_TEST

static void expect_errors(int launch, int want_launch, int end, int want_end)
{
    wb_expect(launch == want_launch, "*h_at_launch is %s, not %s", wb_error(launch),
              wb_error(want_launch));
    wb_expect(end == want_end, "*h_at_end is %s, not %s", wb_error(end), wb_error(want_end));
}

START_TEST(reports_no_error_where_there_is_none)
{
    uint32_t d_out[96];
    int h_at_launch[1] = {-1}, h_at_end[1] = {-1};
    wb_call("checked_launch", WB_OUT(d_out, 96), wb_i32(3), wb_i32(32),
            wb_host_inout(h_at_launch, sizeof h_at_launch), wb_host_inout(h_at_end, sizeof h_at_end));
    expect_errors(h_at_launch[0], 0, h_at_end[0], 0);
    expect_greetings(d_out, 96);
}
END_TEST

START_TEST(reports_a_launch_that_cannot_be_made)
{
    uint32_t d_out[1] = {0};
    int h_at_launch[1] = {-1}, h_at_end[1] = {-1};
    wb_call("checked_launch", WB_INOUT(d_out, 1), wb_i32(bad[_i].blocks), wb_i32(bad[_i].threads),
            wb_host_inout(h_at_launch, sizeof h_at_launch), wb_host_inout(h_at_end, sizeof h_at_end));
    wb_expect(says_impossible(h_at_launch[0]), "%d blocks of %d threads cannot be launched, but "
              "*h_at_launch is %s", bad[_i].blocks, bad[_i].threads, wb_error(h_at_launch[0]));
    wb_expect(h_at_end[0] == 0, "*h_at_end is %s, but no kernel ran that could fail",
              wb_error(h_at_end[0]));
}
END_TEST

START_TEST(reports_a_kernel_that_fails)
{
    int h_at_launch[1] = {-1}, h_at_end[1] = {-1};
    wb_fault("checked_launch", wb_null(), wb_i32(1), wb_i32(32),
             wb_host_inout(h_at_launch, sizeof h_at_launch), wb_host_inout(h_at_end, sizeof h_at_end));
    expect_errors(h_at_launch[0], 0, h_at_end[0], ILLEGAL_ADDRESS);
}
END_TEST

// ---- Who am I -------------------------------------------------------------------------

START_TEST(numbers_every_thread_of_a_line)
{
    static const shape shapes[] = {{1, 1}, {1, 31}, {2, 33}, {3, 1024}, {5, 96}, {1000, 32}};
    shape s = shapes[_i];
    size_t n = (size_t)s.blocks * (size_t)s.threads, bytes = n * sizeof(int);
    int *d_thread = wb_new(bytes), *d_block = wb_new(bytes), *d_warp = wb_new(bytes),
        *d_lane = wb_new(bytes), *want = wb_new(bytes);
    wb_call("ids_1d", WB_OUT(d_thread, n), WB_OUT(d_block, n), WB_OUT(d_warp, n),
            WB_OUT(d_lane, n), wb_i32(s.blocks), wb_i32(s.threads));
    for (size_t i = 0; i < n; i++)
        want[i] = (int)i;
    wb_equal_i32("d_thread", d_thread, want, n);
    for (size_t i = 0; i < n; i++)
        want[i] = (int)i / s.threads;
    wb_equal_i32("d_block", d_block, want, n);
    for (size_t i = 0; i < n; i++)
        want[i] = (int)i % s.threads / 32;
    wb_equal_i32("d_warp", d_warp, want, n);
    for (size_t i = 0; i < n; i++)
        want[i] = (int)i % s.threads % 32;
    wb_equal_i32("d_lane", d_lane, want, n);
}
END_TEST

// Grid and block sizes, x y z. In most of them a warp runs over a row's end, and the grid
// is wider than one block, so that the two numberings differ.
typedef struct box {
    int grid[3], block[3];
} box;
static const box boxes_2d[] = {
    {{1, 1, 1}, {1, 1, 1}},  {{1, 1, 1}, {8, 8, 1}},    {{2, 3, 1}, {5, 7, 1}},
    {{3, 2, 1}, {33, 2, 1}}, {{4, 1, 1}, {32, 32, 1}},  {{1, 5, 1}, {31, 3, 1}},
    {{7, 2, 1}, {1, 64, 1}}, {{2, 2, 1}, {16, 16, 1}},  {{3, 3, 1}, {1024, 1, 1}},
};
static const box boxes_3d[] = {
    {{1, 1, 1}, {1, 1, 1}}, {{2, 1, 1}, {4, 4, 4}},  {{2, 3, 2}, {5, 3, 2}},
    {{1, 1, 3}, {8, 8, 16}}, {{3, 2, 2}, {1, 1, 64}}, {{2, 2, 2}, {7, 5, 3}},
    {{4, 1, 2}, {16, 2, 2}}, {{1, 4, 1}, {33, 1, 2}}, {{2, 2, 3}, {10, 10, 10}},
};

static size_t volume(const int *v)
{
    return (size_t)v[0] * (size_t)v[1] * (size_t)v[2];
}

static void check_warps(const box *b, int dimensions)
{
    size_t each = volume(b->block), n = volume(b->grid) * each;
    int *d_warp = wb_new(n * sizeof(int)), *d_lane = wb_new(n * sizeof(int));
    int *want = wb_new(n * sizeof(int));
    const int *g = b->grid, *t = b->block;
    if (dimensions == 2)
        wb_call("ids_2d", WB_OUT(d_warp, n), WB_OUT(d_lane, n), wb_i32(g[0]), wb_i32(g[1]),
                wb_i32(t[0]), wb_i32(t[1]));
    else
        wb_call("ids_3d", WB_OUT(d_warp, n), WB_OUT(d_lane, n), wb_i32(g[0]), wb_i32(g[1]),
                wb_i32(g[2]), wb_i32(t[0]), wb_i32(t[1]), wb_i32(t[2]));
    for (size_t i = 0; i < n; i++)
        want[i] = (int)(i % each) / 32;
    wb_equal_i32("d_warp", d_warp, want, n);
    for (size_t i = 0; i < n; i++)
        want[i] = (int)(i % each) % 32;
    wb_equal_i32("d_lane", d_lane, want, n);
}

START_TEST(finds_warps_in_two_dimensions)
{
    check_warps(&boxes_2d[_i], 2);
}
END_TEST

START_TEST(finds_warps_in_three_dimensions)
{
    check_warps(&boxes_3d[_i], 3);
}
END_TEST

START_TEST(puts_every_thread_in_its_place)
{
    const box *b = &boxes_2d[_i];
    const int *g = b->grid, *t = b->block;
    size_t n = volume(g) * volume(t), width = (size_t)(g[0] * t[0]);
    int *d_out = wb_new(n * sizeof(int)), *want = wb_new(n * sizeof(int));
    wb_call("positions", WB_OUT(d_out, n), wb_i32(g[0]), wb_i32(g[1]), wb_i32(t[0]), wb_i32(t[1]));
    for (size_t i = 0; i < n; i++) {
        int x = (int)(i % width), y = (int)(i / width);
        int block = y / t[1] * g[0] + x / t[0], in_block = y % t[1] * t[0] + x % t[0];
        want[i] = block * t[0] * t[1] + in_block;
    }
    wb_equal_i32("d_out", d_out, want, n);
}
END_TEST

// ---- The steps ------------------------------------------------------------------------

void workbook_tests(Suite *suite)
{
    TCase *step = wb_step(suite, "device_query");
    tcase_add_test(step, says_how_many_multiprocessors_there_are);
    tcase_add_test(step, says_how_large_a_block_may_be);
    tcase_add_test(step, says_its_compute_capability);
    step = wb_step(suite, "hello");
    tcase_add_loop_test(step, greets_from_every_thread, 0, WB_LEN(good));
    tcase_add_loop_test(step, returns_the_error_of_an_impossible_launch, 0, WB_LEN(bad));
    tcase_add_test(step, works_again_after_a_failed_launch);
    step = wb_step(suite, "checked_launch");
    tcase_add_test(step, reports_no_error_where_there_is_none);
    tcase_add_loop_test(step, reports_a_launch_that_cannot_be_made, 0, WB_LEN(bad));
    tcase_add_test(step, reports_a_kernel_that_fails);
    step = wb_step(suite, "ids_1d");
    tcase_add_loop_test(step, numbers_every_thread_of_a_line, 0, 6);
    step = wb_step(suite, "ids_2d");
    tcase_add_loop_test(step, finds_warps_in_two_dimensions, 0, WB_LEN(boxes_2d));
    step = wb_step(suite, "ids_3d");
    tcase_add_loop_test(step, finds_warps_in_three_dimensions, 0, WB_LEN(boxes_3d));
    step = wb_step(suite, "positions");
    tcase_add_loop_test(step, puts_every_thread_in_its_place, 0, WB_LEN(boxes_2d));
}

// Budgets: 64 blocks of 256 threads.
void workbook_budget(const char *step)
{
    size_t n = 64 * 256;
    int *a = wb_new(n * sizeof(int)), *b = wb_new(n * sizeof(int)), *c = wb_new(n * sizeof(int)),
        *d = wb_new(n * sizeof(int));
    if (!strcmp(step, "hello"))
        wb_call(step, wb_out(a, n * 4), wb_i32(64), wb_i32(256));
    else if (!strcmp(step, "ids_1d"))
        wb_call(step, WB_OUT(a, n), WB_OUT(b, n), WB_OUT(c, n), WB_OUT(d, n), wb_i32(64), wb_i32(256));
    else if (!strcmp(step, "ids_2d"))
        wb_call(step, WB_OUT(a, n), WB_OUT(b, n), wb_i32(8), wb_i32(8), wb_i32(32), wb_i32(8));
    else if (!strcmp(step, "ids_3d"))
        wb_call(step, WB_OUT(a, n), WB_OUT(b, n), wb_i32(4), wb_i32(4), wb_i32(4), wb_i32(8), wb_i32(8),
                wb_i32(4));
    else if (!strcmp(step, "positions"))
        wb_call(step, WB_OUT(a, n), wb_i32(8), wb_i32(8), wb_i32(32), wb_i32(8));
}

void workbook_speed(const char *step)
{
    (void)step; // nothing in this chapter is about speed
}
