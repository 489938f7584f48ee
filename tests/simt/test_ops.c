// Every case of cases_*.c over values that sit on edges and over random ones, once with
// all lanes active and once with some, which takes the handlers' other path.

#include "lab.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EDGES = 24, VALUES = 4096 };

static const uint64_t edges[EDGES] = {
    0, 1, 2, 3, 31, 32, 33, 63, 64, 127, 128, 255, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000,
    0xffffffff, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 0x0123456789abcdef,
    0x00ffff00ff00ff00, 0x8000000080000001};
static const double reals[EDGES] = {
    0, -0.0, 1, -1, 0.5, 1.5, 2.5, -2.5, 3, 1e-40, -1e-45, 0x1p-126, 0x1p-149, 3.4e38, -3.4e38,
    INFINITY, -INFINITY, NAN, 2147483647.5, 4294967296.0, -2147483649.0, 65504, 65520, 1e10};

static uint64_t state;
static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static uint64_t value(const char *type, int edge, int i)
{
    if (!type)
        return 0;
    if (type[0] == 'f') {
        double x = edge ? reals[i % EDGES] : ldexp((double)(int64_t)draw(), (int)(draw() % 90) - 108);
        if (!strcmp(type, "f32")) {
            float y = (float)x;
            uint32_t b;
            memcpy(&b, &y, 4);
            return b;
        }
        uint64_t b;
        memcpy(&b, &x, 8);
        return b;
    }
    uint64_t v = edge ? edges[i % EDGES] : draw() >> draw() % 64;
    return strcmp(type, "b16") ? strcmp(type, "b32") ? v : (uint32_t)v : (uint16_t)v;
}

static int bits_of(const char *type)
{
    return type ? atoi(type + 1) : 64;
}

// "%a" in the case's text becomes a register of the wanted type; each thread of the
// launch takes one set of values.
static const char *text_of(const op_case *c)
{
    static char body[1 << 12];
    const char *types[] = {c->d, c->a, c->b, c->c};
    int n = sprintf(body, "{\n");
    for (int i = 0; i < 4; i++)
        if (types[i])
            n += sprintf(body + n, ".reg .%s %%%c;\n", types[i], "dabc"[i]);
    n += sprintf(body + n,
                 ".reg .b32 i, n; .reg .b64 at, o; .reg .pred off;\n"
                 "mov.u32 i, %%ctaid.x; mov.u32 n, %%tid.x; mad.lo.u32 i, i, 256, n;\n"
                 "and.b32 n, i, %%q1_low; setp.ne.u32 off, n, 0; @off bra DONE;\n"
                 "mul.wide.u32 at, i, 32; add.u64 at, at, %%q0;\n");
    for (int i = 1; i < 4; i++)
        if (types[i])
            n += sprintf(body + n, "ld.global.b%d %%%c, [at+%d];\n", bits_of(types[i]), "dabc"[i],
                         8 * i - 8);
    n += sprintf(body + n, "%s\nst.global.b%d [at+24], %%d;\nDONE:\n}\n", c->ptx, bits_of(c->d));
    char *low = strstr(body, "%q1_low");
    memcpy(low, "%r90   ", 7);
    return body;
}

static bool agrees(const op_case *c, uint64_t got, uint64_t want)
{
    if (got == want)
        return true;
    // forms/ has the GPU's approximations; which NaN neg and abs give, PTX leaves open.
    if (lab_on_gpu() && c->ulps > 0)
        return true;
    if (lab_on_gpu() && !strcmp(c->d, "f32"))
        return (got & 0x7fffffff) > 0x7f800000 && (want & 0x7fffffff) > 0x7f800000;
    if (!strcmp(c->d, "f64")) {
        double x, y;
        memcpy(&x, &got, 8);
        memcpy(&y, &want, 8);
        return isnan(x) && isnan(y);
    }
    if (c->ulps == 0)
        return false;
    uint32_t a = (uint32_t)got, b = (uint32_t)want;
    float x, y;
    memcpy(&x, &a, 4);
    memcpy(&y, &b, 4);
    double ulp = fmax(ldexp(1, -149), ldexp(fabs(y), -23));
    return (isnan(x) && isnan(y)) || fabs((double)x - y) <= c->ulps * ulp;
}

