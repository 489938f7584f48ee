// Exercise 2: every pixel grey, every other byte as it was, and at what cost.

#include "workbook.h"

#include "kernel.h"

#include <string.h>

// Width and height. Both sides of a warp, of a block's width and height, of a group of
// four; primes; one row; one column.
typedef struct shape {
    int w, h;
} shape;
static const shape shapes[] = {{1, 1},   {2, 1},   {3, 5},   {4, 4},   {5, 3},
                               {1, 41},  {31, 7},  {32, 8},  {33, 9},  {127, 2},
                               {128, 8}, {129, 9}, {640, 3}, {97, 53}, {211, 17}};
// What is behind a row: in the input, in the output. ALIGN rounds the pitch up to a
// multiple of 64, as cudaMallocPitch does.
enum { ALIGN = 64 };
static const struct {
    size_t in, out;
} gaps[] = {{0, 0}, {1, 0}, {0, 1}, {5, 7}, {61, 33}, {ALIGN, ALIGN}};

// Bytes a pixel of the input, and pictures of it.
static size_t depth(void)
{
    const char *name = wb_step_name();
    return !strcmp(name, "grey_rgba")                    ? 4
           : strstr(name, "rgb") || strstr(name, "host") ? 3
                                                         : 1;
}

// A picture in the judge's memory: `rows` bytes apart, `bytes` in all.
typedef struct picture {
    shape s;
    size_t in_pitch, out_pitch, in_bytes, out_bytes;
    unsigned char *red, *green, *blue; // or all of it in red
    unsigned char *out, *before;
} picture;

static size_t bytes_of(shape s, size_t pitch, size_t depth)
{
    return s.w && s.h ? (size_t)(s.h - 1) * pitch + depth * (size_t)s.w : 0;
}

static picture draw(shape s, size_t in_pitch, size_t out_pitch)
{
    picture p = {.s = s, .in_pitch = in_pitch, .out_pitch = out_pitch};
    p.in_bytes = bytes_of(s, in_pitch, depth());
    p.out_bytes = bytes_of(s, out_pitch, 1);
    p.red = wb_random_bytes(p.in_bytes);
    p.green = depth() == 1 ? wb_random_bytes(p.in_bytes) : NULL;
    p.blue = depth() == 1 ? wb_random_bytes(p.in_bytes) : NULL;
    p.out = wb_random_bytes(p.out_bytes);
    p.before = wb_new(p.out_bytes);
    memcpy(p.before, p.out, p.out_bytes);
    return p;
}

// A row and its gap; in the input of grey_rgba a gap is four times as large.
static size_t pitch_of(size_t row, size_t gap)
{
    return gap == ALIGN ? (row + ALIGN - 1) / ALIGN * ALIGN : row + gap;
}

static picture draw_with_gaps(shape s, size_t in_gap, size_t out_gap)
{
    size_t row = depth() * (size_t)s.w;
    bool fours = depth() == 4 && in_gap != ALIGN;
    return draw(s, pitch_of(row, fours ? 4 * in_gap : in_gap),
                pitch_of((size_t)s.w, out_gap));
}

// Call the step at hand with its pictures `shift[0 ... 3]` bytes off their alignment.
static void call(picture *p, const size_t *shift)
{
    wb_arg red = wb_named(wb_in(p->red, p->in_bytes), depth() == 1 ? "d_red" : "d_in");
    wb_arg green = wb_named(wb_in(p->green, p->in_bytes), "d_green");
    wb_arg blue = wb_named(wb_in(p->blue, p->in_bytes), "d_blue");
    wb_arg out = wb_named(wb_inout(p->out, p->out_bytes), "d_out");
    wb_arg in_pitch = wb_size(p->in_pitch), out_pitch = wb_size(p->out_pitch);
    wb_arg w = wb_i32(p->s.w), h = wb_i32(p->s.h);
    if (!strcmp(wb_step_name(), "grey_host"))
        wb_call("grey_host", wb_named(wb_host_in(p->red, p->in_bytes), "h_in"),
                in_pitch, wb_named(wb_host_inout(p->out, p->out_bytes), "h_out"),
                out_pitch, w, h);
    else if (depth() > 1)
        wb_call(wb_step_name(), wb_shifted(red, shift[0]), in_pitch,
                wb_shifted(out, shift[3]), out_pitch, w, h);
    else
        wb_call(wb_step_name(), wb_shifted(red, shift[0]), wb_shifted(green, shift[1]),
                wb_shifted(blue, shift[2]), in_pitch, wb_shifted(out, shift[3]),
                out_pitch, w, h);
}

