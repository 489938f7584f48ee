// A ring of commands in shared memory: one process puts, another takes.
//
// The memory file holds the ring, the staging area and (from ARENA_OFFSET on) the arena
// of memory that both sides use at one address. Commands are only put; one byte on the
// socket says that somebody waits (the doorbell), and the reply comes back over the
// socket, where nobody can change it.

#ifndef SIMT_RING_H
#define SIMT_RING_H

#include "command.h"

#include <stdatomic.h>
#include <stdbool.h>

enum {
    RING_SLOTS = 4096,
    RING_STAGING = 8 << 20,
    RING_VERSION = 2,
};

typedef struct ring {
    _Alignas(64) _Atomic uint64_t head; // written by the one who puts
    _Alignas(64) _Atomic uint64_t tail; // written by the one who takes
    _Alignas(64) wire_command slots[RING_SLOTS];
} ring;

#define RING_BYTES ((sizeof(ring) + 4095) / 4096 * 4096)
#define ARENA_OFFSET (RING_BYTES + RING_STAGING)
#define RING_FILE_BYTES (ARENA_OFFSET + WIRE_ARENA_BYTES)

// What the device says first, with the memory file's descriptor.
typedef struct ring_hello {
    char magic[8]; // "simtring"
    uint32_t version, unused;
} ring_hello;

bool ring_put(ring *r, const wire_command *command); // false: full
// -1: the peer broke the ring; 0: empty; 1: *command is a private copy.
int ring_take(ring *r, uint64_t *tail, wire_command *command);

#endif
