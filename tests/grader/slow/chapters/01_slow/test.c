// No answer is compared: these kernels are run to be counted.

#include "workbook.h"

#include "kernel.h"

static const char *const steps[] = {
    "good_copy",   "strided_copy", "shifted_copy",  "transpose",     "both_ways",
    "hot_spot",    "local_array",  "remainders",    "doubles",       "big_blocks",
    "one_block",   "last_wave",    "odd_blocks",    "many_barriers", "many_launches",
    "loads_again", "few_lanes"};

static void run(size_t n)
{
    float *d_in = wb_fixed_f32(n), *d_out = wb_new(n * sizeof *d_out);
    wb_call(wb_step_name(), WB_IN(d_in, n), WB_INOUT(d_out, n), wb_size(n));
}

START_TEST(runs)
{
    run(1 << 18);
}
END_TEST

void workbook_tests(Suite *suite)
{
    for (size_t i = 0; i < WB_LEN(steps); i++)
        tcase_add_test(wb_step(suite, steps[i]), runs);
}

void workbook_budget(const char *step)
{
    (void)step;
    run(1 << 18);
}

void workbook_speed(const char *step)
{
    (void)step;
}