static void expect_grey(const picture *p)
{
    size_t w = (size_t)p->s.w, h = (size_t)p->s.h, n = w * h;
    uint32_t *got = wb_new(n * 4), *want = wb_new(n * 4);
    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < w; x++) {
            size_t i = y * p->in_pitch + depth() * x;
            const unsigned char *pixel = p->red + i;
            unsigned r = pixel[0], g = depth() == 1 ? p->green[i] : pixel[1];
            unsigned b = depth() == 1 ? p->blue[i] : pixel[2];
            want[y * w + x] = (77 * r + 150 * g + 29 * b + 128) >> 8;
            got[y * w + x] = p->out[y * p->out_pitch + x];
        }
    wb_equal_u32("the pixels of the output, row after row", got, want, n);
}

static const size_t no_shift[4];

START_TEST(greys_every_pixel)
{
    size_t g = (size_t)_i % WB_LEN(gaps);
    picture p =
        draw_with_gaps(shapes[(size_t)_i / WB_LEN(gaps)], gaps[g].in, gaps[g].out);
    call(&p, no_shift);
    expect_grey(&p);
}
END_TEST

START_TEST(leaves_the_padding_alone)
{
    size_t in = _i % 2 ? 3 : ALIGN, out = _i % 2 ? 29 : ALIGN;
    picture p = draw_with_gaps(shapes[_i / 2], in, out);
    size_t w = (size_t)p.s.w;
    call(&p, no_shift);
    for (size_t y = 0; y + 1 < (size_t)p.s.h; y++)
        wb_expect(!memcmp(p.out + y * p.out_pitch + w, p.before + y * p.out_pitch + w,
                          p.out_pitch - w),
                  "the padding behind row %zu of the output has changed", y);
}
END_TEST

START_TEST(takes_pictures_that_start_anywhere)
{
    static const size_t shifts[][4] = {{1, 0, 0, 0}, {0, 3, 0, 0}, {0, 0, 2, 0},
                                       {0, 0, 0, 1}, {4, 4, 4, 4}, {8, 4, 12, 4},
                                       {1, 2, 3, 1}, {3, 3, 3, 3}};
    size_t shift[4];
    for (int k = 0; k < 4; k++) // what grey_rgba reads is always on a multiple of 4
        shift[k] = depth() == 4 && k == 0 ? 4 * shifts[_i][k] : shifts[_i][k];
    picture p = draw((shape){68, 11}, depth() * 72, 76);
    call(&p, shift);
    expect_grey(&p);
}
END_TEST

// Corners of the cube of colours, and colours on both sides of a rounding edge.
START_TEST(rounds_as_the_formula_does)
{
    static const unsigned char colours[][3] = {
        {0, 0, 0},       {255, 255, 255}, {255, 0, 0},     {0, 255, 0},
        {0, 0, 255},     {1, 0, 0},       {0, 1, 0},       {0, 0, 1},
        {0, 0, 4},       {0, 0, 5},       {1, 0, 1},       {2, 0, 0},
        {254, 255, 255}, {255, 254, 255}, {255, 255, 254}, {128, 128, 128},
        {127, 129, 127}, {0, 255, 255},   {255, 255, 0}};
    picture p = draw((shape){(int)WB_LEN(colours), 1}, depth() * WB_LEN(colours),
                     WB_LEN(colours));
    for (size_t i = 0; i < WB_LEN(colours); i++) {
        if (depth() == 1) {
            p.red[i] = colours[i][0];
            p.green[i] = colours[i][1];
            p.blue[i] = colours[i][2];
        } else {
            memcpy(p.red + depth() * i, colours[i], 3);
        }
    }
    call(&p, no_shift);
    expect_grey(&p);
}
END_TEST

START_TEST(launches_nothing_for_an_empty_picture)
{
    static const shape empty[] = {{0, 0}, {0, 7}, {9, 0}};
    picture p = draw(empty[_i], 48, 16);
    call(&p, no_shift);
    if (wb_emulated())
        wb_expect(wb_counter("launches") == 0, "%.0f kernels were launched",
                  wb_counter("launches"));
}
END_TEST

START_TEST(works_on_the_device)
{
    picture p = draw_with_gaps((shape){101, 37}, 9, 2);
    call(&p, no_shift);
    expect_grey(&p);
    if (!wb_emulated())
        return;
    double n = 101 * 37, in = wb_counter("global_bytes_ld"),
           out = wb_counter("global_bytes_st");
    wb_expect(
        in >= 3 * n && out == n,
        "the kernels loaded %.0f bytes and stored %.0f; %.0f pixels "
        "of three colours are %.0f and %.0f: was the work done on the host, or twice?",
        in, out, n, 3 * n, n);
}
END_TEST

