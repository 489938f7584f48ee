// What wrong elements have in common: where they lie, and what they hold. A learner who
// sees "every element from 256 on" has half the bug.

#include "judge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 256 };

// Do exactly the elements first, first + step, ... fail?
static bool every(const comparison *c, size_t first, size_t last, size_t wrong,
                  size_t step)
{
    if (c->n - first <= step || (c->n - 1 - first) / step + 1 != wrong)
        return false;
    for (size_t i = first; i <= last; i += step)
        if (!c->wrong(c, i))
            return false;
    return true;
}

static const char *ordinal(size_t n)
{
    bool teen = n / 10 % 10 == 1;
    const char *ending = teen          ? "th"
                         : n % 10 == 1 ? "st"
                         : n % 10 == 2 ? "nd"
                         : n % 10 == 3 ? "rd"
                                       : "th";
    return n == 2 ? "second" : data_print("%zu%s", n, ending);
}

static const char *where(const comparison *c, size_t first, size_t last, size_t wrong)
{
    if (wrong == c->n)
        return c->n == 1 ? NULL : "every element";
    if (wrong == 1)
        return first == c->n - 1 ? "only the last element"
               : first == 0      ? "only the first element"
                                 : NULL;
    if (last - first + 1 == wrong && last == c->n - 1) {
        if (first % BLOCK == 0 && c->n - first <= BLOCK)
            return data_print("only the last block of %d (from %zu on)", BLOCK, first);
        return data_print("every element from %zu on", first);
    }
    if (last - first + 1 == wrong)
        return data_print("only elements %zu to %zu", first, last);
    size_t second = first + 1;
    while (!c->wrong(c, second))
        second++;
    if (every(c, first, last, wrong, second - first))
        return data_print("every %s element from %zu on", ordinal(second - first),
                          first);
    return NULL;
}

typedef bool (*property)(const comparison *c, size_t i, const void *extra);

static bool is_unwritten(const comparison *c, size_t i, const void *extra)
{
    (void)extra;
    return never_written((const char *)c->got + i * c->got_bytes, c->got_bytes);
}

static bool is_zero(const comparison *c, size_t i, const void *extra)
{
    (void)extra;
    return c->value(c->got, i) == 0;
}

static bool is_nan(const comparison *c, size_t i, const void *extra)
{
    (void)extra;
    return isnan(c->value(c->got, i));
}

static bool is_input(const comparison *c, size_t i, const void *input)
{
    return memcmp((const char *)c->got + i * c->got_bytes,
                  (const char *)input + i * c->got_bytes, c->got_bytes) == 0;
}

static bool is_previous(const comparison *c, size_t i, const void *extra)
{
    (void)extra;
    return i == 0 || (float)c->value(c->got, i) == (float)c->expected(c->want, i - 1);
}

static bool is_next(const comparison *c, size_t i, const void *extra)
{
    (void)extra;
    return i == c->n - 1 ||
           (float)c->value(c->got, i) == (float)c->expected(c->want, i + 1);
}

static bool is_negative(const comparison *c, size_t i, const void *extra)
{
    (void)extra;
    return (float)c->value(c->got, i) == -(float)c->expected(c->want, i);
}

static bool is_double(const comparison *c, size_t i, const void *extra)
{
    (void)extra;
    return (float)c->value(c->got, i) == 2 * (float)c->expected(c->want, i);
}

// Do all wrong elements have it?
static bool all(const comparison *c, size_t first, size_t last, property has,
                const void *extra)
{
    for (size_t i = first; i <= last; i++)
        if (c->wrong(c, i) && !has(c, i, extra))
            return false;
    return true;
}

static const char *what(const comparison *c, size_t first, size_t last, size_t wrong)
{
    if (all(c, first, last, is_unwritten, NULL))
        return "never written";
    size_t after = 0;
    const char *name;
    for (const void *in; (in = input_like(c->n * c->got_bytes, &after, &name));)
        if (all(c, first, last, is_input, in))
            return data_print("a copy of %s", name);
    if (all(c, first, last, is_zero, NULL))
        return "zero";
    if (all(c, first, last, is_nan, NULL))
        return "NaN";
    if (wrong > 2 && all(c, first, last, is_previous, NULL))
        return "what belongs one position earlier";
    if (wrong > 2 && all(c, first, last, is_next, NULL))
        return "what belongs one position later";
    if (all(c, first, last, is_negative, NULL))
        return "the expected value with its sign changed";
    if (all(c, first, last, is_double, NULL))
        return "twice the expected value";
    return NULL;
}

char *pattern_of(const comparison *c, size_t first, size_t last, size_t wrong)
{
    const char *there = where(c, first, last, wrong),
               *that = what(c, first, last, wrong);
    if (there && that)
        return data_print("%s: %s", there, that);
    return there || that ? data_print("%s", there ? there : that) : NULL;
}
