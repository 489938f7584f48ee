// Exercise 1: every element in its place, the padding left alone, and the way back.

#include "workbook.h"

#include "kernel.h"

#include <string.h>

// Width, height, depth, and the bytes of padding behind a row. Both sides of the width
// of a warp; prime sizes; one of everything; no padding at all.
typedef struct shape {
    int w, h, d;
    size_t gap;
} shape;
static const shape shapes[] = {
    {1, 1, 1, 0},      {1, 1, 1, 508},   {1, 37, 5, 4},    {37, 1, 3, 4},
    {5, 3, 1, 12},     {31, 9, 2, 4},    {32, 8, 3, 0},    {32, 7, 65, 128},
    {33, 8, 2, 124},   {64, 16, 4, 256}, {7, 5, 64, 36},   {3, 101, 7, 52},
    {101, 13, 3, 108}, {256, 4, 2, 8},   {1000, 3, 2, 96},
};
// More rows or layers than a grid has blocks in y or z.
static const shape high[] = {{1, 70000, 1, 4}, {2, 66001, 1, 0}};
static const shape deep[] = {{3, 2, 200, 20}, {1, 1, 70000, 4}, {2, 1, 66001, 0}};
static const shape empty[] = {
    {0, 5, 4, 16}, {5, 0, 4, 16}, {5, 4, 0, 16}, {0, 0, 0, 4}};

static bool step_is(const char *name)
{
    return !strcmp(wb_step_name(), name);
}

static bool is_flat(void)
{
    return step_is("fill2d") || step_is("tiles");
}

static shape of_step(shape s)
{
    if (is_flat())
        s.d = s.d > 0;
    return s;
}

static size_t pitch_of(shape s)
{
    return 4 * (size_t)s.w + s.gap;
}

static size_t rows_of(shape s)
{
    return (size_t)s.h * (size_t)s.d;
}

static size_t volume(shape s)
{
    return (size_t)s.w * rows_of(s);
}

// The last row has no padding behind it.
static size_t bytes_of(shape s)
{
    return volume(s) ? (rows_of(s) - 1) * pitch_of(s) + 4 * (size_t)s.w : 0;
}

// What lies `row` rows down and x to the right.
static uint32_t value_at(size_t x, size_t row, shape s, const uint32_t *dense)
{
    size_t y = row % (size_t)s.h, z = row / (size_t)s.h;
    if (step_is("spread"))
        return dense[row * (size_t)s.w + x];
    if (!step_is("tiles"))
        return (uint32_t)(1000000 * z + 1000 * y + x);
    size_t per_row = ((size_t)s.w + TILE_W - 1) / TILE_W;
    size_t tile = y / TILE_H * per_row + x / TILE_W;
    return (uint32_t)(tile * TILE_W * TILE_H + y % TILE_H * TILE_W + x % TILE_W);
}

// Call the step at hand. `d_out` begins with what it holds.
static void call(unsigned char *d_out, const uint32_t *d_dense, shape s)
{
    wb_arg out = WB_INOUT(d_out, bytes_of(s)), pitch = wb_size(pitch_of(s));
    if (is_flat())
        wb_call(wb_step_name(), out, pitch, wb_i32(s.w), wb_i32(s.h));
    else if (step_is("spread"))
        wb_call("spread", WB_IN(d_dense, volume(s)), out, pitch, wb_i32(s.w),
                wb_i32(s.h), wb_i32(s.d));
    else
        wb_call("fill3d", out, pitch, wb_i32(s.w), wb_i32(s.h), wb_i32(s.d));
}

static void expect_elements(const unsigned char *d_out, const uint32_t *dense, shape s)
{
    uint32_t *got = wb_new(volume(s) * 4), *want = wb_new(volume(s) * 4);
    for (size_t row = 0, i = 0; row < rows_of(s); row++)
        for (size_t x = 0; x < (size_t)s.w; x++, i++) {
            memcpy(&got[i], d_out + row * pitch_of(s) + 4 * x, 4);
            want[i] = value_at(x, row, s, dense);
        }
    wb_equal_u32("the elements of d_out, row after row", got, want, volume(s));
}

static void check(shape s)
{
    s = of_step(s);
    unsigned char *d_out = wb_random_bytes(bytes_of(s));
    uint32_t *dense = wb_random_u32(volume(s));
    call(d_out, dense, s);
    expect_elements(d_out, dense, s);
}

