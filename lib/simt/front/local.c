// The device in this process. The core is found by a weak name, so a program that is
// linked without it still links; `-u simt_local` on the linker's line brings it in.

#include "transport.h"

#include "../wire/context.h"

#include <sys/mman.h>

extern const wire_local simt_local __attribute__((weak));

static wire_context *context;
static wire_reply last;

static void put(const wire_command *command)
{
    simt_local.execute(context, command, &last);
}

static bool answer(wire_reply *reply)
{
    *reply = last;
    return true;
}

static bool map(uint64_t at, uint64_t bytes)
{
    void *where = (void *)(uintptr_t)at;
    return mmap(where, bytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1,
                0) == where;
}

static void unmap(uint64_t at, uint64_t bytes)
{
    munmap((void *)(uintptr_t)at, bytes);
}

const transport *local_transport(void)
{
    static transport t = {
        .same_process = true, .put = put, .answer = answer, .map = map, .unmap = unmap};
    const wire_local *volatile core = &simt_local; // may be NULL: the name is weak
    context = core ? core->open() : NULL;
    if (!context)
        return NULL;
    t.slots = UINT64_MAX;
    t.staging = context->staging;
    t.staging_bytes = context->staging_bytes;
    return &t;
}
