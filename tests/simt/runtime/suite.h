// The end of each test program: run its suite and say the counts in one line.

#ifndef SUITE_H
#define SUITE_H

#include <check.h>
#include <stdio.h>

static inline int run_suite(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int all = srunner_ntests_run(runner), failed = srunner_ntests_failed(runner);
    printf("counted %d %d\n", all - failed, failed + (all == 0));
    srunner_free(runner);
    return failed || !all;
}

#endif
