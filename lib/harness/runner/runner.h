// Inside the runner: what its files share.
//
// The runner is linked with the learner's object and does as the judge says. It draws
// no conclusion and is trusted with none.

#ifndef WORKBOOK_RUNNER_H
#define WORKBOOK_RUNNER_H

#include "../protocol.h"

#include <stdbool.h>
#include <stddef.h>

// ---- channel.c ------------------------------------------------------------------

void channel_send(uint32_t type, uint64_t token, const void *body, uint32_t bytes);
// Waits for a frame; false at the end of the talk.
bool channel_receive(wire_head *head, void *body, size_t room);

// ---- dying.c --------------------------------------------------------------------

void dying_listen(void); // report the signal that ends this process

// ---- buffers.c ------------------------------------------------------------------

typedef struct buffers {
    wire_call call;
    unsigned char *base[WIRE_ARGUMENTS];
    uint64_t values[WIRE_ARGUMENTS]; // what the function gets, widened
} buffers;

// Each returns a wire_status and sets *code.
int area_open(uint64_t bytes, int *code);
int buffers_make(buffers *b, const wire_call *call, int *code);
int buffers_fetch(const buffers *b, int *code); // back into the area
void buffers_poison(const buffers *b);          // the answers, before a timed batch
void buffers_free(buffers *b);

// ---- invoke.c -------------------------------------------------------------------

void *find_function(const char *name);
int invoke(void *function, const buffers *b);
double invoke_real(void *function, const buffers *b);

// ---- timing.c -------------------------------------------------------------------

int timing_prepare(const wire_call *call, wire_ready *ready);
void timing_batch(const wire_batch *batch, wire_measured *measured);
int timing_fetch(int *code);
void timing_about(wire_gpu *gpu);

#endif
