// Which bytes have been written: a bit a byte, beside each kind of memory. NULL: the
// check is off.

#ifndef SIMT_INIT_H
#define SIMT_INIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t written; // bits, byte 8 i + k in bit k of [i]

written *written_new(size_t bytes); // pages come when touched
void written_free(written *bits, size_t bytes);
void written_set(written *bits, size_t from, size_t bytes, bool value);
// How many of the bytes have not been written; *first: the first of those.
size_t written_missing(const written *bits, size_t from, size_t bytes, size_t *first);
void written_copy(written *to, size_t at, const written *from, size_t what, size_t bytes);

#endif
