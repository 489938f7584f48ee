// What runs: operations, warps, blocks and the device that holds them.
//
// A kernel's PTX is decoded once (decode.c) into an array of operations. An operation
// has a handler that applies it to the active lanes of one warp; a register is 32
// lanes side by side (predicates: 32 bytes of 0 or 255), so a handler is a loop over
// lanes that the compiler turns into vector instructions.
//
//     device > launch > worker (a host thread) > block > warp > split > lane
//
// A split is the set of a warp's lanes that share a program counter. A warp starts as
// one split; a divergent branch makes two, and splits that meet again merge.

#ifndef SIMT_EXEC_H
#define SIMT_EXEC_H

#include "../simt.h"
#include "../wire/occupancy.h"
#include "ptx.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct warp warp;
typedef struct op op;
typedef struct call_of call_of; // calls.h

// What a handler returns: go on, or why the straight run of operations ends here.
typedef enum event { GO = 0, JUMP, BLOCKED, EXITED, FAULTED, YIELD } event;

typedef int handler(warp *w, const op *o);

// An operand is an offset into one of the banks, the bank in its upper two bits.
enum { BANK_FRAME, BANK_CONST, BANK_SPECIAL, BANKS };
#define OPERAND(bank, offset) ((uint32_t)(bank) << 30 | (uint32_t)(offset))

// Places in the special bank, 32 lanes of 4 bytes each unless said.
enum special_slot {
    SP_TID_X, SP_TID_Y, SP_TID_Z, SP_LANE, SP_MASK_EQ, SP_MASK_LT, SP_MASK_LE,
    SP_MASK_GT, SP_MASK_GE, SP_NTID_X, SP_NTID_Y, SP_NTID_Z, SP_CTAID_X, SP_CTAID_Y,
    SP_CTAID_Z, SP_NCTAID_X, SP_NCTAID_Y, SP_NCTAID_Z, SP_WARP, SP_NWARP, SP_SM, SP_NSM,
    SP_ZERO, SP_DYNAMIC, SP_TOTAL, SP_GRID, SP_ENV1, SP_ENV2, SP_SINK, SP_SINK_HIGH,
    SP_SINK_3, SP_SINK_4, SP_RESERVED, SP_RESERVED_END, SP_RESERVED_CAP,
    SP_CLUSTERID_X, SP_CLUSTERID_Y, SP_CLUSTERID_Z, SP_NCLUSTERID_X, SP_NCLUSTERID_Y,
    SP_NCLUSTERID_Z, SP_CLUSTER_CTAID_X, SP_CLUSTER_CTAID_Y, SP_CLUSTER_CTAID_Z,
    SP_CLUSTER_NCTAID_X, SP_CLUSTER_NCTAID_Y, SP_CLUSTER_NCTAID_Z, SP_CLUSTER_CTARANK,
    SP_CLUSTER_NCTARANK, SP_EXPLICIT_CLUSTER, SP_SLOTS
};

static inline void special_set(uint32_t *bank, int slot, uint32_t value) // in all lanes
{
    for (int l = 0; l < 32; l++)
        bank[slot * 32 + l] = value;
}

struct op {
    handler *run;
    handler *inner;       // the operation under a guard or a check (run is one of those)
    uint32_t d, a, b, c;  // operands
    uint32_t e;           // a fifth: second result, carry, ...; of a load, as bits:
                          // elements that nobody computes with, they are stored again
    uint32_t guard;       // predicate operand
    bool guard_not;
    bool leader;          // first of a basic block
    uint8_t bytes;        // memory: of one element
    uint8_t vec;          // memory: elements a lane
    uint8_t width;        // memory: bytes of the register
    uint8_t is_signed;
    uint8_t wide;         // memory: address register has 64 bits
    uint8_t sub;          // which of the handler's kinds
    uint8_t mode;         // rounding, ftz, sat, ...: MODE_*
    uint8_t space;        // ptx_space of an access; S_REG = generic
    uint8_t uniform;      // memory: one address for all lanes
    uint8_t order : 6;    // memory, fences: ORDER_*
    uint8_t lanes : 2;    // checked: which of them (check.h)
    uint32_t site;        // its counters
    uint32_t block;       // its basic block
    uint32_t target;      // branch: operation index
    int64_t imm;          // address displacement, immediate, barrier number, ...
    const void *extra;    // vector operands, a call, ...
};

