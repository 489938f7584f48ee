// Copies that go on by themselves: what is seen before and after each wait, the states of
// an mbarrier, what is counted, and what is said when they go wrong.

#include "lab.h"

#include <stdio.h>
#include <string.h>

enum { N = 64 };

// %q0: N 16-byte rows, word w of row t is t * 4 + w + 1000; %q1: out. The block's buffer s
// holds 7 in every word; %d4: the thread's row in global, %r4 in shared memory.
#define START                                                                         \
    ".shared .align 16 .b8 s[2048]; .shared .align 8 .b8 bar[16];\n"                  \
    "mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 4; add.u64 %d3, %q1, %d1; mul.wide.u32 %d5, %r1, 16; add.u64 %d4, %q0, %d5;\n" \
    "mov.u32 %r4, s; shl.b32 %r5, %r1, 4; add.u32 %r4, %r4, %r5; mov.u32 %r6, 7; mov.u32 %r7, bar; setp.eq.u32 %p9, %r1, 0;\n" \
    "st.shared.v4.u32 [%r4], {%r6, %r6, %r6, %r6}; st.shared.v4.u32 [%r4+1024], {%r6, %r6, %r6, %r6}; bar.sync 0;\n"
#define SEE(word) "ld.shared.u32 %r3, [%r4+" word "];"
#define STORE "st.global.u32 [%d3], %r3;"
#define COPY "cp.async.ca.shared.global [%r4], [%d4], 16; "
#define COPY2 "cp.async.cg.shared.global [%r4+1024], [%d4], 16; "
#define INIT(n) "@%p9 mbarrier.init.shared.b64 [%r7], " n "; bar.sync 0;"
#define SPIN(p) "W" p ": mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r7], " p "; @!%p1 bra W" p ";"
#define TEST(p) "mbarrier.test_wait.parity.shared.b64 %p1, [%r7], " p "; selp.b32 %r3, 1, 0, %p1;"

typedef uint32_t want(uint32_t t);
#define W(name, e) static uint32_t name(uint32_t t) { (void)t; return e; }
W(old, 7) W(new, t * 4 + 1000) W(new3, t * 4 + 1003) W(none, 0) W(one, 1) W(own, t) W(zero_odd, t % 2 ? 0 : t * 4 + 1000)
W(part, t % 4 > 2 ? t * 4 + 1002 : 0) W(turned, (63 - t) * 4 + 1000) W(five, 5) W(left, 64 - t) W(row, t + 1000)

