// The bench that the tests of the device core run on.

#include "lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

simt_device *lab_open(int workers, bool races)
{
    const char *wish = getenv("LAB_WORKERS"); // for ThreadSanitizer: more than one
    if (wish)
        workers = atoi(wish);
    simt_config config = {.gpu = "A100", .workers = workers, .checks = races ? SIMT_CHECK_RACE : 0,
                          .memory = (size_t)1 << 32};
    simt_device *d = simt_open(&config);
    ck_assert_ptr_nonnull(d);
    return d;
}

bool lab_on_gpu(void)
{
    return getenv("LAB_GPU") != NULL;
}

TCase *lab_answers(Suite *suite)
{
    TCase *tc = tcase_create("answers");
    tcase_set_tags(tc, "answers");
    tcase_set_timeout(tc, 60);
    suite_add_tcase(suite, tc);
    return tc;
}

const char *lab_kernel(const char *body)
{
    return lab_program("", body);
}

const char *lab_program(const char *functions, const char *body)
{
    static char text[1 << 16];
    int n = snprintf(text, sizeof text,
                     ".version 9.0\n.target sm_80\n.address_size 64\n%s\n"
                     ".visible .entry k(.param .u64 q0, .param .u64 q1, .param .u64 q2,\n"
                     " .param .u64 q3)\n{\n.reg .pred %%p<40>;\n.reg .b16 %%h<40>;\n"
                     ".reg .b32 %%r<100>;\n.reg .b64 %%d<100>;\n.reg .f32 %%f<40>;\n"
                     ".reg .f64 %%g<40>;\n.reg .b64 %%q<4>;\n"
                     "ld.param.u64 %%q0, [q0];\nld.param.u64 %%q1, [q1];\n"
                     "ld.param.u64 %%q2, [q2];\nld.param.u64 %%q3, [q3];\n%s\nret;\n}\n",
                     functions, body);
    ck_assert_int_lt(n, (int)sizeof text);
    return text;
}

int lab_run(simt_device *d, const char *ptx, uint32_t grid, uint32_t block,
            const uint64_t *parameters, int count)
{
    uint32_t module, kernel;
    int error = simt_load(d, ptx, strlen(ptx), &module);
    ck_assert_msg(error == 0, "%s\n%s", simt_load_error(d), ptx);
    ck_assert_int_eq(simt_find_kernel(d, module, "k", &kernel), 0);
    uint64_t words[8] = {0};
    memcpy(words, parameters, sizeof *words * (size_t)count);
    simt_launch launch = {.kernel = kernel, .grid = {grid, 1, 1}, .block = {block, 1, 1},
                          .parameters = words, .parameter_bytes = 32};
    return simt_run(d, &launch);
}
