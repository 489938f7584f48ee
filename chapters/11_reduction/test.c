// Chapter 11: what each sum must be, and what it may cost.
//
// The expected sums are computed here, in the judge, from the judge's own copy of the
// data: modulo 2^32 for the unsigned ones, in double for the floats.

#include "workbook.h"

#include "kernel.h"

#include <math.h>
#include <string.h>

// Both sides of every edge: a lane, a warp, a block, two blocks, many; primes.
static const size_t sizes[] = {0,   1,   2,   3,   31,   32,   33,   63,    64,     65,
                               255, 256, 257, 511, 512,  513,  1023, 1025,  4099,   65537,
                               100003};

static uint32_t sum_of(const uint32_t *x, size_t n)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

static bool step_is(const char *name)
{
    return !strcmp(wb_step_name(), name);
}

static const char *const partial_steps[] = {
    "reduce_v0", "reduce_mask", "reduce_v1", "reduce_v2", "reduce_v3",
    "reduce_v4", "reduce_v5",   "reduce_v6", "reduce_groups"};
static const char *const sum_steps[] = {"reduce_levels", "reduce_stride",       "reduce_v7",
                                        "reduce_unrolled", "reduce_every_thread",
                                        "reduce_atomic", "reduce_v8"};

static bool is_sum_step(void)
{
    for (size_t i = 0; i < WB_LEN(sum_steps); i++)
        if (step_is(sum_steps[i]))
            return true;
    return false;
}

// ---- One partial sum a block ----------------------------------------------------------

// Elements that a block of the step at hand adds up.
static size_t elements_per_block(size_t block)
{
    static const char *const single[] = {"reduce_v0", "reduce_mask", "reduce_v1", "reduce_v2"};
    for (size_t i = 0; i < WB_LEN(single); i++)
        if (step_is(single[i]))
            return block;
    return 2 * block;
}

// Call the step with blocks of `block` threads and compare every partial sum.
static void check_partials(const uint32_t *d_in, size_t n, size_t block, size_t shift)
{
    size_t each = elements_per_block(block), blocks = (n + each - 1) / each;
    uint32_t *d_partial = wb_new(blocks * sizeof *d_partial + 4);
    wb_arg in = wb_shifted(WB_IN(d_in, n), shift);
    if (step_is("reduce_v5"))
        wb_call(wb_step_name(), in, WB_OUT(d_partial, blocks), wb_size(n), wb_i32((int)block));
    else
        wb_call(wb_step_name(), in, WB_OUT(d_partial, blocks), wb_size(n));
    uint32_t *want = wb_new(blocks * sizeof *want + 4);
    for (size_t b = 0; b < blocks; b++) {
        size_t left = n - b * each;
        want[b] = sum_of(d_in + b * each, left < each ? left : each);
    }
    wb_equal_u32("d_partial", d_partial, want, blocks);
}

START_TEST(adds_every_element_of_a_block_once)
{
    size_t n = sizes[_i];
    check_partials(wb_random_u32(n), n, BLOCK, 0);
}
END_TEST

START_TEST(takes_an_array_that_starts_anywhere)
{
    static const size_t some[] = {1, 255, 1027};
    size_t n = some[_i / 3];
    check_partials(wb_random_u32(n), n, BLOCK, 4 * (size_t)(1 + _i % 3));
}
END_TEST

START_TEST(has_the_barriers_it_needs)
{
    size_t n = 16 * BLOCK + 1; // races are findings of the emulator, on any data
    check_partials(wb_random_u32(n), n, BLOCK, 0);
}
END_TEST

START_TEST(works_with_every_block_size)
{
    static const size_t blocks[] = {32, 64, 128, 256, 512, 1024};
    size_t block = blocks[_i % 6], n = _i < 6 ? 6 * block + 5 : block - 1;
    check_partials(wb_random_u32(n), n, block, 0);
}
END_TEST

START_TEST(refuses_other_block_sizes)
{
    static const int blocks[] = {0, 16, 33, 96, 2048, -256};
    uint32_t d_in[1] = {7}, d_partial[1];
    int error = wb_try("reduce_v5", WB_IN(d_in, 1), WB_OUT(d_partial, 1), wb_size(1),
                       wb_i32(blocks[_i]));
    wb_expect(error == 1, "block = %d must be refused with cudaErrorInvalidValue (1), "
                          "but reduce_v5 returned %s", blocks[_i], wb_error(error));
}
END_TEST

