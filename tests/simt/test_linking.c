// Several texts in one module, and grids that launch grids: what is found where, what
// clashes, and whose fault it is.

#include "lab.h"

#include <stdio.h>
#include <string.h>

#define HEAD ".version 9.0\n.target sm_80\n.address_size 64\n"
#define KERNEL(body)                                                                  \
    HEAD ".extern .global .align 4 .u32 far;\n.extern .func (.param .b32 r) give(.param .b32 x);\n" \
         ".extern .const .align 4 .u32 fixed;\n.weak .global .align 4 .u32 one_of;\n.global .align 4 .u32 mine = 5;\n" \
         ".visible .entry k(.param .u64 q0)\n{\n.reg .b32 %r<9>; .reg .b64 %d<9>;\nld.param.u64 %d1, [q0];\n" body \
         "\nst.global.u32 [%d1], %r1; ret;\n}\n.file 1 \"first.cu\"\n"
#define CALL "{ .param .b32 x; st.param.b32 [x], %r1; .param .b32 y; call (y), give, (x); ld.param.b32 %r1, [y]; }"
#define OTHER(more)                                                                   \
    HEAD ".visible .global .align 4 .u32 far = 11;\n.visible .const .align 4 .u32 fixed = 6;\n"       \
         ".global .align 4 .u32 mine = 7;\n.weak .global .align 4 .u32 one_of = 30;\n" more             \
         ".visible .func (.param .b32 r) give(.param .b32 x)\n{ .reg .b32 %a<4>;\n.loc 1 9 1\n"         \
         "ld.param.u32 %a1, [x]; ld.global.u32 %a2, [mine]; mul.lo.u32 %a1, %a1, %a2; st.param.b32 [r], %a1; ret; }\n" \
         ".file 1 \"second.cu\"\n"

static const struct {
    const char *texts[3];
    uint32_t expected;
    const char *error; // NULL: it loads
} cases[] = {
    {{KERNEL("ld.global.u32 %r1, [far];"), OTHER("")}, 11, NULL},
    {{OTHER(""), KERNEL("ld.global.u32 %r1, [far];")}, 11, NULL},
    {{KERNEL("ld.const.u32 %r1, [fixed];"), OTHER("")}, 6, NULL},
    {{KERNEL("mov.u32 %r1, 3;" CALL), OTHER("")}, 21, NULL},
    {{KERNEL("ld.global.u32 %r1, [mine];" CALL), OTHER("")}, 35, NULL}, // each its own `mine`
    {{KERNEL("mov.u64 %d2, far; mov.u64 %d3, far; sub.u64 %d2, %d2, %d3; cvt.u32.u64 %r1, %d2;"), OTHER("")}, 0, NULL},
    {{KERNEL("ld.global.u32 %r1, [one_of];"), OTHER("")}, 0, NULL}, // the first weak one counts
    {{OTHER(""), KERNEL("ld.global.u32 %r1, [one_of];")}, 30, NULL},
    {{KERNEL("ld.global.u64 %d2, [p]; ld.u32 %r1, [%d2];"), OTHER(""), HEAD}, 0, "no such name"},
    {{KERNEL("ld.global.u32 %r1, [far];"), OTHER("") , HEAD ".extern .global .align 4 .u32 far; .visible .global .align 8 .u64 p = far;\n"}, 11, NULL},
    {{KERNEL("ld.global.u32 %r1, [far];")}, 0, "is defined in no module"},
    {{KERNEL("mov.u32 %r1, 0;"), OTHER(""), HEAD ".visible .global .align 4 .u32 far = 12;\n"}, 0, "'far' is defined in two files"},
    {{KERNEL("mov.u32 %r1, 0;"), OTHER(""), HEAD ".visible .func give() { ret; }\n"}, 0, "'give' is defined in two files"},
    {{KERNEL("mov.u32 %r1, 0;"), HEAD ".global .align 4 .u32 far = 1; .visible .const .align 4 .u32 fixed;\n"}, 0, "is defined in no module"}, // private
    {{KERNEL("mov.u32 %r1, 0;"), OTHER("") "\n.nonsense\n"}, 0, "nonsense"},
};
enum { CASES = sizeof cases / sizeof *cases };

