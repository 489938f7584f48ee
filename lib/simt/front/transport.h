// How commands reach the device: one small table, two ways.
//
//     local.c    the device core is in this process
//     remote.c   it is another process, behind a ring
//
// Everything above this file is the same for both.

#ifndef SIMT_TRANSPORT_H
#define SIMT_TRANSPORT_H

#include "../wire/command.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct transport {
    char *staging;
    uint64_t staging_bytes, slots; // most commands between two answers
    bool same_process;
    void (*put)(const wire_command *command);
    bool (*answer)(wire_reply *reply); // of the last, which had WIRE_CALL
    // A piece of the arena into this process. Managed memory: *alias is where the
    // device has it, if that is another address.
    bool (*map)(uint64_t at, uint64_t bytes, bool managed, uint64_t *alias);
    void (*unmap)(uint64_t at, uint64_t bytes, uint64_t alias);
    void (*end)(int status); // the program ends; NULL: nothing to do
    // Let an address of the program's show a piece of the arena; NULL: not needed.
    bool (*show)(void *at, uint64_t arena, uint64_t bytes);
} transport;

const transport *local_transport(void);  // NULL: not linked, or no such GPU
const transport *remote_transport(void); // NULL: SIMT_RING leads nowhere

// ---- transport.c ----------------------------------------------------------------

extern const transport *device; // NULL: none yet
bool device_open(void);         // false: none; it has said why
extern bool device_gone;        // the other process ended

// Queue a command; the bytes it needs are staged. Order is kept.
void send_command(wire_command command, const void *data, size_t bytes);
// Send it and hear its answer.
int ask(wire_command command, const void *data, size_t bytes, wire_reply *reply);
// Transfers of any size.
void send_bytes(int number, uint64_t to, const void *from, size_t bytes, bool first);
void fetch_bytes(int number, void *to, uint64_t from, size_t bytes, bool first);
int load_text(int number, const char *ptx, size_t bytes, wire_reply *reply);


// Whose commands are sent: the stream's number (wire/command.h) and when the host asked.
typedef struct sending {
    uint32_t stream;
    bool pinned;
    double issued; // 0: now
    uint32_t host; // where in the program; 0: where the call is that runs
} sending;
extern sending now_sending;
extern bool sending_for_judge; // not for the program
extern uint32_t (*sending_host)(void); // where the call that runs was made
// The host's modelled clock, ns: calls take time, and waits.
extern double host_ns;

#endif