// ---- One sum --------------------------------------------------------------------------

// Call the step at hand; returns *d_out.
static uint32_t call_sum(const uint32_t *d_in, size_t n, size_t shift)
{
    uint32_t d_out[1], *d_partial = wb_new(MAX_BLOCKS * sizeof *d_partial);
    uint32_t *d_work = wb_new((n + 2) * sizeof *d_work), d_ticket[1] = {0};
    wb_arg in = wb_shifted(WB_IN(d_in, n), shift);
    if (step_is("reduce_levels"))
        wb_call("reduce_levels", in, WB_OUT(d_work, n + 2), WB_OUT(d_out, 1), wb_size(n));
    else if (step_is("reduce_every_thread") || step_is("reduce_atomic"))
        wb_call(wb_step_name(), in, WB_OUT(d_out, 1), wb_size(n));
    else if (step_is("reduce_v8"))
        wb_call("reduce_v8", in, WB_OUT(d_partial, MAX_BLOCKS), WB_INOUT(d_ticket, 1),
                WB_OUT(d_out, 1), wb_size(n));
    else
        wb_call(wb_step_name(), in, WB_OUT(d_partial, MAX_BLOCKS), WB_OUT(d_out, 1),
                wb_size(n));
    wb_expect(d_ticket[0] == 0, "*d_ticket must be 0 again after the call, but is %u",
              d_ticket[0]);
    return d_out[0];
}

static void check_sum(size_t n, size_t shift)
{
    uint32_t *d_in = wb_random_u32(n), got = call_sum(d_in, n, shift), want = sum_of(d_in, n);
    wb_equal_u32("d_out", &got, &want, 1);
}

START_TEST(sums_the_whole_array)
{
    check_sum(sizes[_i], 0);
}
END_TEST

START_TEST(sums_an_array_that_starts_anywhere)
{
    static const size_t some[] = {1, 2, 3, 5, 1027};
    check_sum(some[_i / 3], 4 * (size_t)(1 + _i % 3));
}
END_TEST

START_TEST(sums_more_elements_than_the_grid_has_threads)
{
    check_sum((1 << 20) + 7, 0);
}
END_TEST

START_TEST(is_right_again_and_again)
{
    for (int i = 0; i < 4; i++)
        check_sum(100003 - (size_t)i * 977, 0);
}
END_TEST

// ---- Floats ---------------------------------------------------------------------------

static float call_float(const float *d_in, size_t n, int blocks)
{
    float d_out[1], *d_partial = wb_new(MAX_BLOCKS * sizeof *d_partial);
    uint32_t d_ticket[1] = {0};
    wb_call("reduce_v9", WB_IN(d_in, n), WB_OUT(d_partial, MAX_BLOCKS),
            WB_INOUT(d_ticket, 1), WB_OUT(d_out, 1), wb_size(n), wb_i32(blocks));
    wb_expect(d_ticket[0] == 0, "*d_ticket must be 0 again after the call, but is %u",
              d_ticket[0]);
    return d_out[0];
}

// |error| <= 8 log2(n) eps sum |x|: what a tree gives, and one long chain does not.
static void check_float(const float *d_in, size_t n, int blocks)
{
    double sum = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        sum += d_in[i];
        size += fabs(d_in[i]);
    }
    double bound = 8 * log2((double)n + 2) * 0x1p-24 * size + 0x1p-126;
    float got = call_float(d_in, n, blocks);
    wb_close_f32("d_out", &got, &sum, bound, 1);
}

START_TEST(keeps_the_error_of_a_tree)
{
    size_t n = sizes[_i];
    check_float(wb_random_f32(n, -1, 1), n, 32);
}
END_TEST

START_TEST(survives_large_terms_that_cancel)
{
    size_t n = 100003;
    float *d_in = wb_random_f32(n, -1, 1);
    for (size_t i = 0; i + 1 < n; i += 2) {
        d_in[i] = 1e8f;
        d_in[i + 1] = -1e8f;
    }
    check_float(d_in, n, 100);
}
END_TEST

START_TEST(counts_more_ones_than_a_float_can)
{
    size_t n = 100003; // to 2^24 nothing can be added by ones
    float *d_in = wb_new(n * sizeof *d_in);
    for (size_t i = 0; i < n; i++)
        d_in[i] = i ? 1 : 0x1p24f;
    float got = call_float(d_in, n, 432);
    double want = 0x1p24 + (double)(n - 1);
    wb_close_f32("d_out", &got, &want, 200, 1);
}
END_TEST

