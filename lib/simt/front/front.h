// Inside the front end: what its files share. Sections are named after the files.
//
// The front end is the CUDA runtime of a program that nvcc built. It keeps the books
// (allocations, modules, streams, graphs, last errors), puts off what may be put off,
// and turns the rest into the commands of ../wire/command.h. graph.h and memory.h have
// what fewer files share.

#ifndef SIMT_FRONT_H
#define SIMT_FRONT_H

#include "transport.h"
#include "versions.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct stream stream;
typedef struct event event;
typedef struct node node;
typedef struct graph graph;
typedef struct capture capture;
typedef struct kernel kernel;

// ---- front.c: every entry point goes through these ------------------------------

// Take the lock and make sure that there is a device; its error, or the context's.
int front_enter(void);
// The same for calls that need no context.
int front_enter_any(void);
// The same for calls that could wait: a capture forbids them.
int front_enter_unsafe(void);
// Note the error, if it is one, and let go of the lock.
cudaError_t front_leave(int code);

// The body of an entry point: `return CALL(expression)`, run only in a good context.
#define CALL_WITH(enter, expression)                                                   \
    ({                                                                                 \
        int code_ = enter();                                                           \
        notice_call(__func__, __builtin_return_address(0));                             \
        front_leave(code_ ? code_ : (expression));                                     \
    })
#define CALL(expression) CALL_WITH(front_enter, expression)
#define CALL_ANY(expression) CALL_WITH(front_enter_any, expression)
#define CALL_UNSAFE(expression) CALL_WITH(front_enter_unsafe, expression)

extern wire_gpu gpu; // what each device says of itself
extern int device_count;
extern _Thread_local int here;              // the calling thread's device
extern _Thread_local bool in_host_function; // of cudaLaunchHostFunc
// Wait for what was sent to a device: write out what kernels printed, note a lost
// context.
int front_wait(int number);
int front_reset(void);
int last_error(bool clear);
bool is_device(int number);

// ---- notice.c: what the checks leak and error look at ------------------------------

void notice_start(void);            // there is a device: look until the program ends
// An entry point begins; where it was called from.
void notice_call(const char *name, const void *from);
void notice_launch(const char *kernel, dim3 grid, dim3 block);
void notice_configuration(const void *from); // of the launch to come: its <<< >>>
void notice_place(const void *address, size_t bytes); // what a call was refused for
void notice_left(int code);         // and ends
void notice_looked(int code);       // somebody asked for the error

// ---- line.c -------------------------------------------------------------------------

uint32_t line_of_call(const void *address); // as in wire_command.host; 0: unknown
const char *line_file(uint32_t place);      // NULL: unknown
unsigned line_number(uint32_t place);

// ---- work.c: what streams run and graphs' nodes do
// ------------------------------------

typedef struct place { // where a box of bytes begins
    char *at;
    size_t pitch, slice; // bytes from row to row, from slice to slice
} place;

typedef struct box {
    place to, from;
    size_t bytes, rows, slices; // bytes a row
} box;

typedef struct filling {
    place to;
    unsigned value, element; // element: bytes of the value
    size_t bytes, rows, slices;
} filling;

typedef struct calling {
    void (*function)(void *);
    void *argument;
} calling;

typedef enum work_kind {
    WORK_EMPTY,
    WORK_LAUNCH,
    WORK_COPY,
    WORK_FILL,
    WORK_CALL,
    WORK_RECORD,
    WORK_WAIT, // of a node: for an event as it is at the launch
    WORK_TURN, // of a queue: for another stream, up to a number
    WORK_USE,  // parked memory lives again
    WORK_PARK, // it is as good as freed
    WORK_FREE, // it is
    WORK_COMMAND,
} work_kind;

typedef struct work {
    work_kind kind;
    int on;     // device number + 1; 0: that of the stream
    uint32_t host; // where it was asked for: line_of_call
    void *data; // owned: arguments of a launch, staged bytes of a copy
    union {
        struct {
            kernel *kernel;
            struct wire_launch shape;
            size_t bytes;
        } launch;
        box copy;
        filling fill;
        calling call;
        event *event;
        struct {
            stream *other;
            uint64_t until;
        } turn;
        uint64_t address;
        wire_command command;
    };
} work;

// Hand it to a device. number: of its item.
void work_send(const work *w, int device, uint64_t number);
void work_drop(work *w); // what it owns
bool work_copy(work *to, const work *from);

// ---- copy.c ---------------------------------------------------------------------

// Is the copy right? cudaError_t. `kind` can only be refused: addresses say the rest.
int check_box(const box *b, int kind);
int check_filling(const filling *f);
int copy_box(box b, int kind, stream *s, bool async);
int copy_line(void *to, const void *from, size_t bytes, int kind, stream *s,
              bool async);
int fill_box(filling f, stream *s, bool async);
void copy_now(const box *b, int device);
void fill_now(const filling *f, int device);

// ---- copy3d.c: the runtime's structures, and arrays
// ----------------------------------

int box_of(const struct cudaMemcpy3DParms *p, box *b);
int copy_3d(const struct cudaMemcpy3DParms *p, stream *s, bool async);
int copy_3d_peer(const struct cudaMemcpy3DPeerParms *p, stream *s, bool async);
int copy_peer(void *to, int to_device, const void *from, int from_device, size_t bytes,
              stream *s, bool async);
int copy_to_array(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                  size_t bytes, size_t rows, int kind, stream *s, bool async);
int copy_from_array(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                    size_t bytes, size_t rows, int kind, stream *s, bool async);
int copy_arrays(cudaArray_t to, size_t tx, size_t ty, cudaArray_const_t from, size_t fx,
                size_t fy, size_t bytes, size_t rows, int kind, stream *s);

