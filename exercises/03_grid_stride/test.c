// Exercise 3: every element at its place, the same for every launch, and at what cost.

#include "workbook.h"

#include "kernel.h"

#include <math.h>
#include <string.h>

static const size_t sizes[] = {0, 1, 2, 31, 32, 33, 255, 256, 257, 1025, 4099};
static const long long strides[] = {1, -1, 2, -2, 3, -7, 32, -33};
typedef struct launch {
    int grid, block;
} launch;
static const launch launches[] = {{1, 1},    {1, 31},   {1, 32},   {7, 96},
                                  {32, 256}, {3, 1024}, {391, 256}};
static const launch usual = {5, 128};

static bool step_is(const char *name)
{
    return !strcmp(wb_step_name(), name);
}

// The place of element i, as kernel.h says.
static size_t place_of(size_t i, size_t n, long long inc)
{
    return inc < 0 ? (n - 1 - i) * (size_t)-inc : i * (size_t)inc;
}

// Places from the first element to the last one.
static size_t span(size_t n, long long inc)
{
    return n == 0 ? 0 : (n - 1) * (size_t)(inc < 0 ? -inc : inc) + 1;
}

static float *gather(const float *from, size_t n, long long inc)
{
    float *got = wb_new(n * sizeof *got);
    for (size_t i = 0; i < n; i++)
        got[i] = from[place_of(i, n, inc)];
    return got;
}

static float *copy_of(const float *from, size_t n)
{
    return memcpy(wb_new(n * sizeof *from), from, n * sizeof *from);
}

// One call and what it is about.
typedef struct vectors {
    size_t n;
    long long incx, incy;
    float a, b;
    float *x, *y, *before;
} vectors;

static vectors draw(size_t n, long long incx, long long incy)
{
    vectors v = {.n = n, .incx = incx, .incy = incy, .a = 1.0f / 3, .b = -0.7f};
    v.x = wb_random_f32(span(n, incx), -10, 10);
    v.y = wb_random_f32(span(n, incy), -10, 10);
    v.before = copy_of(v.y, span(n, incy));
    return v;
}

// Call the step at hand, strided_copy or axpby.
static void call(vectors *v, launch l)
{
    size_t n = v->n;
    wb_arg x = wb_named(wb_in(v->x, 4 * span(n, v->incx)), "d_x");
    wb_arg y = wb_named(wb_inout(v->y, 4 * span(n, v->incy)), "d_y");
    if (step_is("axpby"))
        wb_call("axpby", wb_size(n), wb_f32(v->a), x, wb_i64(v->incx), wb_f32(v->b), y,
                wb_i64(v->incy), wb_i32(l.grid), wb_i32(l.block));
    else
        wb_call("strided_copy", wb_size(n), x, wb_i64(v->incx), y, wb_i64(v->incy),
                wb_i32(l.grid), wb_i32(l.block));
}

static void expect_elements(const vectors *v)
{
    size_t n = v->n;
    float *x = gather(v->x, n, v->incx), *y = gather(v->before, n, v->incy);
    if (step_is("axpby"))
        for (size_t i = 0; i < n; i++)
            x[i] = v->b == 0 ? v->a * x[i] : fmaf(v->a, x[i], v->b * y[i]);
    wb_equal_f32("the elements of d_y", gather(v->y, n, v->incy), x, n);
}

static void check(size_t n, long long incx, long long incy, launch l)
{
    vectors v = draw(n, incx, incy);
    call(&v, l);
    expect_elements(&v);
}

START_TEST(finds_the_elements_for_every_pair_of_strides)
{
    check(100, strides[_i % 8], strides[_i / 8], usual);
}
END_TEST

START_TEST(is_right_for_every_size)
{
    check(sizes[_i], 2, -3, usual);
}
END_TEST

START_TEST(leaves_what_lies_between_alone)
{
    vectors v = draw(sizes[_i], 1, 4);
    call(&v, usual);
    for (size_t i = 0; i < span(v.n, v.incy); i++)
        wb_expect(i % 4 == 0 || v.y[i] == v.before[i],
                  "place %zu of d_y holds no element of a "
                  "vector with stride 4, but it changed from %g to %g",
                  i, (double)v.before[i], (double)v.y[i]);
}
END_TEST

