// Exercise 11: which element must win, and what finding it may cost.

#include "workbook.h"

#include "kernel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Both sides of every edge: a lane, a warp, a block, many; primes.
static const size_t sizes[] = {1,   2,   3,   31,  32,   33,   63,   64,    65,
                               255, 256, 257, 513, 1023, 1025, 4099, 100003};
// Seven more than the threads of any grid, so that some threads have two.
enum { LARGE = MAX_BLOCKS * BLOCK + 7 };

static bool step_is(const char *name)
{
    return !strcmp(wb_step_name(), name);
}

// ---- The rule -----------------------------------------------------------------------

static const candidate nothing = {-INFINITY, NOWHERE};

static candidate better(candidate a, candidate b)
{
    if (isnan(a.value) && isnan(b.value))
        return a.index < b.index ? a : b;
    if (isnan(a.value) || isnan(b.value))
        return isnan(a.value) ? a : b;
    if (a.value > b.value || a.value < b.value)
        return a.value > b.value ? a : b;
    return a.index < b.index ? a : b;
}

// The winner of x[first ... end).
static candidate best_of(const float *x, size_t first, size_t end)
{
    candidate best = nothing;
    for (size_t i = first; i < end; i++)
        best = better(best, (candidate){x[i], i});
    return best;
}

static void expect_candidates(const char *what, const candidate *got,
                              const candidate *want, size_t n)
{
    uint64_t *got_index = wb_new(n * 8), *want_index = wb_new(n * 8);
    float *got_value = wb_new(n * 4), *want_value = wb_new(n * 4);
    for (size_t i = 0; i < n; i++) {
        got_index[i] = got[i].index;
        want_index[i] = want[i].index;
        got_value[i] = got[i].value;
        want_value[i] = want[i].value;
    }
    char name[64];
    snprintf(name, sizeof name, "%s's index", what);
    wb_equal_u64(name, got_index, want_index, n);
    snprintf(name, sizeof name, "%s's value", what);
    wb_equal_f32(name, got_value, want_value, n);
}

// ---- duels --------------------------------------------------------------------------

// Call duels on every pair of n candidates, in both orders.
static void check_duels(const candidate *all, size_t n)
{
    candidate *d_a = wb_new(n * n * sizeof *d_a), *d_b = wb_new(n * n * sizeof *d_b);
    candidate *d_out = wb_new(n * n * sizeof *d_out),
              *want = wb_new(n * n * sizeof *want);
    for (size_t i = 0; i < n * n; i++) {
        d_a[i] = all[i / n];
        d_b[i] = all[i % n];
    }
    wb_call("duels", WB_IN(d_a, n * n), WB_IN(d_b, n * n), WB_OUT(d_out, n * n),
            wb_size(n * n));
    for (size_t i = 0; i < n * n; i++)
        want[i] = better(d_a[i], d_b[i]);
    expect_candidates("d_out", d_out, want, n * n);
}

START_TEST(the_greater_number_wins)
{
    const candidate all[] = {{1, 9},          {2, 7},         {-3, 1},
                             {0x1p-140f, 30}, {INFINITY, 12}, {-0x1p100f, 0},
                             {1e30f, 6},      {-INFINITY, 2}, {1.0000001f, 40}};
    check_duels(all, WB_LEN(all));
}
END_TEST

START_TEST(of_equals_the_lower_index_wins)
{
    const candidate all[] = {{5, 3},
                             {5, 4},
                             {5, 0},
                             {5, (size_t)1 << 32},
                             {5, ((size_t)1 << 32) + 3},
                             {INFINITY, 8},
                             {INFINITY, 2},
                             {-INFINITY, 7},
                             {-INFINITY, 5}};
    check_duels(all, WB_LEN(all));
}
END_TEST

START_TEST(nan_beats_every_number)
{
    const candidate all[] = {{NAN, 5},       {-NAN, 9}, {INFINITY, 2}, {0, 7},
                             {-INFINITY, 1}, {NAN, 3},  nothing};
    check_duels(all, WB_LEN(all));
}
END_TEST

