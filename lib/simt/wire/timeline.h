// When things would have happened on the GPU: streams side by side on a modelled clock.
//
// Commands run one after the other here. Each says its stream and when the host asked for
// it, and takes the time that the model gives it: it starts when the host has asked, what
// came before in its stream has ended, and the part of the GPU that it needs is free. The
// clock starts at 0 and nothing but work moves it, so times are the same on every host.

#ifndef SIMT_TIMELINE_H
#define SIMT_TIMELINE_H

#include "command.h"

#include <stdbool.h>
#include <stdio.h>

enum { TIMELINE_STREAMS = 256, TIMELINE_RUNNING = 64, TIMELINE_KEPT = 4096 };

typedef enum engine { ENGINE_UP, ENGINE_DOWN, ENGINE_KERNELS, ENGINE_NONE } engine;

typedef struct interval {
    engine on;
    uint32_t stream;
    double start, end; // ns
    uint64_t bytes;    // of a copy
    char name[64];
} interval;

typedef struct timeline {
    double stream[TIMELINE_STREAMS]; // when its last work ends; by number, modulo
    double blocking, legacy;         // the same of all blocking streams, of the legacy one
    double engine[2];                // copies up and down
    struct {
        double end, part;            // a kernel that runs, and of how much of the GPU
    } running[TIMELINE_RUNNING];
    double idle;                     // when the last of these ends
    double end;                      // of all
    interval *kept;
    uint32_t count, dropped;
} timeline;

// Work of a command: its time on an engine, and (kernels) the part of the GPU it fills.
// Returns when it ends.
double timeline_add(timeline *t, const wire_command *c, engine on, double ns, double part,
                    const char *name, uint64_t bytes);
// The command's stream goes on when another one has come as far as it is now.
void timeline_join(timeline *t, const wire_command *c, uint32_t other);
// A range of the host's (NVTX), in one of WIRE_ROWS.
void timeline_mark(timeline *t, uint32_t row, double start, double end, const char *name);
void timeline_reset(timeline *t); // forgets what it kept, not the time
void timeline_free(timeline *t);
// The kept intervals as events of the Chrome trace format, separated by commas.
void timeline_write(const timeline *t, int device, FILE *out);

#endif