START_TEST(puts_every_element_in_its_place)
{
    check(shapes[_i]);
}
END_TEST

START_TEST(leaves_the_padding_alone)
{
    shape s = of_step(shapes[_i]);
    unsigned char *d_out = wb_random_bytes(bytes_of(s)), *before = wb_new(bytes_of(s));
    memcpy(before, d_out, bytes_of(s));
    call(d_out, wb_random_u32(volume(s)), s);
    for (size_t row = 0; row + 1 < rows_of(s); row++) {
        size_t end = row * pitch_of(s) + 4 * (size_t)s.w;
        wb_expect(!memcmp(d_out + end, before + end, s.gap),
                  "the %zu bytes of padding behind row %zu have changed", s.gap, row);
    }
}
END_TEST

START_TEST(takes_more_rows_than_a_grid_is_high)
{
    check(high[_i]);
}
END_TEST

START_TEST(takes_more_layers_than_a_block_or_a_grid_is_deep)
{
    check(deep[_i]);
}
END_TEST

START_TEST(launches_nothing_for_an_empty_picture)
{
    shape s = empty[_i];
    if (is_flat() && s.w && s.h)
        return;
    call(wb_new(0), wb_new(0), s);
    if (wb_emulated())
        wb_expect(wb_counter("launches") == 0, "%.0f kernels were launched",
                  wb_counter("launches"));
}
END_TEST

START_TEST(works_on_the_device)
{
    shape s = of_step((shape){67, 19, 3, 20});
    check(s);
    if (!wb_emulated())
        return;
    double stored = wb_counter("global_bytes_st"), need = 4.0 * (double)volume(s);
    wb_expect(stored == need,
              "the kernels stored %.0f bytes; %zu elements are %.0f: was the "
              "work done on the host, or twice?",
              stored, volume(s), need);
}
END_TEST

// ---- where_is -----------------------------------------------------------------------

static void expect_where(size_t *d_offset, size_t n, shape s)
{
    uint32_t *d_x = wb_new(n * 4), *d_y = wb_new(n * 4), *d_z = wb_new(n * 4);
    uint32_t *x = wb_new(n * 4), *y = wb_new(n * 4), *z = wb_new(n * 4);
    wb_call("where_is", WB_IN(d_offset, n), WB_OUT(d_x, n), WB_OUT(d_y, n),
            WB_OUT(d_z, n), wb_size(n), wb_size(pitch_of(s)), wb_i32(s.w), wb_i32(s.h),
            wb_i32(s.d));
    for (size_t i = 0; i < n; i++) {
        size_t row = d_offset[i] / pitch_of(s), byte = d_offset[i] % pitch_of(s);
        bool there = row < rows_of(s) && byte < 4 * (size_t)s.w;
        x[i] = there ? (uint32_t)(byte / 4) : NOWHERE;
        y[i] = there ? (uint32_t)(row % (size_t)s.h) : NOWHERE;
        z[i] = there ? (uint32_t)(row / (size_t)s.h) : NOWHERE;
    }
    wb_equal_u32("d_x", d_x, x, n);
    wb_equal_u32("d_y", d_y, y, n);
    wb_equal_u32("d_z", d_z, z, n);
}

// Bytes of elements only: any byte of any element.
START_TEST(finds_the_element_of_every_byte)
{
    shape s = shapes[_i];
    size_t n = 333, *d_offset = wb_new(n * sizeof *d_offset);
    for (size_t i = 0; i < n; i++)
        d_offset[i] =
            wb_random() % rows_of(s) * pitch_of(s) + wb_random() % (4 * (size_t)s.w);
    d_offset[0] = 0;
    d_offset[1] = 3;
    d_offset[2] = bytes_of(s) - 1;
    expect_where(d_offset, n, s);
}
END_TEST

START_TEST(knows_the_padding)
{
    shape s = shapes[_i];
    size_t n = 257, *d_offset = wb_new(n * sizeof *d_offset);
    for (size_t i = 0; i < n; i++)
        d_offset[i] = wb_random() % rows_of(s) * pitch_of(s) + 4 * (size_t)s.w +
                      (s.gap ? wb_random() % s.gap : 0);
    d_offset[0] = 4 * (size_t)s.w - 1; // the last byte of a row, and the next one
    d_offset[1] = 4 * (size_t)s.w;
    expect_where(d_offset, n, s);
}
END_TEST

