// Races: each way to synchronise, right and with one thing missing. A case is a kernel's
// body, and the line of the access at which the race is found (0: there is none) with the
// line of the one before it.

#include "lab.h"

#include <stdio.h>
#include <string.h>

typedef struct race_case {
    const char *name, *functions, *body;
    uint32_t grid, block;
    int line, other;
    const char *says;
} race_case;

#define L(n) "\n.loc 1 " #n " 1\n"
// %r1 thread, %r2 block, %r4 thread of the grid, %d1 its word, %d2 its block's word of q1.
#define P                                                                             \
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;\n"             \
    "mad.lo.u32 %r4, %r2, %r3, %r1; mul.wide.u32 %d1, %r4, 4; add.u64 %d1, %q0, %d1;\n" \
    "mul.wide.u32 %d2, %r2, 4; add.u64 %d2, %q1, %d2;\n"                              \
    "mul.lo.u32 %r5, %r1, 4; setp.eq.u32 %p1, %r1, 0; setp.ne.u32 %p2, %r1, 0;\n"
#define S ".shared .align 8 .b8 s[2048];"
#define MY "mov.u32 %r6, s; add.u32 %r6, %r6, %r5;\n" // my word of s
#define GL "fence.acq_rel.gpu;"
#define CTA "fence.acq_rel.cta;"
#define BAR "bar.sync 0;"

// Each block's thread 0 writes a partial sum and draws a ticket; the last block reads all.
#define LAST(store, before, after)                                                    \
    P "@%p2 bra W;" L(10) store before L(11)                                          \
    "atom.global.add.u32 %r7, [%q0], 1; setp.eq.u32 %p3, %r7, 7; selp.u32 %r8, 1, 0, %p3;" \
    L(12) "st.shared.u32 [s], %r8;\nW: " BAR after L(13)                               \
    "ld.shared.u32 %r8, [s]; setp.eq.u32 %p3, %r8, 0; @%p3 exit;\n"                   \
    "setp.gt.u32 %p4, %r1, 7; @%p4 exit; mul.wide.u32 %d3, %r1, 4; add.u64 %d3, %q1, %d3;" \
    L(14) "ld.global.u32 %r9, [%d3];"
#define PARTIAL "st.global.u32 [%d2], %r2;"

// Block b waits for block b - 1's flag, then takes its value.
#define BACK(poll, acquire, release, set)                                             \
    P "@%p2 exit; setp.eq.u32 %p3, %r2, 0; mov.u32 %r9, 0; @%p3 bra F;\n"             \
    "M: " L(20) poll "setp.eq.u32 %p4, %r8, 0; @%p4 bra M;\n" acquire L(21)           \
    "ld.global.u32 %r9, [%d2+-4];\nF: add.u32 %r9, %r9, 1;" L(22)                     \
    "st.global.u32 [%d2], %r9;\n" release "mul.wide.u32 %d4, %r2, 4; add.u64 %d4, %q0, %d4; mov.u32 %r8, 1;" \
    L(23) set
#define FLAG "mul.wide.u32 %d4, %r2, 4; add.u64 %d4, %q0, %d4; "

// A counter behind a lock.
#define LOCK(after, before, free)                                                     \
    P "@%p2 exit;\nT: " L(30) "atom.global.cas.b32 %r7, [%q0], 0, 1;\n"                \
    "setp.ne.u32 %p3, %r7, 0; @%p3 bra T;\n" after L(31) "ld.global.u32 %r8, [%q1]; add.u32 %r8, %r8, 1;" \
    L(32) "st.global.u32 [%q1], %r8;\n" before L(33) free
#define UNLOCK "atom.global.exch.b32 %r7, [%q0], 0;"

// All blocks meet, then each reads what the next one wrote.
#define GRID(before, after)                                                           \
    P L(40) "st.global.u32 [%d1+4096], %r4;" BAR "@%p2 bra W;" before L(41)            \
    "atom.global.add.u32 %r7, [%q0], 1;\nM: " L(42) "ld.volatile.global.u32 %r8, [%q0];" \
    "setp.ne.u32 %p3, %r8, 4; @%p3 bra M;" after "\nW: " BAR                          \
    "add.u32 %r9, %r4, 64; rem.u32 %r9, %r9, 256; mul.wide.u32 %d3, %r9, 4; add.u64 %d3, %q0, %d3;" \
    L(43) "ld.global.u32 %r9, [%d3+4096];"