// ---- symbol.c -----------------------------------------------------------------------

enum direction { INTO, OUT_OF };
int symbol_place(const void *symbol, size_t bytes, size_t offset, int kind,
                 enum direction d, char **at);

// ---- module.c, function.c, launch.c -------------------------------------------------

typedef struct kernel_on { // a kernel on one device
    uint32_t id;           // 0: not looked up yet
    wire_kernel *about;
    size_t most_dynamic; // cudaFuncAttributeMaxDynamicSharedMemorySize
    int carveout, cache; // -1: no preference; cudaFuncCache
    bool large_clusters;
    struct wire_launch accepted; // the last launch that the device found right
} kernel_on;

struct kernel {
    kernel *next;
    struct module *module;
    const void *host; // its stub's address
    const char *name;
    kernel_on on[WIRE_DEVICES];
};

typedef struct variable {
    struct variable *next;
    struct module *module;
    const void *host;
    const char *name;
    size_t bytes;
    void *managed; // where both sides see it
    void **slot;
    uint64_t at[WIRE_DEVICES]; // 0: not looked up yet
} variable;

kernel *kernel_by_stub(const void *host);
kernel *kernel_of(const void *stub_or_handle);           // NULL: none
int kernel_ready(kernel *k, int number);                 // load its module, look it up
int kernel_find(const void *stub_or_handle, kernel **k); // and ready, here
int variable_ready(const void *host, variable **v);      // here
void modules_forget(int number);                         // the context is gone
const void *module_container(const kernel *k, int i); // of part i; NULL: there is none
size_t module_bytes_left(const void *at);             // of the segment that holds it
int module_target(const kernel *k);                   // of its PTX: 80 is sm_80

void kernel_measure(kernel *k, int number); // by its machine code

typedef struct launch_options {
    dim3 grid, block;
    size_t shared;
    bool cooperative;
    dim3 cluster; // x is 0: as the kernel says
} launch_options;

// Put a launch together: *w is to be dropped.
int launch_work(kernel *k, launch_options o, void **arguments, int device, work *w);
int launch(kernel *k, launch_options o, void **arguments, stream *s);
int launch_stub(const void *host, launch_options o, void **arguments, stream *s);
int launch_configured(const cudaLaunchConfig_t *c, const void *host, void **arguments,
                      stream *s);
int blocks_per_sm(const kernel *k, int block, size_t dynamic);
size_t shared_preferred(const kernel *k); // bytes of a multiprocessor
int most_dynamic(const kernel *k); // bytes a block may ask for

// ---- queue.c ------------------------------------------------------------------------

typedef struct item { // one thing in a stream's queue
    struct item *next;
    uint64_t number; // order of all calls
    double issued;   // when it was asked for: transport.h
    work work;
} item;

struct stream {
    stream *next;
    item *first, *last;
    int device;
    unsigned flags;
    int priority;
    unsigned long long id;
    capture *capture; // NULL: none
    node **after;     // the captured nodes that the next one follows
    size_t after_count;
    int policy; // how to wait
    struct cudaAccessPolicyWindow window;
};

struct event {
    event *next;
    int device;
    unsigned flags;
    uint32_t id;             // of its slot on the device
    uint64_t recorded, done; // numbers of the last record: asked for, executed
    stream *where;
    unsigned long long capture; // id of the capture that recorded it last; 0: none
    node **after;
    size_t after_count;
};

stream *stream_of(cudaStream_t handle); // NULL: no such stream
stream *legacy_stream(int number);
stream *stream_after(stream *s); // NULL: the first; all but the legacy ones
bool stream_is_legacy(const stream *s);
bool stream_is_blocking(const stream *s);
stream *stream_new(unsigned flags, int priority);
void stream_drop(stream *s);
// Put work into a stream, or into the graph that it is captured into; it is taken over.
int stream_add(stream *s, work w);
int enqueue(stream *s, work w);
void run_stream(stream *s, uint64_t until); // and all that it has to wait for
void run_all(int number);
// As a call in the legacy stream that waits, or in another stream.
void run_before(stream *s);
void queues_forget(int number);
bool item_done(uint64_t number, const stream *s); // has it been sent?

// ---- stream.c, event.c: behind the calls that have twins
// ------------------------------

int stream_synchronize(stream *s);
int stream_query(stream *s);
int stream_wait(stream *s, cudaEvent_t what, unsigned flags);
int stream_call(stream *s, calling c);
int stream_call_back(stream *s, cudaStream_t handle, cudaStreamCallback_t f, void *a,
                     unsigned flags);
int stream_flags(stream *s, unsigned *flags);
int stream_priority(stream *s, int *priority);
int stream_id(stream *s, unsigned long long *id);
int stream_device(stream *s, int *number);
int stream_attribute(stream *s, int which, void *get, const void *set);
int stream_copy_attributes(stream *to, const stream *from);
int stream_attach(stream *s, void *at, size_t bytes, unsigned flags);
event *event_of(cudaEvent_t handle);
bool event_pending(const event *e);
int event_record(cudaEvent_t handle, stream *s, unsigned flags);
void events_forget_stream(const stream *s);

// ---- properties.c, limits.c, peer.c
// -------------------------------------------------------

int device_properties(struct cudaDeviceProp *p, int number);
bool peer_enabled(int from, int to);
void peers_forget(int number);
void limits_forget(int number);
int entry_point(const char *name, void **function,
                enum cudaDriverEntryPointQueryResult *status);

#endif