START_TEST(gives_the_same_bits_for_any_number_of_blocks)
{
    static const int blocks[] = {2, 3, 31, 108, 1000, MAX_BLOCKS};
    size_t n = 200003;
    float *d_in = wb_random_f32(n, -1, 1), first = call_float(d_in, n, 1);
    float again = call_float(d_in, n, blocks[_i]);
    wb_equal_f32("d_out", &again, &first, 1);
}
END_TEST

START_TEST(passes_on_nan_and_infinity)
{
    float special[] = {NAN, INFINITY, -INFINITY};
    size_t n = 5000;
    float *d_in = wb_random_f32(n, -1, 1);
    d_in[wb_random() % n] = special[_i];
    check_float(d_in, n, 17);
}
END_TEST

START_TEST(refuses_impossible_numbers_of_blocks)
{
    static const int blocks[] = {0, -1, MAX_BLOCKS + 1};
    float d_in[4] = {1, 2, 3, 4}, d_partial[1], d_out[1];
    uint32_t d_ticket[1] = {0};
    int error = wb_try("reduce_v9", WB_IN(d_in, 4), WB_OUT(d_partial, 1), WB_INOUT(d_ticket, 1),
                       WB_OUT(d_out, 1), wb_size(4), wb_i32(blocks[_i]));
    wb_expect(error == 1, "blocks = %d must be refused with cudaErrorInvalidValue (1), but "
                          "reduce_v9 returned %s", blocks[_i], wb_error(error));
}
END_TEST

// ---- On the device --------------------------------------------------------------------

// The right sum is not enough: the device must have read the array and done the adding.
// The emulator counts what it did; a GPU is not asked.
START_TEST(reads_the_array_on_the_device)
{
    size_t n = 10007;
    if (step_is("reduce_v9")) {
        check_float(wb_random_f32(n, -1, 1), n, 64);
    } else if (is_sum_step()) {
        check_sum(n, 0);
    } else {
        check_partials(wb_random_u32(n), n, BLOCK, 0);
    }
    if (!wb_emulated())
        return;
    double bytes = wb_counter("global_bytes_ld"), need = 4.0 * (double)n;
    wb_expect(bytes >= need, "the kernels loaded %.0f bytes of the %.0f that hold the array: "
                             "was the sum made on the host?", bytes, need);
    double threads = wb_counter("thread_inst_executed_ptx");
    wb_expect(threads >= (double)n / 4, "the kernels executed %.0f instructions for %zu "
                                        "elements: was the sum made on the host?", threads, n);
}
END_TEST

START_TEST(takes_one_launch)
{
    size_t n = 50021;
    if (step_is("reduce_v9"))
        check_float(wb_random_f32(n, -1, 1), n, 64);
    else
        check_sum(n, 0);
    if (!wb_emulated())
        return;
    double launches = wb_counter("launches");
    wb_expect(launches == 1, "one launch was asked for, and %.0f were made", launches);
}
END_TEST

// ---- The steps ------------------------------------------------------------------------

void workbook_tests(Suite *suite)
{
    for (size_t i = 0; i < WB_LEN(partial_steps); i++) {
        TCase *step = wb_step(suite, partial_steps[i]);
        tcase_add_loop_test(step, adds_every_element_of_a_block_once, 0, WB_LEN(sizes));
        tcase_add_loop_test(step, takes_an_array_that_starts_anywhere, 0, 9);
        tcase_add_test(step, has_the_barriers_it_needs);
        tcase_add_test(step, reads_the_array_on_the_device);
        if (!strcmp(partial_steps[i], "reduce_v5")) {
            tcase_add_loop_test(step, works_with_every_block_size, 0, 12);
            tcase_add_loop_test(step, refuses_other_block_sizes, 0, 6);
        }
    }
    for (size_t i = 0; i < WB_LEN(sum_steps); i++) {
        TCase *step = wb_step(suite, sum_steps[i]);
        tcase_add_loop_test(step, sums_the_whole_array, 0, WB_LEN(sizes));
        tcase_add_loop_test(step, sums_an_array_that_starts_anywhere, 0, 15);
        tcase_add_test(step, sums_more_elements_than_the_grid_has_threads);
        tcase_add_test(step, is_right_again_and_again);
        tcase_add_test(step, reads_the_array_on_the_device);
        if (!strcmp(sum_steps[i], "reduce_v8"))
            tcase_add_test(step, takes_one_launch);
    }
    TCase *step = wb_step(suite, "reduce_v9");
    tcase_add_loop_test(step, keeps_the_error_of_a_tree, 0, WB_LEN(sizes));
    tcase_add_test(step, survives_large_terms_that_cancel);
    tcase_add_test(step, counts_more_ones_than_a_float_can);
    tcase_add_loop_test(step, gives_the_same_bits_for_any_number_of_blocks, 0, 6);
    tcase_add_loop_test(step, passes_on_nan_and_infinity, 0, 3);
    tcase_add_loop_test(step, refuses_impossible_numbers_of_blocks, 0, 3);
    tcase_add_test(step, reads_the_array_on_the_device);
    tcase_add_test(step, takes_one_launch);
}