// Warp 0 writes, others read behind a named barrier.
#define NAMED(write_side, read_side)                                                  \
    P MY "setp.gt.u32 %p3, %r1, 31; @%p3 bra C;" L(50) "st.shared.u32 [%r6], %r1;\n"   \
    write_side "bra E;\nC: " read_side "and.b32 %r7, %r1, 31; mul.lo.u32 %r7, %r7, 4; mov.u32 %r8, s; add.u32 %r7, %r7, %r8;" \
    L(51) "ld.shared.u32 %r9, [%r7];\nE: "

#define COPY(wait, sync)                                                              \
    P MY L(60) "cp.async.ca.shared.global [%r6], [%d1], 4; cp.async.commit_group;\n" wait sync \
    "xor.b32 %r7, %r1, 1; mul.lo.u32 %r7, %r7, 4; mov.u32 %r8, s; add.u32 %r7, %r7, %r8;"  \
    L(61) "ld.shared.u32 %r9, [%r7];"

// Thread 0 makes an mbarrier at s + 1024 for all; they write, arrive, and read.
#define MEET(first, arrive, then, wait)                                               \
    P MY "mov.u32 %r10, s; add.u32 %r10, %r10, 1024; @%p1 mbarrier.init.shared.b64 [%r10], 64;" BAR \
    first arrive "mbarrier.arrive.shared.b64 %d3, [%r10];\n" then "M: " wait           \
    "xor.b32 %r7, %r1, 32; mul.lo.u32 %r7, %r7, 4; mov.u32 %r8, s; add.u32 %r7, %r7, %r8;" \
    L(71) "ld.shared.u32 %r9, [%r7];"
#define WRITE L(70) "st.shared.u32 [%r6], %r1;\n"
#define PASS "mbarrier.test_wait.shared.b64 %p5, [%r10], %d3; @!%p5 bra M;\n"

// Lanes read their neighbours' words.
#define LANES_OF(space, base, volatile_, sync)                                        \
    P MY L(80) "st" volatile_ "." space ".u32 [" base "], %r4;\n" sync "and.b32 %r7, %r1, 31; setp.eq.u32 %p3, %r7, 31; @%p3 exit;" \
    L(81) "ld" volatile_ "." space ".u32 %r9, [" base "+4];"

