// Last words: which signal, at which address, in which function.
//
// Runs in a signal handler of a process that is about to end, so it uses as little as
// it can; the judge works without it.

#include "runner.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

static void last_words(int number, siginfo_t *info, void *context)
{
    wire_dying dying = {.signal = number};
    if (number == SIGSEGV || number == SIGBUS)
        dying.address = (uint64_t)(uintptr_t)info->si_addr;
    const ucontext_t *at = context;
    Dl_info where;
    if (dladdr((void *)at->uc_mcontext.gregs[REG_RIP], &where) && where.dli_sname)
        strncpy(dying.function, where.dli_sname, sizeof dying.function - 1);
    channel_send(WIRE_DYING, 0, &dying, sizeof dying);
    // What the program printed helps its author; a lock held means it cannot be had.
    if (ftrylockfile(stdout) == 0)
        fflush(stdout);
    raise(number);
}

// The judge asks for what was printed before it ends a process that hangs.
static void flush(int number)
{
    (void)number;
    if (ftrylockfile(stdout) == 0) {
        fflush(stdout);
        funlockfile(stdout);
    }
}

void dying_listen(void)
{
    static char stack[64 * 1024];
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    struct sigaction action = {.sa_sigaction = last_words,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND};
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        sigaction(fatal[i], &action, NULL);
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = flush, .sa_flags = SA_RESTART},
              NULL);
}