START_TEST(the_zeros_are_equal)
{
    const candidate all[] = {{0, 5}, {-0.0f, 4},      {-0.0f, 6},
                             {0, 3}, {-0x1p-149f, 1}, {0x1p-149f, 8}};
    check_duels(all, WB_LEN(all));
}
END_TEST

START_TEST(nothing_loses_to_all)
{
    const candidate all[] = {
        nothing, {-INFINITY, 8}, {-1, 4}, {NAN, 3}, {INFINITY, NOWHERE - 1}};
    check_duels(all, WB_LEN(all));
}
END_TEST

START_TEST(fights_on_the_device)
{
    size_t n = 67;
    candidate *all = wb_new(n * sizeof *all);
    for (size_t i = 0; i < n; i++)
        all[i] = (candidate){(float)(wb_random() % 16), wb_random() % 64};
    check_duels(all, n);
    if (!wb_emulated())
        return;
    double fights = (double)(n * n), in = wb_counter("global_bytes_ld");
    wb_expect(
        in >= 24 * fights && wb_counter("global_bytes_st") >= 12 * fights,
        "the kernels loaded %.0f bytes for %.0f duels: were they fought on the host?",
        in, fights);
}
END_TEST

// ---- Arrays -------------------------------------------------------------------------

// Call the step at hand; returns *d_out.
static candidate call_once(size_t n, wb_arg in)
{
    candidate d_out[1], *d_partial = wb_new(MAX_BLOCKS * sizeof *d_partial);
    uint32_t d_ticket[1] = {0};
    if (step_is("argmax_two_launches"))
        wb_call(wb_step_name(), in, WB_OUT(d_partial, MAX_BLOCKS), WB_OUT(d_out, 1),
                wb_size(n));
    else
        wb_call(wb_step_name(), in, WB_OUT(d_partial, MAX_BLOCKS),
                WB_INOUT(d_ticket, 1), WB_OUT(d_out, 1), wb_size(n));
    wb_expect(d_ticket[0] == 0, "*d_ticket must be 0 again after the call, but is %u",
              d_ticket[0]);
    return d_out[0];
}

// Call the step at hand and compare what it found: one winner, or one a block.
static void check(const float *d_in, size_t n, size_t shift)
{
    wb_arg in = wb_shifted(WB_IN(d_in, n), shift);
    if (!step_is("argmax_block")) {
        candidate got = call_once(n, in), want = best_of(d_in, 0, n);
        expect_candidates("d_out", &got, &want, 1);
        return;
    }
    size_t blocks = (n + BLOCK - 1) / BLOCK;
    candidate *d_partial = wb_new(blocks * sizeof *d_partial),
              *want = wb_new(blocks * sizeof *want);
    wb_call("argmax_block", in, WB_OUT(d_partial, blocks), wb_size(n));
    for (size_t b = 0; b < blocks; b++)
        want[b] = best_of(d_in, b * BLOCK, (b + 1) * BLOCK < n ? (b + 1) * BLOCK : n);
    expect_candidates("d_partial", d_partial, want, blocks);
}

START_TEST(finds_the_greatest_of_every_size)
{
    size_t n =
        sizes[_i /
              2]; // also where all numbers are below 0, what is left of them is not
    check(wb_random_f32(n, -2, _i % 2 ? -1 : 2), n, 0);
}
END_TEST

START_TEST(looks_at_the_first_element_and_at_the_last)
{
    size_t n = sizes[_i / 2];
    float *d_in = wb_random_f32(n, -1, 1);
    d_in[_i % 2 ? n - 1 : 0] = 3;
    check(d_in, n, 0);
}
END_TEST

