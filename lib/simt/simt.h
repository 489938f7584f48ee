// simt: a CUDA device made of software.
//
// A simt_device is the pretended GPU: it holds device memory, loads PTX, runs
// kernels a warp at a time, counts what a profiler would count and reports
// faults as data. It never prints, never exits and never follows a pointer into
// its caller's memory later than the call that passed it.
//
// A program built by nvcc does not call this header. It links the front end
// (libsimt_front.a, the CUDA runtime's entry points), which turns CUDA calls into
// calls of this header: in the same process, or in the process `simt-device`.
// Read README.md for the theory of operation.
//
// Conventions: every int result is a cudaError_t (0 = success). Addresses are
// device addresses as the program sees them. Sizes are bytes. A device is not
// thread safe: one call at a time; it uses threads of its own to run blocks.

#ifndef SIMT_H
#define SIMT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct simt_device simt_device;

// ---- The device -----------------------------------------------------------------

// What a device may look for while kernels run, by bit and name; off, it costs nothing.
#define SIMT_CHECKS(C)                                                                \
    C(RACE, race, 0)   /* races on shared and global memory */                        \
    C(INIT, init, 1)   /* reads of bytes that nobody wrote */                         \
    C(SYNC, sync, 2)   /* barriers that some threads miss */                          \
    C(LEAK, leak, 3)   /* memory that nobody freed */                                 \
    C(ERROR, error, 4) /* errors that nobody asked for */

enum {
#define C(id, name, bit) SIMT_CHECK_##id = 1 << bit,
    SIMT_CHECKS(C)
#undef C
    SIMT_CHECK_ALL = 31
};

// The bits of "race,init", "all" or "" (or NULL: none); names that are unknown: false.
bool simt_checks_named(const char *names, unsigned *checks);

typedef struct simt_config {
    const char *gpu;            // name in gpus.def: "A100" (default), "H100", "H200",
                                // "RTX4090", "T4"
    int workers;                // host threads that run blocks; 0 = one a core
    uint64_t instruction_limit; // instructions one warp may execute; 0 = 2^27
    int number;                 // of this device among several, 0 to 15: their addresses
                                // differ
    unsigned checks;            // SIMT_CHECK_*: what to look for
    uint64_t schedule;          // order of blocks, warps and splits; 0 = the fixed one
    const char *watch;          // keep the lanes' addresses at FILE:LINE:BLOCK:WARP, each
                                // a name or number, * or left out for any; NULL: nowhere
    size_t memory;              // bytes of device memory; 0 = 16 GiB (of address space:
                                // the host gives pages only to what is touched)
} simt_config;

// Returns NULL where the address space cannot be had or the name is unknown.
simt_device *simt_open(const simt_config *config);
void simt_close(simt_device *device);

// What the named GPU says of itself; static storage.
typedef struct simt_gpu {
    const char *name;      // "NVIDIA A100-SXM4-80GB (emulated)"
    const char *key;       // "A100"
    int major, minor;      // compute capability
    int sms;               // multiprocessors
    int clock_khz;         // boost
    int memory_clock_khz;
    int memory_bus_bits;
    size_t memory;         // bytes
    int l2;                // bytes
    int threads_per_sm, blocks_per_sm;
    int registers_per_sm;  // 32-bit
    int shared_per_sm;     // bytes
    int shared_optin;      // bytes a block may have after cudaFuncSetAttribute
    double dram_gbs;       // vendor data
    double pinned_gbs, pageable_gbs; // of copies from and to the host's memory; H200's
                           // measured, the others' estimated from their link
} simt_gpu;
unsigned simt_checks_of(const simt_device *device);
const simt_gpu *simt_gpu_of(const simt_device *device);
const simt_gpu *simt_gpu_named(const char *key); // NULL if unknown

// Ask a running launch to end (from any thread or signal handler): it faults with
// SIMT_STOPPED at the line it has reached.
void simt_stop(simt_device *device);

// ---- Programs -------------------------------------------------------------------

// Load PTX text (need not end with NUL); several texts, each ending in NUL, are linked to
// one module. On failure *module is 0 and
// simt_load_error() says what and at which PTX line. Unsupported instructions do not
// fail here but when a kernel that holds them is launched.
int simt_load(simt_device *device, const char *ptx, size_t bytes, uint32_t *module);
const char *simt_load_error(const simt_device *device);
int simt_unload(simt_device *device, uint32_t module);

typedef struct simt_kernel_info {
    size_t parameter_bytes;    // size of the parameter block
    int parameters;            // how many; see simt_parameter
    size_t shared, local, constant; // static bytes a block, a thread, the module
    int max_threads;           // a block; 1024 or what __launch_bounds__ says
    int registers;             // 32-bit registers a thread, an estimate from PTX
} simt_kernel_info;