static size_t join(char *to, const char *const *texts)
{
    size_t n = 0;
    for (int i = 0; i < 3 && texts[i]; i++) {
        strcpy(to + n, texts[i]);
        n += strlen(texts[i]) + 1 + (size_t)i; // some more zeros between
        memset(to + n - i, 0, (size_t)i);
    }
    return n;
}

START_TEST(finds_names_in_other_texts)
{
    static char text[1 << 14];
    size_t bytes = join(text, cases[_i].texts);
    simt_device *d = lab_open(1, false);
    uint32_t module, kernel, out = 0;
    uint64_t at;
    int error = simt_load(d, text, bytes, &module);
    if (cases[_i].error && !strcmp(cases[_i].error, "no such name")) {
        ck_assert_int_eq(error, 0); // found out when it runs
        simt_close(d);
        return;
    }
    ck_assert_msg(!error == !cases[_i].error, "%s", simt_load_error(d));
    if (error) {
        ck_assert_msg(strstr(simt_load_error(d), cases[_i].error), "%s", simt_load_error(d));
        simt_close(d);
        return;
    }
    ck_assert_int_eq(simt_find_kernel(d, module, "k", &kernel), 0);
    simt_alloc(d, 4, &at);
    simt_launch l = {.kernel = kernel, .grid = {1, 1, 1}, .block = {1, 1, 1}, .parameters = &at, .parameter_bytes = 8};
    ck_assert_int_eq(simt_run(d, &l), 0);
    simt_read(d, &out, at, 4);
    ck_assert_uint_eq(out, cases[_i].expected);
    uint64_t address;
    size_t size;
    ck_assert_int_eq(simt_find_variable(d, module, "far", &address, &size), 0);
    ck_assert_uint_eq(size, 4);
    simt_close(d);
}
END_TEST

// A fault in the second file's function is told with the second file's name.
START_TEST(keeps_the_files_apart)
{
    static char text[1 << 14];
    const char *texts[3] = {KERNEL(".loc 1 3 1\nmov.u32 %r1, 3;" CALL),
                            HEAD ".visible .global .align 4 .u32 far;\n.visible .const .align 4 .u32 fixed;\n"
                                 ".visible .func (.param .b32 r) give(.param .b32 x)\n{\n.loc 1 8 1\ntrap; ret; }\n.file 1 \"second.cu\"\n"};
    size_t bytes = join(text, texts);
    simt_device *d = lab_open(1, false);
    uint32_t module, kernel;
    uint64_t at = 0;
    ck_assert_int_eq(simt_load(d, text, bytes, &module), 0);
    ck_assert_int_eq(simt_find_kernel(d, module, "k", &kernel), 0);
    simt_launch l = {.kernel = kernel, .grid = {1, 1, 1}, .block = {1, 1, 1}, .parameters = &at, .parameter_bytes = 8};
    ck_assert_int_eq(simt_run(d, &l), 719);
    ck_assert_str_eq(simt_fault_at(d, 0)->at.file, "second.cu");
    ck_assert_int_eq(simt_fault_at(d, 0)->at.line, 8);
    simt_close(d);
}
END_TEST

#define RUNTIME                                                                       \
    ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);\n" \
    ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 p, .param .b64 s);\n" \
    ".extern .func (.param .b32 r) __cudaCDP2Memcpy3DAsync(.param .b64 p, .param .b64 s);\n" \
    ".extern .func (.param .b32 r) __cudaCDP2MemsetAsync(.param .b64 p, .param .b32 v, .param .b64 n, .param .b64 s);\n" \
    ".visible .entry child(.param .u64 c0)\n{ .reg .b32 %a<9>; .reg .b64 %b<4>; ld.param.u64 %b1, [c0];\n.loc 1 20 1\nld.global.u32 %a1, [%b1]; mad.lo.u32 %a1, %a1, 2, 1;\n" \
    "st.global.u32 [%b1], %a1; ret; }\n"
