// Matrix products and the exchanges between fragments. Where each element lies in the
// registers is written out here as the PTX manual has it, shape by shape; what it must
// be comes from a triple loop over small numbers, which every format holds exactly.

#include "lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REGISTERS = 16, SIDE = 16, DEEP = 256 };

typedef struct product {
    const char *ptx;
    int m, k;
    const char *a, *b, *c; // types; D's is the first in the name
    int bits;              // of an element of A
} product;

#define MMA "mma.sync.aligned."
static const product products[] = {
    {MMA "m16n8k8.row.col.f32.f16.f16.f32", 16, 8, "f16", "f16", "f32", 16},
    {MMA "m16n8k8.row.col.f16.f16.f16.f16", 16, 8, "f16", "f16", "f16", 16},
    {MMA "m16n8k16.row.col.f32.f16.f16.f32", 16, 16, "f16", "f16", "f32", 16},
    {MMA "m16n8k16.row.col.f16.f16.f16.f16", 16, 16, "f16", "f16", "f16", 16},
    {MMA "m16n8k8.row.col.f32.bf16.bf16.f32", 16, 8, "bf16", "bf16", "f32", 16},
    {MMA "m16n8k16.row.col.f32.bf16.bf16.f32", 16, 16, "bf16", "bf16", "f32", 16},
    {MMA "m16n8k4.row.col.f32.tf32.tf32.f32", 16, 4, "tf32", "tf32", "f32", 32},
    {MMA "m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, "tf32", "tf32", "f32", 32},
    {MMA "m8n8k4.row.col.f64.f64.f64.f64", 8, 4, "f64", "f64", "f64", 64},
    {MMA "m16n8k4.row.col.f64.f64.f64.f64", 16, 4, "f64", "f64", "f64", 64},
    {MMA "m16n8k8.row.col.f64.f64.f64.f64", 16, 8, "f64", "f64", "f64", 64},
    {MMA "m16n8k16.row.col.f64.f64.f64.f64", 16, 16, "f64", "f64", "f64", 64},
    {MMA "m8n8k16.row.col.s32.s8.s8.s32", 8, 16, "s8", "s8", "s32", 8},
    {MMA "m16n8k16.row.col.s32.u8.s8.s32", 16, 16, "u8", "s8", "s32", 8},
    {MMA "m16n8k32.row.col.s32.s8.u8.s32", 16, 32, "s8", "u8", "s32", 8},
    {MMA "m16n8k32.row.col.satfinite.s32.u8.u8.s32", 16, 32, "u8", "u8", "s32", 8},
    {MMA "m8n8k32.row.col.s32.s4.s4.s32", 8, 32, "s4", "s4", "s32", 4},
    {MMA "m16n8k32.row.col.s32.u4.s4.s32", 16, 32, "u4", "s4", "s32", 4},
    {MMA "m16n8k64.row.col.satfinite.s32.s4.u4.s32", 16, 64, "s4", "u4", "s32", 4},
    {MMA "m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 8, 128, "b1", "b1", "s32", 1},
    {MMA "m16n8k128.row.col.s32.b1.b1.s32.and.popc", 16, 128, "b1", "b1", "s32", 1},
    {MMA "m16n8k256.row.col.s32.b1.b1.s32.xor.popc", 16, 256, "b1", "b1", "s32", 1},
    {MMA "m16n8k256.row.col.s32.b1.b1.s32.and.popc", 16, 256, "b1", "b1", "s32", 1},
    {MMA "m16n8k32.row.col.f32.e4m3.e4m3.f32", 16, 32, "e4m3", "e4m3", "f32", 8},
    {MMA "m16n8k32.row.col.f32.e5m2.e4m3.f32", 16, 32, "e5m2", "e4m3", "f32", 8},
};
enum { PRODUCTS = sizeof products / sizeof *products };

// ---- Where elements lie: element i of the thread with groupID g and threadID t ----------

static int row_of_a(const product *p, int g, int i)
{
    if (p->m == 8)
        return g;
    switch (p->bits * 1000 + p->k) {
    case 16008: return i < 2 ? g : g + 8;
    case 16016: return i < 2 || (i >= 4 && i < 6) ? g : g + 8;
    case 32004: return i == 0 ? g : g + 8;
    case 32008: return i == 0 || i == 2 ? g : g + 8;
    case 8016: return i < 4 ? g : g + 8;
    case 8032: return i < 4 || (i >= 8 && i < 12) ? g : g + 8;
    case 4032: return i < 8 ? g : g + 8;
    case 4064: return i < 8 || (i >= 16 && i < 24) ? g : g + 8;
    case 1128: return i < 32 ? g : g + 8;
    case 1256: return i < 32 || (i >= 64 && i < 96) ? g : g + 8;
    default: return i % 2 == 0 ? g : g + 8; // f64
    }
}

static int column_of_a(const product *p, int t, int i)
{
    switch (p->bits) {
    case 16: return t * 2 + (i & 1) + (i < 4 ? 0 : 8);
    case 32: return i < 2 ? t : t + 4;
    case 64: return p->m == 8 ? t : i / 2 * 4 + t;
    case 8: return p->m == 8 ? t * 4 + i : t * 4 + (i & 3) + (i < 8 ? 0 : 16);
    case 4: return p->m == 8 ? t * 8 + i : t * 8 + (i & 7) + (i < 16 ? 0 : 32);
    default: return p->m == 8 ? t * 32 + i : t * 32 + (i & 31) + (i < 64 ? 0 : 128);
    }
}

static int row_of_b(const product *p, int t, int i)
{
    switch (p->bits) {
    case 16: return t * 2 + (i & 1) + (i < 2 ? 0 : 8);
    case 32:
    case 64: return t + 4 * i;
    case 8: return t * 4 + (i & 3) + (i < 4 ? 0 : 16);
    case 4: return t * 8 + (i & 7) + (i < 8 ? 0 : 32);
    default: return t * 32 + (i & 31) + (i < 32 ? 0 : 128);
    }
}

static int row_of_c(int g, int i)
{
    return i < 2 ? g : g + 8;
}

static int column_of_c(int t, int i)
{
    return t * 2 + (i & 1);
}

// ---- Numbers --------------------------------------------------------------------------

static int bits_of(const char *type)
{
    return !strcmp(type, "tf32") ? 32 : type[0] == 'e' ? 8 : atoi(type + 1 + (type[1] == 'f'));
}

static uint64_t float_bits(double v, int exponent, int fraction)
{
    uint64_t sign = signbit(v) ? (uint64_t)1 << (exponent + fraction) : 0;
    int e;
    double m = frexp(fabs(v), &e);
    if (v == 0)
        return sign;
    uint64_t field = (uint64_t)(e - 1 + (1 << (exponent - 1)) - 1);
    return sign | field << fraction | (uint64_t)ldexp(m * 2 - 1, fraction);
}

static uint64_t encode(const char *type, double v)
{
    return !strcmp(type, "f16")    ? float_bits(v, 5, 10)
           : !strcmp(type, "bf16") ? float_bits(v, 8, 7)
           : !strcmp(type, "f64")  ? float_bits(v, 11, 52)
           : !strcmp(type, "e4m3") ? float_bits(v, 4, 3)
           : !strcmp(type, "e5m2") ? float_bits(v, 5, 2)
           : type[1] == 'f' || type[0] == 'f'
               ? float_bits(v, 8, 23)
               : (uint64_t)(int64_t)v & (((uint64_t)1 << bits_of(type)) - 1);
}

static double draw(const char *type)
{
    int r = rand();
    switch (type[0]) {
    case 's': return bits_of(type) == 32 ? r % 2001 - 1000 : r % (1 << bits_of(type)) - (1 << (bits_of(type) - 1));
    case 'u': return r % (1 << bits_of(type));
    case 'e': return r % 9 - 4;
    default: return bits_of(type) == 1 ? r & 1 : (r % 17 - 8) * 0.5;
    }
}

static double a[SIDE][DEEP], b[DEEP][8], c[SIDE][8];

static double expected(const product *p, int i, int j)
{
    double sum = c[i][j];
    for (int x = 0; x < p->k; x++)
        sum += p->bits > 1               ? a[i][x] * b[x][j]
               : strstr(p->ptx, ".and.") ? a[i][x] * b[x][j]
                                         : a[i][x] != b[x][j];
    if (p->c[0] == 's') {
        sum = strstr(p->ptx, "satfinite") && fabs(sum) > 2147483647.0
                  ? (sum > 0 ? 2147483647.0 : -2147483648.0)
                  : sum;
    }
    return sum;
}

// ---- Running --------------------------------------------------------------------------

// Registers %a0..., %b0..., %c0... of each lane come from in[register][lane], words of 8
// bytes, and %d0... go to out.
static void run(const product *p, int na, int nb, int nc, uint64_t in[][32], uint64_t out[][32])
{
    char text[8192];
    int n = 0, wide = p->bits == 64 ? 64 : 32, at = 0;
    n += sprintf(text + n, "mov.u32 %%r1, %%laneid; mul.wide.u32 %%d1, %%r1, 8;\n"
                           "add.u64 %%d2, %%q0, %%d1; add.u64 %%d3, %%q1, %%d1;\n"
                           ".reg .b%d %%a<16>, %%b<16>, %%c<16>, %%e<16>;\n", wide);
    int counts[] = {na, nb, nc};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < counts[i]; k++, at++)
            n += sprintf(text + n, "ld.global.b%d %%%c%d, [%%d2+%d];\n", wide, "abc"[i], k, 256 * at);
    n += sprintf(text + n, "%s ", p->ptx);
    int order[] = {3, 0, 1, 2}, lengths[] = {na, nb, nc, nc};
    for (int i = 0; i < 4; i++) {
        n += sprintf(text + n, "%s{", i ? ", " : "");
        for (int k = 0; k < lengths[order[i]]; k++)
            n += sprintf(text + n, "%s%%%c%d", k ? ", " : "", "abce"[order[i]], k);
        n += sprintf(text + n, "}");
    }
    n += sprintf(text + n, ";\n");
    for (int k = 0; k < nc; k++)
        n += sprintf(text + n, "st.global.b%d [%%d3+%d], %%e%d;\n", wide, 256 * k, k);
    simt_device *d = lab_open(1, false);
    uint64_t q[4] = {0};
    ck_assert_int_eq(simt_alloc(d, 256 * 48, &q[0]), 0);
    ck_assert_int_eq(simt_alloc(d, 256 * 48, &q[1]), 0);
    ck_assert_int_eq(simt_write(d, q[0], in, 256 * (size_t)at), 0);
    int error = lab_run(d, lab_kernel(text), 1, 32, q, 4);
    const simt_fault *f = simt_fault_at(d, 0);
    ck_assert_msg(error == 0, "%s: %d %s", p->ptx, error, f ? f->detail : "");
    ck_assert_int_eq(simt_read(d, out, q[1], 256 * (size_t)nc), 0);
    simt_close(d);
}

START_TEST(multiplies_as_three_loops_do)
{
    const product *p = &products[_i];
    int word = p->bits == 64 ? 64 : 32, per = word / p->bits, bits_c = bits_of(p->c);
    int na = p->m * p->k / 32 / per, nb = 8 * p->k / 32 / per, nc = p->m * 8 / 32 * bits_c / word;
    static uint64_t in[48][32], out[REGISTERS][32];
    srand(7 + (unsigned)_i);
    for (int round = 0; round < 8; round++) {
        memset(in, 0, sizeof in);
        for (int i = 0; i < p->m; i++)
            for (int x = 0; x < p->k; x++)
                a[i][x] = draw(p->a);
        for (int x = 0; x < p->k; x++)
            for (int j = 0; j < 8; j++)
                b[x][j] = draw(p->b);
        for (int i = 0; i < p->m; i++)
            for (int j = 0; j < 8; j++)
                c[i][j] = draw(p->c) + (strstr(p->ptx, "satfinite") && round % 2 ? 2147400000.0 : 0);
        for (int l = 0; l < 32; l++) {
            int g = l / 4, t = l % 4;
            for (int i = 0; i < na * per; i++)
                in[i / per][l] |= encode(p->a, a[row_of_a(p, g, i)][column_of_a(p, t, i)]) << i % per * p->bits;
            for (int i = 0; i < nb * per; i++)
                in[na + i / per][l] |= encode(p->b, b[row_of_b(p, t, i)][g]) << i % per * p->bits;
            for (int i = 0; i < p->m / 4; i++) {
                int at = i * bits_c / word;
                in[na + nb + at][l] |= encode(p->c, c[row_of_c(g, i)][column_of_c(t, i)]) << i * bits_c % word;
            }
        }
        run(p, na, nb, nc, in, out);
        for (int l = 0; l < 32; l++)
            for (int i = 0; i < p->m / 4; i++) {
                int row = row_of_c(l / 4, i), column = column_of_c(l % 4, i);
                uint64_t mask = bits_c == 64 ? ~0ull : ((uint64_t)1 << bits_c) - 1;
                uint64_t got = out[i * bits_c / word][l] >> i * bits_c % word & mask;
                uint64_t want = encode(p->c, expected(p, row, column));
                ck_assert_msg(got == want, "%s: D[%d][%d] is %llx, not %llx", p->ptx, row, column,
                              (unsigned long long)got, (unsigned long long)want);
            }
    }
}
END_TEST

START_TEST(refuses_what_ptx_does_not_have)
{
    static const char *const texts[] = {
        MMA "m16n8k16.row.row.f32.f16.f16.f32 {%r1,%r1,%r1,%r1},{%r1,%r1,%r1,%r1},{%r1,%r1},{%r1,%r1,%r1,%r1};",
        MMA "m16n8k32.row.col.f32.f16.f16.f32 {%r1,%r1,%r1,%r1},{%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1},{%r1,%r1,%r1,%r1},{%r1,%r1,%r1,%r1};",
        MMA "m16n8k16.row.col.f32.f16.f16.f32 {%r1,%r1,%r1,%r1},{%r1,%r1,%r1},{%r1,%r1},{%r1,%r1,%r1,%r1};",
        MMA "m16n8k16.row.col.f32.f16.bf16.f32 {%r1,%r1,%r1,%r1},{%r1,%r1,%r1,%r1},{%r1,%r1},{%r1,%r1,%r1,%r1};",
        "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r1,%r1,%r1,%r1},{%r1,%r1},{%r1,%r1},{%r1,%r1,%r1,%r1}, %r1, 0;",
        "mul.rn.relu.f16 %h1, %h2, %h3;", "add.sat.u32 %r1, %r2, %r3;", "min.f32 %f1, %f2, %f3, %f4;",
        "cvt.rn.satfinite.s8.f32 %r1, %f1;"};
    simt_device *d = lab_open(1, false);
    uint64_t q[4] = {0};
    int error = lab_run(d, lab_kernel(texts[_i]), 1, 32, q, 4);
    ck_assert_msg(error == 801, "%s: %d", texts[_i], error);
    simt_close(d);
}
END_TEST

// ---- ldmatrix, stmatrix, movmatrix ------------------------------------------------------

// Four matrices of 8 rows of 16 bytes lie in shared memory, row g of matrix i at 16 (8 i +
// g), filled by the threads; half (row, column) of matrix i is 64 i + 8 row + column.
static const char *const exchanges[] = {
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4,%r5,%r6,%r7}, [%r3];",
    "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r4,%r5,%r6,%r7}, [%r3];",
    "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r4,%r5}, [%r3];",
    "ldmatrix.sync.aligned.m8n8.x1.trans.shared::cta.b16 {%r4}, [%r3];",
    "ldmatrix.sync.aligned.m8n8.x2.b16 {%r4,%r5}, [%d4];",
    "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, [%r3]; movmatrix.sync.aligned.m8n8.trans.b16 %r4, %r4;",
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4,%r5,%r6,%r7}, [%r3]; bar.warp.sync -1;"
    "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%r3], {%r4,%r5,%r6,%r7}; bar.warp.sync -1;"
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4,%r5,%r6,%r7}, [%r3];",
    "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r4,%r5}, [%r3]; bar.warp.sync -1;"
    "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r3], {%r5,%r4}; bar.warp.sync -1;"
    "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r5,%r4}, [%r3];",
    "setp.eq.u32 %p1, %r2, %r2; @%p1 ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, [%r3];"
    "@!%p1 ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r4}, [%r3];",
};