START_TEST(repeats_one_element_for_a_stride_of_0)
{
    check(777, 0, strides[_i], usual);
}
END_TEST

START_TEST(refuses_to_write_with_a_stride_of_0)
{
    float d_x[3] = {1, 2, 3}, d_y[1] = {4};
    int error =
        step_is("axpby")
            ? wb_try("axpby", wb_size(3), wb_f32(1), WB_IN(d_x, 3), wb_i64(1),
                     wb_f32(0), WB_INOUT(d_y, 1), wb_i64(0), wb_i32(1), wb_i32(32))
            : wb_try("strided_copy", wb_size(3), WB_IN(d_x, 3), wb_i64(1),
                     WB_INOUT(d_y, 1), wb_i64(0), wb_i32(1), wb_i32(32));
    wb_expect(error == 1 && d_y[0] == 4,
              "incy = 0 must be refused with cudaErrorInvalidValue "
              "(1), but %s returned %s and d_y[0] is %g",
              wb_step_name(), wb_error(error), (double)d_y[0]);
}
END_TEST

static void expect_work(double in, double out)
{
    if (!wb_emulated())
        return;
    wb_expect(wb_counter("global_bytes_ld") == in &&
                  wb_counter("global_bytes_st") == out,
              "the kernels loaded %.0f bytes and stored %.0f, where %.0f and %.0f are "
              "needed: was "
              "the work done on the host, or twice?",
              wb_counter("global_bytes_ld"), wb_counter("global_bytes_st"), in, out);
}

START_TEST(works_on_the_device)
{
    check(5003, 3, -2, usual);
    expect_work(step_is("axpby") ? 8 * 5003 : 4 * 5003, 4 * 5003);
}
END_TEST

// ---- axpby --------------------------------------------------------------------------

START_TEST(does_not_read_y_when_b_is_0)
{
    vectors v = draw(300, 2, 3);
    v.b = _i ? -0.0f : 0;
    for (size_t i = 0; i < span(v.n, v.incy); i++)
        v.y[i] = v.before[i] = i % 2 ? NAN : -INFINITY;
    call(&v, usual);
    expect_elements(&v);
    expect_work(4.0 * (double)v.n, 4.0 * (double)v.n);
}
END_TEST

START_TEST(keeps_the_sign_of_zero)
{
    vectors v = draw(4, 1, 1);
    float x[] = {0, -0.0f, 0, -0.0f}, y[] = {1, 1, -1, -1};
    memcpy(v.x, x, sizeof x);
    memcpy(v.y, y, sizeof y);
    memcpy(v.before, y, sizeof y);
    v.a = -1;
    v.b = 0; // -1 * 0 is -0; adding 0 * y to it would make it 0
    call(&v, usual);
    expect_elements(&v);
}
END_TEST

START_TEST(passes_on_nan_and_infinity)
{
    vectors v = draw(300, 1, -1);
    v.x[7] = NAN;
    v.x[8] = INFINITY;
    v.y[290] = v.before[290] = NAN;
    v.y[10] = v.before[10] = -INFINITY;
    v.a = _i ? 0 : 2; // 0 times infinity is NaN
    call(&v, usual);
    expect_elements(&v);
}
END_TEST

START_TEST(works_in_place)
{
    size_t n = 777;
    vectors v = draw(n, -2, -2);
    memcpy(v.x, v.before, 4 * span(n, -2));
    wb_call("axpby", wb_size(n), wb_f32(v.a),
            wb_named(wb_inout(v.y, 4 * span(n, -2)), "d_x, d_y"), wb_i64(-2),
            wb_f32(v.b), wb_same_as(2), wb_i64(-2), wb_i32(3), wb_i32(64));
    expect_elements(&v);
}
END_TEST

// ---- places, sectors ----------------------------------------------------------------

