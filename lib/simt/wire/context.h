// A context: one front end's use of a device, from its first command to its last.

#ifndef SIMT_CONTEXT_H
#define SIMT_CONTEXT_H

#include "../simt.h"
#include "command.h"

typedef struct wire_context {
    simt_device *device;
    char *staging; // shared with the peer: what it holds may change at any time
    uint64_t staging_bytes;
    bool same_process;             // then any host memory may be shared
    bool (*map_arena)(
        void *with); // make the arena usable; called before the first share
    void *map_with;
    bool mapped;
    int sticky; // the fault that ended this context
    int soft;   // the first other error since the last WAIT
    char *blob;
    uint64_t blob_bytes, blob_capacity;
    uint64_t *events; // nominal time of each
    uint64_t event_count;
    double now_ns; // the nominal clock
    uint64_t calls[4], bytes[4]; // copies: h2d, d2h, d2d, fills
} wire_context;

// Run one command. Anything may be in it; the reply is complete in every case.
void wire_execute(wire_context *x, const wire_command *command, wire_reply *reply);

// simt_write_record with the context's copies added.
void wire_write_record(const wire_context *x, FILE *out);
void wire_reset_record(wire_context *x);

void wire_context_end(wire_context *x); // frees its own memory, not the device

// What a program that is linked with the device core offers to its front end.
typedef struct wire_local {
    wire_context *(*open)(void); // NULL: no device
    void (*execute)(wire_context *x, const wire_command *command, wire_reply *reply);
} wire_local;
extern const wire_local simt_local;

#endif
