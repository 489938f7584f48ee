// The learner's process stopped answering: why, in words.

#include "judge.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

// "in reduce_v0", "before its main began"
static const char *where(const char *doing)
{
    return doing ? data_print("in %s", doing)
                 : "before the first call (in a static object's constructor?)";
}

static _Noreturn void late(link_ *l, const char *doing)
{
    json_t *fault = option.emulated && !l->ours ? device_stop() : NULL;
    if (l->c.pid && !l->c.ended && !option.wraps) {
        kill(l->c.pid, SIGUSR1); // what it printed so far would be lost with it
        poll(&(struct pollfd){l->c.output, POLLIN, 0}, 1, 100);
        link_drain(l);
    }
    link_end(l);
    if (fault) {
        failed.fault = json_incref(fault);
        fail_as(words_of_fault(fault)->word, "%s\nstopped after %g s",
                words_for_fault(fault, NULL, NULL, 0), option.seconds);
    }
    fail_as(HUNG,
            "your code did not come back within %g s (%s)%s\n"
            "next: look for a loop %sthat never ends",
            option.seconds, where(doing),
            option.emulated ? ", and no kernel was running" : "",
            option.emulated ? "in host code " : "");
}

static _Noreturn void signalled(link_ *l, const char *doing, int signal)
{
    const wire_dying *d = &l->dying;
    const char *function = "";
    if (d->signal && d->function[0])
        function = data_print(
            " (in %.*s)", (int)strnlen(d->function, sizeof d->function), d->function);
    if (signal == SIGSEGV || signal == SIGBUS)
        fail_as(CRASHED, "your host code crashed %s: %s at address %#llx%s\nnext: %s",
                where(doing), words_for_signal(signal), (unsigned long long)d->address,
                function,
                d->signal && d->address < 65536
                    ? "a pointer is NULL; look at where it gets its value"
                    : "a pointer to device memory works in kernels only; the host "
                      "copies with cudaMemcpy");
    fail_as(CRASHED, "your host code crashed %s: %s%s", where(doing),
            words_for_signal(signal), function);
}

static _Noreturn void ended(link_ *l, const char *doing)
{
    const child *c = &l->c;
    if (!c->told)
        fail_as(REFUSED, "your code killed the process that watches over it");
    int how = c->how;
    // A sandbox passes a signal on as an exit status.
    bool wrapped = option.wraps && !l->ours;
    if (WIFSIGNALED(how))
        signalled(l, doing, WTERMSIG(how));
    if (wrapped && WEXITSTATUS(how) > 128 && WEXITSTATUS(how) < 128 + 65)
        signalled(l, doing, WEXITSTATUS(how) - 128);
    if (wrapped && !l->said_hello && strncmp(l->printed, "bwrap: ", 7) == 0)
        fail_as(OURS, "the sandbox does not start: %.*s",
                (int)strcspn(l->printed, "\n"), l->printed);
    fail_as(CRASHED,
            "your code called exit(%d) before the answer, %s\n"
            "next: return an error code to the caller; exit ends the whole program",
            WEXITSTATUS(how), where(doing));
}

void gone(link_ *l, heard how, const char *doing)
{
    if (how == LATE)
        late(l, doing);
    // The end of the channel comes a moment before the news of the process's end.
    struct pollfd status = {l->c.status, POLLIN, 0};
    for (int i = 0; i < 5 && how == GONE && !l->c.ended; i++) {
        poll(&status, 1, 100);
        child_read_status(&l->c);
    }
    bool closed = !l->c.ended;
    link_end(l);
    if (how == VIOLATED)
        fail_as(REFUSED,
                "your code wrote to the channel between workbook and runner "
                "(descriptor %d): %s",
                WIRE_CHANNEL_FD, link_violation());
    if (l->c.error)
        fail_as(OURS, "cannot start %s: %s",
                option.wraps && !l->ours ? option.wrap[0] : l->program,
                strerror(l->c.error));
    if (l->ours)
        fail_as(OURS, "the program that measures the ceilings ended (status %#x): %.*s",
                (unsigned)l->c.how, 400, l->printed);
    if (closed)
        fail_as(CRASHED,
                "your code closed the channel to the workbook (descriptor %d), %s",
                WIRE_CHANNEL_FD, where(doing));
    ended(l, doing);
}