static void run_case(const op_case *c, unsigned skip)
{
    simt_device *d = lab_open(1, false);
    static uint64_t data[VALUES][4];
    state = 88172645463325252ull;
    for (int i = 0; i < VALUES; i++) {
        int edge = i < EDGES * EDGES;
        data[i][0] = value(c->a, edge, i);
        data[i][1] = value(c->b, edge, i / EDGES);
        data[i][2] = value(c->c, edge && i % 3, i / 7);
        data[i][3] = 0xeeeeeeeeeeeeeeeeull;
    }
    uint64_t at;
    ck_assert_int_eq(simt_alloc(d, sizeof data, &at), 0);
    ck_assert_int_eq(simt_write(d, at, data, sizeof data), 0);
    static char ptx[1 << 13];
    snprintf(ptx, sizeof ptx, "cvt.u32.u64 %%r90, %%q1;\n%s", text_of(c));
    uint64_t parameters[] = {at, skip, 0, 0};
    int error = lab_run(d, lab_kernel(ptx), VALUES / 256, 256, parameters, 4);
    const simt_fault *fault = simt_fault_at(d, 0);
    ck_assert_msg(error == 0, "%s: error %d, %s", c->ptx, error, fault ? fault->detail : "");
    static uint64_t result[VALUES][4];
    ck_assert_int_eq(simt_read(d, result, at, sizeof result), 0);
    int bits = bits_of(c->d);
    uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
    for (int i = 0; i < VALUES; i++) {
        uint64_t want = c->expected(data[i][0], data[i][1], data[i][2]) & mask;
        uint64_t got = result[i][3] & mask;
        // The manual takes 8 bits of a field's place and length; a GPU's code for 64-bit
        // fields takes more.
        if (lab_on_gpu() && strstr(c->ptx, "64 %d") && !strncmp(c->ptx, "bf", 2) &&
            (data[i][1] > 255 || data[i][2] > 255))
            continue;
        if ((unsigned)i & skip)
            ck_assert_msg(result[i][3] == 0xeeeeeeeeeeeeeeeeull, "%s: a lane that was off wrote",
                          c->ptx);
        else
            ck_assert_msg(agrees(c, got, want), "%s a=%llx b=%llx c=%llx: got %llx, want %llx",
                          c->ptx, (unsigned long long)data[i][0], (unsigned long long)data[i][1],
                          (unsigned long long)data[i][2], (unsigned long long)got,
                          (unsigned long long)want);
    }
    simt_close(d);
}

static const op_case *case_at(int i)
{
    if (i < (int)integer_count)
        return &integer_cases[i];
    i -= (int)integer_count;
    return i < (int)float_count ? &float_cases[i] : &convert_cases[i - (int)float_count];
}

START_TEST(gives_what_ptx_says_with_all_lanes)
{
    run_case(case_at(_i), 0);
}
END_TEST

START_TEST(gives_what_ptx_says_with_some_lanes)
{
    run_case(case_at(_i), 5);
}
END_TEST

// An opcode of ops.def without a case anywhere is an opcode nobody has tried. Those that
// are no function of one lane's registers are tried by test_kernels.c, as its list says.
extern const char *const tried_by_kernels;

// Is the opcode one of the words of a line of forms.def?
static bool mentions(const char *text, const char *opcode)
{
    size_t n = strlen(opcode);
    for (const char *at = text; (at = strstr(at, opcode)); at++)
        if ((at == text || !isalnum((unsigned char)at[-1])) && !isalnum((unsigned char)at[n]))
            return true;
    return false;
}

START_TEST(has_a_case_for_every_opcode)
{
    static const char *const opcodes[] = {
#define OP(opcode, decoder, class, meaning) #opcode,
#include "../../lib/simt/src/ops.def"
#undef OP
    };
    static const char *const forms[] = {
#define F(class, target, mnemonic, kinds, code, bound) mnemonic,
#include "forms/forms.def"
#undef F
    };
    int all = (int)(integer_count + float_count + convert_count);
    for (size_t k = 0; k < sizeof opcodes / sizeof *opcodes; k++) {
        bool found = false;
        char dot[32], space[32];
        snprintf(dot, sizeof dot, "%s.", opcodes[k]);
        snprintf(space, sizeof space, " %s ", opcodes[k]);
        for (int i = 0; i < all && !found; i++)
            found = strstr(case_at(i)->ptx, dot) != NULL;
        found |= strstr(tried_by_kernels, space) != NULL;
        for (size_t i = 0; i < sizeof forms / sizeof *forms && !found; i++)
            found = mentions(forms[i], opcodes[k]);
        ck_assert_msg(found, "no case uses '%s'", opcodes[k]);
    }
}
END_TEST

Suite *ops_suite(void)
{
    Suite *suite = suite_create("instructions");
    TCase *tc = tcase_create("cases");
    TCase *answers = lab_answers(suite);
    int all = (int)(integer_count + float_count + convert_count);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(answers, gives_what_ptx_says_with_all_lanes, 0, all);
    tcase_add_loop_test(answers, gives_what_ptx_says_with_some_lanes, 0, all);
    tcase_add_test(tc, has_a_case_for_every_opcode);
    suite_add_tcase(suite, tc);
    return suite;
}
