// Textures and surfaces, against what a linear function, a table or a constant must give.

#include "lab.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { POINTS = 32 };

// One instruction a thread: reads up to four coordinates, writes four words.
static void run(simt_device *d, const char *instruction, uint64_t object,
                const void *coordinates, void *out)
{
    char body[2000];
    uint64_t in, to;
    snprintf(body, sizeof body,
             "mov.u32 %%r0, %%tid.x; mul.wide.u32 %%d0, %%r0, 16; add.u64 %%d1, %%d0, %%q0;\n"
             "add.u64 %%d2, %%d0, %%q1;\n"
             "ld.global.v4.u32 {%%r10, %%r11, %%r12, %%r13}, [%%d1];\n"
             "mov.b32 %%f10, %%r10; mov.b32 %%f11, %%r11; mov.b32 %%f12, %%r12;\n"
             "mov.b32 %%f13, %%r13; mov.u32 %%r1, 0; mov.u32 %%r2, 0; mov.u32 %%r3, 0;\n"
             "mov.u32 %%r4, 0;\n%s\nst.global.v4.u32 [%%d2], {%%r1, %%r2, %%r3, %%r4};",
             instruction);
    ck_assert_int_eq(simt_alloc(d, 16 * POINTS, &in), 0);
    ck_assert_int_eq(simt_alloc(d, 16 * POINTS, &to), 0);
    ck_assert_int_eq(simt_write(d, in, coordinates, 16 * POINTS), 0);
    uint64_t p[] = {in, to, object};
    int error = lab_run(d, lab_kernel(body), 1, POINTS, p, 3);
    const simt_fault *f = simt_fault_at(d, 0);
    ck_assert_msg(!error, "%s: error %d, %s", instruction, error, f ? f->detail : "");
    ck_assert_int_eq(simt_read(d, out, to, 16 * POINTS), 0);
}

static const char read_2d[] =
    "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%q2, {%f10, %f11}];\n"
    "mov.b32 %r1, %f1; mov.b32 %r2, %f2; mov.b32 %r3, %f3; mov.b32 %r4, %f4;";

static simt_texture floats(uint32_t width, uint32_t height, uint32_t depth)
{
    return (simt_texture){.levels = 1, .width = width, .height = height, .depth = depth,
                          .bits = {32}, .format = 2, .address_mode = {1, 1, 1},
                          .level = {{.row = 4 * width, .slice = 4 * width * (height ? height : 1)}}};
}

static uint64_t made(simt_device *d, simt_texture *t, const void *texels, size_t bytes)
{
    uint64_t object;
    ck_assert_int_eq(simt_alloc(d, bytes, &t->level[0].address), 0);
    ck_assert_int_eq(simt_write(d, t->level[0].address, texels, bytes), 0);
    ck_assert_int_eq(simt_texture_new(d, t, &object), 0);
    return object;
}

START_TEST(mixes_neighbours_of_a_linear_function)
{
    simt_device *d = lab_open(1, false);
    float texels[8][16], at[POINTS][4] = {{0}}, out[POINTS][4];
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 16; x++)
            texels[y][x] = (float)(3 * x - 5 * y);
    simt_texture t = floats(16, 8, 0);
    t.filter = 1;
    uint64_t object = made(d, &t, texels, sizeof texels);
    for (int i = 0; i < POINTS; i++) {
        at[i][0] = 0.5f + (float)(i * 117 % 256) / 17.0f;
        at[i][1] = 0.5f + (float)(i * 71 % 256) / 40.0f;
    }
    run(d, read_2d, object, at, out);
    for (int i = 0; i < POINTS; i++) { // weights of 8 bits: off by half a unit at most
        double want = 3 * (at[i][0] - 0.5) - 5 * (at[i][1] - 0.5);
        ck_assert_msg(fabs(out[i][0] - want) <= (3 + 5) / 512.0 + 1e-5, "(%g, %g): %g, not %g",
                      (double)at[i][0], (double)at[i][1], (double)out[i][0], want);
    }
    simt_close(d);
}
END_TEST