// Kernel ids are never 0 and never used again after unload.
int simt_find_kernel(simt_device *device, uint32_t module, const char *name,
                     uint32_t *kernel);
int simt_kernel_info_of(simt_device *device, uint32_t kernel, simt_kernel_info *info);
// Offset and size of parameter i in the parameter block.
int simt_parameter(simt_device *device, uint32_t kernel, int i, size_t *offset,
                   size_t *bytes);
// A __device__ or __constant__ variable.
int simt_find_variable(simt_device *device, uint32_t module, const char *name,
                       uint64_t *address, size_t *bytes);
// Let a managed variable lie at an address of shared memory from now on; what it held
// moves there. To be called before the module's first launch.
int simt_bind_variable(simt_device *device, uint32_t module, const char *name,
                       uint64_t address);

// ---- Memory ---------------------------------------------------------------------

// 256-byte aligned, with red zones on both sides. Freed ranges are quarantined, so a
// use after free is found. simt_free of anything but a live allocation's base is
// cudaErrorInvalidValue.
int simt_alloc(simt_device *device, size_t bytes, uint64_t *address);
int simt_free(simt_device *device, uint64_t address);
// The allocation that holds address: base and size. cudaErrorInvalidValue if none.
int simt_range(simt_device *device, uint64_t address, uint64_t *base, size_t *bytes);
int simt_memory_info(simt_device *device, size_t *available, size_t *total);

// A parked allocation may not be touched, as if it were freed, but keeps its place until
// it is used again or freed.
int simt_park(simt_device *device, uint64_t address, bool parked);
// Let kernels of one device use the memory of another.
int simt_peer(simt_device *device, simt_device *other, bool on);

// Host memory that kernels may touch (managed, pinned, mapped). Kernels see it at
// `address`; here it is mapped at `host`. Managed memory has `pages`, else NULL.
typedef struct simt_pages simt_pages;
int simt_share(simt_device *device, uint64_t address, void *host, size_t bytes,
               simt_pages *pages);
int simt_unshare(simt_device *device, uint64_t address);

// Copies and fills check the range: a stray one is cudaErrorInvalidValue and writes
// nothing.
int simt_write(simt_device *device, uint64_t to, const void *from, size_t bytes);
int simt_read(simt_device *device, void *to, uint64_t from, size_t bytes);
int simt_copy(simt_device *device, uint64_t to, uint64_t from, size_t bytes);
int simt_fill(simt_device *device, uint64_t to, int byte, size_t bytes);
// Take these bytes for written: an array, say, whose texels nobody follows.
void simt_written(simt_device *device, uint64_t at, size_t bytes);
// Take these bytes for never written, whatever they hold.
void simt_unwritten(simt_device *device, uint64_t at, size_t bytes);
// The program will read these bytes: a finding if nobody has written them.
void simt_host_reads(simt_device *device, uint64_t from, size_t bytes);

// ---- Textures and surfaces ------------------------------------------------------

// Texels in device memory and how kernels read them. The numbers are the CUDA runtime's:
// cudaChannelFormatKind, cudaTextureAddressMode, cudaTextureFilterMode.
typedef struct simt_texture {
    struct simt_texture_level {
        uint64_t address;
        size_t row, slice; // bytes from row to row, from slice (or layer) to slice
    } level[16];
    uint32_t levels;            // 1 without mipmaps
    uint32_t width, height, depth; // texels of level 0; 0 where there is no such side
    uint32_t layers;            // 0: not layered; a cube has 6, an array of n cubes 6 n
    bool linear;                // linear memory, read by whole numbers; 0 outside
    uint8_t bits[4];            // of each channel; 0: absent
    uint8_t format;             // 0 signed, 1 unsigned, 2 float
    uint8_t address_mode[3];    // 0 wrap, 1 clamp, 2 mirror, 3 border
    uint8_t filter, mip_filter; // 0 point, 1 linear
    bool normalized_coordinates;
    bool normalized_float;      // 8- and 16-bit numbers are read as -1 to 1, or 0 to 1
    bool srgb;                  // 8-bit numbers are read through the sRGB curve
    float border[4];
    float level_bias, min_level, max_level;
} simt_texture;

// The object that kernels get; never 0. The texels' memory stays the caller's.
int simt_texture_new(simt_device *device, const simt_texture *texture, uint64_t *object);
int simt_texture_drop(simt_device *device, uint64_t object);

