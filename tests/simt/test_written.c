// Which bytes have been written: whatever is copied from where to where, at whatever
// offset, the device knows as much of its bytes as an array of flags does. And a kernel's
// loads: of wholly unwritten elements a finding each line, of padding none. And what no
// kernel has read.

#include "lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 700, TURNS = 4000 };

static simt_device *watched(void)
{
    simt_config config = {.workers = 1, .memory = 1 << 24, .checks = SIMT_CHECK_INIT};
    return simt_open(&config);
}

static const simt_fault *the_finding(simt_device *d)
{
    ck_assert_ptr_null(simt_fault_at(d, 1));
    return simt_fault_at(d, 0);
}

// What the host would read of it, against the flags.
static void compare(simt_device *d, uint64_t at, const bool *flags, size_t from, size_t n)
{
    size_t missing = 0, first = 0;
    for (size_t i = n; i-- > 0;)
        if (!flags[from + i]) {
            missing++;
            first = from + i;
        }
    simt_reset_record(d);
    simt_host_reads(d, at + from, n);
    const simt_fault *f = the_finding(d);
    if (!missing) {
        ck_assert_ptr_null(f);
        return;
    }
    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(f->kind, SIMT_UNINITIALISED);
    ck_assert_uint_eq(f->bytes, missing);
    ck_assert_uint_eq(f->address, at + first);
}

START_TEST(bytes_are_followed_through_writes_fills_and_copies)
{
    simt_device *d = watched();
    uint64_t at[2];
    static bool flags[2][BYTES], moved[BYTES];
    static char data[BYTES];
    memset(flags, 0, sizeof flags);
    srand(17);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(simt_alloc(d, BYTES, &at[i]), 0);
    for (int turn = 0; turn < TURNS; turn++) {
        int to = rand() % 2, what = rand() % 8;
        size_t n = (size_t)(rand() % (what ? 40 : 300)), a = (size_t)rand() % (BYTES - n),
               b = (size_t)rand() % (BYTES - n);
        if (what == 1) {
            ck_assert_int_eq(simt_write(d, at[to] + a, data, n), 0);
            memset(flags[to] + a, true, n);
        } else if (what == 2) {
            ck_assert_int_eq(simt_fill(d, at[to] + a, 7, n), 0);
            memset(flags[to] + a, true, n);
        } else if (what == 3) {
            simt_unwritten(d, at[to] + a, n);
            memset(flags[to] + a, false, n);
        } else {
            ck_assert_int_eq(simt_copy(d, at[to] + a, at[1 - to] + b, n), 0);
            memcpy(moved, flags[1 - to] + b, n);
            memcpy(flags[to] + a, moved, n);
        }
        compare(d, at[to], flags[to], a, n);
        if (turn % 500 == 499) { // as new again
            ck_assert_int_eq(simt_park(d, at[to], true), 0);
            ck_assert_int_eq(simt_park(d, at[to], false), 0);
            memset(flags[to], 0, BYTES);
        }
        if (turn % 100 == 0)
            compare(d, at[to], flags[to], 0, BYTES);
    }
    simt_close(d);
}
END_TEST

// A load of eight bytes, of which `count` from `from` on were written: found, or not?
static const struct {
    const char *load;
    size_t from, count;
    bool found;
} loads[] = {
    {"ld.global.u32 %r1, [%q0];", 0, 0, true},
    {"ld.global.u32 %r1, [%q0];", 0, 4, false},
    {"ld.global.u32 %r1, [%q0];", 0, 1, false}, // padding behind a char
    {"ld.global.u32 %r1, [%q0+4];", 0, 4, true},
    {"ld.global.v2.u32 {%r1, %r2}, [%q0];", 0, 4, true},
    {"ld.global.v2.u32 {%r1, %r2}, [%q0];", 0, 5, false},
    // A word of padding is copied with the rest of its struct, and used for nothing else.
    {"ld.global.v2.u32 {%r1, %r2}, [%q0]; st.local.v2.u32 [L], {%r1, %r2};", 0, 4, false},
    {"ld.global.v2.u32 {%r1, %r2}, [%q0]; st.local.v2.u32 [L], {%r1, %r2};", 4, 4, false},
    {"ld.global.v2.u32 {%r1, %r2}, [%q0]; st.local.v2.u32 [L], {%r1, %r2};", 0, 0, true},
    {"ld.global.v2.u32 {%r1, %r2}, [%q0]; st.local.u32 [L], %r2; add.u32 %r3, %r2, 1;", 0, 4, true},
    {"ld.global.u32 %r1, [%q0+4]; st.local.u32 [L], %r1;", 0, 4, true},
    {"ld.global.u64 %d1, [%q0];", 4, 4, false},
    {"ld.global.u8 %h1, [%q0+3];", 0, 3, true},
    {"ld.u32 %r1, [%q0];", 4, 4, true}, // generic
    {"st.global.u32 [%q0], 7; ld.global.u32 %r1, [%q0];", 0, 0, false},
    {"atom.global.add.u32 %r1, [%q0], 1;", 0, 0, true},
    {"red.global.add.u32 [%q0], 1; ld.global.u32 %r1, [%q0];", 0, 4, false},
    {"@!%p1 ld.global.u32 %r1, [%q0];", 0, 0, true},
    {"@%p1 ld.global.u32 %r1, [%q0];", 0, 0, false},
};

