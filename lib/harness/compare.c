// Expectations about arrays. Every question is "not within the bound", never "beyond
// it", because a NaN is neither.

#include "judge.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- Elements -------------------------------------------------------------------

#define ELEMENT(name, type, format, as)                                                \
    static double value_##name(const void *array, size_t i)                            \
    {                                                                                  \
        return (double)((const type *)array)[i];                                       \
    }                                                                                  \
    static void print_##name(char *text, const void *array, size_t i)                  \
    {                                                                                  \
        snprintf(text, 64, format, (as)((const type *)array)[i]);                      \
    }

ELEMENT(u8, unsigned char, "0x%02x", unsigned)
ELEMENT(u32, uint32_t, "%" PRIu32, uint32_t)
ELEMENT(i32, int32_t, "%" PRIi32, int32_t)
ELEMENT(u64, uint64_t, "%" PRIu64, uint64_t)
ELEMENT(f32, float, "%.9g", double)
ELEMENT(f64, double, "%.17g", double)

static bool bits_differ(const comparison *c, size_t i)
{
    return memcmp((const char *)c->got + i * c->got_bytes,
                  (const char *)c->want + i * c->want_bytes, c->got_bytes) != 0;
}

// A NaN that is still the poison is no answer, even where a NaN is expected.
static bool poison(const comparison *c, size_t i)
{
    return never_written((const char *)c->got + i * c->got_bytes, c->got_bytes);
}

static bool f32_differs(const comparison *c, size_t i)
{
    if (isnan(((const float *)c->got)[i]) && isnan(((const float *)c->want)[i]))
        return poison(c, i);
    return bits_differ(c, i);
}

static bool too_far(const comparison *c, size_t i)
{
    double got = c->value(c->got, i), want = c->expected(c->want, i);
    if (isnan(want))
        return !isnan(got) || poison(c, i);
    if (isinf(want))
        return got != want;
    return !(fabs(got - want) <= c->bound[c->each_bound ? i : 0]);
}

// ---- The report -----------------------------------------------------------------

static json_t *mismatch(const comparison *c, size_t first, const char *got,
                        const char *want, const char *error, const char *bound,
                        size_t wrong, const char *pattern)
{
    json_t *m = json_object();
    json_object_set_new(m, "what", json_string(c->what));
    json_object_set_new(m, "index", json_integer((json_int_t)first));
    json_object_set_new(m, "got", json_string(got));
    json_object_set_new(m, "want", json_string(want));
    if (error)
        json_object_set_new(m, "error", json_string(error));
    if (bound)
        json_object_set_new(m, "bound", json_string(bound));
    json_object_set_new(m, "wrong", json_integer((json_int_t)wrong));
    json_object_set_new(m, "of", json_integer((json_int_t)c->n));
    if (pattern)
        json_object_set_new(m, "pattern", json_string(pattern));
    return m;
}

// The line that stored the element, or one that stores such, in words and in the record; and
// what of the inputs was not read.
static const char *told_where(const comparison *c, size_t i)
{
    size_t offset = i * c->got_bytes;
    const char *at_host = (const char *)c->got + offset;
    json_t *by = device_writer(area_address(at_host, c->what, offset));
    const json_t *at = by ? by : storing_line(device_record());
    const char *said = "";
    failed.at = json_incref((json_t *)(uintptr_t)at); // NULL: stays NULL
    if (by)
        said = data_print("\n%s[%zu] was stored at %s, %s", c->what, i, words_for_place(by),
                          words_for_thread(by));
    else if (at)
        said = data_print("\nthe last launch stores at %s", words_for_place(at));
    json_decref(by);
    return data_print("%s%s", said, area_unread());
}

static void compare(const comparison *c)
{
    size_t wrong = 0, first = 0, last = 0;
    if (c->wrong == bits_differ && memcmp(c->got, c->want, c->n * c->got_bytes) == 0)
        return; // most often, and quickly
    for (size_t i = 0; i < c->n; i++) {
        if (!c->wrong(c, i))
            continue;
        first = wrong++ ? first : i;
        last = i;
    }
    if (wrong == 0)
        return;
    char got[64] = "never written", want[64];
    bool unwritten = poison(c, first);
    if (!unwritten)
        c->print(got, c->got, first);
    c->print_want(want, c->want, first);
    const char *error = NULL, *bound = NULL, *says = "";
    if (c->bound && !unwritten) {
        double distance = fabs(c->value(c->got, first) - c->expected(c->want, first));
        error = data_print("%.3g", distance);
        bound = data_print("%.3g", c->bound[c->each_bound ? first : 0]);
        says = data_print(", error %s, bound %s", error, bound);
    }
    const char *pattern = pattern_of(c, first, last, wrong);
    failed.mismatch = mismatch(c, first, got, want, error, bound, wrong, pattern);
    const char *stored = told_where(c, first);
    fail_as(WRONG, "%s[%zu] %s %s, expected %s%s\n%zu of %zu differ%s%s%s%s", c->what,
            first, unwritten ? "was" : "is", got, want, says, wrong, c->n,
            wrong == 1 ? "s" : "", pattern ? ": " : "", pattern ? pattern : "",
            stored);
}

// ---- The expectations -----------------------------------------------------------

#define SAME(type, differ)                                                             \
    compare(&(comparison){what, got, want, n, sizeof *got, sizeof *want, NULL, false,  \
                          differ, value_##type, value_##type, print_##type,            \
                          print_##type})
#define NEAR(type, bounds, each)                                                       \
    compare(&(comparison){what, got, want, n, sizeof *got, sizeof *want, bounds, each, \
                          too_far, value_##type, value_f64, print_##type, print_f64})

void wb_equal_u32(const char *what, const uint32_t *got, const uint32_t *want, size_t n)
{
    SAME(u32, bits_differ);
}

void wb_equal_i32(const char *what, const int32_t *got, const int32_t *want, size_t n)
{
    SAME(i32, bits_differ);
}

void wb_equal_u64(const char *what, const uint64_t *got, const uint64_t *want, size_t n)
{
    SAME(u64, bits_differ);
}

void wb_equal_f32(const char *what, const float *got, const float *want, size_t n)
{
    SAME(f32, f32_differs);
}

void wb_equal_bytes(const char *what, const void *got_, const void *want_, size_t n)
{
    const unsigned char *got = got_, *want = want_;
    SAME(u8, bits_differ);
}

void wb_close_f32(const char *what, const float *got, const double *want, double bound,
                  size_t n)
{
    NEAR(f32, &bound, false);
}

void wb_near_f32(const char *what, const float *got, const double *want,
                 const double *bound, size_t n)
{
    NEAR(f32, bound, true);
}

void wb_close_f64(const char *what, const double *got, const double *want, double bound,
                  size_t n)
{
    NEAR(f64, &bound, false);
}
