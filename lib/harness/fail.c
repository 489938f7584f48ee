// How a test ends early: the reason is kept, then Check jumps out of the test.

#include "judge.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#undef _ck_assert_failed

failure failed;

const char *outcome_name(outcome word)
{
    static const char *const names[] = {"passed", "wrong",   "crashed",
                                        "hung",   "refused", "ours"};
    return names[word];
}

void fail_reset(void)
{
    free(failed.message);
    json_decref(failed.fault);
    json_decref(failed.mismatch);
    json_decref(failed.at);
    failed = (failure){0};
}

static _Noreturn void end_test(outcome word, char *message)
{
    failed.word = word;
    failed.message = message;
    _ck_assert_failed(__FILE__, __LINE__, "failed", NULL);
}

static char *formatted(const char *format, va_list arguments)
{
    char *text = NULL;
    if (vasprintf(&text, format, arguments) < 0)
        die("out of memory");
    return text;
}

void fail_as(outcome word, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *message = formatted(format, arguments);
    va_end(arguments);
    end_test(word, message);
}

void wb_fail_(const char *condition, const char *file, int line, const char *format,
              ...)
{
    (void)condition, (void)file, (void)line; // of the test: not the learner's to read
    va_list arguments;
    va_start(arguments, format);
    char *message = formatted(format, arguments);
    va_end(arguments);
    end_test(WRONG, message);
}

void wb_assert_failed_(const char *file, int line, const char *expression,
                       const char *format, ...)
{
    (void)file, (void)line;
    char *message = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (format)
        message = formatted(format, arguments);
    else if (asprintf(&message, "%s", expression) < 0)
        die("out of memory");
    va_end(arguments);
    end_test(WRONG, message);
}
