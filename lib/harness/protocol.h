// What judge and runner say to each other.
//
// Frames on a socket: a head, then a body whose size its type fixes. Array data never
// travels here; it lies in one shared memory file (the area) at offsets that the judge
// chose. The runner answers each request with its token, in this order:
//
//     judge     runner
//               HELLO                once, after start
//     CALL      READY                buffers allocated and filled; their addresses
//     GO        RETURNED             the function came back, the device is idle
//     FETCH     DONE                 the area holds what the buffers hold now
//     PREPARE   READY                like CALL, with several sets of the buffers, kept
//     BATCH     MEASURED             so many calls in a row, between two events
//               DYING                any time: a signal; the process ends
//
// The judge believes none of it: any other frame, size or token is a violation.

#ifndef WORKBOOK_PROTOCOL_H
#define WORKBOOK_PROTOCOL_H

#include <stdint.h>

enum {
    WIRE_VERSION = 1,
    WIRE_MAGIC = 0x31427725,
    WIRE_ARGUMENTS = 24,
    WIRE_NAME = 128,
    WIRE_SETS = 64, // most copies of a timed call's buffers

    // Descriptors that a runner inherits. SIMT_RING names the last.
    WIRE_CHANNEL_FD = 3,
    WIRE_AREA_FD = 4,
    WIRE_RING_FD = 5,
};

enum wire_type {
    WIRE_CALL = 1,
    WIRE_GO,
    WIRE_FETCH,
    WIRE_PREPARE,
    WIRE_BATCH,
    WIRE_ABOUT,
    WIRE_HELLO = 101,
    WIRE_READY,
    WIRE_RETURNED,
    WIRE_DONE,
    WIRE_MEASURED,
    WIRE_GPU,
    WIRE_DYING,
};

enum wire_status {
    WIRE_OK,
    WIRE_MISSING, // no function of that name
    WIRE_CUDA,    // a CUDA call of the runner failed: code
    WIRE_SYSTEM,  // a system call of the runner failed: code is errno
};

typedef struct wire_head {
    uint32_t magic, type;
    uint64_t token;
    uint32_t bytes, unused;
} wire_head;

// A buffer is lead + bytes + tail; the learner gets base + lead.
typedef struct wire_argument {
    uint32_t kind;  // wb_kind
    uint32_t empty; // the area holds nothing for it: fill with anything
    uint64_t value;
    uint64_t offset, lead, bytes, tail;
} wire_argument;

typedef struct wire_call {
    char name[WIRE_NAME];
    uint32_t count;
    uint32_t real; // the function returns double, and the device is not looked at
    uint32_t sets; // PREPARE: how many copies of the buffers
    uint32_t unused;
    uint64_t area; // bytes
    wire_argument arguments[WIRE_ARGUMENTS];
} wire_call;

typedef struct wire_hello {
    uint32_t version, unused;
} wire_hello;

typedef struct wire_ready {
    int32_t status, code;
    uint64_t base[WIRE_ARGUMENTS];
} wire_ready;

typedef struct wire_returned {
    int32_t value;   // what the function returned
    int32_t waited;  // cudaDeviceSynchronize after it
    int32_t pending; // cudaGetLastError after that
    int32_t unused;
    double real;
} wire_returned;

typedef struct wire_done {
    int32_t status, code;
} wire_done;

typedef struct wire_batch {
    uint32_t calls, unused;
} wire_batch;

typedef struct wire_measured {
    int32_t value;  // the first result that was not 0
    int32_t waited; // error of the device, or of the events
    uint32_t set;   // the set of buffers of the last call
    uint32_t unused;
    double seconds; // between the events
} wire_measured;

typedef struct wire_gpu {
    int32_t status, code;
    char name[96];
    int32_t multiprocessors, l2, driver, unused;
    double bytes_per_second; // of its memory, by its clock and width
} wire_gpu;

typedef struct wire_dying {
    int32_t signal, unused;
    uint64_t address; // of the access; 0 if unknown
    char function[64];
} wire_dying;

#endif
