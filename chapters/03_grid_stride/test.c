// Chapter 3: the same answer whatever the launch, and fair shares.

#include "workbook.h"

#include "kernel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const size_t sizes[] = {0, 1, 31, 32, 33, 255, 256, 257, 1023, 10000, 100003};
typedef struct launch {
    int grid, block;
} launch;
static const launch launches[] = {{1, 1}, {1, 32}, {7, 96}, {32, 256}, {40, 256}, {3, 1024}, {391, 256}};

static void expect_saxpy(float a, const float *x, const float *y, const float *d_y, size_t n)
{
    float *want = wb_new(n * sizeof *want);
    for (size_t i = 0; i < n; i++)
        want[i] = fmaf(a, x[i], y[i]);
    wb_equal_f32("d_y", d_y, want, n);
}

static void check(size_t n, float a, launch l, size_t shift)
{
    float *d_x = wb_random_f32(n, -10, 10), *y = wb_random_f32(n, -10, 10);
    float *d_y = wb_new(n * sizeof *d_y);
    memcpy(d_y, y, n * sizeof *d_y);
    wb_call("saxpy", wb_size(n), wb_f32(a), wb_shifted(WB_IN(d_x, n), shift),
            wb_shifted(WB_INOUT(d_y, n), shift), wb_i32(l.grid), wb_i32(l.block));
    expect_saxpy(a, d_x, y, d_y, n);
}

START_TEST(is_right_for_every_size)
{
    check(sizes[_i], 2.5f, (launch){8, 128}, 0);
}
END_TEST

START_TEST(gives_the_same_bits_for_every_launch)
{
    check(10000, 1.0f / 3, launches[_i], 0);
}
END_TEST

START_TEST(works_with_fewer_elements_than_threads)
{
    check(5, -1, launches[_i], 4);
}
END_TEST

START_TEST(refuses_what_cannot_be_launched)
{
    static const launch bad[] = {{0, 256}, {1, 0}, {1, 1025}};
    float d_x[1] = {1}, d_y[1] = {2};
    int error = wb_try("saxpy", wb_size(1), wb_f32(1), WB_IN(d_x, 1), WB_INOUT(d_y, 1),
                       wb_i32(bad[_i].grid), wb_i32(bad[_i].block));
    // cudaErrorInvalidConfiguration (9) before CUDA 13, cudaErrorInvalidValue (1) since
    wb_expect(error == 9 || error == 1, "%d blocks of %d threads cannot be launched, but saxpy "
              "returned %s", bad[_i].grid, bad[_i].block, wb_error(error));
}
END_TEST

START_TEST(works_on_the_device)
{
    size_t n = 10000;
    check(n, 3, (launch){32, 256}, 0);
    if (!wb_emulated())
        return;
    double in = wb_counter("global_bytes_ld"), out = wb_counter("global_bytes_st");
    wb_expect(in >= 8.0 * (double)n && out >= 4.0 * (double)n, "the kernel loaded %.0f bytes and "
              "stored %.0f, where %zu and %zu are needed", in, out, 8 * n, 4 * n);
}
END_TEST

// ---- shares ---------------------------------------------------------------------------

static void check_shares(size_t n, launch l)
{
    size_t threads = (size_t)l.grid * (size_t)l.block;
    uint32_t *d_count = wb_new(threads * sizeof *d_count), *want = wb_new(threads * sizeof *want);
    wb_call("shares", wb_size(n), WB_OUT(d_count, threads), wb_i32(l.grid), wb_i32(l.block));
    for (size_t i = 0; i < n; i++)
        want[i % threads]++;
    wb_equal_u32("d_count", d_count, want, threads);
}

START_TEST(gives_1808_threads_a_second_element)
{
    check_shares(10000, (launch){32, 256}); // 8192 threads
}
END_TEST

START_TEST(counts_the_turns_of_every_thread)
{
    check_shares(sizes[_i % 11], launches[_i % 7]);
}
END_TEST

// ---- saxpy_limited --------------------------------------------------------------------