// One of the first four elements equals one of the last; or all are equal.
START_TEST(takes_an_array_that_starts_anywhere)
{
    static const size_t some[] = {1, 2, 3, 4, 5, 255, 1027, 4098};
    size_t n = some[_i / 6], near = n < 4 ? n : 4, shift = 4 * (size_t)(1 + _i % 3);
    float *d_in = wb_random_f32(n, -1, 1);
    d_in[wb_random() % near] = 2;
    d_in[n - 1 - wb_random() % near] = 2;
    for (size_t i = 0; i < n && _i / 3 % 2; i++)
        d_in[i] = 2;
    check(d_in, n, shift);
}
END_TEST

// Few different values, so that equals meet in threads, warps and blocks.
START_TEST(gives_ties_to_the_lowest_index)
{
    size_t n = sizes[_i / 2];
    float *d_in = wb_new(n * sizeof *d_in);
    for (size_t i = 0; i < n; i++)
        d_in[i] = _i % 2 ? 7 : (float)(wb_random() % 3);
    check(d_in, n, 0);
}
END_TEST

START_TEST(lets_the_first_nan_win)
{
    size_t n = sizes[_i];
    float *d_in = wb_random_f32(n, -1, 1);
    for (size_t i = 0; i < n / 50 + 1; i++)
        d_in[wb_random() % n] = i % 2 ? -NAN : NAN;
    d_in[wb_random() % n] = INFINITY;
    check(d_in, n, 0);
}
END_TEST

START_TEST(lets_a_nan_win_that_comes_late)
{
    float *d_in = wb_random_f32(LARGE, -1, 1);
    d_in[LARGE - 1 - wb_random() % 3] = NAN;
    d_in[LARGE - 4 - wb_random() % 3] = NAN;
    check(d_in, LARGE, 0);
}
END_TEST

START_TEST(takes_both_zeros_for_the_same)
{
    size_t n = sizes[_i];
    float *d_in = wb_new(n * sizeof *d_in);
    for (size_t i = 0; i < n; i++)
        d_in[i] = i % 3 == 0 ? -0.0f : i % 3 == 1 ? 0 : -1;
    check(d_in, n, 0);
}
END_TEST

START_TEST(ranks_the_infinities)
{
    size_t n = sizes[_i / 2];
    float *d_in = wb_new(n * sizeof *d_in);
    for (size_t i = 0; i < n; i++)
        d_in[i] = -INFINITY; // the first of them wins: nothing else is there
    if (_i % 2)
        d_in[wb_random() % n] = d_in[wb_random() % n] = INFINITY;
    check(d_in, n, 0);
}
END_TEST

START_TEST(finds_nothing_in_nothing)
{
    check(wb_new(0), 0, 0);
    if (wb_emulated() && step_is("argmax_block"))
        wb_expect(wb_counter("launches") == 0, "n = 0, but %.0f kernels were launched",
                  wb_counter("launches"));
}
END_TEST

START_TEST(finds_it_among_more_than_the_grid_has_threads)
{
    float *d_in = wb_random_f32(LARGE, -1, 1);
    d_in[LARGE - 1 - wb_random() % 3] = 1.5f;
    d_in[LARGE - 4 - wb_random() % 3] = 1.5f;
    check(d_in, LARGE, 0);
}
END_TEST

START_TEST(is_right_again_and_again)
{
    for (size_t n = 100003; n > 97000; n -= 977)
        check(wb_random_f32(n, -1, 1), n, 0);
}
END_TEST

// The right winner is not enough: the device must have read the array. The emulator
// counts what it did; a GPU is not asked.
START_TEST(reads_the_array_on_the_device)
{
    size_t n = 10007;
    check(wb_random_f32(n, -1, 1), n, 0);
    if (!wb_emulated())
        return;
    double bytes = wb_counter("global_bytes_ld"), need = 4.0 * (double)n;
    wb_expect(bytes >= need,
              "the kernels loaded %.0f bytes of the %.0f that hold the array: was "
              "the winner found on the host?",
              bytes, need);
    double work = wb_counter("thread_inst_executed_ptx");
    wb_expect(work >= 2 * (double)n,
              "the kernels executed %.0f instructions for %zu elements: was "
              "the winner found on the host?",
              work, n);
}
END_TEST

