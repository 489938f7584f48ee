// Inside the front end: what its files share. Sections are named after the files.
//
// The front end is the CUDA runtime of a program that nvcc built. It keeps the books
// (allocations, modules, streams, last errors), puts off what may be put off, and turns
// the rest into the commands of ../wire/command.h.

#ifndef SIMT_FRONT_H
#define SIMT_FRONT_H

#include "transport.h"

#include <cuda_runtime_api.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct stream stream;
typedef struct event event;

// ---- front.c: every entry point goes through these ------------------------------

// Take the lock and make sure that there is a device; its error, or the context's.
int front_enter(void);
// The same for calls that need no context.
int front_enter_any(void);
// Note the error, if it is one, and let go of the lock.
cudaError_t front_leave(int code);

// The body of an entry point: `return CALL(expression)`, run only in a good context.
#define CALL(expression)                                                              \
    ({                                                                                \
        int code_ = front_enter();                                                    \
        front_leave(code_ ? code_ : (expression));                                    \
    })
#define CALL_ANY(expression)                                                          \
    ({                                                                                \
        int code_ = front_enter_any();                                                \
        front_leave(code_ ? code_ : (expression));                                    \
    })

extern wire_gpu gpu; // what the device says of itself
extern _Thread_local bool in_host_function; // of cudaLaunchHostFunc
// Wait for what was sent: write out what kernels printed, note a lost context.
int front_wait(void);
int front_reset(void);
int last_error(bool clear);

// ---- memory.c -------------------------------------------------------------------

typedef enum memory_kind { DEVICE, VARIABLE, PINNED, MANAGED, REGISTERED } memory_kind;

typedef struct memory {
    uint64_t base;
    size_t bytes;
    memory_kind kind;
    unsigned flags;
    bool shared; // REGISTERED: kernels can use it
} memory;

// The range that holds the address, or NULL.
const memory *memory_at(const void *address);
int memory_add(memory m);
void memory_drop(const void *base);
void memory_forget_all(void);
int arena_take(size_t bytes, memory_kind kind, unsigned flags, void **at);

// ---- copy.c ---------------------------------------------------------------------

typedef struct rows { // bytes x height, at pitches
    void *to;
    const void *from;
    size_t to_pitch, from_pitch, bytes, height;
} rows;

int copy_rows(rows r, int kind, stream *stream, bool async);
int fill_rows(void *to, size_t pitch, int byte, size_t bytes, size_t height,
              stream *stream, bool async);
void copy_now(const rows *r); // send it; its stream's turn has come

// ---- module.c -------------------------------------------------------------------

typedef struct kernel {
    struct kernel *next;
    struct module *module;
    const void *host; // its stub's address
    const char *name;
    uint32_t id; // 0: not looked up yet
    wire_kernel *about;
    size_t most_dynamic; // cudaFuncAttributeMaxDynamicSharedMemorySize
    int carveout;
    bool any_cluster; // cudaFuncAttributeNonPortableClusterSizeAllowed
    wire_command accepted; // the last launch that the device found right
} kernel;

typedef struct variable {
    struct variable *next;
    struct module *module;
    const void *host;
    const char *name;
    size_t bytes;
    void *managed; // where both sides see it
    void **slot;
    uint64_t at; // on the device; 0: not looked up yet
} variable;

kernel *kernel_by_stub(const void *host);
int kernel_ready(kernel *k); // load its module, look it up
int variable_ready(const void *host, variable **v);
bool is_kernel(const void *handle);
void modules_forget(void); // the context is gone

// ---- launch.c -------------------------------------------------------------------

typedef struct launch_ways { // what a launch may ask for besides
    bool cooperative;
    dim3 cluster; // x is 0: as the kernel says
} launch_ways;

int launch(kernel *k, dim3 grid, dim3 block, void **arguments, size_t shared,
           stream *stream, launch_ways ways);
int blocks_per_sm(const kernel *k, int block, size_t dynamic);

// ---- queue.c --------------------------------------------------------------------

typedef enum item_kind {
    COMMANDED,
    COPY_ROWS,
    HOST_FUNCTION,
    EVENT,
    WAIT_FOR
} item_kind;

typedef struct item { // one thing in a stream's queue
    struct item *next;
    uint64_t number; // order of all calls
    item_kind kind;
    wire_command command;
    void *data; // owned; staged when the item is sent
    rows rows;
    void (*function)(void *);
    void *argument;
    event *event;
    stream *other; // WAIT_FOR: and up to which number
    uint64_t until;
    uint64_t free_after; // device memory of cudaFreeAsync: forget it
} item;

struct stream {
    stream *next;
    item *first, *last;
    unsigned flags;
    int priority;
};

struct event {
    event *next;
    unsigned flags;
    uint32_t id;             // of its slot on the device
    uint64_t recorded, done; // numbers of the last record: asked for, executed
    stream *where;
};

extern stream *streams; // the first is the legacy stream
stream *stream_of(cudaStream_t handle); // NULL: no such stream
stream *per_thread_stream(void);
int enqueue(stream *s, item it);
uint64_t last_number(void);
void run_stream(stream *s, uint64_t until); // and all that it has to wait for
void run_all(void);
// As a call in the legacy stream that waits, or in another stream.
void run_before(stream *s);
void queues_forget(void);
event *event_of(cudaEvent_t handle);
bool event_pending(const event *e);

#endif