static const struct addressing {
    int mode;
    bool normalized;
    float at;
    int want; // index of 4 texels; -1 border
} addressing[] = {
    {0, true, 0.1f, 0},  {0, true, 1.1f, 0},  {0, true, -0.1f, 3},  {0, true, 2.9f, 3},
    {1, true, -5, 0},    {1, true, 1, 3},     {2, true, 1.1f, 3},   {2, true, -0.3f, 1},
    {2, true, 2.3f, 1},  {3, true, -0.01f, -1}, {3, true, 1.0f, -1}, {3, true, 0.99f, 3},
    {1, false, -3, 0},   {1, false, 3.99f, 3}, {1, false, 9, 3},    {3, false, 4, -1},
    {0, false, 5, 3},    {0, false, -1, 0},   {2, false, 5, 3},     {3, false, 1.5f, 1},
};

START_TEST(finds_the_texel_under_each_addressing_mode)
{
    const struct addressing *a = &addressing[_i];
    simt_device *d = lab_open(1, false);
    float texels[4] = {10, 11, 12, 13}, at[POINTS][4] = {{0}}, out[POINTS][4];
    simt_texture t = floats(4, 0, 0);
    t.address_mode[0] = (uint8_t)a->mode;
    t.normalized_coordinates = a->normalized;
    t.border[0] = 9;
    for (int i = 0; i < POINTS; i++)
        at[i][0] = a->at;
    uint64_t object = made(d, &t, texels, sizeof texels);
    run(d, "tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%q2, {%f10}]; mov.b32 %r1, %f1;", object, at,
        out);
    ck_assert_float_eq(out[7][0], (float)(10 + a->want));
    simt_close(d);
}
END_TEST

static const struct formats {
    uint8_t format, bits;
    bool normalized, srgb;
    uint32_t texel;
    double want;
} formats[] = {
    {1, 8, true, false, 255, 1},      {1, 8, true, false, 51, 0.2},
    {0, 8, true, false, 0x80, -1},    {0, 8, true, false, 127, 1},
    {1, 16, true, false, 65535, 1},   {0, 16, true, false, 0x8000, -1},
    {2, 16, false, false, 0x3555, 0.333251953125}, {2, 16, false, false, 0x0001, 0x1p-24},
    {2, 32, false, false, 0x40490fdb, 3.14159274},  {1, 8, true, true, 188, 0.502886},
};

START_TEST(reads_each_format)
{
    const struct formats *f = &formats[_i];
    simt_device *d = lab_open(1, false);
    float at[POINTS][4] = {{0}}, out[POINTS][4];
    simt_texture t = floats(1, 0, 0);
    t.format = f->format;
    t.bits[0] = f->bits;
    t.normalized_float = f->normalized;
    t.srgb = f->srgb;
    uint64_t object = made(d, &t, &f->texel, 4);
    run(d, "tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%q2, {%f10}]; mov.b32 %r1, %f1;", object, at,
        out);
    ck_assert_msg(fabs(out[0][0] - f->want) < 1e-6, "%g, not %g", (double)out[0][0], f->want);
    simt_close(d);
}
END_TEST

START_TEST(reads_whole_numbers_and_nothing_outside)
{
    simt_device *d = lab_open(1, false);
    int16_t texels[2 * 24];
    int32_t at[POINTS][4] = {{0}}, out[POINTS][4];
    for (int i = 0; i < 48; i++)
        texels[i] = (int16_t)(i - 20);
    simt_texture t = floats(24, 0, 0);
    t.format = 0;
    t.bits[0] = t.bits[1] = 16;
    t.linear = true;
    uint64_t object = made(d, &t, texels, sizeof texels);
    for (int i = 0; i < POINTS; i++)
        at[i][0] = i - 4;
    run(d, "tex.1d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [%q2, {%r10}];", object, at, out);
    for (int i = 0; i < POINTS; i++) {
        int x = i - 4;
        bool in = x >= 0 && x < 24;
        ck_assert_int_eq(out[i][0], in ? 2 * x - 20 : 0);
        ck_assert_int_eq(out[i][1], in ? 2 * x - 19 : 0);
    }
    simt_close(d);
}
END_TEST