enum { // op.mode
    MODE_RN, MODE_RZ, MODE_RM, MODE_RP, MODE_ROUNDING = 3,
    MODE_FTZ = 4, MODE_SAT = 8, MODE_NAN = 16, MODE_ABS = 32,
    MODE_RELU = 64, MODE_FINITE = 128,
};

enum { // op.is_signed of an atomic: what its elements are
    ATOM_UNSIGNED, ATOM_SIGNED, ATOM_REAL, ATOM_FLUSHED, // flushed: f32 in global memory
    ATOM_F16, ATOM_BF16, ATOM_F16X2, ATOM_BF16X2,
};

enum { // op.order
    ORDER_STRENGTH = 3,   // race.h: PLAIN, VOLATILE, STRONG
    ORDER_WIDE = 4,       // beyond the block
    ORDER_ACQUIRE = 8, ORDER_RELEASE = 16,
    ORDER_CACHED = 32,    // ld.global.nc
};

typedef enum access_kind { LOAD, STORE, ATOMIC } access_kind;

typedef struct place_of { // of an operation in the source
    uint16_t file;
    uint32_t line, caller; // caller: where the function that it is in was inlined
} place_of;

typedef struct basic_block {
    uint32_t first, count; // operations, and the instructions they stand for
    uint32_t cycles;       // of a warp alone, where the function reads a clock
    uint32_t rank;         // order in which splits run: lower first
} basic_block;

typedef struct simt_code { // a decoded function
    ptx_function *function;
    char name[96];         // in the source
    op *ops;
    place_of *places;
    uint8_t *classes;      // by operation: inst_class; CLASS_COUNT is not counted
    uint32_t count;
    basic_block *blocks;
    uint32_t *block_of;    // basic block of each PTX instruction
    struct path *paths;    // path.h
    uint32_t block_count, block_base; // base: number of its first block in the launch
    uint32_t site_base;    // sites: one an operation, and a second half for generic
                           // accesses that turn out to be to shared memory
    uint8_t *constants;    // bank CONST
    size_t constant_bytes;
    bool ordered;          // blocks may talk to each other: one fixed interleaving
    bool calls_pointers, grows; // grows: has an alloca
    bool reads_clock;
    bool reads_aside;      // global memory, in ways that leave no stamp: writer.c
    handler **unwatched;   // by operation: what stands for it where a line is watched
    uint64_t launch;       // that last gathered it
} simt_code;

// ---- Counters -------------------------------------------------------------------

// Instruction classes, in Nsight's vocabulary but counted in PTX.
#define CLASSES(C)                                                                    \
    C(INT, "int") C(DIVIDE, "division") C(FP32, "fp32") C(FP64, "fp64") C(FP16, "fp16") C(BIT, "bit")       \
    C(CONVERSION, "conversion") C(CONTROL, "control") C(MEMORY, "memory")             \
    C(ATOMIC, "atomic") C(BARRIER, "barrier") C(WARP, "shuffle_vote")                 \
    C(SPECIAL, "special") C(MOVE, "move") C(FMA32, "fma32") C(TEXTURE, "texture")     \
    C(TENSOR, "tensor")
enum inst_class {
#define C(id, name) CLASS_##id,
    CLASSES(C)
#undef C
    CLASS_COUNT
};

// What one operation (a site) has done, per worker; summed after the launch.
typedef struct site_count {
    uint64_t requests; // executions with an active lane
    uint64_t sectors;  // global: 32-byte sectors; shared: wavefronts
    uint64_t ideal;    // shared: wavefronts without conflicts
    uint64_t lanes;    // active lanes
    uint64_t extra;    // divergent branches; atomics: longest same-address run
} site_count;

typedef struct range { // one allocation, as an access sees it
    uint64_t low, high; // [low, high)
    char *host;         // of low
} range;

