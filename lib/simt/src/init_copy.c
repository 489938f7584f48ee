// initcheck of asynchronous copies: they read where they are asked for, and count as
// written at once (racecheck tells of a missing wait).

#include "async.h"
#include "heap_bits.h"
#include "lanes.h"

static written *bits_of(const warp *w, const char *host, size_t *from)
{
    const cluster *c = w->block->cluster;
    for (uint32_t i = 0; i < c->size; i++) {
        *from = (size_t)(host - c->blocks[i].shared);
        if (*from < w->worker->launch->shared)
            return c->blocks[i].shared_written;
    }
    return bits_of_host(w->worker->launch->device, host, from);
}

void init_copied(warp *w, const op *o, int lane, const char *to, const char *from, size_t bytes,
                 size_t zeros)
{
    const launch *run = w->worker->launch;
    size_t at, what, first;
    if (!(run->device->config.checks & SIMT_CHECK_INIT))
        return;
    written *bits = bits_of(w, to, &at);
    written_set(bits, at, bytes + zeros, true);
    bits = bytes ? bits_of(w, from, &what) : NULL;
    size_t missing = bits ? written_missing(bits, what, bytes, &first) : 0;
    if (!missing || (bytes <= 16 && missing < bytes)) // a part: padding, see exec_init.h
        return;
    simt_fault f = {.kind = SIMT_UNINITIALISED, .kernel = run->code->function->name,
                    .bytes = (uint32_t)missing, .other.file = ""};
    fault_place(w, o, lane, &f.at);
    snprintf(f.detail, sizeof f.detail, "%zu of the %zu bytes that this copies were never written",
             missing, bytes);
    finding_add(run->device, &f);
}
