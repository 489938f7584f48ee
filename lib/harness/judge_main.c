// The judge: one process that decides, for one step of one unit, which tests pass.
//
// It is test.c linked with this library and Check. It makes no CUDA call, believes only
// data, and writes a record for each test. README.md has the theory of operation.

#include "judge.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

extern char **environ;

// Check reads variables of these names; a caller's must not choose our tests.
static void forget_check(void)
{
    for (char **e = environ; *e;) {
        char name[64];
        size_t n = strcspn(*e, "=");
        if (strncmp(*e, "CK_", 3) == 0 && n < sizeof name) {
            memcpy(name, *e, n);
            name[n] = 0;
            unsetenv(name);
        } else {
            e++;
        }
    }
}

static void write_start(void)
{
    json_t *r = json_pack("{s:s, s:s, s:s, s:I, s:i}", "record", "start", "step",
                          option.step, "device", option.emulated ? "emulator" : "gpu",
                          "seed", (json_int_t)option.seed, "harness", WIRE_VERSION);
    if (option.emulated)
        json_object_set_new(r, "gpu", json_string(option.gpu));
    records_write(r);
}

static void write_end(int tests, int failures)
{
    struct rusage self;
    getrusage(RUSAGE_SELF, &self);
    json_t *peak = json_object();
    json_object_set_new(peak, "judge", json_integer(self.ru_maxrss));
    json_object_set_new(peak, "device", json_integer(device_peak_kib()));
    json_object_set_new(peak, "runner", json_integer(learner.peak_kib));
    records_write(json_pack("{s:s, s:s, s:i, s:i, s:o}", "record", "end", "step",
                            option.step, "tests", tests, "failed", failures, "peak_kib",
                            peak));
}

int main(int argc, char **argv)
{
    forget_check();
    signal(SIGPIPE, SIG_IGN);
    options_read(argc, argv);
    records_open(option.records);

    Suite *suite = suite_create("registered");
    workbook_tests(suite);
    if (option.list) {
        tests_list();
    } else {
        learner.program = option.runner;
        ceilings.program = option.ceilings;
        write_start();
        device_start();
        int failures, tests = tests_run(&failures);
        link_end(&ceilings);
        device_end();
        write_end(tests, failures);
    }
    fail_reset();
    srunner_free(srunner_create(suite)); // the only way to free a suite
    return 0;
}
