// The written-bits of global memory, by where its bytes lie on the host.

#ifndef SIMT_HEAP_BITS_H
#define SIMT_HEAP_BITS_H

#include "init.h"

#include "exec.h"

// NULL: nothing is known of them (memory of the host, or the check is off).
written *heap_bits(const heap *h, const char *host, size_t *from);        // heap.c, peers' too
written *device_heap_bits(const simt_device *d, const char *host, size_t *from); // device_heap.c

static inline written *bits_of_host(const simt_device *d, const char *host, size_t *from)
{
    written *bits = heap_bits(d->heap, host, from);
    return bits ? bits : device_heap_bits(d, host, from);
}

// init_copy.c: bytes were copied within device memory.
void bits_copied(const simt_device *d, const char *to, const char *from, size_t bytes);

// The bytes at `host` are written, by something else than a checked operation.
static inline void bits_wrote(const simt_device *d, const char *host, size_t bytes)
{
    size_t from;
    written *bits = d->config.checks & SIMT_CHECK_INIT ? bits_of_host(d, host, &from) : NULL;
    if (bits)
        written_set(bits, from, bytes, true);
}

#endif
