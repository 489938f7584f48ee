// All suites of the device core.

#include "lab.h"

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    SRunner *runner = srunner_create(ops_suite());
    srunner_add_suite(runner, kernel_suite());
    srunner_add_suite(runner, counter_suite());
    srunner_add_suite(runner, view_suite());
    srunner_add_suite(runner, fault_suite());
    srunner_add_suite(runner, ladder_suite());
    srunner_add_suite(runner, texture_suite());
    srunner_add_suite(runner, call_suite());
    srunner_add_suite(runner, linking_suite());
    srunner_add_suite(runner, cooperation_suite());
    srunner_add_suite(runner, async_suite());
    srunner_add_suite(runner, atomic_suite());
    srunner_add_suite(runner, tensor_suite());
    srunner_add_suite(runner, race_suite());
    srunner_add_suite(runner, written_suite());
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner), run = srunner_ntests_run(runner);
    srunner_free(runner);
    printf("%d passed, %d failed\n", run - failed, failed);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
