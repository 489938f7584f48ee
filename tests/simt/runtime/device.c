// Starting devices and programs.

#include "device.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

simt_host *start_device(const char *variable)
{
    simt_host_config config = {.gpu = "H200", .checks = "race", .limit = 1 << 25};
    const char *path = getenv(variable);
    return path ? simt_host_start(path, &config) : NULL;
}

char *built(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", getenv("PROGRAMS"), name);
    return path;
}

char *read_all(int fd, size_t *bytes)
{
    char *text = malloc(1 << 22);
    ssize_t got;
    *bytes = 0;
    while ((got = read(fd, text + *bytes, (1 << 22) - 1 - *bytes)) > 0)
        *bytes += (size_t)got;
    text[*bytes] = 0;
    return text;
}

ended run_program(const char *name, const char *argument, int ring, bool keep_errors)
{
    int out[2];
    ended e = {0};
    if (pipe(out))
        return e;
    pid_t pid = fork();
    if (pid == 0) {
        char number[12];
        dup2(out[1], 1);
        if (keep_errors)
            dup2(out[1], 2);
        close(out[0]);
        close(out[1]);
        setenv("SIMT_GPU", "H200", 1);
        if (ring >= 0) {
            snprintf(number, sizeof number, "%d", dup(ring));
            setenv("SIMT_RING", number, 1);
        }
        alarm(60);
        execl(built(name), name, argument, (char *)NULL);
        _exit(127);
    }
    close(out[1]);
    e.printed = read_all(out[0], &e.bytes);
    close(out[0]);
    waitpid(pid, &e.status, 0);
    return e;
}

ended run_remote(simt_host *host, const char *name, const char *argument)
{
    char full[100];
    snprintf(full, sizeof full, "%s.remote", name);
    if (simt_host_new_runner(host))
        return (ended){-1, calloc(1, 1), 0};
    return run_program(full, argument, simt_host_runner_fd(host), false);
}