// The last shared access of a site that was no simple one. What an access costs depends
// on the lanes' distances alone, and those are most often the same again.
typedef struct pattern {
    uint32_t distance[32]; // from the first lane's address
    uint32_t mask, low;    // low: the address's place in its word
    uint32_t size;         // bytes a lane
    uint32_t wavefronts, ideal;
} pattern;

// ---- Blocks and warps -----------------------------------------------------------

typedef struct frame { // an activation of a function, for the lanes of a split
    struct frame *caller;
    simt_code *code;
    uint8_t *registers;
    uint8_t *arguments;    // .param space, bytes a lane: incoming | result | calls
    size_t argument_bytes;
    uint32_t local_base;   // in each lane's local memory
    uint32_t *tops;        // after an alloca: where each lane's free memory begins
    uint32_t return_to;
    const call_of *call;
    int references;
    int depth;
    size_t size;
    struct frame *next_free;
    struct frame *next;    // of all that the worker has made
} frame;

typedef enum split_state { RUNS, AT_BARRIER, AT_WARP_SYNC, AT_CLUSTER } split_state;

typedef struct split {
    uint32_t mask, pc;
    frame *frame;
    split_state state;
    int barrier;
    uint32_t needs;   // AT_WARP_SYNC: lanes it waits for
    uint32_t value;   // bar.red
    const op *branch; // its last one, for sync.c
} split;

struct warp {
    // The running split, unpacked.
    uint8_t *bank[BANKS];
    uint32_t mask;
    bool full;            // mask is all 32 lanes
    _Alignas(64) int32_t lane[32]; // 0 or -1
    const op *ops;
    frame *frame;
    site_count *sites;    // of this function, by op.site
    range *cache;
    uint64_t *runs, *lanes; // of its basic blocks
    uint32_t pc;          // set with JUMP: where to; with BLOCKED: where to resume
    // The rest of the warp.
    struct block *block;
    struct worker *worker;
    uint32_t index;       // in the block
    uint32_t live;        // lanes that have not exited
    split splits[32];
    int split_count, current;
    uint32_t spin;        // backward jumps since another split ran
    uint32_t passed;      // lanes that went on while others of the warp wait at a barrier
    uint64_t executed;    // instructions
    uint64_t cycles;      // modelled: of blocks that have them
    uint64_t stop_at;     // limit
    uint8_t carry[32];
    uint8_t *special;
    char *local;          // 32 x local_bytes
    uint8_t *local_written; // init.h: a bit a byte; NULL: nobody wants to know
    frame *entry;
    bool done;
    struct async_state *async;  // copies under way: async.h
    uint32_t cluster_phase[32]; // 1 + the phase in which a lane arrived last
};

typedef struct barrier {
    uint32_t arrived, expected;
    uint32_t value_and, value_or, value_count;
} barrier;

typedef struct order order; // race.h: what the block's warps know of each other

typedef struct cluster { // blocks that are live together, often just one
    struct block *blocks;
    uint32_t size;
    uint64_t number;
    struct pendings *pendings;     // copies under way to its barriers: async.h
    uint32_t arrived, live, phase; // barrier.cluster: threads, and how often it opened
    struct know *known;            // race.h: what its threads had done when it opened
} cluster;

typedef struct block {
    struct l1 *l1;         // cache.h
    uint64_t linear;       // order in which blocks are handed out
    cluster *cluster;
    uint32_t rank;         // in it
    bool waits;            // nothing to do before others of the cluster have come
    uint32_t id[3];
    warp *warps;
    uint32_t warp_count, threads, live;
    char *shared, *reserved;
    uint8_t *shared_written; // init.h, as above
    struct sync_state *sync; // sync.h; NULL: not asked for
    order *order;          // NULL: races are not looked for
    barrier barriers[16];
    uint64_t barriers_done;
    uint32_t next_warp;
    bool started, finished;
    uint64_t executed;
} block;

