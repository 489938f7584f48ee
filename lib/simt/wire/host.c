// The judge's end of the control socket.

#include "host.h"

#include "control.h"
#include "pass.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { START_MS = 10000, ANSWER_MS = 5000, MOST_RECORD = 256 << 20 };

struct simt_host {
    pid_t pid;
    int control, runner;
    uint32_t token;
};

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

// The answer to `token`; those to questions that were given up are passed over.
static bool hear(simt_host *h, uint32_t token, int timeout_ms, control_message *m,
                 int *fd)
{
    int64_t end = now_ms() + timeout_ms;
    for (;;) {
        int64_t left = end - now_ms();
        struct pollfd p = {h->control, POLLIN, 0};
        int ready = poll(&p, 1, left > 0 ? (int)left : 0);
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0)
            return false;
        if (!pass_receive(h->control, m, sizeof *m, fd))
            return false;
        if (m->token == token)
            return true;
        if (*fd >= 0)
            close(*fd);
    }
}

static bool ask(simt_host *h, control_message *m, int send, int timeout_ms, int *got)
{
    int none = -1;
    m->token = ++h->token;
    m->wait_ms = timeout_ms;
    bool heard = pass_send(h->control, m, sizeof *m, send) &&
                 hear(h, m->token, timeout_ms + ANSWER_MS, m, got ? got : &none);
    if (none >= 0)
        close(none);
    return heard && m->status == 0;
}

static _Noreturn void become_device(const char *path, const simt_host_config *config,
                                    int control, pid_t parent)
{
    char workers[16], limit[24], schedule[24];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    int high = fcntl(control, F_DUPFD_CLOEXEC, 10);
    dup2(high, CONTROL_FD);
    close_range(CONTROL_FD + 1, ~0u, 0);
    setpgid(0, 0);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    snprintf(workers, sizeof workers, "%d", config->workers);
    snprintf(limit, sizeof limit, "%llu", (unsigned long long)config->limit);
    snprintf(schedule, sizeof schedule, "%llu", (unsigned long long)config->schedule);
    execl(path, path, config->gpu ? config->gpu : "A100", workers, limit,
          config->checks ? config->checks : "", schedule, config->watch,
          (char *)NULL);
    _exit(127);
}

simt_host *simt_host_start(const char *device_path, const simt_host_config *config)
{
    int ends[2];
    simt_host *h = calloc(1, sizeof *h);
    if (!h || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) {
        free(h);
        return NULL;
    }
    pid_t self = getpid();
    h->runner = -1;
    h->control = ends[0];
    h->pid = fork();
    if (h->pid == 0)
        become_device(device_path, config, ends[1], self);
    close(ends[1]);
    control_message m;
    int fd = -1;
    if (h->pid > 0 && hear(h, 0, START_MS, &m, &fd) && m.op == CONTROL_READY)
        return h;
    simt_host_end(h);
    return NULL;
}

int simt_host_new_runner(simt_host *h)
{
    int ends[2];
    if (h->runner >= 0)
        close(h->runner);
    h->runner = -1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        return -1;
    control_message m = {.op = CONTROL_NEW_RUNNER};
    bool done = ask(h, &m, ends[1], ANSWER_MS, NULL);
    close(ends[1]);
    if (!done) {
        close(ends[0]);
        return -1;
    }
    h->runner = ends[0];
    return 0;
}

int simt_host_runner_fd(simt_host *h)
{
    return h->runner;
}

int simt_host_reset_record(simt_host *h)
{
    control_message m = {.op = CONTROL_RESET};
    return ask(h, &m, -1, ANSWER_MS, NULL) ? 0 : -1;
}

static char *text_of(simt_host *h, control_message m, int timeout_ms)
{
    int file = -1;
    char *text = NULL;
    if (ask(h, &m, -1, timeout_ms, &file) && file >= 0 && m.bytes < MOST_RECORD)
        text = malloc(m.bytes + 1);
    for (uint64_t at = 0; text && at < m.bytes;) {
        ssize_t got = pread(file, text + at, m.bytes - at, (off_t)at);
        if (got > 0) {
            at += (uint64_t)got;
        } else {
            free(text);
            text = NULL;
        }
    }
    if (text)
        text[m.bytes] = 0;
    if (file >= 0)
        close(file);
    return text;
}

char *simt_host_record(simt_host *h, int timeout_ms)
{
    return text_of(h, (control_message){.op = CONTROL_RECORD}, timeout_ms);
}

char *simt_host_writer(simt_host *h, uint64_t address)
{
    return text_of(h, (control_message){.op = CONTROL_WRITER, .address = address}, ANSWER_MS);
}

char *simt_host_unread(simt_host *h, uint64_t address, size_t count, size_t bytes)
{
    return text_of(h, (control_message){.op = CONTROL_UNREAD, .address = address, .count = count,
                                        .bytes = bytes}, ANSWER_MS);
}

void simt_host_stop(simt_host *h)
{
    control_message m = {.op = CONTROL_STOP, .token = ++h->token};
    pass_send(h->control, &m, sizeof m, -1);
}

void simt_host_end(simt_host *h)
{
    if (!h)
        return;
    if (h->pid > 0) {
        kill(h->pid, SIGKILL);
        while (waitpid(h->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    if (h->runner >= 0)
        close(h->runner);
    close(h->control);
    free(h);
}
