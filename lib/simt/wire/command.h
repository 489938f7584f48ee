// Commands: what a front end may ask of a device. One table for both sides.
//
// A command is a slot of fixed size in a ring: plain numbers, no host pointer. Bytes
// that go with it (kernel arguments, data, names) lie in the staging area at `offset`.
// Commands run in order. One with WIRE_CALL set is answered by a reply; the errors of
// the others wait for the next WAIT of their device.

#ifndef SIMT_COMMAND_H
#define SIMT_COMMAND_H

#include <stdint.h>

// COMMAND(name, payload, what it does; what the reply holds)
#define WIRE_COMMANDS(COMMAND)                                                        \
    COMMAND(NOP, none, "nothing")                                                     \
    COMMAND(GPU, none, "what the GPU is; value 0: how many devices, body: wire_gpu")  \
    COMMAND(BLOB, piece, "add staged bytes to the program text; first: start anew")   \
    COMMAND(LOAD, none, "load the text as PTX; value 0: module, body: what is wrong") \
    COMMAND(UNLOAD, object, "drop a module")                                          \
    COMMAND(KERNEL, object, "find by staged name; value 0: id, body: wire_kernel")    \
    COMMAND(VARIABLE, object, "find by staged name; values: address, bytes")          \
    COMMAND(BIND, object, "let a managed variable, by staged name, lie at an address") \
    COMMAND(ALLOC, range, "allocate; managed: as if written; value 0: address")       \
    COMMAND(FREE, range, "free an allocation")                                        \
    COMMAND(FRESH, range, "take these bytes for never written, whatever they hold")    \
    COMMAND(PARK, range, "as good as freed, but kept; bytes 0: use it again")         \
    COMMAND(PEER, object, "use the memory of device `id`; address 0: no longer")      \
    COMMAND(SHARE, range, "let kernels use a range of the arena; managed: by pages")  \
    COMMAND(UNSHARE, range, "and no longer")                                          \
    COMMAND(TOUCHED, range, "the host has touched these managed pages")               \
    COMMAND(MOVE, pages, "managed pages to a holder")                                 \
    COMMAND(ADVISE, pages, "advice about managed pages")                              \
    COMMAND(MEMORY, none, "values: bytes available, in all")                          \
    COMMAND(WRITE, piece, "staged bytes to an address; first: a copy begins")         \
    COMMAND(READ, piece, "from an address to the staging area")                       \
    COMMAND(COPY, copy, "between two addresses")                                      \
    COMMAND(FILL, fill, "a range with one element")                                   \
    COMMAND(TEXTURE, none, "make an object of a staged wire_texture; value 0: its number") \
    COMMAND(UNTEXTURE, object, "drop a texture or surface object")                    \
    COMMAND(LIMIT, object, "set simt_set_limit's number `id` to `address`")           \
    COMMAND(CHECK, launch, "would this launch be accepted?")                          \
    COMMAND(LAUNCH, launch, "run a kernel with staged arguments")                     \
    COMMAND(JOIN, object, "the stream waits for where stream `id` has come to")       \
    COMMAND(MARK, range, "a range of the host's, by staged name: from address to bytes, ns; managed: its row") \
    COMMAND(RECORD, object, "note the time in an event's slot")                       \
    COMMAND(TIME, object, "value 0: the time in an event's slot, in ns")              \
    COMMAND(SOURCE, object, "file `id` of the program, from 1 on, has the staged name")    \
    COMMAND(FAILED, object, "a call failed: its staged name, or `id` bytes of a kernel's and more") \
    COMMAND(FINDING, finding, "about a call: kind, address, bytes, a staged text")        \
    COMMAND(END, none, "the program ends: what did kernels not free?")                \
    COMMAND(WAIT, none, "what failed since the last; body: what kernels printed")

enum wire_op {
#define COMMAND(name, payload, meaning) WIRE_##name,
    WIRE_COMMANDS(COMMAND)
#undef COMMAND
    WIRE_OPS
};

enum { // flags
    WIRE_CALL = 1,   // send a reply
    WIRE_PINNED = 2, // a copy's host memory is pinned
    WIRE_JUDGE = 4,  // what is read is not for the program
};