static const race_case cases[] = {
    {"last block", S, LAST(PARTIAL, GL, GL), 8, 64, 0, 0, ""},
    {"last block, membar", S, LAST(PARTIAL, "membar.gl;", "membar.gl;"), 8, 64, 0, 0, ""},
    {"last block, acq_rel atomic", S,
     P "@%p2 bra W; st.global.u32 [%d2], %r2; atom.acq_rel.gpu.global.add.u32 %r7, [%q0], 1; setp.eq.u32 %p3, %r7, 7; selp.u32 %r8, 1, 0, %p3; st.shared.u32 [s], %r8;\nW: " BAR
     "ld.shared.u32 %r8, [s]; setp.eq.u32 %p3, %r8, 0; @%p3 exit; setp.gt.u32 %p4, %r1, 7; @%p4 exit; mul.wide.u32 %d3, %r1, 4; add.u64 %d3, %q1, %d3; ld.global.u32 %r9, [%d3];", 8, 64, 0, 0, ""},
    {"last block without a fence", S, LAST(PARTIAL, "", ""), 8, 64, 14, 10, "__threadfence()"},
    {"last block, only the reader's fence", S, LAST(PARTIAL, "", GL), 8, 64, 14, 10, "__threadfence()"},
    {"last block, only the writer's fence", S, LAST(PARTIAL, GL, ""), 8, 64, 14, 10, "put it before line 14"},
    {"last block, scope too small", S, LAST(PARTIAL, CTA, CTA), 8, 64, 14, 10, "has the scope of a block"},
    {"last block, atomic's scope too small", S,
     P "@%p2 exit;" L(15) "atom.global.cta.add.u32 %r7, [%q0], 1;", 8, 64, 15, 15, "scope of a block only"},
    {"last block, volatile loads", S,
     P "@%p2 bra W; st.global.u32 [%d2], %r2;" GL "atom.global.add.u32 %r7, [%q0], 1; setp.eq.u32 %p3, %r7, 7; selp.u32 %r8, 1, 0, %p3; st.shared.u32 [s], %r8;\nW: " BAR
     "ld.shared.u32 %r8, [s]; setp.eq.u32 %p3, %r8, 0; @%p3 exit; setp.gt.u32 %p4, %r1, 7; @%p4 exit; mul.wide.u32 %d3, %r1, 4; add.u64 %d3, %q1, %d3; ld.volatile.global.u32 %r9, [%d3];", 8, 64, 0, 0, ""},
    {"last block, volatile partial sums", S,
     P "@%p2 bra W; st.volatile.global.u32 [%d2], %r2;" GL "atom.global.add.u32 %r7, [%q0], 1; setp.eq.u32 %p3, %r7, 7; selp.u32 %r8, 1, 0, %p3; st.shared.u32 [s], %r8;\nW: " BAR
     "ld.shared.u32 %r8, [s]; setp.eq.u32 %p3, %r8, 0; @%p3 exit; setp.gt.u32 %p4, %r1, 7; @%p4 exit; mul.wide.u32 %d3, %r1, 4; add.u64 %d3, %q1, %d3; ld.volatile.global.u32 %r9, [%d3];", 8, 64, 0, 0, ""},
    {"all threads write, one makes the fence", S,
     P "mul.wide.u32 %d5, %r4, 4; add.u64 %d5, %q1, %d5;" L(16) "st.global.u32 [%d5], %r4;\n@%p2 bra W;" GL "atom.global.add.u32 %r7, [%q0], 1; setp.eq.u32 %p3, %r7, 7; selp.u32 %r8, 1, 0, %p3; st.shared.u32 [s], %r8;\nW: " BAR GL
     "ld.shared.u32 %r8, [s]; setp.eq.u32 %p3, %r8, 0; @%p3 exit; mul.wide.u32 %d3, %r1, 4; add.u64 %d3, %q1, %d3;" L(17) "ld.global.u32 %r9, [%d3+128];", 8, 64, 17, 16, "between two blocks"},
    {"all threads write, a barrier, one makes the fence", S,
     P "mul.wide.u32 %d5, %r4, 4; add.u64 %d5, %q1, %d5; st.global.u32 [%d5], %r4;" BAR "@%p2 bra W;" GL "atom.global.add.u32 %r7, [%q0], 1; setp.eq.u32 %p3, %r7, 7; selp.u32 %r8, 1, 0, %p3; st.shared.u32 [s], %r8;\nW: " BAR GL
     "ld.shared.u32 %r8, [s]; setp.eq.u32 %p3, %r8, 0; @%p3 exit; mul.wide.u32 %d3, %r1, 4; add.u64 %d3, %q1, %d3; ld.global.u32 %r9, [%d3+128];", 8, 64, 0, 0, ""},

    {"look back", "", FLAG BACK(FLAG "ld.volatile.global.u32 %r8, [%d4+-4];", GL, GL, "st.volatile.global.u32 [%d4], %r8;"), 200, 32, 0, 0, ""},
    {"look back, acquire and release", "", BACK(FLAG "ld.acquire.gpu.global.u32 %r8, [%d4+-4];", "", "", "st.release.gpu.global.u32 [%d4], %r8;"), 40, 32, 0, 0, ""},
    {"look back without release", "", BACK(FLAG "ld.acquire.gpu.global.u32 %r8, [%d4+-4];", "", "", "st.relaxed.gpu.global.u32 [%d4], %r8;"), 40, 32, 21, 22, "between two blocks"},
    {"look back without acquire", "", BACK(FLAG "ld.relaxed.gpu.global.u32 %r8, [%d4+-4];", "", "", "st.release.gpu.global.u32 [%d4], %r8;"), 40, 32, 21, 22, "put it before line 21"},
    {"look back, block scope", "", BACK(FLAG "ld.acquire.cta.global.u32 %r8, [%d4+-4];", "", "", "st.release.cta.global.u32 [%d4], %r8;"), 40, 32, 20, 23, "scope of a block"},
    {"look back, volatile flag without fence", "", BACK(FLAG "ld.volatile.global.u32 %r8, [%d4+-4];", "", "", "st.volatile.global.u32 [%d4], %r8;"), 40, 32, 21, 22, "__threadfence()"},
    {"look back, plain poll", "", BACK(FLAG "ld.global.u32 %r8, [%d4+-4];", GL, GL, "st.volatile.global.u32 [%d4], %r8;"), 40, 32, 20, 23, "plain"},
    {"look back, plain flag", "", BACK(FLAG "ld.volatile.global.u32 %r8, [%d4+-4];", GL, GL, "st.global.u32 [%d4], %r8;"), 40, 32, 20, 23, "plain"},

    {"spin lock", "", LOCK(GL, GL, UNLOCK), 6, 32, 0, 0, ""},
    {"spin lock, volatile unlock", "", LOCK(GL, GL, "mov.u32 %r7, 0; st.volatile.global.u32 [%q0], %r7;"), 6, 32, 0, 0, ""},
    {"spin lock without fences", "", LOCK("", "", UNLOCK), 6, 32, 31, 32, "__threadfence()"},
    {"spin lock, no fence before unlock", "", LOCK(GL, "", UNLOCK), 6, 32, 31, 32, "__threadfence()"},
    {"spin lock, no fence behind lock", "", LOCK("", GL, UNLOCK), 6, 32, 31, 32, "put it before line 31"},
    {"spin lock, block scope", "", LOCK(CTA, CTA, UNLOCK), 6, 32, 31, 32, "scope of a block"},

    {"grid barrier", "", GRID(GL, GL), 4, 64, 0, 0, ""},
    {"grid barrier without fences", "", GRID("", ""), 4, 64, 43, 40, "__threadfence()"},
    {"grid barrier, one fence", "", GRID(GL, ""), 4, 64, 43, 40, "put it before line 43"},

    {"named barrier", S, NAMED("bar.sync 1, 64;", "bar.sync 1, 64;"), 1, 64, 0, 0, ""},
    {"arrive and sync", S, NAMED("bar.arrive 1, 64;", "bar.sync 1, 64;"), 1, 64, 0, 0, ""},
    {"named barrier, too few", S, NAMED("bar.sync 1, 64;", "setp.gt.u32 %p4, %r1, 63; @%p4 bra N; bar.sync 1, 64;\nN: "), 1, 96, 51, 50, "__syncthreads()"},
    {"wrong barrier", S, NAMED("bar.sync 1, 32;", "bar.sync 2, 32;"), 1, 64, 51, 50, "__syncthreads()"},
    {"the reader only arrives", S, NAMED("bar.sync 1, 64;", "bar.arrive 1, 64;"), 1, 64, 51, 50, "__syncthreads()"},

    {"cp.async", S, COPY("cp.async.wait_all;", BAR), 1, 64, 0, 0, ""},
    {"cp.async without wait", S, COPY("", BAR), 1, 64, 61, 60, "has not been waited for"},
    {"cp.async without barrier", S, COPY("cp.async.wait_group 0;", ""), 1, 64, 61, 60, "__syncwarp()"},
    {"cp.async, own word, waited for", S, P MY "cp.async.ca.shared.global [%r6], [%d1], 4; cp.async.wait_all; ld.shared.u32 %r9, [%r6];", 1, 64, 0, 0, ""},
    {"cp.async, own word", S, P MY L(62) "cp.async.ca.shared.global [%r6], [%d1], 4;" L(63) "ld.shared.u32 %r9, [%r6];", 1, 64, 63, 62, "has not been waited for"},
    {"cp.async, the group before", S, P MY L(64) "cp.async.ca.shared.global [%r6], [%d1], 4; cp.async.commit_group; cp.async.ca.shared.global [%r6+1024], [%d1], 4; cp.async.commit_group; cp.async.wait_group 1; ld.shared.u32 %r9, [%r6]; " L(65) "ld.shared.u32 %r9, [%r6+1024];", 1, 64, 65, 64, "has not been waited for"},
    {"cp.async and mbarrier", S, P MY "mov.u32 %r10, s; add.u32 %r10, %r10, 1024; @%p1 mbarrier.init.shared.b64 [%r10], 64;" BAR "cp.async.ca.shared.global [%r6], [%d1], 4; cp.async.mbarrier.arrive.noinc.shared.b64 [%r10]; mov.u32 %r11, 0;\nM: mbarrier.test_wait.parity.shared.b64 %p5, [%r10], %r11; @!%p5 bra M;\n xor.b32 %r7, %r1, 33; mul.lo.u32 %r7, %r7, 4; mov.u32 %r8, s; add.u32 %r7, %r7, %r8; ld.shared.u32 %r9, [%r7];", 1, 64, 0, 0, ""},

    {"mbarrier", S, MEET(WRITE, "", "", PASS), 1, 64, 0, 0, ""},
    {"mbarrier, no wait", S, MEET(WRITE, "", "", ""), 1, 64, 71, 70, "__syncthreads()"},
    {"mbarrier, a store behind the arrival", S, MEET("", "", WRITE, PASS), 1, 64, 71, 70, "__syncthreads()"},

    {"lanes, shared", S, LANES_OF("shared", "%r6", "", "bar.warp.sync 0xffffffff;"), 1, 64, 0, 0, ""},
    {"lanes, shared, no __syncwarp", S, LANES_OF("shared", "%r6", "", ""), 1, 64, 81, 80, "__syncwarp()"},
    {"lanes, volatile, no __syncwarp", S, LANES_OF("shared", "%r6", ".volatile", ""), 1, 64, 81, 80, "__syncwarp()"},
    {"lanes, global", S, LANES_OF("global", "%d1", "", "bar.warp.sync 0xffffffff;"), 2, 64, 0, 0, ""},
    {"lanes, global, no __syncwarp", S, LANES_OF("global", "%d1", "", ""), 2, 64, 81, 80, "put it between line 80 and line 81"},

    {"warps, global, barrier", "", P "st.global.u32 [%d1], %r4;" BAR "xor.b32 %r7, %r4, 32; mul.wide.u32 %d3, %r7, 4; add.u64 %d3, %q0, %d3; ld.global.u32 %r9, [%d3];", 3, 64, 0, 0, ""},
    {"warps, global", "", P L(90) "st.global.u32 [%d1], %r4; xor.b32 %r7, %r4, 32; mul.wide.u32 %d3, %r7, 4; add.u64 %d3, %q0, %d3;" L(91) "ld.global.u32 %r9, [%d3];", 3, 64, 91, 90, "between two warps, without __syncthreads(): put it between line 90 and line 91"},
    {"blocks", "", P L(92) "st.global.u32 [%d1], %r4; setp.eq.u32 %p3, %r2, 0; @%p3 exit;" L(93) "ld.global.u32 %r9, [%d1+-256];", 3, 64, 93, 92, "between two blocks, without __threadfence() and a flag"},
    {"blocks, read then written", "", P L(94) "ld.global.u32 %r9, [%d1+256];" L(95) "st.global.u32 [%d1], %r4;", 3, 64, 95, 94, "between two blocks"},
    {"blocks, their own words", "", P "ld.global.u32 %r9, [%d1]; add.u32 %r9, %r9, 1; st.global.u32 [%d1], %r9;", 300, 64, 0, 0, ""},
    {"blocks, two words a lane", "", P "mul.wide.u32 %d3, %r4, 8; add.u64 %d3, %q0, %d3; st.global.v2.u32 [%d3], {%r1, %r2}; ld.global.v2.u32 {%r7, %r8}, [%d3];", 3, 64, 0, 0, ""},
    {"blocks, overlapping pairs", "", P "mul.wide.u32 %d3, %r2, 1024; mul.wide.u32 %d4, %r1, 8; add.u64 %d3, %d3, %d4; add.u64 %d3, %q0, %d3;" L(96) "st.global.v2.u32 [%d3], {%r1, %r2};\nsetp.ne.u32 %p3, %r2, 1; @%p3 exit;" L(97) "ld.global.u32 %r9, [%d3+-1024];", 3, 64, 97, 96, "between two blocks"},

    {"one value, all blocks", "", P "mov.u32 %r7, 5; st.global.u32 [%q0], %r7;", 3, 64, 0, 0, ""},
    {"one value, four words", "", P "mov.u32 %r7, 5; st.global.v4.u32 [%q0], {%r7, %r7, %r7, %r7};", 3, 64, 0, 0, ""},
    {"many values, all blocks", "", P L(98) "st.global.u32 [%q0], %r2;", 3, 64, 98, 98, "in several blocks"},
    {"bytes of one word", "", P "cvt.u64.u32 %d3, %r4; add.u64 %d3, %q0, %d3; st.global.u8 [%d3], %r1; ld.global.u8 %r7, [%d3]; st.global.u8 [%d3], %r7;", 3, 32, 0, 0, ""},
    {"bytes of one word, shared", S, P "mov.u32 %r6, s; add.u32 %r6, %r6, %r1; st.shared.u8 [%r6], %r1; ld.shared.u8 %r7, [%r6]; st.shared.u8 [%r6], %r7;", 1, 96, 0, 0, ""},
    {"bytes of the neighbour", "", P "cvt.u64.u32 %d3, %r4; add.u64 %d3, %q0, %d3;" L(99) "st.global.u8 [%d3], %r1;" L(100) "ld.global.u8 %r7, [%d3+1];", 3, 32, 100, 99, ""},
    {"halves of one word", "", P "mul.wide.u32 %d3, %r4, 2; add.u64 %d3, %q0, %d3; cvt.u16.u32 %h1, %r1; st.global.u16 [%d3], %h1; ld.global.u16 %h2, [%d3];", 3, 32, 0, 0, ""},

    {"atomics", "", P "atom.global.add.u32 %r7, [%q0], 1; red.global.max.u32 [%q1], %r1;", 4, 64, 0, 0, ""},
    {"atomics of block scope in one block", "", P "atom.global.cta.add.u32 %r7, [%d2], 1;", 4, 64, 0, 0, ""},
    {"an atomic and a volatile load", "", P "atom.global.add.u32 %r7, [%q0], 1; ld.volatile.global.u32 %r8, [%q0];", 4, 64, 0, 0, ""},
    {"an atomic and a plain load", "", P L(101) "ld.global.u32 %r8, [%q0];" L(102) "red.global.add.u32 [%q0], 1;", 4, 64, 102, 101, ""},
    {"an atomic and a plain store", "", P L(103) "red.global.add.u32 [%q0], 1; setp.ne.u32 %p3, %r4, 70; @%p3 exit;" L(104) "st.global.u32 [%q0], %r4;", 4, 64, 104, 103, ""},
    {"a shared counter", S, P "@%p1 st.shared.u32 [s], %r1;" BAR "atom.shared.add.u32 %r7, [s], 1;" BAR "ld.shared.u32 %r8, [s];", 2, 64, 0, 0, ""},
    {"a shared counter, no barrier", S, P "@%p1 st.shared.u32 [s], %r1;" BAR L(105) "atom.shared.add.u32 %r7, [s], 1;" L(106) "ld.shared.u32 %r8, [s];", 2, 64, 106, 105, "__syncwarp()"},
    {"a flag in shared memory", S, P "mov.u32 %r7, 0; @%p1 st.shared.u32 [s], %r7;" BAR "setp.gt.u32 %p3, %r1, 31; @%p3 bra C; @%p2 exit; st.shared.u32 [s+64], %r3;" CTA "mov.u32 %r7, 1; st.volatile.shared.u32 [s], %r7; exit;\nC: ld.volatile.shared.u32 %r8, [s]; setp.eq.u32 %p4, %r8, 0; @%p4 bra C;" CTA "ld.shared.u32 %r9, [s+64];", 2, 64, 0, 0, ""},
    {"a flag in shared memory without fences", S, P "mov.u32 %r7, 0; @%p1 st.shared.u32 [s], %r7;" BAR "setp.gt.u32 %p3, %r1, 31; @%p3 bra C; @%p2 exit;" L(107) "st.shared.u32 [s+64], %r3; mov.u32 %r7, 1; st.volatile.shared.u32 [s], %r7; exit;\nC: ld.volatile.shared.u32 %r8, [s]; setp.eq.u32 %p4, %r8, 0; @%p4 bra C;" L(108) "ld.shared.u32 %r9, [s+64];", 2, 64, 108, 107, ""},

    {"the read-only cache", "", P "ld.global.nc.u32 %r7, [%d1]; mul.wide.u32 %d3, %r4, 4; add.u64 %d3, %q1, %d3; st.global.u32 [%d3], %r7;", 3, 64, 0, 0, ""},
    {"the read-only cache, then written in place", "", P "ld.global.nc.u32 %r7, [%d1+4];" BAR "setp.gt.u32 %p3, %r1, 62; @%p3 exit; st.global.u32 [%d1], %r7;", 1, 64, 0, 0, ""},
    {"the read-only cache of what is written", "", P L(109) "st.global.u32 [%d1], %r4;" BAR "xor.b32 %r7, %r4, 1; mul.wide.u32 %d3, %r7, 4; add.u64 %d3, %q0, %d3;" L(110) "ld.global.nc.u32 %r7, [%d3];", 3, 64, 110, 109, "read-only cache"},
};
enum { BYTES = 1 << 18 };

