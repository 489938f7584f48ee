// Blocks and threads that wait for each other: clusters, cooperative grids, named
// barriers; and what is said when someone never comes.

#include "lab.h"

#include <stdio.h>
#include <string.h>

// A launch of 8 blocks of 32 threads, in clusters of `cluster`, on an H200. %q0: a word a
// thread; %r1 the thread, %r2 the block, %r7 a shared word at s.
#define START                                                                         \
    ".shared .align 4 .b8 s[256]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r5, %r2, 32, %r1;\n" \
    "mul.wide.u32 %d1, %r5, 4; add.u64 %d3, %q0, %d1; mov.u32 %r7, s; mov.u32 %r8, %cluster_ctarank; xor.b32 %r9, %r8, 1;\n"
#define STORE "st.global.u32 [%d3], %r3;"
#define SYNC "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"

typedef uint32_t want(uint32_t block, uint32_t t);
#define W(name, e) static uint32_t name(uint32_t b, uint32_t t) { (void)t, (void)b; return e; }
W(neighbour, (b ^ 1) * 10) W(rank_of, b % 4) W(id_of, b / 4) W(others, b % 4 ^ 1) W(summed, b % 4 == 0 ? 128 : 0) W(exchanged, (b ^ 1) * 100 + t) W(one, 1) W(thirty, t) W(three, 3)
W(number, b * 32 + t) W(count, 8 * 32) W(sixteen, 16) W(ninety, 96)

typedef struct meeting {
    const char *name, *body;
    want *expected;
    uint32_t cluster, block;
    bool cooperative;
} meeting;
static const meeting cases[] = {
    {"mapa and ld.shared::cluster", "mul.lo.u32 %r3, %r2, 10; st.shared.u32 [%r7], %r3;" SYNC "mapa.shared::cluster.u32 %r4, %r7, %r9; ld.shared::cluster.u32 %r3, [%r4];" SYNC, neighbour, 4, 32, false},
    {"a variable's name and a generic address", "mul.lo.u32 %r3, %r2, 10; st.shared.u32 [%r7], %r3;" SYNC "mov.u64 %d5, s; cvta.shared.u64 %d5, %d5; mapa.u64 %d6, %d5, %r9; ld.u32 %r3, [%d6];" SYNC, neighbour, 2, 32, false},
    {"st.shared::cluster", "mapa.shared::cluster.u32 %r4, s, %r9; shl.b32 %r6, %r1, 2; add.u32 %r4, %r4, %r6; mad.lo.u32 %r3, %r2, 100, %r1; st.shared::cluster.u32 [%r4], %r3;" SYNC "add.u32 %r6, %r7, %r6; ld.shared.u32 %r3, [%r6];", exchanged, 2, 32, false},
    {"atom.shared::cluster", "st.shared.u32 [%r7], 0;" SYNC "mov.u32 %r6, 0; mapa.shared::cluster.u32 %r4, %r7, %r6; atom.shared::cluster.add.u32 %r3, [%r4], 1;" SYNC "ld.shared.u32 %r3, [%r7];", summed, 4, 32, false},
    {"ranks", "mov.u32 %r3, %cluster_ctarank;", rank_of, 4, 32, false},
    {"getctarank", "mapa.shared::cluster.u32 %r4, %r7, %r9; getctarank.shared::cluster.u32 %r3, %r4; getctarank.shared::cluster.u32 %r6, %r7; xor.b32 %r6, %r6, %r8; add.u32 %r3, %r3, %r6;", others, 4, 32, false},
    {"cluster numbers", "mov.u32 %r3, %clusterid.x;", id_of, 4, 32, false},
    {"early leavers are not waited for", "setp.eq.u32 %p1, %r8, 1; @%p1 exit; barrier.cluster.arrive.release; barrier.cluster.wait.acquire; mov.u32 %r3, 1; setp.ne.u32 %p2, %r1, 40; @%p2 st.global.u32 [%d3], %r3; exit;", NULL, 2, 32, false},
    {"arrive, and leave", "barrier.cluster.arrive.relaxed; setp.eq.u32 %p1, %r8, 1; @%p1 bra E; barrier.cluster.wait; E: mov.u32 %r3, 1;", one, 2, 32, false},
    {"many phases", "mov.u32 %r3, 0; L: " SYNC "add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 3; @%p1 bra L;", three, 8, 64, false},
    {"hints of 9.0", "setmaxnreg.inc.sync.aligned.u32 240; griddepcontrol.launch_dependents; griddepcontrol.wait; mov.u32 %r3, %r1;", thirty, 1, 32, false},
    {"a grid's barrier through memory", "mov.u32 %r3, %envreg2; cvt.u64.u32 %d5, %r3; mov.u32 %r3, %envreg1; cvt.u64.u32 %d6, %r3; shl.b64 %d6, %d6, 32; or.b64 %d5, %d5, %d6;\n"
                                       "atom.add.release.gpu.u32 %r4, [%d5+4], 1; W: ld.acquire.gpu.u32 %r3, [%d5+4]; setp.lt.u32 %p1, %r3, 256; @%p1 bra W;", count, 1, 32, true},
    {"reserved shared memory", "mov.u32 %r4, %reserved_smem_offset_1; shl.b32 %r6, %r1, 2; add.u32 %r4, %r4, %r6; st.shared.u32 [%r4], %r5; bar.sync 0; ld.shared.u32 %r3, [%r4];", number, 1, 32, false},

    {"bar.arrive and bar.sync", "setp.lt.u32 %p1, %r1, 32; @%p1 bra P; bar.sync 3, 64; ld.shared.u32 %r3, [%r7]; setp.lt.u32 %p2, %r1, 64; bra J; P: st.shared.u32 [%r7], 3; bar.arrive 3, 64; mov.u32 %r3, 3; J:", three, 1, 64, false},
    {"two barriers, two pairs of warps", "shr.u32 %r4, %r1, 6; add.u32 %r4, %r4, 1; barrier.sync %r4, 64; barrier.sync %r4, 64; mov.u32 %r3, 1;", one, 1, 128, false},
    {"a part of a warp counts whole", "barrier.sync.aligned 1, 64; bar.sync 2, 64; mov.u32 %r3, 1;", one, 1, 50, false},
    {"barrier.red over some warps", "setp.ge.u32 %p1, %r1, 96; @%p1 bra E; setp.lt.u32 %p2, %r1, 96; barrier.red.popc.u32 %r3, 4, 96, %p2; bra J; E: mov.u32 %r3, 96; J:", ninety, 1, 128, false},
    {"half warps at a barrier", "and.b32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, 0; @%p1 bra E; barrier.sync 5, 32; bra J; E: barrier.sync 5, 32; J: mov.u32 %r3, 1;", one, 1, 32, false},
    {"elect with a sink", "elect.sync _|%p1, 0xffffffff; mov.u32 %r3, 16;", sixteen, 1, 32, false},
};

