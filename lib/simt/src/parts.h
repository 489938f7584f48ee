// What the files of the device core call in each other; exec.h includes it.

#ifndef SIMT_PARTS_H
#define SIMT_PARTS_H

// heap.c: device memory.
heap *heap_open(size_t bytes, int number);
void heap_close(heap *h);
bool heap_watch(heap *h); // note which bytes are written
int heap_alloc(heap *h, size_t bytes, uint64_t *address);
int heap_free(heap *h, uint64_t address);
// A parked allocation is as good as freed, but keeps its place.
int heap_park(heap *h, uint64_t address, bool parked);
int heap_share(heap *h, uint64_t address, char *host, size_t bytes, pages *pages);
int heap_unshare(heap *h, uint64_t address);
void heap_peer(heap *h, int number, heap *other); // NULL: no longer
size_t heap_used(const heap *h);
// The live allocation that holds [address, address + bytes).
bool heap_find(const heap *h, uint64_t address, size_t bytes, range *found);
// The same for a kernel: in peers' memory too; managed pages come to it, and *found is
// then what need not be asked again.
bool heap_touch(const heap *h, int number, uint64_t address, size_t bytes, bool writes,
                range *found);
// Why there is none: the kind of fault, and the nearest allocation.
simt_fault_kind heap_explain(const heap *h, uint64_t address, size_t bytes,
                             uint64_t *nearest, size_t *nearest_bytes, int64_t *distance);

// pages.c: a kernel touches managed memory; *found shrinks to the pages that it has.
void pages_touch(pages *p, int number, uint64_t address, size_t bytes, bool writes,
                 range *found);

// fault.c
access_kind op_kind(const warp *w, const op *o);
bool op_writes(const warp *w, const op *o); // is it a store or an atomic?

// decode.c
simt_code *decode(simt_device *device, module *m, ptx_function *f);
void code_free(simt_code *code);
// handlers.c, once for each instruction set
int handler_named(const char *name); // index, or -1
extern handler *const handlers_base[];
extern handler *const handlers_v3[];
bool host_has_v3(void);

// warp.c: control flow; block.c: barriers; launch.c: grids.
int launch_registers(const simt_device *d, const ptx_function *f); // a thread has, about
void warp_start(warp *w, block *b, uint32_t index);
event warp_run(warp *w);
bool warp_ready(const warp *w);
event split_wait(warp *w, const op *o, split_state state);
void warp_set_mask(warp *w, uint32_t mask);
event warp_sync(warp *w, const op *o, uint32_t needs); // GO when all are here

// schedule.c: which of several comes next.
void schedule_start(worker *k);
uint32_t schedule_pick(worker *k, uint32_t n);
bool schedule_interrupts(worker *k);
void schedule_order(worker *k, uint32_t *order, uint32_t n);
uint64_t schedule_cluster(const launch *run, uint64_t number);

// room.c: zeroed, 64-byte aligned memory of a launch; kept for the next one.
struct rooms *rooms_open(void);
void rooms_close(struct rooms *all);
void *room_take(simt_device *device, size_t bytes);
void room_give(simt_device *device, void *room);
void worker_start(launch *run, worker *k); // worker.c
void *worker_run(void *k);
void worker_stop(worker *k);
void block_start(worker *k, block *b, uint64_t linear);
event block_stuck(block *b); // nobody can go on: why
event block_run(worker *k, block *b);
event block_barrier(warp *w, const op *o, int number, uint32_t expected);
event block_release(warp *w, const op *o, int number);
event block_threads_left(warp *w, const op *o);
void frame_release(worker *k, frame *f);
frame *frame_new(worker *k, simt_code *code, frame *caller);
void frame_enter(warp *w, frame *f);
void frame_unwritten(const warp *w, const frame *f, uint32_t lanes); // call.c
event warp_jump(warp *w, uint32_t to);
event warp_limit(warp *w, const op *o); // a fault: it has run too long, or is to stop
void split_off(warp *w, uint32_t mask, uint32_t pc); // lanes of the running split
handler control_bra, control_bra_idx, control_fall, control_exit, control_bar,
    control_trap, control_unsupported, control_guarded, control_warp_barrier;

// fault.c
event fault_here(warp *w, const op *o, simt_fault_kind kind, int lane);
event fault_access(warp *w, const op *o, int lane, uint64_t address, uint32_t bytes);
void fault_place(const warp *w, const op *o, int lane, simt_place *place);
void fault_text(warp *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
void findings_settle(simt_device *device); // after a launch
void finding_add(simt_device *device, const simt_fault *fault);
const char *source_name(const char *symbol, char *to, size_t size);
const char *module_file(const module *m, uint16_t file);
module *code_module(const launch *l, const simt_code *code);

// check.c
struct decoder;
void check_wrap(struct decoder *d);

// race_*.c: all of these do nothing where races are not looked for.
order *order_new(const launch *run);
void order_free(block *b);
void order_start(block *b);
void order_arrive(warp *w, int number);
void order_release(block *b, int number, bool all);
void order_warp(warp *w);
void order_cluster_arrive(warp *w);
void order_cluster_open(cluster *c);
void order_cluster_wait(warp *w);
void order_meeting_arrive(warp *w, const uint64_t *word);
void order_meeting_over(warp *w, const uint64_t *word);
void order_meeting_pass(warp *w, const uint64_t *word);
void races_begin(launch *run);
void races_end(launch *run);
void races_free(simt_device *d);
// bookings.c: which lines of the program made and freed the nearest allocation.
void memory_told(simt_device *d, simt_fault *f);
// writer.c: keep what a launch's stamps mean, until the next; takes its codes.
void writer_keep(launch *run);
void writer_forget(simt_device *device);
void writer_begin(simt_device *device); // the record was reset
// neighbour.c: what stored nearest to bytes that nobody has written; held: their allocation.
bool neighbour_of(const warp *w, bool shared, uint64_t address, const range *held,
                  simt_place *p, int64_t *distance);
void races_forget(simt_device *d, uint64_t address, uint64_t bytes); // it is new memory
handler control_fence;

void device_forget(simt_device *device); // device.c
void device_workspace_reset(simt_device *device);

// record.c
struct record *record_new(const simt_device *device);
void record_free(struct record *r);
void record_launch(launch *l, int status);

void textures_forget(simt_device *device); // texture.c

// print.c
int device_printf(warp *w, const op *o, const call_of *call);
int device_assert(warp *w, const op *o, const call_of *call);

// Copy n bytes at a generic or global address; false if the range is not whole.
bool peek(warp *w, int lane, uint64_t address, void *to, size_t n);

#include "calls.h"

#endif