static void findings(const race_case *c, int workers, int launches, char *to, size_t size)
{
    simt_device *d = lab_open(workers, true);
    uint64_t p[4] = {0};
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(simt_alloc(d, BYTES, &p[i]), 0);
        p[i] += 0;
        simt_fill(d, p[i], 0, BYTES);
    }
    for (int i = 0; i < launches; i++) {
        int error = lab_run(d, lab_program(c->functions, c->body), c->grid, c->block, p, 4);
        const simt_fault *f = simt_fault_at(d, 0);
        ck_assert_msg(!error, "%s: %d %s", c->name, error, f ? f->detail : "");
        simt_fill(d, p[0], 0, BYTES);
    }
    size_t n = 0;
    to[0] = 0;
    const simt_fault *f;
    for (size_t i = 0; (f = simt_fault_at(d, i)); i++)
        n += (size_t)snprintf(to + n, size - n,
                              "%d after %d (%s %u.%u after %s %u.%u at %s %lld of %zu): %s\n",
                              f->at.line, f->other.line, f->access, f->at.block[0],
                              f->at.thread[0], f->other_access, f->other.block[0],
                              f->other.thread[0], f->space, (long long)f->distance,
                              f->nearest_bytes, f->detail);
    simt_close(d);
}

START_TEST(finds_what_is_missing_and_nothing_else)
{
    const race_case *c = &cases[_i];
    static char one[1 << 14], two[1 << 14];
    findings(c, 1, 1, one, sizeof one);
    if (!c->line) {
        ck_assert_msg(!*one, "%s:\n%s", c->name, one);
    } else {
        char place[64];
        snprintf(place, sizeof place, "%d after %d (", c->line, c->other);
        const char *at = strstr(one, place);
        ck_assert_msg(at != NULL, "%s: no %s in\n%s", c->name, place, one);
        ck_assert_msg(strstr(at, c->says) && strstr(at, c->says) < strchr(at, '\n'),
                      "%s: no '%s' in\n%s", c->name, c->says, at);
    }
    findings(c, 2, 1, two, sizeof two);
    ck_assert_str_eq(one, two);
    if (!c->line) { // the launch before is over
        findings(c, 1, 2, two, sizeof two);
        ck_assert_msg(!*two, "%s, twice:\n%s", c->name, two);
    }
}
END_TEST