// ---- Costs ----------------------------------------------------------------------------

// The budgets of chapter.toml are about 2^20 elements: 4096 blocks, or half as many.
enum { BUDGET_N = 1 << 20 };

static void call_step(size_t n)
{
    if (step_is("reduce_v9")) {
        call_float(wb_fixed_f32(n), n, 432);
        return;
    }
    if (is_sum_step()) {
        call_sum(wb_fixed_u32(n), n, 0);
        return;
    }
    check_partials(wb_fixed_u32(n), n, BLOCK, 0);
}

void workbook_budget(const char *step)
{
    (void)step;
    call_step(BUDGET_N);
}

void workbook_speed(const char *step)
{
    static const char *const u32[] = {"memcpy", "read", "cub_sum_u32", NULL};
    static const char *const f32[] = {"memcpy", "read", "cub_sum_f32", NULL};
    size_t n = (size_t)1 << 28, blocks = n / elements_per_block(BLOCK);
    double bytes = 4.0 * (double)n;
    uint32_t d_out[1] = {0}, d_ticket[1] = {0}, *d_partial;
    if (!strcmp(step, "reduce_v9")) {
        float *d_in = wb_fixed_f32(n), *d_sums = wb_new(MAX_BLOCKS * sizeof *d_sums), d_sum[1];
        wb_speed(bytes, f32, step, WB_IN(d_in, n), WB_OUT(d_sums, MAX_BLOCKS),
                 WB_INOUT(d_ticket, 1), WB_OUT(d_sum, 1), wb_size(n),
                 wb_i32(8 * wb_multiprocessors()));
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += d_in[i];
        wb_close_f32("d_out", d_sum, &sum, 8 * 28 * 0x1p-24 * (double)n, 1);
        return;
    }
    uint32_t *d_in = wb_fixed_u32(n), want = sum_of(d_in, n);
    bool sums = is_sum_step();
    d_partial = wb_new((sums ? MAX_BLOCKS : blocks) * sizeof *d_partial);
    if (!strcmp(step, "reduce_levels")) {
        uint32_t *d_work = wb_new((n + 2) * sizeof *d_work);
        wb_speed(bytes, u32, step, WB_IN(d_in, n), WB_OUT(d_work, n + 2), WB_OUT(d_out, 1),
                 wb_size(n));
    } else if (!strcmp(step, "reduce_every_thread") || !strcmp(step, "reduce_atomic")) {
        wb_speed(bytes, u32, step, WB_IN(d_in, n), WB_OUT(d_out, 1), wb_size(n));
    } else if (!strcmp(step, "reduce_v8")) {
        wb_speed(bytes, u32, step, WB_IN(d_in, n), WB_OUT(d_partial, MAX_BLOCKS),
                 WB_INOUT(d_ticket, 1), WB_OUT(d_out, 1), wb_size(n));
    } else if (sums) {
        wb_speed(bytes, u32, step, WB_IN(d_in, n), WB_OUT(d_partial, MAX_BLOCKS),
                 WB_OUT(d_out, 1), wb_size(n));
    } else {
        if (!strcmp(step, "reduce_v5"))
            wb_speed(bytes, u32, step, WB_IN(d_in, n), WB_OUT(d_partial, blocks), wb_size(n),
                     wb_i32(BLOCK));
        else
            wb_speed(bytes, u32, step, WB_IN(d_in, n), WB_OUT(d_partial, blocks), wb_size(n));
        d_out[0] = sum_of(d_partial, blocks);
    }
    wb_equal_u32("the sum", d_out, &want, 1);
}
