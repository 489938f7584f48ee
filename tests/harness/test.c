// What the programs beside this file are judged by.

#include "workbook.h"

#include <string.h>

static const size_t sizes[] = {0, 1, 255, 256, 257, 1000};

START_TEST(doubles_every_element)
{
    size_t n = sizes[_i];
    float *in = wb_random_f32(n, -1, 1), *out = wb_new(n * sizeof *out);

    wb_call("twice", WB_IN(in, n), WB_OUT(out, n), wb_size(n));

    double *want = wb_new(n * sizeof *want);
    for (size_t i = 0; i < n; i++)
        want[i] = 2.0 * in[i];
    wb_close_f32("out", out, want, 0, n);
}
END_TEST

START_TEST(fills_a_host_array)
{
    size_t n = sizes[_i];
    int32_t *in = wb_random_i32(n, -1000, 1000), *out = wb_new(n * sizeof *out);

    wb_call("fill", wb_named(wb_host_in(in, n * sizeof *in), "in"),
            wb_named(wb_host_out(out, n * sizeof *out), "out"), wb_size(n));

    wb_equal_i32("out", out, in, n);
}
END_TEST

START_TEST(passes_every_kind_of_argument)
{
    wb_arg a[] = {wb_null(),  wb_size(1),   wb_i32(-2),   wb_u32(4000000000u),
                  wb_i64(-5), wb_f32(0.5f), wb_f64(0.25), wb_same_as(0)};
    double sum = wb_double_("kinds", a, WB_LEN(a));
    wb_expect(sum == 4000000000.0 - 6 + 0.75, "the sum is %.17g", sum);
}
END_TEST

START_TEST(moves_a_pointer_off_its_alignment)
{
    unsigned char *in = wb_random_bytes(100), *out = wb_new(100);

    int shift = wb_try("shift", wb_shifted(WB_IN(in, 100), 4),
                       wb_shifted(WB_OUT(out, 100), 12), wb_size(100));

    wb_expect(shift == 4 + 256 * 12, "the pointers are %d and %d bytes off",
              shift % 256, shift / 256);
    wb_equal_bytes("out", out, in, 100);
}
END_TEST

START_TEST(a_fresh_runner_has_no_state)
{
    int first = wb_try("count", wb_size(0)), second = wb_try("count", wb_size(0));
    wb_fresh();
    int third = wb_try("count", wb_size(0));
    wb_expect(first == 1 && second == 2 && third == 1, "counted %d %d %d", first,
              second, third);
}
END_TEST

START_TEST(hears_what_it_prints)
{
    wb_try("speak", wb_size(0));
    wb_expect(!strcmp(wb_printed(), "hello\n"), "it printed '%s'", wb_printed());
}
END_TEST

START_TEST(a_launch_is_counted)
{
    float in[32] = {0}, out[32];
    wb_call("twice", WB_IN(in, 32), WB_OUT(out, 32), wb_size(32));
    wb_expect(wb_counter("launches") == 1, "%g launches", wb_counter("launches"));
    wb_expect(wb_counter("copy_h2d_calls") == 0, "the judge's own copies are counted");
    wb_expect(wb_multiprocessors() == 108, "%d multiprocessors", wb_multiprocessors());
}
END_TEST

void workbook_tests(Suite *suite)
{
    TCase *twice = wb_step(suite, "twice");
    tcase_add_loop_test(twice, doubles_every_element, 0, WB_LEN(sizes));
    tcase_add_loop_test(wb_step(suite, "fill"), fills_a_host_array, 0, WB_LEN(sizes));
    TCase *api = wb_step(suite, "api");
    tcase_add_test(api, passes_every_kind_of_argument);
    tcase_add_test(api, moves_a_pointer_off_its_alignment);
    tcase_add_test(api, a_fresh_runner_has_no_state);
    tcase_add_test(api, hears_what_it_prints);
    TCase *device = wb_step(suite, "device");
    tcase_add_test(device, a_launch_is_counted);
}

void workbook_budget(const char *step)
{
    float *in = wb_fixed_f32(1000), *out = wb_new(1000 * sizeof *out);
    if (!strcmp(step, "twice"))
        wb_call("twice", WB_IN(in, 1000), WB_OUT(out, 1000), wb_size(1000));
}

void workbook_speed(const char *step)
{
    static const char *const ceilings[] = {"memcpy", "read", NULL};
    enum { N = 1 << 24 };
    float *in = wb_fixed_f32(N), *out = wb_new(N * sizeof *out);
    if (strcmp(step, "twice"))
        return;
    wb_speed(2.0 * N * sizeof *in, ceilings, "twice", WB_IN(in, N), WB_OUT(out, N),
             wb_size(N));
    double *want = wb_new(N * sizeof *want);
    for (size_t i = 0; i < N; i++)
        want[i] = 2.0 * in[i];
    wb_close_f32("out", out, want, 0, N);
}
