// Chapter 11's own kernels, as nvcc compiles them, against what ncu counted on an H200
// (CUDA 13.0, driver 580.159, 2026-11-21), per block of 256 with 32-bit partial sums.
//
// LADDER_PTX: the chapter's solution as PTX; LADDER_CU: its source, for line numbers.
// LADDER_SMALL: fewer elements, for a sanitized build, which is ten times slower.

#include "lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct rung {
    const char *kernel;
    size_t each; // elements a block
    double load_waves, load_conflicts, store_waves, store_conflicts, divergent, barriers;
} rung;

static const rung ladder[] = {
    {"_Z11tree_moduloPKjPjm", 256, 95, 0, 55, 0, 48, 9},
    {"_Z9tree_maskPKjPjm", 256, 95, 0, 55, 0, 48, 9},
    {"_Z12tree_stridedPKjPjm", 256, 95, 70, 55, 35, 6, 9},
    {"_Z15tree_sequentialPKjPjm", 256, 25, 0, 20, 0, 6, 9},
    {"_Z11add_on_loadPKjPjm", 512, 25, 0, 20, 0, 6, 9},
    {"_Z14tree_last_warpPKjPjm", 512, 25, 0, 20, 0, 1, 3},
    {"_Z8shuffledPKjPjm", 512, 1, 0, 8, 0, -1, 1},
};

static char *contents(const char *variable)
{
    const char *path = getenv(variable);
    ck_assert_msg(path != NULL, "%s is not set", variable);
    FILE *f = fopen(path, "r");
    ck_assert_msg(f != NULL, "%s cannot be read", path);
    char *text = calloc(1, 1 << 22);
    ck_assert(fread(text, 1, (1 << 22) - 1, f) > 0);
    fclose(f);
    return text;
}

// Sums 2^20 (or n) ones with the rung's kernel; checks the sum; leaves the record.
static simt_device *climb(const rung *r, size_t n, int workers, char *text)
{
    simt_device *d = lab_open(workers, true);
    uint32_t module, kernel, blocks = (uint32_t)(n / r->each);
    uint64_t p[3] = {0, 0, n};
    ck_assert_msg(simt_load(d, text, strlen(text), &module) == 0, "%s", simt_load_error(d));
    ck_assert_msg(simt_find_kernel(d, module, r->kernel, &kernel) == 0, "no kernel %s", r->kernel);
    ck_assert_int_eq(simt_alloc(d, 4 * n, &p[0]), 0);
    ck_assert_int_eq(simt_alloc(d, 4 * blocks, &p[1]), 0);
    ck_assert_int_eq(simt_fill(d, p[0], 1, 4 * n), 0); // 0x01010101 each
    simt_launch l = {.kernel = kernel, .grid = {blocks, 1, 1}, .block = {256, 1, 1},
                     .parameters = p, .parameter_bytes = sizeof p};
    ck_assert_int_eq(simt_run(d, &l), 0);
    ck_assert_msg(!simt_fault_at(d, 0), "a finding in %s", r->kernel);
    uint32_t *sums = malloc(4 * blocks), sum = 0;
    ck_assert_int_eq(simt_read(d, sums, p[1], 4 * blocks), 0);
    for (uint32_t b = 0; b < blocks; b++)
        sum += sums[b];
    ck_assert_uint_eq(sum, (uint32_t)(n * 0x01010101u));
    free(sums);
    return d;
}

static void expect(simt_device *d, const rung *r, const char *name, double each, size_t blocks)
{
    double got = simt_counter(d, name);
    if (each >= 0)
        ck_assert_msg(got == each * (double)blocks, "%s, %s: %g a block, not %g", r->kernel, name,
                      got / (double)blocks, each);
}

START_TEST(counts_the_ladder_as_an_h200_does)
{
    const rung *r = &ladder[_i];
    size_t n = getenv("LADDER_SMALL") ? 1 << 14 : 1 << 20, blocks = n / r->each;
    char *text = contents("LADDER_PTX");
    for (int run = 0; run < 4; run++) {
        simt_device *d = climb(r, n, 1 + run % 2, text);
        expect(d, r, "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", r->load_waves, blocks);
        expect(d, r, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", r->load_conflicts, blocks);
        expect(d, r, "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum", r->store_waves, blocks);
        expect(d, r, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", r->store_conflicts, blocks);
        expect(d, r, "divergent_branches_source", r->divergent, blocks);
        expect(d, r, "barriers", r->barriers, blocks);
        expect(d, r, "global_bytes_ld", 4.0 * (double)r->each, blocks);
        simt_close(d);
    }
    free(text);
}
END_TEST

// What nvprof and ncu report of the strided tree at 2^25 elements.
START_TEST(counts_4587520_store_conflicts)
{
    char *text = contents("LADDER_PTX");
    simt_device *d = climb(&ladder[2], (size_t)1 << 25, 2, text);
    ck_assert(simt_counter(d, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum") == 4587520);
    simt_close(d);
    free(text);
}
END_TEST

// 8 rounds of 8 warps execute the masked tree's if; in 47 of the 64 the lanes disagree.
START_TEST(finds_47_of_64_divergent_branches_at_the_if)
{
    char *text = contents("LADDER_PTX"), *source = contents("LADDER_CU"), *record = NULL;
    size_t size = 0, n = 1 << 16, blocks = n / 256;
    const char *if_text = strstr(source, "if ((t & (2 * stride - 1)) == 0)");
    ck_assert(if_text != NULL);
    int line = 1;
    for (const char *s = source; s < if_text; s++)
        line += *s == '\n';
    simt_device *d = climb(&ladder[1], n, 2, text);
    FILE *f = open_memstream(&record, &size);
    simt_write_record(d, f);
    fclose(f);
    char want[64];
    snprintf(want, sizeof want, "\"line\":%d,", line);
    const char *at = strstr(record, want);
    ck_assert_msg(at != NULL, "no counters for line %d", line);
    const char *end = strstr(at, "}}"), *branches = strstr(at, "\"branches_source\":");
    const char *divergent = strstr(at, "\"divergent_branches_source\":");
    ck_assert(branches && divergent && branches < end && divergent < end);
    ck_assert(atof(branches + strlen("\"branches_source\":")) == 64.0 * (double)blocks);
    ck_assert(atof(divergent + strlen("\"divergent_branches_source\":")) == 47.0 * (double)blocks);
    simt_close(d);
    free(text);
    free(source);
    free(record);
}
END_TEST

Suite *ladder_suite(void)
{
    Suite *suite = suite_create("ladder");
    TCase *tc = tcase_create("ladder");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, counts_the_ladder_as_an_h200_does, 0, (int)(sizeof ladder / sizeof *ladder));
    if (!getenv("LADDER_SMALL"))
        tcase_add_test(tc, counts_4587520_store_conflicts);
    tcase_add_test(tc, finds_47_of_64_divergent_branches_at_the_if);
    suite_add_tcase(suite, tc);
    return suite;
}
