// What judge and device say to each other: fixed messages on a socket of their own.

#ifndef SIMT_CONTROL_H
#define SIMT_CONTROL_H

#include <stdint.h>

enum control_op {
    CONTROL_READY = 1,  // from the device, once
    CONTROL_NEW_RUNNER, // with the device's end of the runner's socket
    CONTROL_RESET,
    CONTROL_RECORD,     // the answer carries a memory file with `bytes` of text
    CONTROL_WRITER,     // of `address`; the answer is as RECORD's
    CONTROL_UNREAD,     // of `count` elements of `bytes` from `address`; the same
    CONTROL_STOP,       // has no answer
};

enum { CONTROL_FD = 3 }; // where the device finds its end

typedef struct control_message {
    uint32_t op, token;
    int32_t status, wait_ms; // status: 0 or -1; wait_ms: how long to wait for idleness
    uint64_t bytes, address, count;
} control_message;

#endif
