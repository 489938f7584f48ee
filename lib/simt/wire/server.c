// simt-device: a device in a process of its own.
//
//   simt-device GPU WORKERS LIMIT CHECKS SCHEDULE [WATCH]    by simt_host_start only
//
// Two threads: this one answers the judge; the other executes the runner's commands. A
// lock keeps them off the device together, and the judge goes first. The process ends
// with its judge.

#include "control.h"
#include "pass.h"
#include "ring.h"
#include "context.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static simt_config config;
static wire_machine machine;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // the machine
static atomic_bool wanted, ending; // the judge waits; the runner's time is over

typedef struct connection {
    int socket, file;
    ring *ring;
    pthread_t thread;
    bool running;
} connection;
static connection runner = {.socket = -1, .file = -1};

// ---- The runner's side ----------------------------------------------------------

static bool map_arena(void *with)
{
    const connection *c = with;
    void *at = (void *)(uintptr_t)WIRE_ARENA;
    return mmap(at, WIRE_ARENA_BYTES, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, c->file,
                (off_t)ARENA_OFFSET) == at;
}

static bool execute_all(connection *c, uint64_t *tail, wire_reply *reply)
{
    wire_command command;
    int got;
    while (!ending && (got = ring_take(c->ring, tail, &command)) != 0) {
        if (got < 0)
            return false;
        while (wanted && !ending)
            usleep(100); // let the judge in
        pthread_mutex_lock(&lock);
        if (!ending)
            wire_execute(&machine, &command, reply);
        pthread_mutex_unlock(&lock);
        size_t bytes = sizeof *reply - sizeof reply->body + reply->bytes;
        // A peer that does not read its replies loses its connection.
        if ((command.flags & WIRE_CALL) &&
            send(c->socket, reply, bytes, MSG_NOSIGNAL | MSG_DONTWAIT) !=
                (ssize_t)bytes)
            return false;
    }
    return true;
}

static void *serve(void *argument)
{
    connection *c = argument;
    wire_reply *reply = calloc(1, sizeof *reply);
    uint64_t tail = 0;
    char bell;
    while (reply && !ending) {
        ssize_t got = recv(c->socket, &bell, 1, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0 || !execute_all(c, &tail, reply))
            break;
    }
    shutdown(c->socket, SHUT_RDWR);
    free(reply);
    return NULL;
}

static void stop_devices(void)
{
    for (int i = 0; i < machine.count; i++)
        simt_stop(machine.device[i].device);
}

static void stop_runner(void)
{
    if (!runner.running)
        return;
    ending = true;
    shutdown(runner.socket, SHUT_RDWR);
    struct timespec pause = {0, 1000000};
    while (pthread_mutex_trylock(&lock)) { // a launch runs, or is about to
        stop_devices();
        nanosleep(&pause, NULL);
    }
    pthread_mutex_unlock(&lock);
    pthread_join(runner.thread, NULL);
    munmap(runner.ring, ARENA_OFFSET);
    if (machine.mapped)
        munmap((void *)(uintptr_t)WIRE_ARENA, WIRE_ARENA_BYTES);
    close(runner.socket);
    close(runner.file);
    runner = (connection){.socket = -1, .file = -1};
    ending = false;
}