START_TEST(exchanges_rows_and_fragments)
{
    const char *ptx = exchanges[_i];
    bool transposed = _i == 1 || _i == 3 || _i == 5 || _i == 6;
    int count = strstr(ptx, "x4") ? 4 : strstr(ptx, "x2") ? 2 : 1;
    char text[4096];
    snprintf(text, sizeof text,
             ".shared .align 16 .b8 rows[512]; mov.u32 %%r1, %%laneid; mov.u32 %%r2, rows;\n"
             "mad.lo.u32 %%r3, %%r1, 16, %%r2; mul.lo.u32 %%r9, %%r1, 8;\n" // halves of this row
             "cvt.u64.u32 %%d5, %%r3; cvta.shared.u64 %%d4, %%d5;\n"
             "mad.lo.u32 %%r10, %%r9, 65537, 65536; add.u32 %%r11, %%r10, 131074;\n"
             "add.u32 %%r12, %%r11, 131074; add.u32 %%r13, %%r12, 131074;\n"
             "st.shared.v4.b32 [%%r3], {%%r10,%%r11,%%r12,%%r13}; bar.warp.sync -1;\n"
             "mov.b32 %%r4, 0; mov.b32 %%r5, 0; mov.b32 %%r6, 0; mov.b32 %%r7, 0;\n%s\n"
             "mul.wide.u32 %%d1, %%r1, 16; add.u64 %%d1, %%d1, %%q0;\n"
             "st.global.v4.b32 [%%d1], {%%r4,%%r5,%%r6,%%r7};\n",
             ptx);
    simt_device *d = lab_open(1, true);
    uint64_t q[4] = {0};
    uint16_t out[32][4][2];
    ck_assert_int_eq(simt_alloc(d, sizeof out, &q[0]), 0);
    int error = lab_run(d, lab_kernel(text), 1, 32, q, 4);
    const simt_fault *f = simt_fault_at(d, 0);
    ck_assert_msg(error == 0 && !f, "%s: %d %s", ptx, error, f ? f->detail : "");
    ck_assert_int_eq(simt_read(d, out, q[0], sizeof out), 0);
    for (int l = 0; l < 32; l++)
        for (int i = 0; i < count; i++)
            for (int h = 0; h < 2; h++) {
                int row = l / 4, column = l % 4 * 2 + h;
                int want = 64 * i + (transposed ? 8 * column + row : 8 * row + column);
                ck_assert_msg(out[l][i][h] == want, "%s: lane %d, matrix %d, half %d: %d, not %d",
                              ptx, l, i, h, out[l][i][h], want);
            }
    simt_close(d);
}
END_TEST

