// Inside the front end: memory of all kinds.

#ifndef SIMT_MEMORY_H
#define SIMT_MEMORY_H

#include "front.h"

// ---- memory.c: the table ------------------------------------------------------------

typedef enum memory_kind { DEVICE, VARIABLE, PINNED, MANAGED, REGISTERED } memory_kind;

typedef struct memory {
    uint64_t base;
    size_t bytes;
    memory_kind kind;
    int device;
    unsigned flags;
    bool shared;                 // REGISTERED: kernels can use it
    bool pooled, graphed;        // of a pool; of a graph: not freed, but parked
    bool freed, parked;          // given back: the call was made; the device knows
    uint64_t alias, alias_bytes; // where the device has it, if elsewhere
    struct advice *advice;       // MANAGED
    const char *call;            // that made it, and which of all such calls
    unsigned number, order; // order: of all allocations
    uint32_t host;          // where it was called
} memory;

// The range that holds the address, or NULL.
memory *memory_at(const void *address);
// The same for a call: what it may still use.
memory *memory_live(const void *address);
// Its base is the address, or NULL.
memory *memory_based(const void *address);
int memory_add(memory m);
void memory_drop(const void *base);
void memory_noticed(memory *m); // notice.c: who made it
memory *memory_after(const memory *m); // NULL: the first; in the order of addresses
bool on_device(const memory *m);       // the device can copy it
int device_take(size_t bytes, int number, void **at);
int device_take_array(size_t bytes, int number, void **at); // its bytes count as written
void give_back(const memory *m);
void memory_forget(int number);
// Device addresses that no live allocation holds must never be followed.
bool is_stray(const memory *m, const void *at);

// ---- arena.c: memory that host and devices share
// -------------------------------------

int arena_take(size_t bytes, memory_kind kind, unsigned flags, void **at);
// Pages at the arena's next addresses; 0: none are left.
uint64_t arena_map(size_t bytes);
void arena_unmap(uint64_t at, size_t bytes);

// ---- managed.c ----------------------------------------------------------------------

typedef struct advice { // of a managed allocation, by the page
    size_t pages;
    struct advised {
        bool read_mostly;
        int preferred, prefetched; // cudaInvalidDeviceId: nowhere
        uint32_t accessed_by;      // bits: the host 1, device n 2 << n
    } page[];
} advice;

advice *advice_new(size_t bytes);
// Before a launch: say which managed pages the host has touched.
void managed_tell(int number);
void managed_end(void); // the program ends
int managed_prefetch(const void *at, size_t bytes, memory_place to, unsigned flags,
                     stream *s);

// ---- pool.c -------------------------------------------------------------------------

int pool_take(void **at, size_t bytes, cudaMemPool_t pool, stream *s); // NULL: current
int pool_give(void *at, stream *s);
void pool_freed(const memory *m); // by cudaFree
void pools_trim(int number);      // at a wait: give back what is above the thresholds
void pools_forget(int number);

// ---- array.c ------------------------------------------------------------------------

typedef struct array {
    struct cudaChannelFormatDesc format;
    struct cudaExtent extent; // as asked for
    unsigned flags;
    int device;
    size_t element, pitch, rows, slices; // how it lies in memory
    char *at;
    struct array *levels; // of a mipmapped one
    unsigned level_count;
    bool level; // one of those
} array;

array *array_of(cudaArray_const_t handle); // NULL: none
array *mipmaps_of(const void *handle);     // the same for mipmapped ones
size_t format_bytes(const struct cudaChannelFormatDesc *d); // of an element; 0: none

// ---- texture.c ----------------------------------------------------------------------

void textures_forget(int number);

#endif
