// Run a program with the device in a process of its own, as a judge does.
//
//   host DEVICE PROGRAM [ARG...]     stdout: the program's; last the record, on stderr
//
// The exit status is the program's, or 100 and more where the device failed.

#include "../../../lib/simt/wire/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **words)
{
    if (count < 3)
        return 99;
    const char *limit = getenv("SIMT_LIMIT");
    simt_host_config config = {.gpu = getenv("SIMT_GPU"), .races = true,
                               .limit = limit ? strtoull(limit, NULL, 10) : 0};
    simt_host *host = simt_host_start(words[1], &config);
    if (!host)
        return 100;
    // Twice: the second runner must find nothing of the first one's.
    for (int round = 0; round < 2; round++) {
        if (simt_host_new_runner(host) || simt_host_reset_record(host))
            return 101;
        fflush(stdout);
        pid_t pid = fork();
        if (pid == 0) {
            char number[12];
            int fd = dup(simt_host_runner_fd(host)); // inherited by the program
            snprintf(number, sizeof number, "%d", fd);
            setenv("SIMT_RING", number, 1);
            if (round == 0)
                freopen("/dev/null", "w", stdout);
            execv(words[2], words + 2);
            _exit(127);
        }
        int status = 0;
        waitpid(pid, &status, 0);
        char *record = simt_host_record(host, 10000);
        if (!record)
            return 102;
        if (round == 1) {
            fputs(record, stderr);
            simt_host_end(host);
            return WIFEXITED(status) ? WEXITSTATUS(status) : 103;
        }
        free(record);
    }
}
