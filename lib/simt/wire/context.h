// A machine: one front end's use of devices, a context for each, from its first command
// to its last.

#ifndef SIMT_CONTEXT_H
#define SIMT_CONTEXT_H

#include "../simt.h"
#include "command.h"
#include "timeline.h"

typedef struct wire_context {
    simt_device *device;
    struct wire_machine *machine;
    char *staging; // shared with the peer: what it holds may change at any time
    uint64_t staging_bytes;
    bool same_process; // then any host memory may be shared
    int sticky;        // the fault that ended this context
    int soft;          // the first other error since the last WAIT
    char *blob;
    uint64_t blob_bytes, blob_capacity;
    uint64_t *events; // nominal time of each
    uint64_t event_count;
    timeline time;
    uint64_t calls[4], bytes[4]; // copies: h2d, d2h, d2d, fills
} wire_context;

typedef struct wire_managed { // a managed allocation
    struct wire_managed *next;
    uint64_t address, bytes;
    simt_pages *pages;
} wire_managed;

// The devices that one front end sees, and the memory that they share with it.
typedef struct wire_machine {
    wire_context device[WIRE_DEVICES];
    int count;
    bool (*map_arena)(
        void *with); // make the arena usable; called before the first share
    void *map_with;
    bool mapped;
    wire_managed *managed;
    char sources[16][400]; // files of the program, for messages
    char failed[320];      // the first call that failed since the last reset
    uint32_t failed_at;    // as a command's `host`
    simt_pages_seen gone, since; // of freed memory; at the last reset
} wire_machine;

// The devices of a configuration, as many as SIMT_DEVICES says: false if there are
// none.
bool wire_machine_open(wire_machine *m, simt_config config);
void wire_machine_close(wire_machine *m);
void wire_machine_stage(wire_machine *m, char *staging, uint64_t bytes);

// Run one command. Anything may be in it; the reply is complete in every case.
void wire_execute(wire_machine *m, const wire_command *command, wire_reply *reply);

// simt_write_record of all devices with their copies added.
void wire_write_record(const wire_machine *m, FILE *out);
// Write what was found for people to read; returns how much it was.
int wire_say(const wire_machine *m, FILE *out);
void wire_reset_record(wire_machine *m);
simt_pages_seen wire_managed_seen(const wire_machine *m);

// What a program that is linked with the device core offers to its front end.
typedef struct wire_local {
    wire_machine *(*open)(void); // NULL: no device
    void (*execute)(wire_machine *m, const wire_command *command, wire_reply *reply);
    void (*end)(wire_machine *m, int status); // the program ends: say what was found
} wire_local;
extern const wire_local simt_local;

#endif