typedef struct worker {
    struct launch *launch;
    block *blocks;         // slots; usually one is live
    int slots;             // that were used
    cluster *clusters;
    uint64_t *block_runs, *block_lanes; // by basic block
    site_count *sites;
    range *cache;          // by site: the allocation last touched
    pattern *patterns;     // by site
    struct sightings **seen; // by site, where a line is watched: watch.h
    struct traffic *traffic;   // cache.h
    uint64_t longest;          // instructions of the warp that executed most
    struct miss_log *misses;
    uint64_t barriers_done, blocks_done;
    uint64_t dice;         // schedule.c; 0: the fixed order
    frame *free_frames, *frames;
    simt_fault fault;      // of the lowest block that faulted
    uint64_t fault_block;
    char detail[160];
    pthread_t thread;
} worker;

typedef struct launch {
    simt_device *device;
    const simt_launch *what;
    simt_code *code;       // of the kernel
    struct module *module;
    simt_code **codes;     // of every function it may reach, as found
    int code_count;
    uint32_t total_blocks_bb, total_sites;
    uint64_t blocks;       // of the grid
    uint32_t cluster[3], cluster_size; // blocks, along each dimension and in all
    uint32_t threads, warps;
    size_t shared, local;
    atomic_uint_fast64_t next_block;
    atomic_uint_fast64_t fault_block; // lowest that faulted
    bool ordered, calls_pointers, grows, explicit_cluster;
    uint8_t *parameters;
    int registers;                  // a thread
    block_limits limits;            // of blocks on a multiprocessor
    uint32_t l1_lines, most_logged; // of a block: cache.h
    worker *workers;
    int worker_count;
} launch;

// ---- The device -----------------------------------------------------------------

#define DEVICE_BASE 0x300000000000ull // device addresses begin here
#define DEVICE_SPAN 0x010000000000ull // ... a device after the other
enum { DEVICES = 16 };
#define SHARED_WINDOW 0x2f0000000000ull // generic addresses of shared memory
#define LOCAL_WINDOW 0x2e0000000000ull // and of local memory
#define SHARED_RANK 24                 // bit of a shared address: 1 + rank in the cluster
#define RESERVED_SHARED 0xf00000u      // the toolkit's own part of shared memory
#define RESERVED_BYTES 1024u
#define WINDOW_SIZE 0x0000ffffffffull
#define CODE_WINDOW 0x2d0000000000ull  // addresses of functions
#define WORKSPACE 0x2b0000000000ull    // of a cooperative grid; kernels read it
#define MALLOC_WINDOW 0x2c0000000000ull // memory that kernels allocate

typedef struct module {
    struct module *next;
    uint32_t id;
    ptx_module ptx;
} module;

typedef struct heap heap;
typedef struct simt_pages pages;

enum { BOOKINGS = 256 }; // allocations of which it is known who made them

struct simt_device {
    const simt_gpu *gpu;
    simt_config config;
    handler *const *handlers;  // of this host's instruction set
    heap *heap;
    struct l2 *l2;
    module *modules, *retired; // retired: unloaded, but the record may name its parts
    struct kernel_id { module *module; ptx_function *function; } *kernels;
    uint32_t kernel_count;
    struct kernel_id *functions; // those whose address is taken, by number
    uint32_t function_count;
    struct device_heap *malloced;
    struct children *children; // launched by the grid that runs
    uint32_t workspace[1024]; // of the cooperative grid that runs
    size_t limits[SIMT_LIMITS];
    uint32_t next_module;
    char load_error[256];
    atomic_bool stop;
    char *printed;
    size_t printed_bytes, printed_taken;
    pthread_mutex_t lock;      // printf, device heap
    struct rooms *rooms;
    simt_texture **textures;   // by object - 1; NULL: dropped
    uint32_t texture_count;
    struct record *record;
    struct watch *watch;       // a line whose accesses are kept, or NULL
    struct races *races;       // race.h
    simt_asked asked;          // what runs now
    struct booking { uint64_t base; simt_asked made, freed; } bookings[BOOKINGS];
    uint32_t next_booking;
    simt_asked last_free;
    uint64_t grid_number;
    uint64_t clock;            // modelled ns of all launches so far
};

#include "parts.h"

#endif
