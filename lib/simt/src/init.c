// Bytes that nobody has written, by a bit a byte. heap.c and device_heap.c keep the bits of
// global memory, a block those of its shared and local memory; exec_check.c looks at
// them before an access.

#include "init.h"

#include <stdlib.h>
#include <sys/mman.h>

written *written_new(size_t bytes)
{
    void *p = mmap(NULL, bytes / 8 + 64, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

void written_free(written *bits, size_t bytes)
{
    if (bits)
        munmap(bits, bytes / 8 + 64);
}

// Workers share the bytes at a range's ends.
static void set_some(written *at, uint8_t mask, bool value)
{
    if (value)
        __atomic_fetch_or(at, mask, __ATOMIC_RELAXED);
    else
        __atomic_fetch_and(at, (uint8_t)~mask, __ATOMIC_RELAXED);
}

void written_set(written *bits, size_t from, size_t bytes, bool value)
{
    size_t end = from + bytes, first = (from + 7) / 8, last = end / 8;
    if (!bits || !bytes)
        return;
    if (first > last) { // within one byte of bits
        set_some(&bits[last], (uint8_t)(((1u << bytes) - 1) << from % 8), value);
        return;
    }
    if (from % 8)
        set_some(&bits[first - 1], (uint8_t)(0xff << from % 8), value);
    memset(bits + first, value ? 0xff : 0, last - first);
    if (end % 8)
        set_some(&bits[last], (uint8_t)((1u << end % 8) - 1), value);
}

size_t written_missing(const written *bits, size_t from, size_t bytes, size_t *first)
{
    size_t count = 0, at = from, end = from + bytes;
    *first = end;
    while (bits && at < end) {
        uint64_t word;
        if (at % 8 == 0 && end - at >= 64) { // all of it written: the usual case
            memcpy(&word, bits + at / 8, 8);
            if (word == UINT64_MAX) {
                at += 64;
                continue;
            }
        }
        if (!(bits[at / 8] >> at % 8 & 1)) {
            if (!count++)
                *first = at;
        }
        at++;
    }
    return count;
}

void written_copy(written *to, size_t at, const written *from, size_t what, size_t bytes)
{
    if (!to)
        return;
    if (!from) { // memory of which nothing is known
        written_set(to, at, bytes, true);
        return;
    }
    while (bytes) {
        if (at % 8 == 0 && what % 8 == 0 && bytes >= 8) {
            size_t n = bytes / 8;
            memmove(to + at / 8, from + what / 8, n);
            at += n * 8, what += n * 8, bytes -= n * 8;
            continue;
        }
        written_set(to, at, 1, from[what / 8] >> what % 8 & 1);
        at++, what++, bytes--;
    }
}
