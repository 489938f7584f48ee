// initcheck of copies: those of the program take along what is known of their bytes, and
// the host's reads are looked at. Asynchronous copies of kernels read where they are asked
// for, and count as written at once (racecheck tells of a missing wait).

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

// ---- The program's copies ---------------------------------------------------------

void bits_copied(const simt_device *d, const char *to, const char *from, size_t bytes)
{
    size_t at, what;
    if (!(d->config.checks & SIMT_CHECK_INIT))
        return;
    written *there = bits_of_host(d, to, &at), *here = bits_of_host(d, from, &what);
    written_copy(there, at, here, what, bytes);
}

void simt_written(simt_device *d, uint64_t at, size_t bytes)
{
    range r;
    if (heap_find(d->heap, at, bytes, &r))
        bits_wrote(d, r.host + (at - r.low), bytes);
}

void simt_unwritten(simt_device *d, uint64_t at, size_t bytes)
{
    size_t from;
    range r;
    if (!(d->config.checks & SIMT_CHECK_INIT) || !heap_find(d->heap, at, bytes, &r))
        return;
    written *bits = bits_of_host(d, r.host + (at - r.low), &from);
    written_set(bits, from, bytes, false);
}

void simt_host_reads(simt_device *d, uint64_t from, size_t bytes)
{
    size_t at, first, missing;
    range r;
    if (!(d->config.checks & SIMT_CHECK_INIT) || !heap_find(d->heap, from, bytes, &r))
        return;
    const written *bits = bits_of_host(d, r.host + (from - r.low), &at);
    if (!bits || !(missing = written_missing(bits, at, bytes, &first)))
        return;
    simt_fault f = {.kind = SIMT_UNINITIALISED, .kernel = "", .at.file = "", .other.file = "",
                    .address = from + (first - at), .bytes = (uint32_t)missing,
                    .nearest = r.low, .nearest_bytes = r.high - r.low,
                    .distance = (int64_t)(from + (first - at) - r.low), .space = "global"};
    snprintf(f.detail, sizeof f.detail,
             "a copy to the host takes %zu bytes of %zu that nobody has written, the first "
             "at byte %zu of their allocation",
             missing, bytes, (size_t)(f.address - r.low));
    finding_add(d, &f);
}