static void check_limited(size_t n, int most)
{
    float *d_x = wb_random_f32(n, -10, 10), *y = wb_random_f32(n, -10, 10);
    float *d_y = wb_new(n * sizeof *d_y);
    memcpy(d_y, y, n * sizeof *d_y);
    wb_call("saxpy_limited", wb_size(n), wb_f32(0.75f), WB_IN(d_x, n), WB_INOUT(d_y, n), wb_i32(most));
    expect_saxpy(0.75f, d_x, y, d_y, n);
}

START_TEST(is_right_under_any_limit)
{
    static const int limits[] = {1, 2, 13, 391, 100000};
    check_limited(sizes[_i / 5], limits[_i % 5]);
}
END_TEST

START_TEST(launches_as_many_blocks_as_it_should)
{
    static const struct { size_t n; int most; double blocks; } cases[] = {
        {0, 10, 0}, {1, 10, 1}, {256, 10, 1}, {257, 10, 2}, {10000, 10, 10}, {10000, 100, 40}};
    check_limited(cases[_i].n, cases[_i].most);
    if (!wb_emulated())
        return;
    double blocks = wb_counter("blocks");
    wb_expect(blocks == cases[_i].blocks, "n = %zu, at most %d blocks: %.0f were launched, not %.0f",
              cases[_i].n, cases[_i].most, blocks, cases[_i].blocks);
}
END_TEST

START_TEST(multiplies_nan_by_zero)
{
    float d_x[3] = {NAN, INFINITY, 2}, y[3] = {1, 1, 1}, d_y[3] = {1, 1, 1};
    wb_call("saxpy_limited", wb_size(3), wb_f32(0), WB_IN(d_x, 3), WB_INOUT(d_y, 3), wb_i32(4));
    expect_saxpy(0, d_x, y, d_y, 3);
}
END_TEST

// ---- double_managed, trace_sums -------------------------------------------------------

START_TEST(doubles_every_value)
{
    static const size_t some[] = {0, 1, 255, 8192, 10000};
    size_t n = some[_i];
    int32_t *h_values = wb_random_i32(n, -1000000, 1000000), *want = wb_new(n * sizeof *want);
    for (size_t i = 0; i < n; i++)
        want[i] = 2 * h_values[i];
    wb_call("double_managed", wb_named(wb_host_inout(h_values, n * 4), "h_values"), wb_size(n));
    wb_equal_i32("h_values", h_values, want, n);
}
END_TEST

START_TEST(doubles_on_the_device)
{
    size_t n = 10000;
    int32_t *h_values = wb_random_i32(n, 1, 1000);
    wb_call("double_managed", wb_named(wb_host_inout(h_values, n * 4), "h_values"), wb_size(n));
    if (wb_emulated())
        wb_expect(wb_counter("global_bytes_st") >= 4.0 * (double)n, "the device stored %.0f bytes of "
                  "%zu", wb_counter("global_bytes_st"), 4 * n);
}
END_TEST

START_TEST(prints_the_sums_in_order)
{
    static const size_t some[] = {1, 5, 40};
    size_t n = some[_i], used = 0;
    int32_t *d_x = wb_random_i32(n, -99, 99), sum = 0;
    char *want = wb_new(64 * n + 1);
    for (size_t i = 0; i < n; i++) {
        sum += d_x[i];
        used += (size_t)sprintf(want + used, "%zu: %d\n", i, sum);
    }
    wb_call("trace_sums", WB_IN(d_x, n), wb_size(n));
    const char *got = wb_printed();
    wb_expect(strstr(got, want) != NULL, "expected these lines, in this order:\n%s\nbut the kernel "
              "printed:\n%s", want, got);
}
END_TEST

START_TEST(prints_nothing_for_nothing)
{
    int32_t d_x[1] = {5};
    wb_call("trace_sums", WB_IN(d_x, 1), wb_size(0));
    wb_expect(!strchr(wb_printed(), ':'), "n = 0, but it printed %s", wb_printed());
}
END_TEST

