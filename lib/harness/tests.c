// The tests: registered by test.c, run by Check, recorded here.
//
// Check runs in its no-fork mode: what may crash runs in the runner, not here. Check
// does not tell a test function its own name and case, so each case is registered as
// one number of a single loop test, a row of the table below. A failed test leaves by
// a jump to Check, which then calls the fixture's end; the record is written there.

#include "judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TESTS = 4096, STEPS = 64, HUNG_FUNCTIONS = 2, PRINTED = 4096 };

typedef struct row {
    enum { TEST, BUDGET, SPEED } kind;
    const TTest *test;
    const char *step;
    int i;
} row;

static row rows[TESTS];
static int row_count;
static const char *steps[STEPS];
static TCase *cases[STEPS];
static int step_count;
static const row *running;
static bool completed;
static double began;
static int ran, failures, hung_functions;
static const row *last_hung;
static bool any_failed;

TCase *wb_step(Suite *suite, const char *step)
{
    if (step_count == STEPS)
        die("more than %d steps", STEPS);
    // Check calls it by a name that it keeps; ours are the rows.
    TCase *made = tcase_create(step);
    steps[step_count] = step;
    cases[step_count++] = made;
    suite_add_tcase(suite, made);
    return made;
}

const char *wb_step_name(void)
{
    return option.step;
}

const char *tests_name(void)
{
    return running->test->name;
}

int tests_case(void)
{
    return running->i;
}

static const char *step_of(const TCase *tc)
{
    for (int i = 0; i < step_count; i++)
        if (cases[i] == tc)
            return steps[i];
    die("a test is added to a TCase that wb_step did not make");
}

static void add_row(row r)
{
    if (row_count == TESTS)
        die("more than %d cases", TESTS);
    rows[row_count++] = r;
}

void wb_add_test_(TCase *tc, const TTest *test, int first, int end)
{
    const char *step = step_of(tc);
    if (first >= end)
        die("test %s has no case", test->name);
    if (!option.list && strcmp(step, option.step) != 0)
        return;
    if (option.test && strcmp(test->name, option.test) != 0)
        return;
    for (int i = first; i < end; i++)
        add_row((row){TEST, test, step, i});
}

// ---- Records --------------------------------------------------------------------

static const char *message_of_failure(void)
{
    bool asks = failed.word == WRONG && !failed.fault && device_record();
    const char *ran = asks ? words_for_launches(device_record()) : NULL;
    return data_print("%s%s%s\nrepeat: SEED=%llu", failed.message,
                      ran ? "\nlaunched: " : "", ran ? ran : "",
                      (unsigned long long)option.seed);
}

static json_t *new_record(const char *kind)
{
    json_t *r = json_object();
    json_object_set_new(r, "record", json_string(kind));
    json_object_set_new(r, "step", json_string(option.step));
    return r;
}

static void set_text(json_t *r, const char *key, const char *text)
{
    json_object_set_new(r, key, text_of(text, strlen(text), 64 * 1024));
}

static void set_printed(json_t *r)
{
    size_t all = learner.printed_bytes + learner.dropped;
    if (all == 0)
        return;
    json_t *text = text_of(learner.printed, learner.printed_bytes, PRINTED);
    if (all > PRINTED) {
        json_t *whole =
            json_sprintf("%s\n... (%zu bytes in all)", json_string_value(text), all);
        json_decref(text);
        text = whole;
    }
    json_object_set_new(r, "printed", text);
}

static void write_test(void)
{
    json_t *r = new_record("test");
    set_text(r, "test", tests_name());
    json_object_set_new(r, "case", json_integer(running->i));
    json_object_set_new(r, "outcome", json_string(outcome_name(failed.word)));
    set_text(r, "message", failed.word == PASSED ? "" : message_of_failure());
    json_object_set_new(r, "seconds", json_real(round((now() - began) * 1e6) / 1e6));
    if (failed.fault)
        json_object_set(r, "fault", failed.fault);
    if (failed.mismatch)
        json_object_set(r, "mismatch", failed.mismatch);
    if (failed.at)
        json_object_set(r, "at", failed.at);
    set_printed(r);
    records_write(r);
}