static int launch(simt_device *d, const meeting *m, uint64_t *at)
{
    static char text[1 << 14];
    snprintf(text, sizeof text, "%s%s\n%s", START, m->body, m->expected ? STORE : "");
    char kernel[1 << 14];
    snprintf(kernel, sizeof kernel, "%s.file 1 \"kernel.cu\"\n", lab_kernel(text));
    uint64_t p[4] = {0};
    uint32_t module, id;
    simt_alloc(d, 8 * 128 * 4, &p[0]);
    simt_fill(d, p[0], 0, 8 * 128 * 4);
    *at = p[0];
    ck_assert_msg(simt_load(d, kernel, strlen(kernel), &module) == 0, "%s", simt_load_error(d));
    ck_assert_int_eq(simt_find_kernel(d, module, "k", &id), 0);
    simt_launch l = {.kernel = id, .grid = {8, 1, 1}, .block = {m->block, 1, 1}, .parameters = p,
                     .parameter_bytes = 32, .cooperative = m->cooperative};
    if (m->cluster > 1)
        l.cluster[0] = m->cluster, l.cluster[1] = l.cluster[2] = 1;
    return simt_run(d, &l);
}

static simt_device *h200(int workers)
{
    simt_config config = {.gpu = "H200", .workers = workers, .checks = SIMT_CHECK_RACE, .memory = 1 << 26,
                          .instruction_limit = 1 << 20};
    simt_device *d = simt_open(&config);
    ck_assert_ptr_nonnull(d);
    return d;
}

START_TEST(meets)
{
    const meeting *m = &cases[_i];
    for (int workers = 1; workers <= 2; workers++) {
        simt_device *d = h200(workers);
        uint64_t at;
        uint32_t out[8 * 128];
        int error = launch(d, m, &at);
        const simt_fault *f = simt_fault_at(d, 0);
        ck_assert_msg(!error && !f, "%s: %d %s", m->name, error, f ? f->detail : "");
        simt_read(d, out, at, sizeof out);
        for (uint32_t b = 0; m->expected && b < 8; b++)
            for (uint32_t t = 0; t < 32 && m->block == 32; t++)
                ck_assert_msg(out[b * 32 + t] == m->expected(b, t), "%s, block %u, thread %u: got %u, want %u",
                              m->name, b, t, out[b * 32 + t], m->expected(b, t));
        for (uint32_t i = 0; m->block != 32 && i < 8 * 32; i++) // blocks overlap in the array
            ck_assert_uint_eq(out[i], m->expected(0, 0));
        simt_close(d);
    }
}
END_TEST