START_TEST(reads_volumes_layers_and_cubes)
{
    simt_device *d = lab_open(1, false);
    float texels[6][4][4], at[POINTS][4] = {{0}}, out[POINTS][4];
    for (int z = 0; z < 6; z++)
        for (int y = 0; y < 4; y++)
            for (int x = 0; x < 4; x++)
                texels[z][y][x] = (float)(100 * z + 10 * y + x);
    simt_texture t = floats(4, 4, 6);
    t.filter = 1;
    uint64_t volume = made(d, &t, texels, sizeof texels);
    for (int i = 0; i < POINTS; i++) {
        at[i][0] = 0.5f + (float)(i % 13) / 4;
        at[i][1] = 0.5f + (float)(i % 11) / 4;
        at[i][2] = 0.5f + (float)i / 8;
    }
    run(d, "tex.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%q2, {%f10, %f11, %f12, %f12}];\n"
           "mov.b32 %r1, %f1;", volume, at, out);
    for (int i = 0; i < POINTS; i++)
        ck_assert_double_eq_tol(out[i][0], 100 * (at[i][2] - 0.5) + 10 * (at[i][1] - 0.5) +
                                               (at[i][0] - 0.5), 0.22);
    t.depth = 0;
    t.layers = 6;
    uint64_t layered = made(d, &t, texels, sizeof texels);
    for (int i = 0; i < POINTS; i++) {
        uint32_t layer = (uint32_t)i;
        memcpy(&at[i][0], &layer, 4);
        at[i][1] = 2.5f;
        at[i][2] = 1.5f;
    }
    run(d, "tex.a2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%q2, {%r10, %f11, %f12, %f12}];\n"
           "mov.b32 %r1, %f1;", layered, at, out);
    for (int i = 0; i < POINTS; i++) // a layer too far is the last one
        ck_assert_float_eq(out[i][0], (float)(100 * (i < 6 ? i : 5) + 12));
    static const float axes[6][3] = {{2, 0, 0}, {-2, 0, 0}, {0, 3, 0},
                                     {0, -3, 0}, {0, 0, 1}, {0, 0, -1}};
    t.filter = 0;
    t.normalized_coordinates = true;
    uint64_t cube = made(d, &t, texels, sizeof texels);
    for (int i = 0; i < POINTS; i++)
        memcpy(at[i], axes[i % 6], 12);
    run(d, "tex.cube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%q2, {%f10, %f11, %f12, %f12}];\n"
           "mov.b32 %r1, %f1;", cube, at, out);
    for (int i = 0; i < 6; i++) // the middle of face i
        ck_assert_float_eq(out[i][0], (float)(100 * i + 22));
    simt_close(d);
}
END_TEST

START_TEST(gathers_four_texels_and_mixes_two_levels)
{
    simt_device *d = lab_open(1, false);
    float texels[4][4], small[2][2] = {{1000, 1000}, {1000, 1000}};
    float at[POINTS][4] = {{0}}, out[POINTS][4];
    for (int i = 0; i < 16; i++)
        texels[i / 4][i % 4] = (float)i;
    simt_texture t = floats(4, 4, 0);
    uint64_t object = made(d, &t, texels, sizeof texels);
    for (int i = 0; i < POINTS; i++)
        at[i][0] = at[i][1] = 2;
    run(d, "tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%q2, {%f10, %f11}];\n"
           "mov.b32 %r1, %f1; mov.b32 %r2, %f2; mov.b32 %r3, %f3; mov.b32 %r4, %f4;",
        object, at, out);
    static const float around[] = {9, 10, 6, 5};
    for (int i = 0; i < 4; i++)
        ck_assert_float_eq(out[3][i], around[i]);
    t.levels = 2;
    t.max_level = 1;
    t.mip_filter = 1;
    t.normalized_coordinates = true;
    t.level[1] = (struct simt_texture_level){.row = 8, .slice = 16};
    ck_assert_int_eq(simt_alloc(d, sizeof small, &t.level[1].address), 0);
    ck_assert_int_eq(simt_write(d, t.level[1].address, small, sizeof small), 0);
    object = made(d, &t, texels, sizeof texels);
    for (int i = 0; i < POINTS; i++) {
        at[i][0] = at[i][1] = 0.3f; // texel 5 of level 0
        at[i][2] = (float)i / 8;
    }
    run(d, "tex.level.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%q2, {%f10, %f11}], %f12;\n"
           "mov.b32 %r1, %f1;", object, at, out);
    for (int i = 0; i < POINTS; i++) {
        double level = i / 8.0 > 1 ? 1 : i / 8.0;
        ck_assert_double_eq_tol(out[i][0], 5 + level * 995, 1e-3);
    }
    simt_close(d);
}
END_TEST

