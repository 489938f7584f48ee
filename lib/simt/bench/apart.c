// Run a CUDA program against a device in a process of its own, as the judge does. STARTED
// tells it when it began, in milliseconds.
//
//   apart SIMT_DEVICE PROGRAM        ends as the program does

#include "../wire/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(int count, char **words)
{
    simt_host *host = count == 3 ? simt_host_start(words[1], &(simt_host_config){0}) : NULL;
    if (!host || simt_host_new_runner(host)) {
        fputs("apart: the device does not start\n", stderr);
        return 2;
    }
    struct timespec began;
    clock_gettime(CLOCK_MONOTONIC, &began);
    pid_t pid = fork();
    if (pid == 0) {
        char number[12], ms[32];
        snprintf(number, sizeof number, "%d", dup(simt_host_runner_fd(host)));
        setenv("SIMT_RING", number, 1);
        snprintf(ms, sizeof ms, "%.6f", 1e3 * (double)began.tv_sec + 1e-6 * (double)began.tv_nsec);
        setenv("STARTED", ms, 1);
        execl(words[2], words[2], (char *)NULL);
        _exit(127);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    simt_host_end(host);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}