// ---- Orders ---------------------------------------------------------------------

static uint64_t in_order(uint64_t schedule, int workers, unsigned checks, const char *body,
                         uint32_t grid, uint32_t block)
{
    simt_config config = {
        .schedule = schedule, .workers = workers, .checks = checks, .memory = 1 << 26};
    simt_device *d = simt_open(&config);
    uint64_t p[4] = {0}, hash = 0;
    static uint32_t out[BYTES / 4];
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(simt_alloc(d, BYTES, &p[i]), 0);
        simt_fill(d, p[i], 0, BYTES);
    }
    ck_assert_int_eq(lab_run(d, lab_program(S, body), grid, block, p, 4), 0);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(simt_read(d, out, p[i], BYTES), 0);
        for (int k = 0; k < BYTES / 4; k++)
            hash = hash * 31 + out[k];
    }
    simt_close(d);
    return hash;
}

// Neighbours' words, added up between warps of a block, and a count of all threads.
#define SUMS(sync, count)                                                             \
    P MY "st.shared.u32 [%r6], %r4;\n" sync "add.u32 %r7, %r1, 32; rem.u32 %r7, %r7, 128; mul.lo.u32 %r7, %r7, 4;" \
    "mov.u32 %r8, s; add.u32 %r7, %r7, %r8; ld.shared.u32 %r9, [%r7]; st.global.u32 [%d1+64], %r9;\n" count