START_TEST(knows_what_lies_behind_the_box)
{
    shape s = shapes[_i];
    size_t n = 100, *d_offset = wb_new(n * sizeof *d_offset);
    for (size_t i = 0; i < n; i++)
        d_offset[i] = (rows_of(s) + i * i) * pitch_of(s);
    d_offset[1] = bytes_of(s) - 1;
    d_offset[2] = bytes_of(s);
    expect_where(d_offset, n, s);
}
END_TEST

START_TEST(reaches_beyond_four_gigabytes)
{
    static const shape large[] = {{100000, 90000, 1000, 4}, {3, 65536, 100000, 500}};
    shape s = large[_i];
    size_t n = 1000, *d_offset = wb_new(n * sizeof *d_offset);
    for (size_t i = 0; i < n; i++)
        d_offset[i] = ((size_t)wb_random() << 20 | wb_random() >> 12) % bytes_of(s);
    d_offset[0] = bytes_of(s) - 1;
    d_offset[1] = (size_t)1 << 32;
    d_offset[2] = d_offset[1] - 1;
    expect_where(d_offset, n, s);
}
END_TEST

START_TEST(answers_any_number_of_questions)
{
    static const size_t some[] = {0, 1, 31, 255, 256, 257, 4099};
    shape s = {33, 8, 2, 124};
    size_t n = some[_i], *d_offset = wb_new(n * sizeof *d_offset);
    for (size_t i = 0; i < n; i++)
        d_offset[i] = wb_random() % bytes_of(s);
    expect_where(d_offset, n, s);
    if (!wb_emulated())
        return;
    double in = wb_counter("global_bytes_ld"), out = wb_counter("global_bytes_st");
    wb_expect(
        in >= 8.0 * (double)n && out >= 12.0 * (double)n,
        "for %zu questions the kernels loaded %.0f bytes and stored %.0f: were they "
        "answered on the host?",
        n, in, out);
}
END_TEST

// ---- The steps ----------------------------------------------------------------------

static void add_places(TCase *step)
{
    tcase_add_loop_test(step, puts_every_element_in_its_place, 0, WB_LEN(shapes));
    tcase_add_loop_test(step, leaves_the_padding_alone, 0, WB_LEN(shapes));
    tcase_add_loop_test(step, takes_more_rows_than_a_grid_is_high, 0, WB_LEN(high));
    tcase_add_loop_test(step, launches_nothing_for_an_empty_picture, 0, WB_LEN(empty));
    tcase_add_test(step, works_on_the_device);
}

void workbook_tests(Suite *suite)
{
    add_places(wb_step(suite, "fill2d"));
    TCase *step = wb_step(suite, "fill3d");
    add_places(step);
    tcase_add_loop_test(step, takes_more_layers_than_a_block_or_a_grid_is_deep, 0,
                        WB_LEN(deep));
    step = wb_step(suite, "where_is");
    tcase_add_loop_test(step, finds_the_element_of_every_byte, 0, WB_LEN(shapes));
    tcase_add_loop_test(step, knows_the_padding, 0, WB_LEN(shapes));
    tcase_add_loop_test(step, knows_what_lies_behind_the_box, 0, WB_LEN(shapes));
    tcase_add_loop_test(step, reaches_beyond_four_gigabytes, 0, 2);
    tcase_add_loop_test(step, answers_any_number_of_questions, 0, 7);
    add_places(wb_step(suite, "spread"));
    add_places(wb_step(suite, "tiles"));
}

// Budgets are about 2^16 elements whose rows begin on 128-byte boundaries.
void workbook_budget(const char *step)
{
    shape s = is_flat() ? (shape){256, 256, 1, 128} : (shape){64, 32, 32, 128};
    if (!strcmp(step, "where_is")) {
        size_t n = 65536, *d_offset = wb_new(n * sizeof *d_offset);
        for (size_t i = 0; i < n; i++)
            d_offset[i] = 6 * i;
        expect_where(d_offset, n, s);
        return;
    }
    unsigned char *d_out = wb_new(bytes_of(s));
    uint32_t *dense = wb_fixed_u32(volume(s));
    call(d_out, dense, s);
    expect_elements(d_out, dense, s);
}

void workbook_speed(const char *step)
{
    (void)step; // nothing in this exercise is about speed
}
