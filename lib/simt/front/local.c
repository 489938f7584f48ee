// The device in this process. The core is found by a weak name, so a program that is
// linked without it still links; `-u simt_local` on the linker's line brings it in.

#include "transport.h"

#include "../wire/context.h"

#include <sys/mman.h>
#include <unistd.h>

extern const wire_local simt_local __attribute__((weak));

static wire_machine *machine;
static wire_reply last;

static void put(const wire_command *command)
{
    simt_local.execute(machine, command, &last);
}

static bool answer(wire_reply *reply)
{
    *reply = last;
    return true;
}

// Managed memory is mapped twice: what the device does leaves no trace in the program's
// mapping, so managed.c sees which pages the program itself has touched.
static bool map(uint64_t at, uint64_t bytes, bool managed, uint64_t *alias)
{
    void *where = (void *)(uintptr_t)at, *twin = MAP_FAILED;
    int access = PROT_READ | PROT_WRITE, file = -1;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE;
    *alias = 0;
    if (managed)
        file = memfd_create("managed", MFD_CLOEXEC);
    if (file >= 0 && !ftruncate(file, (off_t)bytes))
        twin = mmap(NULL, bytes, access, MAP_SHARED, file, 0);
    if (twin != MAP_FAILED)
        flags = MAP_SHARED | MAP_FIXED_NOREPLACE;
    bool mapped =
        mmap(where, bytes, access, flags, twin == MAP_FAILED ? -1 : file, 0) == where;
    if (twin != MAP_FAILED && mapped)
        *alias = (uintptr_t)twin;
    else if (twin != MAP_FAILED)
        munmap(twin, bytes);
    if (file >= 0)
        close(file);
    return mapped;
}

static void unmap(uint64_t at, uint64_t bytes, uint64_t alias)
{
    munmap((void *)(uintptr_t)at, bytes);
    if (alias)
        munmap((void *)(uintptr_t)alias, bytes);
}

static void end(int status)
{
    simt_local.end(machine, status);
}

const transport *local_transport(void)
{
    static transport t = {
        .same_process = true, .put = put, .answer = answer, .map = map, .unmap = unmap,
        .end = end};
    const wire_local *volatile core = &simt_local; // may be NULL: the name is weak
    machine = core ? core->open() : NULL;
    if (!machine)
        return NULL;
    t.slots = UINT64_MAX;
    t.staging = machine->device[0].staging;
    t.staging_bytes = machine->device[0].staging_bytes;
    return &t;
}