static void check_places(size_t n, long long inc, launch l)
{
    uint64_t *d_place = wb_new(n * sizeof *d_place), *want = wb_new(n * sizeof *want);
    wb_call("places", wb_size(n), wb_i64(inc), WB_OUT(d_place, n), wb_i32(l.grid),
            wb_i32(l.block));
    for (size_t i = 0; i < n; i++)
        want[i] = place_of(i, n, inc);
    wb_equal_u64("d_place", d_place, want, n);
}

// An element's sector is new if no element of its group before it lies there too.
static void check_sectors(size_t n, long long inc, size_t shift, launch l)
{
    size_t groups = (n + 31) / 32;
    uint32_t *d_count = wb_new(groups * sizeof *d_count),
             *want = wb_new(groups * sizeof *want);
    wb_call("sectors", wb_size(n), wb_i64(inc), wb_size(shift), WB_OUT(d_count, groups),
            wb_i32(l.grid), wb_i32(l.block));
    for (size_t i = 0; i < n; i++) {
        size_t sector = (shift + 4 * place_of(i, n, inc)) / 32;
        bool seen = false;
        for (size_t j = i / 32 * 32; j < i; j++)
            seen |= (shift + 4 * place_of(j, n, inc)) / 32 == sector;
        want[i / 32] += !seen;
    }
    wb_equal_u32("d_count", d_count, want, groups);
}

static void check_map(size_t n, long long inc, size_t shift, launch l)
{
    if (step_is("places"))
        check_places(n, inc, l);
    else
        check_sectors(n, inc, shift, l);
}

START_TEST(maps_every_size)
{
    check_map(sizes[_i], 3, 0, usual);
}
END_TEST

START_TEST(maps_every_stride)
{
    static const long long some[] = {0, 1, -1, 2, 3, -3, 4, 5, 7, -7, 8, 9, -9, 31, 33};
    check_map(333, some[_i], 0, usual);
}
END_TEST

START_TEST(counts_sectors_wherever_the_array_begins)
{
    static const long long some[] = {1, -1, 2, -3, 8};
    check_map(101, some[_i / 8], 4 * (size_t)(_i % 8), usual);
}
END_TEST

START_TEST(reaches_beyond_four_gigabytes)
{
    static const long long far[] = {1 << 30, -(1 << 30), 1LL << 32, -(1LL << 32) - 1,
                                    1LL << 40};
    check_map(1000, far[_i], 4, usual);
}
END_TEST

START_TEST(maps_on_the_device)
{
    size_t n = 5003;
    check_map(n, -3, 12, usual);
    expect_work(0, step_is("places") ? 8 * (double)n : 4 * (double)((n + 31) / 32));
}
END_TEST

START_TEST(gives_the_same_bits_for_every_launch)
{
    static const size_t some[] = {5, 2000};
    if (step_is("places") || step_is("sectors"))
        check_map(some[_i / 7], -5, 8, launches[_i % 7]);
    else
        check(some[_i / 7], 2, -1, launches[_i % 7]);
}
END_TEST

START_TEST(returns_the_error_of_an_impossible_launch)
{
    static const launch bad[] = {{0, 256}, {1, 0}, {1, 1025}};
    wb_arg grid = wb_i32(bad[_i].grid), block = wb_i32(bad[_i].block), one = wb_i64(1);
    uint64_t d_place[1] = {0};
    float d_x[1] = {1}, d_y[1] = {2};
    int error;
    if (step_is("places"))
        error = wb_try("places", wb_size(1), one, WB_INOUT(d_place, 1), grid, block);
    else if (step_is("sectors"))
        error = wb_try("sectors", wb_size(1), one, wb_size(0), WB_INOUT(d_y, 1), grid,
                       block);
    else if (step_is("axpby"))
        error = wb_try("axpby", wb_size(1), wb_f32(1), WB_IN(d_x, 1), one, wb_f32(1),
                       WB_INOUT(d_y, 1), one, grid, block);
    else
        error = wb_try("strided_copy", wb_size(1), WB_IN(d_x, 1), one, WB_INOUT(d_y, 1),
                       one, grid, block);
    // cudaErrorInvalidConfiguration (9) before CUDA 13, cudaErrorInvalidValue (1) since
    wb_expect(error == 9 || error == 1,
              "%d blocks of %d threads cannot be launched, but %s "
              "returned %s",
              bad[_i].grid, bad[_i].block, wb_step_name(), wb_error(error));
}
END_TEST