START_TEST(loads_of_unwritten_elements_are_found)
{
    simt_device *d = watched();
    char body[400];
    uint64_t at;
    static const char eight[8] = {0};
    snprintf(body, sizeof body, ".local .align 8 .b8 L[8];\nsetp.ne.u64 %%p1, %%q0, %%q0;\n%s\n",
             loads[_i].load);
    ck_assert_int_eq(simt_alloc(d, 8, &at), 0);
    ck_assert_int_eq(simt_write(d, at + loads[_i].from, eight, loads[_i].count), 0);
    ck_assert_int_eq(lab_run(d, lab_kernel(body), 1, 1, &at, 1), 0);
    const simt_fault *f = the_finding(d);
    ck_assert_msg(!f == !loads[_i].found, "%s", loads[_i].load);
    ck_assert(!f || f->kind == SIMT_UNINITIALISED);
    simt_close(d);
}
END_TEST

// A thread reads the word of its number, counted from %q0; line 77.
static const char *const one_word =
    ".loc 1 77 0\nmov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 4; add.u64 %d1, %d1, %q0;\n"
    "ld.global.u32 %r2, [%d1]; st.local.u32 [L], %r2;\n";
enum { WORDS = 100 };

static const char *unread_of(simt_device *d, uint64_t at, size_t bytes)
{
    static char text[400];
    FILE *out = fmemopen(text, sizeof text, "w");
    bool some = simt_write_unread(d, at, 4 * WORDS / bytes, bytes, out);
    fclose(out);
    return some ? text : NULL;
}

static const char *unread(simt_device *d, uint64_t at)
{
    return unread_of(d, at, 4);
}

static void read_words(simt_device *d, const char *body, uint64_t from, uint32_t count)
{
    char text[600];
    snprintf(text, sizeof text, ".local .align 8 .b8 L[8];\n%s", body);
    ck_assert_int_eq(lab_run(d, lab_kernel(text), 1, count, &from, 1), 0);
}

START_TEST(what_no_kernel_has_read_is_known)
{
    simt_device *d = lab_open(1, true);
    uint64_t at;
    ck_assert_int_eq(simt_alloc(d, 4 * WORDS, &at), 0);
    ck_assert_ptr_null(unread(d, at)); // none was launched
    read_words(d, one_word, at, 33);
    ck_assert_ptr_nonnull(strstr(unread(d, at), "{\"unread\":67,\"first\":33,\"last\":99,"));
    ck_assert_ptr_nonnull(strstr(unread(d, at), "\"line\":77"));
    // Of an element that was read in part the rest may be padding.
    ck_assert_ptr_nonnull(strstr(unread_of(d, at, 8), "{\"unread\":33,\"first\":17,\"last\":49,"));
    read_words(d, one_word, at + 4 * 67, 33); // the first launch still counts
    ck_assert_str_eq(unread(d, at), "{\"unread\":34,\"first\":33,\"last\":66}\n");
    read_words(d, "st.global.u32 [%q0], 1;", at + 4 * 40, 1); // who stores has touched it
    ck_assert_str_eq(unread(d, at), "{\"unread\":33,\"first\":33,\"last\":66}\n");
    read_words(d, one_word, at, WORDS);
    ck_assert_ptr_null(unread(d, at)); // all of it
    simt_reset_record(d);
    ck_assert_ptr_null(unread(d, at)); // none was launched since
    read_words(d, "mov.u32 %r1, 1;", at, 1);
    ck_assert_str_eq(unread(d, at), "{\"unread\":100,\"first\":0,\"last\":99}\n");
    read_words(d, one_word, at + 4, 1);
    ck_assert_ptr_nonnull(strstr(unread(d, at), "{\"unread\":99,\"first\":0,\"last\":99,"));
    simt_close(d);
    d = lab_open(1, false);
    ck_assert_int_eq(simt_alloc(d, 4 * WORDS, &at), 0);
    read_words(d, one_word, at, 33);
    ck_assert_ptr_null(unread(d, at)); // races are not looked for
    simt_close(d);
}
END_TEST

// By a bulk copy: its reads leave no stamp, so nothing is said of any.
START_TEST(what_is_read_aside_makes_it_unknown)
{
    simt_device *d = lab_open(1, true);
    uint64_t at;
    char body[600];
    snprintf(body, sizeof body,
             "%s.shared .align 128 .b8 s[128];\n.shared .align 8 .b64 m;\nmov.u32 %%r5, s;\n"
             "mov.u32 %%r6, m;\nmbarrier.init.shared.b64 [%%r6], 1;\n"
             "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
             "[%%r5], [%%q0], 64, [%%r6];\n", one_word);
    ck_assert_int_eq(simt_alloc(d, 4 * WORDS, &at), 0);
    read_words(d, body, at, 1);
    ck_assert_ptr_null(unread(d, at));
    simt_close(d);
}
END_TEST

Suite *written_suite(void)
{
    Suite *s = suite_create("written");
    TCase *t = tcase_create("written");
    tcase_add_test(t, bytes_are_followed_through_writes_fills_and_copies);
    tcase_add_loop_test(t, loads_of_unwritten_elements_are_found, 0,
                        sizeof loads / sizeof *loads);
    tcase_add_test(t, what_no_kernel_has_read_is_known);
    tcase_add_test(t, what_is_read_aside_makes_it_unknown);
    suite_add_tcase(s, t);
    return s;
}