// How much a kernel may have: cudaLimit's numbers. The heap's size is fixed by the first
// kernel that allocates: then cudaErrorInvalidValue.
enum { SIMT_LIMIT_STACK, SIMT_LIMIT_PRINTF, SIMT_LIMIT_HEAP, SIMT_LIMITS };
int simt_set_limit(simt_device *device, int which, size_t bytes);

// ---- Managed memory ---------------------------------------------------------------
//
// Pages of 64 KiB. Each is held by the host, by devices, or (untouched) by nobody. A
// kernel that touches a page which its device does not hold faults, and the page moves
// there; the host is told of by simt_pages_host. What advice changes is as in the CUDA
// documentation. Holders are bits: the host 1, device n 2 << n.

enum { SIMT_PAGE = 1 << 16 };

typedef struct simt_pages_seen { // counted since the pages were made
    uint64_t faults, host_faults;
    uint64_t bytes_h2d, bytes_d2h, bytes_d2d;
} simt_pages_seen;

simt_pages *simt_pages_new(uint64_t address, size_t bytes);
void simt_pages_free(simt_pages *pages);
simt_pages_seen simt_pages_counts(const simt_pages *pages);
// The host touched these pages.
void simt_pages_host(simt_pages *pages, uint64_t address, size_t bytes);
// Prefetch to a holder.
void simt_pages_move(simt_pages *pages, uint64_t address, size_t bytes, uint32_t to);
typedef enum simt_advice {
    SIMT_READ_MOSTLY,   // who: 1 or 0
    SIMT_PREFERRED,     // who: a holder, or 0
    SIMT_ACCESSED_BY,   // who: all of them
} simt_advice;
void simt_pages_advise(simt_pages *pages, uint64_t address, size_t bytes,
                       simt_advice advice, uint32_t who);
// Who holds the page of an address.
uint32_t simt_pages_holders(const simt_pages *pages, uint64_t address);

// ---- Launching ------------------------------------------------------------------

typedef struct simt_launch {
    uint32_t kernel;
    uint32_t grid[3], block[3];
    uint32_t shared;        // dynamic shared bytes a block
    bool cooperative;       // all blocks live at once
    uint32_t cluster[3];    // blocks of a cluster; 0: as the kernel says, or none
    bool any_cluster;       // up to 16 of them, not 8
    int registers;          // of a thread, in machine code; 0: estimated from PTX. It and
    size_t preferred;       // the shared memory that a multiprocessor should have (0: all)
                            // change nothing but what the record says of occupancy
    const void *parameters; // the parameter block
    size_t parameter_bytes;
} simt_launch;

// Check geometry and parameters as the real runtime does at the launch: returns
// cudaErrorInvalidConfiguration (9), cudaErrorInvalidValue (1), ... and runs nothing.
int simt_check_launch(simt_device *device, const simt_launch *launch);

// Run to the end. A fault ends the launch and returns its code: 700 illegal address,
// 716 misaligned, 719 launch failure, 710 assert, 702 limit or stop, 715 illegal
// instruction, 801 not supported. The device itself does not go sticky; its owner does.
int simt_run(simt_device *device, const simt_launch *launch);

// What kernels printed since the last take: copies up to `bytes`, returns how many.
// Call until it returns 0. The text beyond 1 MiB between two takes is dropped.
size_t simt_take_output(simt_device *device, char *text, size_t bytes);

// ---- What was seen --------------------------------------------------------------

typedef enum simt_fault_kind {
    SIMT_NONE,
    SIMT_OUT_OF_BOUNDS,   // address in no allocation, or over the end of one
    SIMT_MISALIGNED,      // address not a multiple of the access size
    SIMT_USE_AFTER_FREE,
    SIMT_FOREIGN_POINTER, // looks like a host pointer
    SIMT_NULL_POINTER,
    SIMT_SHARED_BOUNDS,   // outside the block's shared memory
    SIMT_LOCAL_BOUNDS,
    SIMT_READ_ONLY,       // a store to constant memory
    SIMT_BARRIER,         // a barrier that some live threads never reach
    SIMT_DEADLOCK,        // every thread waits
    SIMT_LIMIT,           // instruction limit
    SIMT_STOPPED,         // simt_stop
    SIMT_ASSERT,
    SIMT_TRAP,
    SIMT_UNSUPPORTED,     // an instruction this edition does not have
    SIMT_SHUFFLE,         // a warp operation whose mask names lanes that never arrive
    SIMT_RACE,            // a finding: the launch goes on
    SIMT_STACK,           // recursion too deep
    SIMT_BAD_CALL,        // a call through a pointer to no function
    SIMT_BAD_FREE,        // a free of what is no live allocation, in a kernel or by the host
    SIMT_UNINITIALISED,   // findings from here on: a read of bytes that nobody wrote
    SIMT_LEAK,            // memory that nobody freed
    SIMT_BAD_COPY,        // a copy or fill by the host that leaves its memory
    SIMT_UNCHECKED_ERROR, // a call or launch failed, and nobody asked
} simt_fault_kind;