// ---- grey_host ----------------------------------------------------------------------

START_TEST(copies_each_picture_once_without_its_padding)
{
    picture p = draw_with_gaps((shape){101, 37}, 50, 20);
    call(&p, no_shift);
    if (!wb_emulated())
        return;
    double n = 101 * 37;
    wb_expect(wb_counter("copy_h2d_bytes") == 3 * n &&
                  wb_counter("copy_h2d_calls") == 1,
              "%.0f bytes went to the device in %.0f copies; the pixels are %.0f, in 1",
              wb_counter("copy_h2d_bytes"), wb_counter("copy_h2d_calls"), 3 * n);
    wb_expect(wb_counter("copy_d2h_bytes") == n && wb_counter("copy_d2h_calls") == 1,
              "%.0f bytes came back in %.0f copies; the pixels are %.0f, in 1",
              wb_counter("copy_d2h_bytes"), wb_counter("copy_d2h_calls"), n);
}
END_TEST

START_TEST(returns_the_error_when_memory_runs_out)
{
    unsigned char h_in[12] = {0}, h_out[4] = {1, 2, 3, 4};
    int error = wb_try("grey_host", wb_host_in(h_in, sizeof h_in), wb_size(3000000000u),
                       wb_host_inout(h_out, sizeof h_out), wb_size(1000000000u),
                       wb_i32(1000000000), wb_i32(1000000)); // 3 PB: no device has that
    wb_expect(error == 2, "grey_host returned %s, not %s", wb_error(error), wb_error(2));
    picture p = draw((shape){33, 9}, 99, 33); // and it still works
    call(&p, no_shift);
    expect_grey(&p);
}
END_TEST

// ---- The steps ----------------------------------------------------------------------

void workbook_tests(Suite *suite)
{
    static const char *const steps[] = {"grey_rgb", "grey_rgba", "grey_planar",
                                        "grey_fours", "grey_host"};
    for (size_t i = 0; i < WB_LEN(steps); i++) {
        TCase *step = wb_step(suite, steps[i]);
        tcase_add_loop_test(step, greys_every_pixel, 0, WB_LEN(shapes) * WB_LEN(gaps));
        tcase_add_loop_test(step, leaves_the_padding_alone, 0, 2 * WB_LEN(shapes));
        tcase_add_test(step, rounds_as_the_formula_does);
        tcase_add_loop_test(step, launches_nothing_for_an_empty_picture, 0, 3);
        tcase_add_test(step, works_on_the_device);
        if (i < 4)
            tcase_add_loop_test(step, takes_pictures_that_start_anywhere, 0, 8);
    }
    TCase *step = wb_step(suite, "grey_host");
    tcase_add_test(step, copies_each_picture_once_without_its_padding);
    tcase_add_test(step, returns_the_error_when_memory_runs_out);
}

// Budgets are about 512 x 128 pixels whose rows begin on 128-byte boundaries.
void workbook_budget(const char *step)
{
    if (!strcmp(step, "grey_host"))
        return;
    picture p = draw((shape){512, 128}, depth() * 640, 640);
    memset(p.red, 77, p.in_bytes);
    if (depth() == 1) {
        memset(p.green, 150, p.in_bytes);
        memset(p.blue, 29, p.in_bytes);
    }
    call(&p, no_shift);
    expect_grey(&p);
}

void workbook_speed(const char *step)
{
    static const char *const ceilings[] = {"memcpy", NULL};
    if (strcmp(step, "grey_rgba") && strcmp(step, "grey_fours"))
        return;
    picture p = draw((shape){8192, 8192}, depth() * 8192, 8192);
    wb_arg out = wb_named(wb_out(p.out, p.out_bytes), "d_out");
    double n = 8192.0 * 8192;
    if (depth() == 4)
        wb_speed(5 * n, ceilings, step, wb_in(p.red, p.in_bytes), wb_size(p.in_pitch),
                 out, wb_size(p.out_pitch), wb_i32(p.s.w), wb_i32(p.s.h));
    else
        wb_speed(4 * n, ceilings, step, wb_in(p.red, p.in_bytes),
                 wb_in(p.green, p.in_bytes), wb_in(p.blue, p.in_bytes),
                 wb_size(p.in_pitch), out, wb_size(p.out_pitch), wb_i32(p.s.w),
                 wb_i32(p.s.h));
    expect_grey(&p);
}
