// The suites whose answers a GPU can be asked for.

#include "../lab.h"

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    SRunner *runner = srunner_create(ops_suite());
    srunner_add_suite(runner, kernel_suite());
    srunner_add_suite(runner, call_suite());
    srunner_add_suite(runner, cooperation_suite());
    srunner_add_suite(runner, async_suite());
    srunner_add_suite(runner, atomic_suite());
    srunner_add_suite(runner, tensor_suite());
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner), run = srunner_ntests_run(runner);
    srunner_free(runner);
    printf("%d passed, %d failed\n", run - failed, failed);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
