// How many blocks of a launch a multiprocessor takes at once, and what limits them.
//
// Both halves use it: the front end to answer cudaOccupancy*, the device for its record.
// The rules are those of the toolkit's cuda_occupancy.h; an H200 answers the same.
// Registers are given to a warp in units of 256, a quarter of them to each quarter of the
// warps; shared memory in units of 128 bytes (Turing: 256), and 1 KiB of it a block is the
// system's from compute capability 8.0 on.

#ifndef SIMT_OCCUPANCY_H
#define SIMT_OCCUPANCY_H

#include <stddef.h>

typedef struct multiprocessor {
    int major, threads, blocks, registers; // registers: 32-bit
    size_t shared, shared_optin;           // bytes; what one block may ask for
} multiprocessor;

typedef struct block_limits { // blocks, by each limit
    int by_blocks, by_warps, by_registers, by_shared;
    int blocks; // the least of them
} block_limits;

static inline size_t shared_reserved(const multiprocessor *m)
{
    return m->major >= 8 ? 1024 : 0;
}

// The size in which the hardware can cut so much from its L1 cache.
static inline size_t shared_setting(const multiprocessor *m, size_t bytes)
{
    static const size_t kib[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
    static const size_t turing[] = {32, 64};
    const size_t *sizes = m->major == 7 ? turing : kib;
    size_t n = m->major == 7 ? 2 : sizeof kib / sizeof *kib;
    for (size_t i = 0; i < n; i++)
        if (bytes <= sizes[i] << 10)
            return sizes[i] << 10 < m->shared ? sizes[i] << 10 : m->shared;
    return m->shared;
}

// Registers are those of a thread, shared bytes those of a block; `preferred` is what the
// kernel would like a multiprocessor's shared memory to be.
static inline block_limits occupancy_of(const multiprocessor *m, int threads,
                                        int registers, size_t shared,
                                        size_t preferred)
{
    int warps = (threads + 31) / 32;
    block_limits o = {.by_blocks = m->blocks};
    if (warps <= 0)
        return (block_limits){0};
    o.by_warps = m->threads / 32 / warps;
    int each = (registers + 7) / 8 * 8 * 32;
    o.by_registers = each ? m->registers / 4 / each * 4 / warps : m->blocks;
    if (each * ((warps + 3) / 4 * 4) > m->registers)
        o.by_registers = 0;
    size_t unit = m->major >= 8 ? 128 : 256;
    shared = (shared + shared_reserved(m) + unit - 1) / unit * unit;
    size_t room = shared_setting(m, preferred);
    room = room >= shared ? room : shared_setting(m, shared);
    o.by_shared = shared ? (int)(room / shared) : m->blocks;
    if (shared > m->shared_optin + shared_reserved(m))
        o.by_shared = 0;
    o.blocks = o.by_blocks;
    const int others[] = {o.by_warps, o.by_registers, o.by_shared};
    for (int i = 0; i < 3; i++)
        o.blocks = others[i] < o.blocks ? others[i] : o.blocks;
    return o;
}

#endif