enum { SIMT_WAITERS = 16 }; // the first so many

typedef struct simt_place {
    const char *file; // as in the PTX's .file, or "" without -lineinfo
    int line;         // 0 without -lineinfo
    int caller;       // the line that calls the function, if it was inlined; else 0
    uint32_t block[3], thread[3];
} simt_place;

typedef struct simt_asked { // a launch, as the program asked for it
    const char *file; // of the host's code
    int line;         // 0: unknown
    uint32_t grid[3], block[3];
} simt_asked;

typedef struct simt_fault {
    simt_fault_kind kind;
    int code;                // cudaError_t; 0 for a finding
    const char *kernel;      // source name, without its parameters
    simt_place at;           // of a call of the program: its line, no block, no thread
    simt_asked launch;       // of the kernel
    simt_asked made, freed;  // of the nearest allocation; of a leak: what was freed last
    simt_place other;        // races: the earlier access; barriers: who waits
    char access[16];         // "load", "store", "atomic", ""
    char other_access[16];
    char space[12];          // "global", "shared", "local", "constant"
    uint32_t bytes;          // of the access, a lane
    uint64_t address;        // shared: byte offset in the block's shared memory
    uint64_t nearest;        // nearest allocation: base, size; 0 if there is none
    size_t nearest_bytes;
    int64_t distance;        // from its end if >= 0, before its base if < 0
    char detail[160];        // instruction by name, assertion text, ...
    struct simt_waiter {     // barriers, deadlocks, limits: who waits where; line 0: no more
        const char *file;
        int line;
        uint32_t block[3];
        uint32_t warps, threads; // a bit a warp; how many threads
        const char *what;        // they do, "wait at barrier 1": static storage
    } waiters[SIMT_WAITERS];
} simt_fault;

// Faults and findings since the last reset, oldest first; at most 64 are kept, one a
// (kind, line, other line). NULL past the end. Pointers live until reset or unload.
const simt_fault *simt_fault_at(const simt_device *device, size_t i);

// A finding of whoever owns the device, about a call of the program. `address`: what was
// freed or copied, or 0. Kinds: bad_free, leak, bad_copy, unchecked_error.
// `symbol`: of the kernel whose launch failed, or NULL.
int simt_note(simt_device *device, simt_fault_kind kind, const char *symbol,
              const char *text, uint64_t address, uint64_t bytes);
// Where the program asks for what comes next; line 0: unknown. `file` lives as long as
// the record.
void simt_asked_at(simt_device *device, const char *file, int line);
// The program ends: what kernels allocated and nobody freed becomes findings.
void simt_end(simt_device *device);
// A fault's kind as the record names it.
const char *simt_kind_name(simt_fault_kind kind);

// As a JSON string, in its quotes; NULL: an empty one.
void simt_json_text(FILE *out, const char *text);
// Write everything recorded since the last reset as one line of JSON (the format is
// in README.md): launches with their counters, per source line too, copies, faults.
void simt_write_record(const simt_device *device, FILE *out);
void simt_reset_record(simt_device *device);

// Who stored last to this word, if a thread of the last launch did: one line of JSON. False:
// none did, or SIMT_CHECK_RACE is off.
bool simt_write_writer(const simt_device *device, uint64_t address, FILE *out);
// Which of `count` elements of so many bytes no kernel touched since the last reset, not even
// a word of them, and who read the nearest that one did, if the last launch: one line of JSON,
// "unread" (how many), "first" and "last". False: they touched all of them, or it is not
// known: SIMT_CHECK_RACE is off, or a kernel read by texture, wmma.load or bulk copy.
bool simt_write_unread(const simt_device *device, uint64_t address, size_t count, size_t bytes,
                       FILE *out);

// How long all launches since the device was opened would have taken on its GPU, by the
// time model (src/duration.c): nanoseconds, each launch by itself.
double simt_modelled_ns(const simt_device *device);

typedef struct simt_modelled { // the last launch
    char kernel[96]; // source name, cut
    double part;     // of the GPU that its blocks fill, at most 1
} simt_modelled;
const simt_modelled *simt_last_launch(const simt_device *device);

// Total of one counter over the launches since the last reset; -1 if unknown.
double simt_counter(const simt_device *device, const char *name);

#endif