START_TEST(stores_through_surfaces_inside_only)
{
    simt_device *d = lab_open(1, false);
    uint32_t texels[4][8] = {{0}}, got[4][8];
    int32_t at[POINTS][4] = {{0}}, out[POINTS][4];
    simt_texture t = floats(8, 4, 0);
    t.format = 1;
    uint64_t object = made(d, &t, texels, sizeof texels);
    for (int i = 0; i < POINTS; i++) {
        at[i][0] = 4 * (i % 8 + (i >= 24)); // the last row one element too far right
        at[i][1] = i / 8;
        at[i][2] = 100 + i;
    }
    run(d, "sust.b.2d.b32.zero [%q2, {%r10, %r11}], {%r12};\n"
           "suld.b.2d.b32.clamp {%r1}, [%q2, {%r10, %r11}];\n"
           "suld.b.2d.b32.zero {%r2}, [%q2, {%r10, %r11}];", object, at, out);
    ck_assert_int_eq(simt_read(d, got, t.level[0].address, sizeof got), 0);
    for (int i = 0; i < POINTS; i++) {
        int x = i % 8 + (i >= 24), y = i / 8;
        ck_assert_uint_eq(got[y][i % 8], y < 3 ? 100u + (uint32_t)i : i % 8 ? 99u + (uint32_t)i : 0u);
        ck_assert_int_eq(out[i][1], x < 8 ? 100 + i : 0);
        ck_assert_int_eq(out[i][0], x < 8 ? 100 + i : 130);
    }
    char body[400];
    snprintf(body, sizeof body, "mov.u32 %%r0, %%tid.x; sust.b.1d.b32.trap [%%q2, {%%r0}], {%%r0};");
    uint64_t p[] = {0, 0, object};
    ck_assert_int_ne(lab_run(d, lab_kernel(body), 1, 32, p, 3), 0);
    simt_close(d);
}
END_TEST

START_TEST(refuses_what_is_no_object)
{
    simt_device *d = lab_open(1, false);
    simt_texture t = floats(4, 0, 0);
    float texels[4] = {0};
    uint64_t object = made(d, &t, texels, sizeof texels), p[] = {0, 0, object};
    const char *body = "tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%q2, {%f10}];";
    ck_assert_int_eq(lab_run(d, lab_kernel(body), 1, 32, p, 3), 0);
    ck_assert_int_eq(simt_free(d, t.level[0].address), 0);
    ck_assert_int_eq(lab_run(d, lab_kernel(body), 1, 32, p, 3), 700);
    ck_assert_int_eq(simt_texture_drop(d, object), 0);
    ck_assert_int_ne(simt_texture_drop(d, object), 0);
    ck_assert_int_eq(lab_run(d, lab_kernel(body), 1, 32, p, 3), 700);
    t.bits[0] = 24;
    ck_assert_int_ne(simt_texture_new(d, &t, &object), 0);
    simt_close(d);
}
END_TEST

Suite *texture_suite(void)
{
    Suite *suite = suite_create("textures");
    TCase *tc = tcase_create("textures");
    tcase_add_test(tc, mixes_neighbours_of_a_linear_function);
    tcase_add_loop_test(tc, finds_the_texel_under_each_addressing_mode, 0,
                        (int)(sizeof addressing / sizeof *addressing));
    tcase_add_loop_test(tc, reads_each_format, 0, (int)(sizeof formats / sizeof *formats));
    tcase_add_test(tc, reads_whole_numbers_and_nothing_outside);
    tcase_add_test(tc, reads_volumes_layers_and_cubes);
    tcase_add_test(tc, gathers_four_texels_and_mixes_two_levels);
    tcase_add_test(tc, stores_through_surfaces_inside_only);
    tcase_add_test(tc, refuses_what_is_no_object);
    suite_add_tcase(suite, tc);
    return suite;
}