static const struct {
    const char *name, *body;
    want *expected;
} cases[] = {
    {"no wait", COPY "cp.async.commit_group;" SEE("0"), old},
    {"wait_all", COPY "cp.async.wait_all;" SEE("0"), new},
    {"wait_group 0", COPY "cp.async.commit_group; cp.async.wait_group 0;" SEE("12"), new3},
    {"the group before the last", COPY "cp.async.commit_group;" COPY2 "cp.async.commit_group; cp.async.wait_group 1;" SEE("0"), new},
    {"not the last group", COPY "cp.async.commit_group;" COPY2 "cp.async.commit_group; cp.async.wait_group 1;" SEE("1024"), old},
    {"a group not committed", COPY "cp.async.wait_group 0;" SEE("0"), old},
    {"an empty group counts", COPY "cp.async.commit_group; cp.async.commit_group; cp.async.wait_group 1;" SEE("0"), new},
    {"more groups than there are", COPY "cp.async.commit_group; cp.async.wait_group 3;" SEE("0"), old},
    {"another thread's wait", COPY "cp.async.commit_group; setp.ge.u32 %p1, %r1, 32; @%p1 bra E; cp.async.wait_all; E: bar.sync 0; xor.b32 %r8, %r4, 512; ld.shared.u32 %r3, [%r8]; setp.lt.u32 %p2, %r1, 32; selp.b32 %r9, 7, %r3, %p2; setp.eq.u32 %p3, %r3, %r9; selp.b32 %r3, 1, 0, %p3;", one},
    {"fewer bytes", "and.b32 %r8, %r1, 3; shl.b32 %r8, %r8, 2; cp.async.ca.shared.global [%r4], [%d4], 16, %r8; cp.async.wait_all;" SEE("8"), part},
    {"no bytes from nowhere", "mov.u64 %d9, 64; mov.u32 %r8, 0; cp.async.ca.shared.global [%r4], [%d9], 8, %r8; cp.async.wait_all;" SEE("4"), none},
    {"ignore-src", "and.b32 %r8, %r1, 1; setp.ne.u32 %p1, %r8, 0; cp.async.ca.shared.global [%r4], [%d4], 4, %p1; cp.async.wait_all;" SEE("0"), zero_odd},
    {"hints and 4 bytes", "createpolicy.fractional.L2::evict_first.b64 %d8; cp.async.ca.shared::cta.global.L2::cache_hint.L2::128B [%r4], [%d4], 4, 4, %d8; cp.async.wait_all;" SEE("0"), new},
    {"8 bytes at a generic place", "cp.async.ca.shared.global [%r4+8], [%d4+8], 8; cp.async.wait_all;" SEE("12"), new3},
    {"under a guard", "and.b32 %r8, %r1, 1; setp.eq.u32 %p1, %r8, 0; st.shared.u32 [%r4], 0; @%p1 " COPY "cp.async.wait_all;" SEE("0"), zero_odd},
    {"the source as it is at the wait", COPY "cp.async.commit_group; st.global.u32 [%d4], %r1; cp.async.wait_group 0;" SEE("0"), own},

    {"an mbarrier's phase", INIT("64") "mbarrier.arrive.shared.b64 %d9, [%r7]; W: mbarrier.test_wait.shared.b64 %p1, [%r7], %d9; @!%p1 bra W;" TEST("0"), one},
    {"not over yet", INIT("65") "mbarrier.arrive.shared.b64 %d9, [%r7]; bar.sync 0; mbarrier.test_wait.shared.b64 %p1, [%r7], %d9; selp.b32 %r3, 1, 0, %p1;", none},
    {"the other parity", INIT("1") TEST("1"), one},
    {"two phases", INIT("64") "mbarrier.arrive.shared.b64 _, [%r7];" SPIN("0") "bar.sync 0; mbarrier.arrive.release.cta.shared::cta.b64 %d9, [%r7];" SPIN("1") TEST("0"), none},
    {"arrivals by the dozen", INIT("128") "mbarrier.arrive.shared.b64 %d9, [%r7], 2;" SPIN("0") TEST("0"), one},
    {"pending_count", INIT("64") "mbarrier.arrive.shared.b64 %d9, [%r7]; mbarrier.pending_count.b64 %r3, %d9;", left},
    {"noComplete", INIT("100") "mbarrier.arrive.noComplete.shared.b64 %d9, [%r7], 1; mbarrier.pending_count.b64 %r3, %d9; add.u32 %r3, %r3, 0; sub.u32 %r3, %r3, 36;", left},
    {"arrive_drop", INIT("64") "setp.ge.u32 %p2, %r1, 32; @%p2 bra D; mbarrier.arrive.shared.b64 %d9, [%r7]; bra J; D: mbarrier.arrive_drop.shared.b64 %d9, [%r7]; J: bar.sync 0;"
                    "@%p2 bra E; mbarrier.arrive.shared.b64 %d9, [%r7]; E: bar.sync 0;" TEST("1") "xor.b32 %r3, %r3, 0;", one},
    {"generic places", INIT("64") "mov.u64 %d8, bar; cvta.shared.u64 %d8, %d8; mbarrier.arrive.b64 %d9, [%d8]; W: mbarrier.try_wait.b64 %p1, [%d8], %d9, 100; @!%p1 bra W; mbarrier.test_wait.parity.acquire.cta.b64 %p1, [%d8], 0; selp.b32 %r3, 1, 0, %p1;", one},
    {"expect_tx holds the phase", INIT("1") "@%p9 mbarrier.arrive.expect_tx.shared::cta.b64 %d9, [%r7], 32; bar.sync 0;" TEST("0"), none},
    {"complete_tx ends it", INIT("1") "@%p9 mbarrier.arrive.expect_tx.shared::cta.b64 %d9, [%r7], 32; bar.sync 0; @%p9 mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r7], 32; bar.sync 0;" TEST("0"), one},
    {"bytes before they are expected", INIT("1") "@%p9 mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r7], 8; bar.sync 0; @%p9 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r7], 8; bar.sync 0; @%p9 mbarrier.arrive.shared.b64 %d9, [%r7]; bar.sync 0;" TEST("0"), one},
    {"inval", INIT("1") "@%p9 mbarrier.inval.shared.b64 [%r7]; bar.sync 0; ld.shared.u32 %r3, [%r7];", none},

    {"copies that arrive", INIT("64") COPY "cp.async.mbarrier.arrive.noinc.shared.b64 [%r7];" SPIN("0") "xor.b32 %r8, %r4, 1008; ld.shared.u32 %r3, [%r8];", turned},
    {"and arrive themselves", INIT("64") COPY "cp.async.mbarrier.arrive.shared.b64 [%r7]; mbarrier.arrive.shared.b64 %d9, [%r7];" SPIN("0") "xor.b32 %r8, %r4, 1008; ld.shared.u32 %r3, [%r8];", turned},
    {"no look at the mbarrier", INIT("64") COPY "cp.async.mbarrier.arrive.noinc.shared.b64 [%r7]; bar.sync 0;" SEE("0"), old},
    {"only copies before", INIT("64") COPY "cp.async.mbarrier.arrive.noinc.shared.b64 [%r7];" COPY2 SPIN("0") SEE("1024"), old},

    {"bulk, waited for", INIT("1") "@!%p9 bra E; mbarrier.arrive.expect_tx.shared::cta.b64 %d9, [%r7], 1024; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4], [%q0], 1024, [%r7]; E:" SPIN("0") SEE("0"), new},
    {"bulk, not waited for", INIT("1") "@!%p9 bra E; mbarrier.arrive.expect_tx.shared::cta.b64 %d9, [%r7], 1024; cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r4], [%q0], 1024, [%r7]; E: bar.sync 0;" SEE("0"), old},
    {"bulk in two pieces", INIT("1") "@!%p9 bra E; mbarrier.arrive.expect_tx.shared::cta.b64 %d9, [%r7], 1024; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4], [%q0], 512, [%r7];"
                           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4+512], [%q0+512], 512, [%r7]; E:" SPIN("0") SEE("0"), new},
    {"bulk out", "mad.lo.u32 %r8, %r1, 4, %r7; mov.u32 %r9, s; mad.lo.u32 %r9, %r1, 4, %r9; add.u32 %r10, %r1, 1000; bar.sync 0; st.shared.u32 [%r9], %r10; bar.sync 0; mov.u32 %r9, s; @!%p9 bra E; cp.async.bulk.global.shared::cta.bulk_group [%q1+256], [%r9], 256; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; E: bar.sync 0; ld.global.u32 %r3, [%d3+256];", row},
    {"bulk out, not waited for", "st.global.u32 [%d3+256], 5; bar.sync 0; mov.u32 %r9, s; @!%p9 bra E; cp.async.bulk.global.shared::cta.bulk_group [%q1+256], [%r9], 256; cp.async.bulk.commit_group; E: bar.sync 0; ld.global.u32 %r3, [%d3+256];", five},
    {"a prefetch", "cp.async.bulk.prefetch.L2.global [%q0], 256;" SEE("0"), old},
};