START_TEST(prints_from_one_thread)
{
    int32_t *d_x = wb_random_i32(9, -9, 9);
    wb_call("trace_sums", WB_IN(d_x, 9), wb_size(9));
    if (wb_emulated())
        wb_expect(wb_counter("threads") == 1, "%.0f threads were launched, not 1",
                  wb_counter("threads"));
}
END_TEST

// ---- The steps ------------------------------------------------------------------------

void workbook_tests(Suite *suite)
{
    TCase *step = wb_step(suite, "saxpy");
    tcase_add_loop_test(step, is_right_for_every_size, 0, WB_LEN(sizes));
    tcase_add_loop_test(step, gives_the_same_bits_for_every_launch, 0, WB_LEN(launches));
    tcase_add_loop_test(step, works_with_fewer_elements_than_threads, 0, WB_LEN(launches));
    tcase_add_loop_test(step, refuses_what_cannot_be_launched, 0, 3);
    tcase_add_test(step, works_on_the_device);
    step = wb_step(suite, "shares");
    tcase_add_test(step, gives_1808_threads_a_second_element);
    tcase_add_loop_test(step, counts_the_turns_of_every_thread, 0, 77);
    step = wb_step(suite, "saxpy_limited");
    tcase_add_loop_test(step, is_right_under_any_limit, 0, 55);
    tcase_add_loop_test(step, launches_as_many_blocks_as_it_should, 0, 6);
    tcase_add_test(step, multiplies_nan_by_zero);
    step = wb_step(suite, "double_managed");
    tcase_add_loop_test(step, doubles_every_value, 0, 5);
    tcase_add_test(step, doubles_on_the_device);
    step = wb_step(suite, "trace_sums");
    tcase_add_loop_test(step, prints_the_sums_in_order, 0, 3);
    tcase_add_test(step, prints_nothing_for_nothing);
    tcase_add_test(step, prints_from_one_thread);
}

// Budgets are about 2^20 elements; saxpy with 8 blocks for each of an A100's 108 multiprocessors.
void workbook_budget(const char *step)
{
    size_t n = (size_t)1 << 20;
    float *d_x = wb_fixed_f32(n), *y = wb_fixed_f32(n), *d_y = wb_new(n * sizeof *d_y);
    memcpy(d_y, y, n * sizeof *d_y);
    if (!strcmp(step, "saxpy"))
        wb_call("saxpy", wb_size(n), wb_f32(2), WB_IN(d_x, n), WB_INOUT(d_y, n), wb_i32(864), wb_i32(256));
    else if (!strcmp(step, "saxpy_limited"))
        wb_call("saxpy_limited", wb_size(n), wb_f32(2), WB_IN(d_x, n), WB_INOUT(d_y, n), wb_i32(864));
    else
        return;
    expect_saxpy(2, d_x, y, d_y, n);
}

void workbook_speed(const char *step)
{
    static const char *const ceilings[] = {"memcpy", NULL};
    size_t n = (size_t)1 << 28;
    if (strcmp(step, "saxpy") && strcmp(step, "saxpy_limited"))
        return;
    // y is added to again in every timed call, so it is compared by its sign and size only:
    // with a = 0 it must come back as it was.
    float *d_x = wb_fixed_f32(n), *y = wb_fixed_f32(n), *d_y = wb_new(n * sizeof *d_y);
    memcpy(d_y, y, n * sizeof *d_y);
    int blocks = 32 * wb_multiprocessors();
    if (!strcmp(step, "saxpy"))
        wb_speed(12.0 * (double)n, ceilings, step, wb_size(n), wb_f32(0), WB_IN(d_x, n),
                 WB_INOUT(d_y, n), wb_i32(blocks), wb_i32(256));
    else
        wb_speed(12.0 * (double)n, ceilings, step, wb_size(n), wb_f32(0), WB_IN(d_x, n),
                 WB_INOUT(d_y, n), wb_i32(blocks));
    expect_saxpy(0, d_x, y, d_y, n);
}
