// Which bytes have been written: whatever is copied from where to where, at whatever
// offset, the device knows as much of its bytes as an array of flags does. And a kernel's
// loads: of wholly unwritten elements a finding each line, of padding none.

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
    snprintf(body, sizeof body, "setp.ne.u64 %%p1, %%q0, %%q0;\n%s\n", loads[_i].load);
    ck_assert_int_eq(simt_alloc(d, 8, &at), 0);
    ck_assert_int_eq(simt_write(d, at + loads[_i].from, eight, loads[_i].count), 0);
    ck_assert_int_eq(lab_run(d, lab_kernel(body), 1, 1, &at, 1), 0);
    const simt_fault *f = the_finding(d);
    ck_assert_msg(!f == !loads[_i].found, "%s", loads[_i].load);
    ck_assert(!f || f->kind == SIMT_UNINITIALISED);
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
    suite_add_tcase(s, t);
    return s;
}