static simt_device *run(const char *body, int code, uint64_t *out)
{
    simt_device *d = lab_open(1, true);
    uint64_t p[4] = {0};
    uint32_t rows[4 * N];
    for (uint32_t i = 0; i < 4 * N; i++)
        rows[i] = i + 1000;
    simt_alloc(d, sizeof rows, &p[0]);
    simt_alloc(d, 8 * N, &p[1]);
    simt_write(d, p[0], rows, sizeof rows);
    *out = p[1];
    static char text[1 << 14];
    snprintf(text, sizeof text, "%s%s\n%s", START, body, STORE);
    const char *whole = lab_kernel(text);
    snprintf(text, sizeof text, "%s.file 1 \"kernel.cu\"\n", whole);
    int error = lab_run(d, text, 1, N, p, 4);
    const simt_fault *f = simt_fault_at(d, 0);
    ck_assert_msg(error == code, "%s: %d %s", body, error, f ? f->detail : "");
    return d;
}

// CUDA promises nothing there; the emulator does the same each time.
static bool only_here(const char *name)
{
    static const char *const names[] = {"another thread's wait", "the source as it is at the wait",
                                        "pending_count", "inval"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

START_TEST(shows_what_has_arrived)
{
    uint64_t at;
    uint32_t out[N];
    if (lab_on_gpu() && (cases[_i].expected == old || only_here(cases[_i].name)))
        return;
    simt_device *d = run(cases[_i].body, 0, &at);
    simt_read(d, out, at, sizeof out);
    for (uint32_t t = 0; t < N; t++)
        ck_assert_msg(out[t] == cases[_i].expected(t), "%s, thread %u: got %u, want %u", cases[_i].name,
                      t, out[t], cases[_i].expected(t));
    simt_close(d);
}
END_TEST

static const struct {
    const char *body;
    simt_fault_kind kind;
    int code, line;
    const char *space, *detail;
} faults[] = {
    {".loc 1 6 1\ncp.async.ca.shared.global [%r4], [%d4+1024], 16;", SIMT_OUT_OF_BOUNDS, 700, 6, "global", ""},
    {".loc 1 7 1\ncp.async.ca.shared.global [%r4+4000], [%d4], 16;", SIMT_SHARED_BOUNDS, 700, 7, "shared", ""},
    {".loc 1 8 1\ncp.async.ca.shared.global [%r4+4], [%d4], 16;", SIMT_MISALIGNED, 716, 8, "shared", ""},
    {".loc 1 9 1\ncp.async.ca.shared.global [%r4], [%d4+4], 8;", SIMT_MISALIGNED, 716, 9, "global", ""},
    {".loc 1 10 1\nmbarrier.arrive.shared.b64 %d9, [%r7];", SIMT_BARRIER, 719, 10, "", "was not initialised"},
    {".loc 1 11 1\nmbarrier.arrive.shared.b64 %d9, [%r7+4];", SIMT_MISALIGNED, 716, 11, "shared", ""},
    {INIT("8") ".loc 1 12 1\nmbarrier.arrive.shared.b64 %d9, [%r7], 9;", SIMT_BARRIER, 719, 12, "", "waits for 8 of 8 arrivals, and 9 come"},
    {INIT("65") ".loc 1 13 1\nmbarrier.arrive.shared.b64 %d9, [%r7];\n.loc 1 14 1\n" SPIN("0"), SIMT_DEADLOCK, 719, 14, "", "waits for 1 arrivals and 0 bytes"},
    {".loc 1 15 1\n" INIT("0"), SIMT_BARRIER, 719, 15, "", "an mbarrier for 0 arrivals"},
    {INIT("1") "@!%p9 bra E;\n.loc 1 16 1\ncp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4], [%q0], 100, [%r7]; E:", SIMT_MISALIGNED, 716, 16, "", "no multiple of 16"},
    {INIT("1") "@!%p9 bra E;\n.loc 1 17 1\ncp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4], [%q0], 2048, [%r7]; E:", SIMT_OUT_OF_BOUNDS, 700, 17, "global", ""},
    {INIT("1") "@!%p9 bra E;\n.loc 1 18 1\ncp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r4], [%q0, {%r1}], [%r7]; E:", SIMT_UNSUPPORTED, 801, 18, "", "cp.async.bulk.tensor.1d"},
    {".loc 1 19 1\nwgmma.fence.sync.aligned;", SIMT_UNSUPPORTED, 801, 19, "", "wgmma.fence.sync.aligned"},
    {".loc 1 20 1\ncp.async.cg.shared.global [%r4], [%d4], 8;", SIMT_UNSUPPORTED, 801, 20, "", "cp.async.cg.shared.global"},
    // Findings: what is read before it has surely come, or written before all have read.
    {".loc 1 21 1\n" COPY "cp.async.commit_group;\n.loc 1 22 1\nxor.b32 %r8, %r4, 512; ld.shared.u32 %r3, [%r8];", SIMT_RACE, 0, 21, "shared", ""},
    {".loc 1 23 1\n" COPY "cp.async.wait_all;\n.loc 1 24 1\nxor.b32 %r8, %r4, 512; ld.shared.u32 %r3, [%r8];", SIMT_RACE, 0, 23, "shared", ""},
};

START_TEST(says_what_went_wrong)
{
    uint64_t at;
    simt_device *d = run(faults[_i].body, faults[_i].code, &at);
    const simt_fault *f = simt_fault_at(d, 0);
    ck_assert_ptr_nonnull(f);
    ck_assert_msg(f->kind == faults[_i].kind, "line %d: kind %d, %s", faults[_i].line, (int)f->kind, f->detail);
    ck_assert_int_eq(f->at.line, faults[_i].line);
    ck_assert_str_eq(f->space, faults[_i].space);
    ck_assert_msg(strstr(f->detail, faults[_i].detail), "%s", f->detail);
    simt_close(d);
}
END_TEST

// No finding where a barrier, or an mbarrier, lies between a copy and its readers.
START_TEST(finds_no_race_where_there_is_none)
{
    static const char *const clean[] = {
        COPY "cp.async.wait_all; bar.sync 0; xor.b32 %r8, %r4, 512; ld.shared.u32 %r3, [%r8];",
        COPY "cp.async.wait_all;" SEE("0"),
        INIT("64") COPY "cp.async.mbarrier.arrive.noinc.shared.b64 [%r7];" SPIN("0") "xor.b32 %r8, %r4, 512; ld.shared.u32 %r3, [%r8];",
        INIT("64") "st.shared.u32 [%r4], %r1; mbarrier.arrive.shared.b64 _, [%r7];" SPIN("0") "xor.b32 %r8, %r4, 512; ld.shared.u32 %r3, [%r8];",
    };
    uint64_t at;
    for (size_t i = 0; i < sizeof clean / sizeof *clean; i++) {
        simt_device *d = run(clean[i], 0, &at);
        ck_assert_msg(!simt_fault_at(d, 0), "%s", clean[i]);
        simt_close(d);
    }
}
END_TEST

// 64 threads, 16 bytes each: two requests, 1024 bytes, 32 sectors; shared memory takes
// them in four wavefronts a warp. START itself stores twice.
START_TEST(counts_a_load_and_a_store)
{
    uint64_t at;
    simt_device *d = run(COPY "cp.async.wait_all;" SEE("0"), 0, &at);
    ck_assert(simt_counter(d, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum") == 2);
    ck_assert(simt_counter(d, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") == 32);
    ck_assert(simt_counter(d, "global_bytes_ld") == 1024);
    ck_assert(simt_counter(d, "shared_requests_st") == 6);
    ck_assert(simt_counter(d, "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum") == 24);
    simt_close(d);
    d = run("mov.u32 %r8, 0; cp.async.ca.shared.global [%r4], [%d4], 16, %r8; cp.async.wait_all;" SEE("0"), 0, &at);
    ck_assert(simt_counter(d, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") == 0);
    ck_assert(simt_counter(d, "global_bytes_ld") == 0);
    simt_close(d);
}
END_TEST

Suite *async_suite(void)
{
    Suite *suite = suite_create("async");
    TCase *tc = tcase_create("async");
    TCase *answers = lab_answers(suite);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(answers, shows_what_has_arrived, 0, (int)(sizeof cases / sizeof *cases));
    tcase_add_loop_test(tc, says_what_went_wrong, 0, (int)(sizeof faults / sizeof *faults));
    tcase_add_test(tc, finds_no_race_where_there_is_none);
    tcase_add_test(tc, counts_a_load_and_a_store);
    suite_add_tcase(suite, tc);
    return suite;
}