// ---- The steps ----------------------------------------------------------------------

static void add_map(TCase *step)
{
    tcase_add_loop_test(step, maps_every_size, 0, WB_LEN(sizes));
    tcase_add_loop_test(step, maps_every_stride, 0, 15);
    tcase_add_loop_test(step, reaches_beyond_four_gigabytes, 0, 5);
    tcase_add_test(step, maps_on_the_device);
    tcase_add_loop_test(step, gives_the_same_bits_for_every_launch, 0, 14);
    tcase_add_loop_test(step, returns_the_error_of_an_impossible_launch, 0, 3);
}

static void add_vectors(TCase *step)
{
    tcase_add_loop_test(step, finds_the_elements_for_every_pair_of_strides, 0, 64);
    tcase_add_loop_test(step, is_right_for_every_size, 0, WB_LEN(sizes));
    tcase_add_loop_test(step, leaves_what_lies_between_alone, 0, WB_LEN(sizes));
    tcase_add_loop_test(step, repeats_one_element_for_a_stride_of_0, 0, 8);
    tcase_add_test(step, refuses_to_write_with_a_stride_of_0);
    tcase_add_test(step, works_on_the_device);
    tcase_add_loop_test(step, gives_the_same_bits_for_every_launch, 0, 14);
    tcase_add_loop_test(step, returns_the_error_of_an_impossible_launch, 0, 3);
}

void workbook_tests(Suite *suite)
{
    add_map(wb_step(suite, "places"));
    add_vectors(wb_step(suite, "strided_copy"));
    TCase *step = wb_step(suite, "axpby");
    add_vectors(step);
    tcase_add_loop_test(step, does_not_read_y_when_b_is_0, 0, 2);
    tcase_add_test(step, keeps_the_sign_of_zero);
    tcase_add_loop_test(step, passes_on_nan_and_infinity, 0, 2);
    tcase_add_test(step, works_in_place);
    step = wb_step(suite, "sectors");
    add_map(step);
    tcase_add_loop_test(step, counts_sectors_wherever_the_array_begins, 0, 40);
}

// Budgets are about 2^17 elements and 64 blocks of 256 threads: reversed by axpby,
// every second one read by strided_copy.
void workbook_budget(const char *step)
{
    launch l = {64, 256};
    size_t n = (size_t)1 << 17;
    if (!strcmp(step, "places") || !strcmp(step, "sectors")) {
        check_map(n, 3, 0, l);
        return;
    }
    bool copies = !strcmp(step, "strided_copy");
    vectors v = {
        .n = n, .incx = copies ? 2 : 1, .incy = copies ? 1 : -1, .a = 2, .b = 3};
    v.x = wb_fixed_f32(span(n, v.incx));
    v.y = wb_fixed_f32(n);
    v.before = copy_of(v.y, n);
    call(&v, l);
    expect_elements(&v);
}

void workbook_speed(const char *step)
{
    static const char *const ceilings[] = {"memcpy", NULL};
    size_t n = (size_t)1 << 28;
    if (strcmp(step, "axpby"))
        return;
    // y is worked on again in every timed call: with b = -1 and a = 0 only its sign
    // changes, and the size of each element is what there is to compare.
    float *d_x = wb_fixed_f32(n), *d_y = wb_fixed_f32(n), *want = copy_of(d_y, n);
    wb_speed(12.0 * (double)n, ceilings, step, wb_size(n), wb_f32(0), WB_IN(d_x, n),
             wb_i64(1), wb_f32(-1), WB_INOUT(d_y, n), wb_i64(-1),
             wb_i32(32 * wb_multiprocessors()), wb_i32(256));
    for (size_t i = 0; i < n; i++)
        d_y[i] = fabsf(d_y[i]), want[i] = fabsf(want[i]);
    wb_equal_f32("the sizes of d_y's elements", d_y, want, n);
}
