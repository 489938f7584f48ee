// Chapter 2: every element added once, nothing else touched, and at what cost.

#include "workbook.h"

#include "kernel.h"

#include <math.h>
#include <string.h>

static const size_t sizes[] = {0, 1, 2, 3, 4, 5, 31, 32, 33, 255, 256, 257, 512, 513, 1023,
                               1024, 1025, 4099, 100003};

static bool step_is(const char *name)
{
    return !strcmp(wb_step_name(), name);
}

static void call(wb_arg a, wb_arg b, wb_arg c, size_t n, int block)
{
    if (step_is("add_v2"))
        wb_call("add_v2", a, b, c, wb_size(n), wb_i32(block));
    else
        wb_call(wb_step_name(), a, b, c, wb_size(n));
}

// A float sum is rounded once, so there is one right answer.
static void expect_sums(const float *a, const float *b, const float *d_c, size_t n)
{
    float *want = wb_new(n * sizeof *want);
    for (size_t i = 0; i < n; i++)
        want[i] = a[i] + b[i];
    wb_equal_f32("d_c", d_c, want, n);
}

static void check(size_t n, size_t shift_a, size_t shift_b, size_t shift_c, int block)
{
    float *d_a = wb_random_f32(n, -100, 100), *d_b = wb_random_f32(n, -100, 100);
    float *d_c = wb_new(n * sizeof *d_c);
    call(wb_shifted(WB_IN(d_a, n), shift_a), wb_shifted(WB_IN(d_b, n), shift_b),
         wb_shifted(WB_OUT(d_c, n), shift_c), n, block);
    expect_sums(d_a, d_b, d_c, n);
}

START_TEST(adds_every_element)
{
    check(sizes[_i], 0, 0, 0, 256);
}
END_TEST

START_TEST(adds_arrays_that_start_anywhere)
{
    static const size_t shifts[][3] = {{4, 0, 0}, {0, 4, 0}, {0, 0, 4}, {4, 4, 4}, {8, 12, 4}, {12, 12, 12}};
    check(1003, shifts[_i][0], shifts[_i][1], shifts[_i][2], 256);
}
END_TEST

START_TEST(works_with_any_block)
{
    static const int blocks[] = {1, 31, 32, 33, 100, 512, 1024};
    check(2000, 0, 0, 0, blocks[_i]);
}
END_TEST

START_TEST(adds_onto_its_own_input)
{
    size_t n = 777;
    float *a = wb_random_f32(n, -1, 1), *d_b = wb_random_f32(n, -1, 1);
    float *d_a = wb_new(n * sizeof *d_a);
    memcpy(d_a, a, n * sizeof *d_a);
    call(WB_INOUT(d_a, n), WB_IN(d_b, n), wb_same_as(0), n, 256);
    expect_sums(a, d_b, d_a, n);
}
END_TEST

START_TEST(passes_on_nan_and_infinity)
{
    size_t n = 300;
    float *d_a = wb_random_f32(n, -1, 1), *d_b = wb_random_f32(n, -1, 1), *d_c = wb_new(n * sizeof *d_c);
    d_a[3] = NAN;
    d_b[40] = INFINITY;
    d_a[299] = -INFINITY;
    d_b[299] = INFINITY;
    d_a[7] = d_b[7] = -0.0f;
    call(WB_IN(d_a, n), WB_IN(d_b, n), WB_OUT(d_c, n), n, 256);
    expect_sums(d_a, d_b, d_c, n);
}
END_TEST

START_TEST(adds_on_the_device)
{
    size_t n = 5003;
    check(n, 0, 0, 0, 256);
    if (!wb_emulated())
        return;
    double in = wb_counter("global_bytes_ld"), out = wb_counter("global_bytes_st");
    wb_expect(in >= 8.0 * (double)n && out >= 4.0 * (double)n,
              "the kernels loaded %.0f bytes and stored %.0f; two arrays of %zu floats in and one "
              "out are %zu and %zu: were the sums made on the host?", in, out, n, 8 * n, 4 * n);
}
END_TEST