START_TEST(counts_wavefronts_of_eight_rows)
{
    static const struct { int n, stride; double wavefronts, conflicts; } wanted[] = {
        {4, 16, 4, 0}, {2, 16, 2, 0}, {1, 16, 1, 0}, {4, 128, 32, 28}, {4, 144, 4, 0}};
    char text[2048];
    snprintf(text, sizeof text,
             ".shared .align 16 .b8 rows[8192]; mov.u32 %%r1, %%laneid; mov.u32 %%r2, rows;\n"
             "mad.lo.u32 %%r3, %%r1, %d, %%r2;\n"
             "ldmatrix.sync.aligned.m8n8.x%d.shared.b16 {%s}, [%%r3];",
             wanted[_i].stride, wanted[_i].n,
             wanted[_i].n == 4 ? "%r4,%r5,%r6,%r7" : wanted[_i].n == 2 ? "%r4,%r5" : "%r4");
    simt_device *d = lab_open(1, false);
    uint64_t q[4] = {0};
    ck_assert_int_eq(lab_run(d, lab_kernel(text), 1, 32, q, 4), 0);
    ck_assert_double_eq(simt_counter(d, "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"), wanted[_i].wavefronts);
    ck_assert_double_eq(simt_counter(d, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"), wanted[_i].conflicts);
    simt_close(d);
}
END_TEST

Suite *tensor_suite(void)
{
    Suite *suite = suite_create("tensor");
    TCase *tc = tcase_create("matrices");
    TCase *answers = lab_answers(suite);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(answers, multiplies_as_three_loops_do, 0, PRODUCTS);
    tcase_add_loop_test(tc, refuses_what_ptx_does_not_have, 0, 9);
    tcase_add_loop_test(answers, exchanges_rows_and_fragments, 0, sizeof exchanges / sizeof *exchanges);
    tcase_add_loop_test(tc, counts_wavefronts_of_eight_rows, 0, 5);
    suite_add_tcase(suite, tc);
    return suite;
}
