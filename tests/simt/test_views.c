// What a record says beside its counters: how full a launch makes a multiprocessor, held
// against the toolkit's own calculator, and the addresses of a watched line.

#include "lab.h"

#include "wire/occupancy.h"

#include <cuda_occupancy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Occupancy ------------------------------------------------------------------

static const char *const gpus[] = {"A100", "H100", "H200", "RTX4090", "T4"};

static void compare(const simt_gpu *g, int threads, int registers, size_t shared)
{
    const multiprocessor m = {g->major, g->threads_per_sm, g->blocks_per_sm,
                              g->registers_per_sm, (size_t)g->shared_per_sm,
                              (size_t)g->shared_optin};
    cudaOccDeviceProp p = {
        .computeMajor = g->major, .computeMinor = g->minor, .maxThreadsPerBlock = 1024,
        .maxThreadsPerMultiprocessor = g->threads_per_sm,
        .regsPerBlock = g->registers_per_sm, .regsPerMultiprocessor = g->registers_per_sm,
        .warpSize = 32, .sharedMemPerBlock = 48 << 10,
        .sharedMemPerMultiprocessor = (size_t)g->shared_per_sm, .numSms = g->sms,
        .sharedMemPerBlockOptin = (size_t)g->shared_optin,
        .reservedSharedMemPerBlock = g->major >= 8 ? 1024 : 0};
    cudaOccFuncAttributes f = {
        .maxThreadsPerBlock = 1024, .numRegs = registers, .sharedSizeBytes = 0,
        .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
        .maxDynamicSharedSizeBytes = (size_t)g->shared_optin, .numBlockBarriers = 1};
    cudaOccDeviceState s = {.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED};
    cudaOccResult want;
    ck_assert_int_eq(
        cudaOccMaxActiveBlocksPerMultiprocessor(&want, &p, &f, &s, threads, shared), 0);
    block_limits got = occupancy_of(&m, threads, registers, shared, m.shared);
    const char *where = "%s, %d threads, %d registers, %zu shared bytes: %d, not %d blocks";
    ck_assert_msg(got.blocks == want.activeBlocksPerMultiprocessor, where, g->key, threads,
                  registers, shared, got.blocks, want.activeBlocksPerMultiprocessor);
    ck_assert_int_eq(got.by_blocks, want.blockLimitBlocks);
    ck_assert_int_eq(got.by_warps, want.blockLimitWarps);
    ck_assert_int_eq(got.by_registers, want.blockLimitRegs);
    if (shared + (size_t)g->major > 7) // nobody asks for some: no limit in our words
        ck_assert_int_eq(got.by_shared, want.blockLimitSharedMem);
}

START_TEST(agrees_with_the_toolkits_calculator)
{
    const simt_gpu *g = simt_gpu_named(gpus[_i]);
    static const size_t shared[] = {0,     1,     127,   1024,  4096,  8192,
                                    16384, 20000, 33000, 49152, 65536, 101376};
    for (int threads = 1; threads <= 1024; threads += threads < 128 ? 31 : 32)
        for (int registers = 1; registers <= 255; registers++)
            for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
                if (shared[i] <= (size_t)g->shared_optin)
                    compare(g, threads, registers, shared[i]);
}
END_TEST

// ---- Watching -------------------------------------------------------------------

// Thread t of block b stores to word t * (b + 1) of the block's own, so the last block's are the dearest; then
// eight lanes store to shared memory, in bank 0, and eight give the rows of a matrix.
static const char kernel[] =
    ".shared .align 4 .b8 s[4096];\n"
    ".loc 1 7 0\n mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; add.u32 %r3, %r1, 1;\n"
    "mul.lo.u32 %r3, %r3, %r2; mul.wide.u32 %d1, %r3, 4; add.u64 %d1, %q0, %d1;\n"
    "mul.wide.u32 %d2, %r1, 2048; add.u64 %d1, %d1, %d2;\n"
    ".loc 1 8 0\n st.global.u32 [%d1], %r2;\n"
    ".loc 1 9 0\n and.b32 %r4, %r2, 31; shl.b32 %r5, %r4, 7; mov.u32 %r6, s;\n"
    "add.u32 %r6, %r6, %r5; setp.lt.u32 %p1, %r4, 8;\n"
    "@%p1 st.shared.u32 [%r6], %r2;\n"
    ".loc 1 10 0\n shl.b32 %r7, %r4, 4; mov.u32 %r8, s; add.u32 %r8, %r8, %r7;\n"
    "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r9}, [%r8];\n";

