// Starting the learner's process, and leaving nothing of it behind.
//
//     judge ---- keeper ---- runner (or the sandbox around it)
//
// The keeper does one thing: it starts the runner, waits for it and says how it ended.
// It is there so that code which kills its parent kills that, not the judge. Each dies
// with its parent. Whatever the learner's code starts and abandons becomes the judge's
// child (the judge is a subreaper), and is found and killed there.

#include "judge.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static pid_t spared[16]; // children that are not the learner's: device, keepers

typedef struct report {
    enum { STARTED, NOT_STARTED, ENDED } what;
    int value; // pid, errno, status
    long peak_kib;
} report;

static void tell(int fd, report r)
{
    if (write(fd, &r, sizeof r) < 0)
        _exit(1);
}

// Only what a program needs; nothing of the grader's.
static char **environment(bool ring)
{
    static const char *const kept[] = {"PATH=",
                                       "HOME=",
                                       "TMPDIR=",
                                       "LANG=",
                                       "LC_ALL=",
                                       "LD_LIBRARY_PATH=",
                                       "CUDA_VISIBLE_DEVICES=",
                                       "CUDA_DEVICE_ORDER=",
                                       "CUDA_CACHE_PATH=",
                                       "OMP_NUM_THREADS="};
    static char *list[WB_LEN(kept) + 2], ring_is[32];
    size_t n = 0;
    for (char **e = environ; *e; e++)
        for (size_t i = 0; i < WB_LEN(kept); i++)
            if (strncmp(*e, kept[i], strlen(kept[i])) == 0 && n < WB_LEN(kept))
                list[n++] = *e;
    snprintf(ring_is, sizeof ring_is, "SIMT_RING=%d", WIRE_RING_FD);
    if (ring)
        list[n++] = ring_is;
    list[n] = NULL;
    return list;
}

static void die_with(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
}

static void place(const int *from, int count)
{
    int high[6];
    for (int i = 0; i < count; i++) // out of the way first: numbers may overlap
        high[i] = from[i] < 0 ? -1 : fcntl(from[i], F_DUPFD_CLOEXEC, 100);
    for (int i = 0; i < count; i++) {
        close(i);
        if (high[i] >= 0)
            dup2(high[i], i);
    }
}

static _Noreturn void become_runner(char *const *words, const int *fds, int status)
{
    setsid();
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    status = fcntl(status, F_DUPFD_CLOEXEC, 200);
    place(fds, WIRE_RING_FD + 1);
    close_range(WIRE_RING_FD + 1, (unsigned)status - 1, 0);
    close_range((unsigned)status + 1, ~0u, 0);
    execvpe(words[0], words, environment(fds[WIRE_RING_FD] >= 0));
    tell(status, (report){NOT_STARTED, errno, 0});
    _exit(127);
}

static _Noreturn void keep(pid_t judge, char *const *words, const int *fds, int status)
{
    die_with(judge);
    setpgid(0, 0);
    pid_t self = getpid(), runner = fork();
    if (runner == 0) {
        die_with(self);
        become_runner(words, fds, status);
    }
    if (runner < 0) {
        tell(status, (report){NOT_STARTED, errno, 0});
        _exit(0);
    }
    dup2(status, 0);
    close_range(1, ~0u, 0);
    tell(0, (report){STARTED, runner, 0});
    int how = 0;
    struct rusage used;
    while (wait4(runner, &how, 0, &used) < 0 && errno == EINTR)
        ;
    tell(0, (report){ENDED, how, used.ru_maxrss});
    _exit(0);
}

static char *const *command(const char *program, bool wrapped)
{
    static const char **words;
    free(words);
    words = calloc(option.wraps + 2, sizeof *words);
    size_t n = 0;
    for (size_t i = 0; wrapped && i < option.wraps; i++)
        words[n++] = option.wrap[i];
    words[n] = program;
    return (char *const *)words;
}

bool spawn(child *c, const char *program, bool wrapped, int ring)
{
    int channel[2], output[2], status[2],
        null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) < 0 ||
        pipe2(output, O_CLOEXEC) < 0 || pipe2(status, O_CLOEXEC | O_NONBLOCK) < 0)
        die("no descriptors for the learner's process: %s", strerror(errno));
    fcntl(output[1], F_SETPIPE_SZ, 1 << 20);
    fcntl(output[0], F_SETFL, O_NONBLOCK);
    prctl(PR_SET_CHILD_SUBREAPER, 1);

    *c = (child){.channel = channel[0], .output = output[0], .status = status[0]};
    const int fds[] = {null, output[1], output[1], channel[1], area_fd(), ring};
    char *const *words = command(program, wrapped);
    pid_t judge = getpid();
    c->keeper = fork();
    if (c->keeper == 0)
        keep(judge, words, fds, status[1]);
    spare(c->keeper);
    close(null);
    close(channel[1]);
    close(output[1]);
    close(status[1]);
    return c->keeper > 0;
}

// Take what the keeper has said; its silent end means that it was killed.
void child_read_status(child *c)
{
    report r;
    ssize_t got;
    while (!c->ended && (got = read(c->status, &r, sizeof r)) >= 0) {
        if (got != sizeof r) {
            c->ended = true;
        } else if (r.what == STARTED) {
            c->pid = r.value;
        } else if (r.what == NOT_STARTED) {
            c->error = r.value;
        } else {
            c->ended = c->told = true;
            c->how = r.value;
            c->peak_kib = r.peak_kib;
        }
    }
}

static pid_t parent_of(const char *pid)
{
    char path[300], line[512];
    snprintf(path, sizeof path, "/proc/%s/stat", pid);
    FILE *in = fopen(path, "re");
    if (!in)
        return -1;
    const char *end = fgets(line, sizeof line, in) ? strrchr(line, ')') : NULL;
    fclose(in);
    return end ? (pid_t)strtol(end + 3, NULL, 10) : -1; // ") S 123"
}

static pid_t *find_spared(pid_t pid)
{
    for (size_t i = 0; i < WB_LEN(spared); i++)
        if (spared[i] == pid)
            return &spared[i];
    return NULL;
}

void spare(pid_t pid)
{
    pid_t *free_place = find_spared(0);
    if (free_place)
        *free_place = pid;
}

void spare_no_more(pid_t pid)
{
    pid_t *place = pid ? find_spared(pid) : NULL;
    if (place)
        *place = 0;
}

// A child of this process that is not spared, or 0.
pid_t a_child(void)
{
    DIR *processes = opendir("/proc");
    pid_t found = 0;
    for (struct dirent *e; processes && !found && (e = readdir(processes));) {
        pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);
        if (pid > 0 && !find_spared(pid) && parent_of(e->d_name) == getpid())
            found = pid;
    }
    if (processes)
        closedir(processes);
    return found;
}

// Kill the judge's children that nobody spares; their own children then become the
// judge's, until there are none.
static void kill_strays(void)
{
    pid_t pid;
    for (int i = 0; i < 10000 && (pid = a_child()); i++) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
}

void child_kill(child *c)
{
    struct pollfd status = {c->status, POLLIN, 0};
    if (!c->pid)
        poll(&status, 1, 1000);
    child_read_status(c);
    if (c->pid && !c->ended)
        kill(c->pid, SIGKILL);
    while (!c->ended && poll(&status, 1, 2000) > 0)
        child_read_status(c);
    if (c->pid)
        kill(-c->pid, SIGKILL);
    kill(c->keeper, SIGKILL);
    waitpid(c->keeper, NULL, 0);
    spare_no_more(c->keeper);
    kill_strays();
    close(c->channel);
    close(c->output);
    close(c->status);
}