// Of a stream's number: it does not wait for the legacy stream, nor that for it. Numbers
// up to WIRE_DEVICES are legacy streams.
#define WIRE_NON_BLOCKING 0x80000000u

struct wire_none {
    uint64_t unused;
};
struct wire_piece { // of a transfer that may be larger than the staging area
    uint64_t address, first;
};
struct wire_object {
    uint64_t id, address;
};
struct wire_range {
    uint64_t address, bytes, managed;
    uint64_t host; // in one process: where it is mapped for the device
};
struct wire_pages { // advice: simt_advice; who: holders, as in simt.h
    uint64_t address, bytes, advice, who;
};
struct wire_copy {
    uint64_t to, from, bytes, first;
};
struct wire_fill { // element: bytes of the value, 1, 2 or 4
    uint64_t to, bytes, value, element, first;
};
struct wire_launch {
    uint32_t kernel, grid[3], block[3], shared, cooperative;
    uint8_t cluster[3], any_cluster; // 0: as the kernel says
    uint32_t registers, preferred;   // as in simt_launch
};

struct wire_finding {
    uint64_t kind, address, bytes;
    uint64_t symbol; // bytes of a launch's kernel name, in front of the text
};

typedef struct wire_command {
    uint16_t op, device;
    uint32_t flags;
    uint64_t offset, bytes; // in the staging area
    uint32_t stream;
    uint32_t host;          // where the program asked for it: file << 20 | line; 0: unknown
    double issued;          // when the host asked for it, on its modelled clock: ns
    union {
        struct wire_none none;
        struct wire_piece piece;
        struct wire_object object;
        struct wire_range range;
        struct wire_pages pages;
        struct wire_copy copy;
        struct wire_fill fill;
        struct wire_launch launch;
        struct wire_finding finding;
        uint64_t words[6];
    } as;
} wire_command;

enum { WIRE_BODY = 32 << 10, WIRE_PARAMETERS = 4000 };

enum { // flags of a reply
    WIRE_STICKY = 1, // the device is lost
    WIRE_MORE = 2,   // there is more text
};

typedef struct wire_reply {
    int32_t code; // cudaError_t
    uint32_t flags;
    uint64_t value[2];
    double ended;   // when all that has been asked for has ended: ns
    uint32_t bytes; // of the body
    uint32_t unused;
    char body[WIRE_BODY];
} wire_reply;

typedef struct wire_gpu {
    char name[128];
    int32_t major, minor, sms, clock_khz, memory_clock_khz, memory_bus_bits, l2;
    int32_t threads_per_sm, blocks_per_sm, registers_per_sm;
    int32_t shared_per_sm, shared_optin;
    uint32_t checks, unused;
    uint64_t memory;
} wire_gpu;

typedef struct wire_kernel {
    uint64_t parameter_bytes, shared, local, constant;
    int32_t parameters, max_threads, registers, unused;
    struct {
        uint32_t offset, bytes;
    } parameter[]; // at most WIRE_PARAMETERS
} wire_kernel;

// simt_texture, with numbers for its flags; texels are where the levels say.
typedef struct wire_texture {
    struct {
        uint64_t address, row, slice;
    } level[16];
    uint32_t levels, width, height, depth, layers;
    uint8_t bits[4], format, address_mode[3], filter, mip_filter;
    uint8_t linear, normalized_coordinates, normalized_float, srgb, unused[2];
    float border[4];
    float level_bias, min_level, max_level;
} wire_texture;

enum { WIRE_DEVICES = 16 };
// Rows of WIRE_MARK, with numbers that no stream has. Ranges nest within a row, but for
// those from start to end.
enum { WIRE_ROW_NESTED = 1, WIRE_ROW_STARTED, WIRE_ROW_DOMAINS, WIRE_ROWS = WIRE_DEVICES };

// Memory that host and device see at one address: managed, pinned, mapped. Far from
// where a sanitizer keeps its heap.
#define WIRE_ARENA 0x500000000000ull
#define WIRE_ARENA_BYTES ((uint64_t)1 << 40)

#endif