START_TEST(launches_no_block_too_many)
{
    static const size_t some[] = {1, 255, 256, 257, 512, 100000};
    size_t n = some[_i];
    check(n, 0, 0, 0, 256);
    if (!wb_emulated())
        return;
    double blocks = wb_counter("blocks"), want = (double)((n + 255) / 256);
    wb_expect(blocks == want, "%zu elements need %.0f blocks of 256, and %.0f were launched", n,
              want, blocks);
}
END_TEST

// ---- add_host -------------------------------------------------------------------------

static void check_host(size_t n)
{
    float *h_a = wb_random_f32(n, -100, 100), *h_b = wb_random_f32(n, -100, 100);
    float *h_c = wb_new(n * sizeof *h_c);
    wb_call("add_host", wb_named(wb_host_in(h_a, n * 4), "h_a"), wb_named(wb_host_in(h_b, n * 4), "h_b"),
            wb_named(wb_host_out(h_c, n * 4), "h_c"), wb_size(n));
    float *want = wb_new(n * sizeof *want);
    for (size_t i = 0; i < n; i++)
        want[i] = h_a[i] + h_b[i];
    wb_equal_f32("h_c", h_c, want, n);
}

START_TEST(adds_arrays_of_the_host)
{
    check_host(sizes[_i]);
}
END_TEST

START_TEST(copies_each_array_once)
{
    size_t n = 6007;
    check_host(n);
    if (!wb_emulated())
        return;
    wb_expect(wb_counter("copy_h2d_bytes") == 8.0 * (double)n && wb_counter("copy_h2d_calls") == 2,
              "%.0f bytes went to the device in %.0f copies; two arrays are %zu bytes in 2",
              wb_counter("copy_h2d_bytes"), wb_counter("copy_h2d_calls"), 8 * n);
    wb_expect(wb_counter("copy_d2h_bytes") == 4.0 * (double)n && wb_counter("copy_d2h_calls") == 1,
              "%.0f bytes came back in %.0f copies; one array is %zu bytes in 1",
              wb_counter("copy_d2h_bytes"), wb_counter("copy_d2h_calls"), 4 * n);
    wb_expect(wb_counter("global_bytes_st") >= 4.0 * (double)n, "the device stored %.0f bytes: were "
              "the sums made on the host?", wb_counter("global_bytes_st"));
}
END_TEST

START_TEST(returns_the_error_when_memory_runs_out)
{
    float h_a[4] = {1, 2, 3, 4}, h_b[4] = {5, 6, 7, 8}, h_c[4] = {0};
    size_t n = (size_t)1 << 45; // 128 TiB an array: no device has that
    int error = wb_try("add_host", wb_host_in(h_a, sizeof h_a), wb_host_in(h_b, sizeof h_b),
                       wb_host_inout(h_c, sizeof h_c), wb_size(n));
    wb_expect(error == 2, "add_host returned %s, not %s", wb_error(error), wb_error(2));
    check_host(100); // and it still works
}
END_TEST

// ---- Accounting -----------------------------------------------------------------------

static void expect_near(double got, double want, const char *of)
{
    wb_expect(fabs(got - want) <= 1e-9 * fabs(want), "%s: got %.6g GB/s, want %.6g", of, got, want);
}

START_TEST(counts_bytes_over_time)
{
    static const struct { size_t in, out; double ms, want; } cases[] = {
        {8000000, 4000000, 1, 12}, {(size_t)3 << 30, 0, 2.5, 1288.4901888},
        {1000, 0, 0.001, 1}, {0, 0, 5, 0}, {0, 123456789, 10, 12.3456789}};
    double got = wb_double("gigabytes_per_second", wb_size(cases[_i].in), wb_size(cases[_i].out),
                           wb_f64(cases[_i].ms));
    expect_near(got, cases[_i].want, "gigabytes_per_second");
}
END_TEST

START_TEST(gives_no_rate_without_time)
{
    double got = wb_double("gigabytes_per_second", wb_size(1000), wb_size(1000), wb_f64(0));
    wb_expect(got == 0, "a time of 0 gives %g GB/s, not 0", got);
}
END_TEST