#define COUNTED "red.global.add.u32 [%q0], 1;"
#define BY_HAND "ld.global.u32 %r9, [%q0]; add.u32 %r9, %r9, 1; st.global.u32 [%q0], %r9;"

START_TEST(gives_one_result_in_every_order_where_there_is_no_race)
{
    static const char *const body[] = {SUMS(BAR, COUNTED), LOCK(GL, GL, UNLOCK), GRID(GL, GL),
                                       LAST(PARTIAL, GL, GL)};
    static const uint32_t grid[] = {40, 6, 4, 8}, block[] = {128, 32, 64, 64};
    uint64_t first = in_order(0, 0, 0, body[_i], grid[_i], block[_i]);
    for (uint64_t seed = 1; seed <= 20; seed++)
        ck_assert_msg(in_order(seed, 0, seed % 2 ? SIMT_CHECK_RACE : 0, body[_i],
                               grid[_i], block[_i]) == first, "order %d", (int)seed);
}
END_TEST

START_TEST(shows_a_race_in_some_order_and_again_in_the_same)
{
    static const char *const body[] = {SUMS("", COUNTED), SUMS(BAR, BY_HAND)};
    uint64_t first = in_order(0, 1, 0, body[_i], 40, 128), differs = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        uint64_t one = in_order(seed, 1, 0, body[_i], 40, 128);
        ck_assert(one == in_order(seed, 1, 0, body[_i], 40, 128));
        differs += one != first;
    }
    ck_assert_uint_gt(differs, 0);
}
END_TEST

START_TEST(knows_the_names_of_checks)
{
    unsigned checks = 0;
    ck_assert(simt_checks_named("race,sync", &checks));
    ck_assert_uint_eq(checks, SIMT_CHECK_RACE | SIMT_CHECK_SYNC);
    ck_assert(simt_checks_named("all", &checks) && checks == SIMT_CHECK_ALL);
    ck_assert(simt_checks_named(NULL, &checks) && !checks);
    ck_assert(simt_checks_named("", &checks) && !checks);
    ck_assert(!simt_checks_named("racing", &checks));
    ck_assert(!simt_checks_named("race,,init", &checks));
}
END_TEST

Suite *race_suite(void)
{
    Suite *s = suite_create("races");
    TCase *t = tcase_create("races");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, finds_what_is_missing_and_nothing_else, 0,
                        (int)(sizeof cases / sizeof *cases));
    tcase_add_loop_test(t, gives_one_result_in_every_order_where_there_is_no_race, 0, 4);
    tcase_add_loop_test(t, shows_a_race_in_some_order_and_again_in_the_same, 0, 2);
    tcase_add_test(t, knows_the_names_of_checks);
    suite_add_tcase(s, t);
    return s;
}