START_TEST(takes_one_launch)
{
    size_t n = 50021;
    check(wb_random_f32(n, -1, 1), n, 0);
    if (wb_emulated())
        wb_expect(wb_counter("launches") == 1,
                  "one launch was asked for, and %.0f were made",
                  wb_counter("launches"));
}
END_TEST

// ---- The steps ----------------------------------------------------------------------

void workbook_tests(Suite *suite)
{
    TCase *step = wb_step(suite, "duels");
    tcase_add_test(step, the_greater_number_wins);
    tcase_add_test(step, of_equals_the_lower_index_wins);
    tcase_add_test(step, nan_beats_every_number);
    tcase_add_test(step, the_zeros_are_equal);
    tcase_add_test(step, nothing_loses_to_all);
    tcase_add_test(step, fights_on_the_device);
    static const char *const steps[] = {"argmax_block", "argmax_two_launches",
                                        "argmax_once", "argmax_wide"};
    for (size_t i = 0; i < WB_LEN(steps); i++) {
        step = wb_step(suite, steps[i]);
        tcase_add_loop_test(step, finds_the_greatest_of_every_size, 0,
                            2 * WB_LEN(sizes));
        tcase_add_loop_test(step, looks_at_the_first_element_and_at_the_last, 0,
                            2 * WB_LEN(sizes));
        tcase_add_loop_test(step, takes_an_array_that_starts_anywhere, 0, 48);
        tcase_add_loop_test(step, gives_ties_to_the_lowest_index, 0, 2 * WB_LEN(sizes));
        tcase_add_loop_test(step, lets_the_first_nan_win, 0, WB_LEN(sizes));
        tcase_add_loop_test(step, takes_both_zeros_for_the_same, 0, WB_LEN(sizes));
        tcase_add_loop_test(step, ranks_the_infinities, 0, 2 * WB_LEN(sizes));
        tcase_add_test(step, finds_nothing_in_nothing);
        tcase_add_test(step, reads_the_array_on_the_device);
        if (i > 0) {
            tcase_add_test(step, finds_it_among_more_than_the_grid_has_threads);
            tcase_add_test(step, lets_a_nan_win_that_comes_late);
        }
        if (i > 1) {
            tcase_add_test(step, is_right_again_and_again);
            tcase_add_test(step, takes_one_launch);
        }
    }
}

// ---- Costs --------------------------------------------------------------------------

// Budgets are about 2^19 elements, and 256 duels of each of 256 candidates.
void workbook_budget(const char *step)
{
    size_t n = (size_t)1 << 19;
    if (!strcmp(step, "duels")) {
        candidate *all = wb_new(256 * sizeof *all);
        for (size_t i = 0; i < 256; i++)
            all[i] = (candidate){(float)(i % 7), 255 - i};
        check_duels(all, 256);
    } else {
        check(wb_fixed_f32(n), n, 0);
    }
}

void workbook_speed(const char *step)
{
    static const char *const ceilings[] = {"read", "memcpy", "cub_sum_f32", NULL};
    size_t n = (size_t)1 << 28;
    candidate d_out[1], *d_partial = wb_new(MAX_BLOCKS * sizeof *d_partial);
    uint32_t d_ticket[1] = {0};
    if (!strcmp(step, "duels") || !strcmp(step, "argmax_block"))
        return;
    float *d_in = wb_fixed_f32(n);
    if (!strcmp(step, "argmax_two_launches"))
        wb_speed(4.0 * (double)n, ceilings, step, WB_IN(d_in, n),
                 WB_OUT(d_partial, MAX_BLOCKS), WB_OUT(d_out, 1), wb_size(n));
    else
        wb_speed(4.0 * (double)n, ceilings, step, WB_IN(d_in, n),
                 WB_OUT(d_partial, MAX_BLOCKS), WB_INOUT(d_ticket, 1), WB_OUT(d_out, 1),
                 wb_size(n));
    candidate want = best_of(d_in, 0, n);
    expect_candidates("d_out", d_out, &want, 1);
}