START_TEST(counts_random_transfers)
{
    for (int i = 0; i < 20; i++) { // an eighth of these sums fit into an int
        size_t in = wb_random(), out = wb_random();
        double ms = wb_uniform(0.01, 100);
        double got = wb_double("gigabytes_per_second", wb_size(in), wb_size(out), wb_f64(ms));
        expect_near(got, ((double)in + (double)out) / (ms * 1e-3) / 1e9, "gigabytes_per_second");
    }
}
END_TEST

START_TEST(knows_what_cannot_be)
{
    static const struct { size_t bytes; double ms, peak, want; } cases[] = {
        {33554432, 0.013, 900, 0}, // a 2048 x 2048 transpose in 13 us would be 2,581 GB/s
        {33554432, 0.05, 900, 1}, {900000000, 1, 900, 1}, {1, 0, 900, 0}};
    double got = wb_double("is_possible", wb_size(cases[_i].bytes), wb_f64(cases[_i].ms),
                           wb_f64(cases[_i].peak));
    wb_expect(got == cases[_i].want, "%zu bytes in %g ms at a peak of %g GB/s: got %g, want %g",
              cases[_i].bytes, cases[_i].ms, cases[_i].peak, got, cases[_i].want);
}
END_TEST

// ---- The steps ------------------------------------------------------------------------

void workbook_tests(Suite *suite)
{
    static const char *const adds[] = {"add_v0", "add_v1", "add_v2", "add_v3"};
    for (size_t i = 0; i < WB_LEN(adds); i++) {
        TCase *step = wb_step(suite, adds[i]);
        tcase_add_loop_test(step, adds_every_element, 0, WB_LEN(sizes));
        tcase_add_loop_test(step, adds_arrays_that_start_anywhere, 0, 6);
        tcase_add_test(step, adds_onto_its_own_input);
        tcase_add_test(step, passes_on_nan_and_infinity);
        tcase_add_test(step, adds_on_the_device);
        if (i == 2) {
            tcase_add_loop_test(step, works_with_any_block, 0, 7);
            tcase_add_loop_test(step, launches_no_block_too_many, 0, 6);
        }
    }
    TCase *step = wb_step(suite, "add_host");
    tcase_add_loop_test(step, adds_arrays_of_the_host, 0, WB_LEN(sizes));
    tcase_add_test(step, copies_each_array_once);
    tcase_add_test(step, returns_the_error_when_memory_runs_out);
    step = wb_step(suite, "accounting");
    tcase_add_loop_test(step, counts_bytes_over_time, 0, 5);
    tcase_add_test(step, gives_no_rate_without_time);
    tcase_add_test(step, counts_random_transfers);
    tcase_add_loop_test(step, knows_what_cannot_be, 0, 4);
}

// Budgets are about 2^20 elements.
void workbook_budget(const char *step)
{
    size_t n = (size_t)1 << 20;
    if (strncmp(step, "add_v", 5))
        return;
    float *d_a = wb_fixed_f32(n), *d_b = wb_fixed_f32(n), *d_c = wb_new(n * sizeof *d_c);
    call(WB_IN(d_a, n), WB_IN(d_b, n), WB_OUT(d_c, n), n, 256);
    expect_sums(d_a, d_b, d_c, n);
}

void workbook_speed(const char *step)
{
    static const char *const ceilings[] = {"memcpy", NULL};
    size_t n = (size_t)1 << 28;
    if (!strcmp(step, "add_v0") || !strcmp(step, "add_v1"))
        n = (size_t)1 << 22;
    else if (strncmp(step, "add_v", 5))
        return;
    float *d_a = wb_fixed_f32(n), *d_b = wb_fixed_f32(n), *d_c = wb_new(n * sizeof *d_c);
    if (!strcmp(step, "add_v2"))
        wb_speed(12.0 * (double)n, ceilings, step, WB_IN(d_a, n), WB_IN(d_b, n), WB_OUT(d_c, n),
                 wb_size(n), wb_i32(256));
    else
        wb_speed(12.0 * (double)n, ceilings, step, WB_IN(d_a, n), WB_IN(d_b, n), WB_OUT(d_c, n),
                 wb_size(n));
    expect_sums(d_a, d_b, d_c, n);
}