static const struct {
    meeting m;
    simt_fault_kind kind;
    int code, line;
    const char *detail;
} faults[] = {
    {{"", "setp.eq.u32 %p1, %r8, 1; @%p1 bra E;\n.loc 1 6 1\n" SYNC "E: bar.sync 1, 64;", one, 2, 32, false}, SIMT_DEADLOCK, 719, 6, "32 of 64 threads have come"},
    {{"", "setp.eq.u32 %p1, %r1, 31; @%p1 bra W;\n.loc 1 7 1\n barrier.cluster.arrive; barrier.cluster.wait; W: bar.warp.sync 0xffffffff;", one, 2, 32, false}, SIMT_SHUFFLE, 719, 7, ""},
    {{"", "barrier.cluster.arrive;\n.loc 1 8 1\nbarrier.cluster.arrive;", one, 2, 32, false}, SIMT_BARRIER, 719, 8, "arrives twice"},
    {{"", ".loc 1 9 1\nbarrier.cluster.wait;", one, 2, 32, false}, SIMT_BARRIER, 719, 9, "has not arrived"},
    {{"", "mov.u32 %r6, 5; mapa.shared::cluster.u32 %r4, %r7, %r6;\n.loc 1 10 1\nld.shared::cluster.u32 %r3, [%r4];", one, 2, 32, false}, SIMT_SHARED_BOUNDS, 700, 10, ""},
    {{"", "mapa.shared::cluster.u32 %r4, %r7, %r9;\n.loc 1 11 1\nst.shared::cluster.u32 [%r4+256], %r1;", one, 2, 32, false}, SIMT_SHARED_BOUNDS, 700, 11, ""},
    {{"", "setp.eq.u32 %p1, %r8, 1; @%p1 exit; mov.u32 %r3, 0; L: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 5000; @%p1 bra L; mapa.shared::cluster.u32 %r4, %r7, %r9; nanosleep.u32 9; M: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 20000; @%p1 bra M;\n.loc 1 12 1\nld.shared::cluster.u32 %r3, [%r4];", one, 2, 32, false}, SIMT_SHARED_BOUNDS, 700, 12, ""},
    {{"", ".loc 1 13 1\nbar.sync 1, 33;", one, 1, 64, false}, SIMT_BARRIER, 719, 13, "no multiple of 32"},
    {{"", "mov.u32 %r4, 16;\n.loc 1 14 1\nbarrier.sync %r4;", one, 1, 64, false}, SIMT_BARRIER, 719, 14, "there are 16 barriers"},
    {{"", "setp.lt.u32 %p1, %r1, 32; @%p1 bra A;\n.loc 1 15 1\nbar.sync 1, 128; bra E; A:\n.loc 1 16 1\nbar.sync 1, 64; E:", one, 1, 64, false}, SIMT_BARRIER, 719, 15, "expects 128 threads here and 64 elsewhere"},
};

START_TEST(says_who_never_comes)
{
    simt_device *d = h200(1);
    uint64_t at;
    int error = launch(d, &faults[_i].m, &at);
    const simt_fault *f = simt_fault_at(d, 0);
    ck_assert_msg(error == faults[_i].code, "line %d: %d %s", faults[_i].line, error, f ? f->detail : "");
    ck_assert_ptr_nonnull(f);
    ck_assert_msg(f->kind == faults[_i].kind, "line %d: kind %d %s", faults[_i].line, (int)f->kind, f->detail);
    ck_assert_int_eq(f->at.line, faults[_i].line);
    ck_assert_msg(strstr(f->detail, faults[_i].detail), "%s", f->detail);
    simt_close(d);
}
END_TEST

// What the runtime says of clusters that cannot be.
START_TEST(refuses_impossible_clusters)
{
    static const struct { uint32_t cluster[3]; bool any; int error; } tries[] = {
        {{8, 1, 1}, false, 0}, {{3, 1, 1}, false, 912}, {{16, 1, 1}, false, 912}, {{2, 4, 1}, false, 912}, {{4, 1, 1}, false, 0}};
    simt_device *d = h200(1);
    const char *text = lab_kernel("");
    uint64_t words[4] = {0};
    uint32_t module, kernel;
    ck_assert_int_eq(simt_load(d, text, strlen(text), &module), 0);
    ck_assert_int_eq(simt_find_kernel(d, module, "k", &kernel), 0);
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        simt_launch l = {.kernel = kernel, .grid = {8, 1, 1}, .block = {32, 1, 1}, .parameters = words, .parameter_bytes = 32, .any_cluster = tries[i].any};
        memcpy(l.cluster, tries[i].cluster, sizeof l.cluster);
        ck_assert_int_eq(simt_run(d, &l), tries[i].error);
    }
    simt_close(d);
}
END_TEST

Suite *cooperation_suite(void)
{
    Suite *suite = suite_create("cooperation");
    TCase *tc = tcase_create("cooperation");
    TCase *answers = lab_answers(suite);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(answers, meets, 0, (int)(sizeof cases / sizeof *cases));
    tcase_add_loop_test(tc, says_who_never_comes, 0, (int)(sizeof faults / sizeof *faults));
    tcase_add_test(tc, refuses_impossible_clusters);
    suite_add_tcase(suite, tc);
    return suite;
}