#define LAUNCH(threads, argument, stream)                                             \
    "{ .param .b64 p0; .param .align 4 .b8 p1[12]; .param .align 4 .b8 p2[12]; .param .b32 p3; .param .b64 r0; mov.u64 %d9, child; st.param.b64 [p0], %d9;\n" \
    "st.param.b32 [p1], 1; st.param.b32 [p1+4], 1; st.param.b32 [p1+8], 1; st.param.b32 [p2], " threads "; st.param.b32 [p2+4], 1; st.param.b32 [p2+8], 1; st.param.b32 [p3], 0;\n" \
    "call (r0), __cudaCDP2GetParameterBufferV2, (p0, p1, p2, p3); ld.param.b64 %d8, [r0]; }\n" \
    "st.u64 [%d8], " argument "; { .param .b64 p0; .param .b64 p1; .param .b32 r0; st.param.b64 [p0], %d8; st.param.b64 [p1], " stream "; call (r0), __cudaCDP2LaunchDeviceV2, (p0, p1); ld.param.b32 %r9, [r0]; }\n"

#define FILL                                                                          \
    "{ .param .b64 p0; .param .b32 p1; .param .b64 p2; .param .b64 p3; .param .b32 r0; st.param.b64 [p0], %q0; st.param.b32 [p1], 1; st.param.b64 [p2], 4; st.param.b64 [p3], 0;\n" \
    "call (r0), __cudaCDP2MemsetAsync, (p0, p1, p2, p3); }\n"

static const struct {
    const char *body;
    int code;
    uint32_t expected; // of the word at %q0; 0 before
    int line;
    const char *detail;
} launches[] = {
    {LAUNCH("1", "%q0", "0") "ld.global.u32 %r1, [%q0]; setp.ne.u32 %p1, %r1, 0; @%p1 trap;", 0, 1, 0, ""}, // not before the parent's end
    {LAUNCH("1", "%q0", "0") LAUNCH("1", "%q0", "0") "st.global.u32 [%q0], 5;", 0, 23, 0, ""},
    {LAUNCH("1", "%q0", "3") LAUNCH("1", "%q0", "0") "st.global.u32 [%q0+4], %r9;", 0, 3, 0, ""},
    {LAUNCH("1", "%q0", "3") FILL, 0, 0x02020203, 0, ""}, // the tail comes last
    {LAUNCH("1", "%q0", "0") FILL, 0, 0x01010101, 0, ""},
    {LAUNCH("2000", "%q0", "0") "st.global.u32 [%q0], %r9;", 0, 9, 0, ""},
    {"mov.u64 %d7, 0;" LAUNCH("1", "%d7", "0"), 700, 0, 20, ""},
    {LAUNCH("1", "%q0", "0") ".loc 1 21 1\ntrap;", 719, 0, 21, ""}, // its children never run
    {".loc 1 22 1\n{ .param .b64 p0; .param .b64 p1; .param .b32 r0; call (r0), __cudaCDP2Memcpy3DAsync, (p0, p1); }", 801, 0, 22, "__cudaCDP2Memcpy3DAsync"},
};

START_TEST(runs_children_after_their_parent)
{
    static char text[1 << 15];
    simt_device *d = lab_open(2, false);
    uint64_t p[4] = {0};
    uint32_t out = 0;
    simt_alloc(d, 16, &p[0]);
    simt_fill(d, p[0], 0, 16);
    snprintf(text, sizeof text, "%s.file 1 \"kernel.cu\"\n", lab_program(RUNTIME, launches[_i].body));
    int error = lab_run(d, text, 1, 1, p, 4);
    const simt_fault *f = simt_fault_at(d, 0);
    ck_assert_msg(error == launches[_i].code, "%d %s", error, f ? f->detail : "");
    simt_read(d, &out, p[0], 4);
    ck_assert_uint_eq(out, launches[_i].expected);
    if (f) {
        ck_assert_int_eq(f->at.line, launches[_i].line);
        ck_assert_str_eq(f->detail, launches[_i].detail);
    }
    simt_close(d);
}
END_TEST

Suite *linking_suite(void)
{
    Suite *suite = suite_create("linking");
    TCase *tc = tcase_create("linking");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, finds_names_in_other_texts, 0, CASES);
    tcase_add_test(tc, keeps_the_files_apart);
    tcase_add_loop_test(tc, runs_children_after_their_parent, 0, (int)(sizeof launches / sizeof *launches));
    suite_add_tcase(suite, tc);
    return suite;
}
