// Kernels whose counters and times are known from a real GPU.
//
// A case is a kernel with its launch and the sizes at which it is timed; the first size
// is the one that is profiled. All kernels take the same arguments, so that one table a
// file holds them: memory.cu, compute.cu, shared.cu, atomics.cu, products.cu, proof.cu. The steps of
// the chapters are cases too (steps.h).

#ifndef CASES_H
#define CASES_H

#include <cstddef>

enum { SIZES = 4 };

// in: MOST_WORDS words, each a float in [1, 2) whose lower bits look random. out: as
// many. n: elements, or the side of a square.
typedef void kernel(const float *in, float *out, size_t n);

struct kernel_case {
    const char *name;
    kernel *run;
    unsigned block_x, block_y; // block_y > 1: a square of side n
    unsigned grid;             // blocks; 0: enough for n (or n * n) / per threads
    unsigned per;              // elements a thread, along y in a square
    unsigned shared;           // dynamic, bytes
    size_t n[SIZES];           // 0 ends them
};

struct case_list {
    const kernel_case *cases;
    int count;
};

const size_t MOST_WORDS = (size_t)1 << 25;

extern const case_list memory_cases, compute_cases, shared_cases, atomic_cases,
    product_cases, proof_cases;

#define LIST(name, cases)                                                             \
    extern const case_list name;                                                      \
    const case_list name = {cases, (int)(sizeof cases / sizeof *cases)};

static __device__ inline size_t thread_id()
{
    return (size_t)blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ inline size_t thread_count()
{
    return (size_t)gridDim.x * blockDim.x;
}

static __device__ inline unsigned mix(unsigned h)
{
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    return h ^ h >> 16;
}

#endif