static void write_budget(void)
{
    json_t *r = new_record("budget");
    bool measured = failed.word == PASSED;
    json_object_set_new(r, "outcome",
                        json_string(measured ? "measured" : outcome_name(failed.word)));
    set_text(r, "message", measured ? "" : message_of_failure());
    if (failed.fault)
        json_object_set(r, "fault", failed.fault);
    if (device_record())
        json_object_set(r, "device_record", device_record());
    records_write(r);
}

static void write_speed(void)
{
    json_t *r = speed_record() ? json_incref(speed_record()) : new_record("speed");
    if (failed.word != PASSED) {
        json_object_set_new(r, "outcome", json_string(outcome_name(failed.word)));
        set_text(r, "message", message_of_failure());
    }
    records_write(r);
}

// ---- Running --------------------------------------------------------------------

static bool hung_before(const row *r)
{
    return hung_functions >= HUNG_FUNCTIONS ||
           (last_hung && last_hung->test == r->test);
}

// A hang costs the whole time limit. One test function that hangs does not stop the
// others, two do.
static void begin(const row *r)
{
    if (!running || running->test != r->test)
        wb_fresh();
    running = r;
    completed = false;
    fail_reset();
    learner.printed_bytes = learner.dropped = 0;
    learner.left = option.seconds;
    began = now();
    data_begin(tests_name(), r->i);
    if (hung_before(r))
        fail_as(HUNG, "not run: %s hung before it", last_hung->test->name);
    if (r->kind == SPEED && any_failed)
        fail_as(WRONG, "not timed: a test of this step fails");
}

static void run_row(int i)
{
    begin(&rows[i]);
    if (running->kind == TEST)
        running->test->fn(running->i);
    else if (running->kind == BUDGET)
        workbook_budget(option.step);
    else
        workbook_speed(option.step);
    completed = true;
}

static void end_row(void)
{
    if (!completed && failed.word == PASSED) {
        failed.word = OURS;
        failed.message = strdup("the test ended in an unknown way");
    }
    // Print what came before the words about it.
    wb_printed();
    if (failed.word == HUNG && !hung_before(running)) {
        hung_functions++;
        last_hung = running;
    }
    any_failed |= failed.word != PASSED;
    if (running->kind == TEST) {
        ran++;
        failures += failed.word != PASSED;
        write_test();
    } else if (running->kind == BUDGET && (failed.word != PASSED || device_record())) {
        write_budget();
    } else if (running->kind == SPEED && (failed.word != PASSED || speed_record())) {
        write_speed();
    }
    device_forget();
    data_end();
}

int tests_run(int *failed_tests)
{
    static const TTest row_test = {"row", run_row, __FILE__, __LINE__};
    static const TTest budget = {"workbook_budget", NULL, __FILE__, __LINE__};
    static const TTest speed = {"workbook_speed", NULL, __FILE__, __LINE__};
    if (row_count == 0)
        die("step %s has no test%s%s", option.step, option.test ? " named " : "",
            option.test ? option.test : "");
    if (option.budget)
        add_row((row){BUDGET, &budget, option.step, 0});
    if (option.speed)
        add_row((row){SPEED, &speed, option.step, 0});

    Suite *suite = suite_create("workbook");
    TCase *tc = tcase_create(option.step);
    tcase_add_checked_fixture(tc, NULL, end_row);
    _tcase_add_test(tc, &row_test, 0, 0, 0, row_count);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, CK_SILENT);
    srunner_free(runner);
    wb_fresh();
    *failed_tests = failures;
    return ran;
}

void tests_list(void)
{
    json_t *list = json_array();
    for (int s = 0; s < step_count; s++) {
        json_t *step = json_object(), *tests = json_array();
        for (int i = 0; i < row_count; i++) {
            json_t *last = json_array_get(tests, json_array_size(tests) - 1);
            const char *name = json_string_value(json_object_get(last, "name"));
            if (strcmp(rows[i].step, steps[s]) != 0)
                continue;
            if (name && strcmp(name, rows[i].test->name) == 0) {
                json_int_t n = json_integer_value(json_object_get(last, "cases"));
                json_object_set_new(last, "cases", json_integer(n + 1));
                continue;
            }
            json_array_append_new(
                tests, json_pack("{s:s, s:i}", "name", rows[i].test->name, "cases", 1));
        }
        json_object_set_new(step, "name", json_string(steps[s]));
        json_object_set_new(step, "tests", tests);
        json_array_append_new(list, step);
    }
    records_write(json_pack("{s:i, s:o}", "harness", WIRE_VERSION, "steps", list));
}