// The record of a run, to be freed.
static char *record(const char *watch, int workers, unsigned checks)
{
    simt_config config = {
        .workers = workers, .checks = checks, .memory = 1 << 26, .watch = watch};
    simt_device *d = simt_open(&config);
    ck_assert_ptr_nonnull(d);
    uint64_t p[4] = {0};
    simt_alloc(d, 1 << 16, &p[0]);
    ck_assert_int_eq(lab_run(d, lab_program(".file 1 \"/somewhere/kernel.cu\"\n", kernel), 5, 64, p, 4), 0);
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    simt_write_record(d, out);
    fclose(out);
    simt_close(d);
    return text;
}

static int count(const char *text, const char *what)
{
    int n = 0;
    for (; (text = strstr(text, what)); text++)
        n++;
    return n;
}

static void expect(const char *watch, int accesses, const char *holds)
{
    char *one = record(watch, 1, 0), *two = record(watch, 2, 0);
    char *checked = record(watch, 1, SIMT_CHECK_ALL);
    ck_assert_str_eq(one, two);
    const char *seen = strstr(one, "\"accesses\""), *again = strstr(checked, "\"accesses\"");
    ck_assert_ptr_nonnull(seen);
    ck_assert_str_eq(seen, again);
    free(checked);
    ck_assert_msg(count(one, "\"mask\":") == accesses, "%s: %d accesses, not %d", watch,
                  count(one, "\"mask\":"), accesses);
    ck_assert_msg(strstr(one, holds), "%s: no %s in %s", watch, holds, one);
    free(one);
    free(two);
}

START_TEST(keeps_the_chosen_warps_addresses)
{
    expect("kernel.cu:8:2:1", 1,
           "\"line\":8,\"block\":[2,0,0],\"linear\":2,\"warp\":1,\"space\":\"global\","
           "\"op\":\"store\",\"bytes\":4,\"sectors\":12,\"ideal\":4,\"mask\":\"0xffffffff\"");
}
END_TEST

START_TEST(keeps_the_dearest_where_none_is_chosen)
{
    expect("kernel.cu:8", 1, "\"block\":[4,0,0],\"linear\":4,\"warp\":0,");
    expect("*:8", 1, "\"sectors\":20,");
}
END_TEST

START_TEST(shows_banks_and_the_lanes_that_take_part)
{
    expect("kernel.cu:9:0", 1,
           "\"space\":\"shared\",\"op\":\"store\",\"bytes\":4,\"wavefronts\":8,\"ideal\":1,"
           "\"mask\":\"0x000000ff\",\"addresses\":[0,128,256,384,512,640,768,896,null,");
    expect("kernel.cu:10:0", 1, "\"wavefronts\":1,\"ideal\":1,\"mask\":\"0x000000ff\"");
    expect("kernel.cu:*:0", 3, "\"line\":8,");
}
END_TEST

START_TEST(counts_the_same_with_and_without)
{
    char *off = record(NULL, 1, 0), *on = record("*", 1, 0), *end = strstr(on, ",\"accesses\"");
    ck_assert_ptr_nonnull(end);
    ck_assert_int_eq(strncmp(off, on, (size_t)(end - on)), 0);
    ck_assert_ptr_null(strstr(off, "accesses"));
    free(off);
    free(on);
}
END_TEST

START_TEST(refuses_what_it_cannot_read)
{
    static const char *const bad[] = {"kernel.cu:x", "kernel.cu:1:2:3:4", "kernel.cu:-1"};
    simt_config config = {.memory = 1 << 26, .watch = bad[_i]};
    ck_assert_ptr_null(simt_open(&config));
}
END_TEST

Suite *view_suite(void)
{
    Suite *suite = suite_create("views");
    TCase *tc = tcase_create("views");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, agrees_with_the_toolkits_calculator, 0, 5);
    tcase_add_test(tc, keeps_the_chosen_warps_addresses);
    tcase_add_test(tc, keeps_the_dearest_where_none_is_chosen);
    tcase_add_test(tc, shows_banks_and_the_lanes_that_take_part);
    tcase_add_test(tc, counts_the_same_with_and_without);
    tcase_add_loop_test(tc, refuses_what_it_cannot_read, 0, 3);
    suite_add_tcase(suite, tc);
    return suite;
}
