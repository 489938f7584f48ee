// The device in its own process, behind the ring that SIMT_RING names.

#include "transport.h"

#include "../wire/pass.h"
#include "../wire/ring.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static int link_socket = -1, file = -1;
static ring *commands;

static void put(const wire_command *command)
{
    ring_put(commands, command); // transport.c keeps to `slots`
}

static bool answer(wire_reply *reply)
{
    char bell = 1;
    ssize_t got;
    if (send(link_socket, &bell, 1, MSG_NOSIGNAL) != 1)
        return false;
    do
        got = recv(link_socket, reply, sizeof *reply, 0);
    while (got < 0 && errno == EINTR);
    return got >= (ssize_t)(sizeof *reply - sizeof reply->body);
}

static bool show(void *at, uint64_t arena, uint64_t bytes)
{
    return mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
                (off_t)(ARENA_OFFSET + (arena - WIRE_ARENA))) == at;
}

static bool map(uint64_t at, uint64_t bytes, bool managed, uint64_t *alias)
{
    void *where = (void *)(uintptr_t)at;
    (void)managed;
    *alias = 0; // the device's process has it at the same address
    return mmap(where, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE,
                file, (off_t)(ARENA_OFFSET + (at - WIRE_ARENA))) == where;
}

static void unmap(uint64_t at, uint64_t bytes, uint64_t alias)
{
    void *where = (void *)(uintptr_t)at;
    (void)alias;
    madvise(where, bytes, MADV_REMOVE); // give the pages back, for both sides
    munmap(where, bytes);
}

const transport *remote_transport(void)
{
    static transport t = {.put = put,
                          .answer = answer,
                          .map = map,
                          .unmap = unmap,
                          .show = show,
                          .staging_bytes = RING_STAGING,
                          .slots = RING_SLOTS};
    ring_hello hello;
    char *end;
    const char *name = getenv("SIMT_RING");
    long fd = strtol(name, &end, 10);
    if (*end || end == name || fd < 0)
        return NULL;
    link_socket = (int)fd;
    fcntl(link_socket, F_SETFD, FD_CLOEXEC);
    if (!pass_receive(link_socket, &hello, sizeof hello, &file) || file < 0 ||
        memcmp(hello.magic, "simtring", 8) || hello.version != RING_VERSION)
        return NULL;
    char *memory =
        mmap(NULL, ARENA_OFFSET, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED)
        return NULL;
    commands = (ring *)(void *)memory;
    t.staging = memory + RING_BYTES;
    return &t;
}
