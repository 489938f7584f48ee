// Checks of barriers, and who waits where. A block's `sync` is NULL when they are off.

#ifndef SIMT_SYNC_H
#define SIMT_SYNC_H

#include "exec.h"

struct sync_state *sync_new(const simt_device *d);
void sync_reset(struct sync_state *s); // a block begins
void sync_free(struct sync_state *s);

void sync_wrap(const simt_device *d, simt_code *c);  // a function was decoded
void sync_left(warp *w, const op *o);                // the running lanes end here
const split *waiting_split(const warp *w);           // at a __syncthreads(), or NULL
void sync_opens(const block *b, int number);         // a barrier opens
void sync_masks(const warp *w, const op *o, uint32_t needs); // of a __syncwarp()
void sync_ended(const warp *w, const op *o, uint32_t needs); // of a shuffle and its like
// An mbarrier is made at an address, or unmade.
void sync_mbarrier(warp *w, const op *o, int lane, uint32_t address, bool made);

// The waiters of a fault: every live warp of the worker's blocks.
void fault_waiters(const worker *k, simt_fault *f);

#endif