// A memory file that the runner can neither shrink under us nor grow.
static int shared_file(void)
{
    int file = memfd_create("simt", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    if (file >= 0 && ftruncate(file, (off_t)RING_FILE_BYTES) == 0 &&
        fcntl(file, F_ADD_SEALS, seals) == 0)
        return file;
    if (file >= 0)
        close(file);
    return -1;
}

static bool open_device(void)
{
    wire_machine_close(&machine);
    return wire_machine_open(&machine, config);
}

static int new_runner(int socket)
{
    stop_runner();
    if (!open_device())
        exit(1);
    if (socket < 0)
        return -1;
    runner.socket = socket;
    runner.file = shared_file();
    char *memory = MAP_FAILED;
    if (runner.file >= 0)
        memory = mmap(NULL, ARENA_OFFSET, PROT_READ | PROT_WRITE, MAP_SHARED,
                      runner.file, 0);
    ring_hello hello = {"simtring", RING_VERSION, 0};
    if (memory == MAP_FAILED || !pass_send(socket, &hello, sizeof hello, runner.file)) {
        close(socket);
        if (runner.file >= 0)
            close(runner.file);
        return -1;
    }
    runner.ring = (ring *)(void *)memory;
    wire_machine_stage(&machine, memory + RING_BYTES, RING_STAGING);
    machine.map_arena = map_arena;
    machine.map_with = &runner;
    runner.running = !pthread_create(&runner.thread, NULL, serve, &runner);
    return runner.running ? 0 : -1;
}

// ---- The judge's side -----------------------------------------------------------

// Both the device and the ring are idle, as far as the runner has said.
static bool lock_device(int wait_ms)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += wait_ms / 1000;
    end.tv_nsec += wait_ms % 1000 * 1000000L;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    wanted = true;
    bool locked = !pthread_mutex_timedlock(&lock, &end);
    wanted = false;
    return locked;
}

static void answer(control_message m, int fd)
{
    if (!pass_send(CONTROL_FD, &m, sizeof m, fd))
        exit(0);
    if (fd >= 0)
        close(fd);
}

static int answer_file(control_message *m)
{
    int file = memfd_create("record", MFD_CLOEXEC);
    FILE *out = file >= 0 ? fdopen(dup(file), "w") : NULL;
    if (!out)
        return -1;
    bool done = true;
    if (m->op == CONTROL_WRITER)
        done = simt_write_writer(machine.device[0].device, m->address, out);
    else if (m->op == CONTROL_UNREAD)
        done = simt_write_unread(machine.device[0].device, m->address, m->count, m->bytes, out);
    else
        wire_write_record(&machine, out);
    m->bytes = (uint64_t)ftell(out);
    fclose(out);
    if (done)
        return file;
    close(file);
    return -1;
}

// The launch that runs, if one does, ends; the context is lost, so no other follows.
static void stop_launch(void)
{
    struct timespec pause = {0, 1000000};
    for (int i = 0; i < 5000; i++) {
        if (!pthread_mutex_trylock(&lock)) {
            for (int k = 0; k < machine.count; k++)
                if (!machine.device[k].sticky)
                    machine.device[k].sticky = 702; // cudaErrorLaunchTimeout
            pthread_mutex_unlock(&lock);
            return;
        }
        stop_devices();
        nanosleep(&pause, NULL);
    }
}

static void obey(control_message m, int fd)
{
    int file = -1;
    m.status = 0;
    switch (m.op) {
    case CONTROL_NEW_RUNNER:
        m.status = new_runner(fd);
        break;
    case CONTROL_STOP:
        stop_launch();
        return;
    case CONTROL_RESET:
    case CONTROL_RECORD:
    case CONTROL_WRITER:
    case CONTROL_UNREAD:
        if (!lock_device(m.wait_ms)) {
            m.status = -1;
            break;
        }
        if (m.op == CONTROL_RESET)
            wire_reset_record(&machine);
        else if ((file = answer_file(&m)) < 0)
            m.status = -1;
        pthread_mutex_unlock(&lock);
        break;
    default:
        m.status = -1;
    }
    answer(m, file);
}

int main(int count, char **words)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_IGN);
    if (count < 6 || !simt_checks_named(words[4], &config.checks)) {
        fputs("simt-device is started by a judge, not by hand\n", stderr);
        return 2;
    }
    config.gpu = words[1];
    config.workers = atoi(words[2]);
    config.instruction_limit = strtoull(words[3], NULL, 10);
    config.schedule = strtoull(words[5], NULL, 10);
    config.watch = count > 6 ? words[6] : NULL;
    if (!open_device())
        return 1;
    control_message m = {.op = CONTROL_READY};
    answer(m, -1);
    int fd;
    while (pass_receive(CONTROL_FD, &m, sizeof m, &fd))
        obey(m, fd);
    return 0;
}
