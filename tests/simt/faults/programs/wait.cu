// Waits that never end, and barriers of shared memory that are set up wrongly.

#include "fault.h"

static __device__ unsigned place(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}
static __device__ void arrive(uint64_t *b)
{
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(place(b)) : "memory");
}
static __device__ bool passed(uint64_t *b, unsigned parity)
{
    unsigned yes;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2;"
                 " selp.u32 %0, 1, 0, p; }" : "=r"(yes) : "r"(place(b)), "r"(parity) : "memory");
    return yes;
}
#define INIT(b, count) \
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(place(b)), "r"(count) : "memory")

//: mbarrier_count | deadlock | - | the barrier waits for one arrival more than there are threads
__global__ void miscounted(int *out)
{
    __shared__ uint64_t b;
    if (threadIdx.x == 0)
        INIT(&b, PICK(33, 32));
    __syncthreads();
    arrive(&b);
    unsigned yes = 0;
    while (!yes)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0;"
                     " selp.u32 %0, 1, 0, p; }" : "=r"(yes) : "r"(place(&b)) : "memory"); // HERE
    out[threadIdx.x] = 1;
}
CASE(mbarrier_count)
{
    miscounted<<<1, 32>>>(zeros<int>(32));
}

//: mbarrier_twice | barrier | synccheck | a barrier in use is initialised again
__global__ void again(int *out)
{
    __shared__ uint64_t b;
    if (threadIdx.x == 0)
        INIT(&b, 32);
    __syncthreads();
    if (threadIdx.x < 16)
        arrive(&b);
    FAULTY(if (threadIdx.x == 16) INIT(&b, 32);) // HERE
    if (threadIdx.x >= 16)
        arrive(&b);
    out[threadIdx.x] = passed(&b, 0);
}
CASE(mbarrier_twice)
{
    again<<<1, 32>>>(zeros<int>(32));
}

//: mbarrier_never_made | barrier | synccheck | an arrival at what nobody has initialised
__global__ void unmade(int *out)
{
    __shared__ uint64_t b;
    if (threadIdx.x == 0)
        PICK(b = 0, INIT(&b, 32));
    __syncthreads();
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(place(&b)) : "memory"); // HERE
    out[threadIdx.x] = 1;
}
CASE(mbarrier_never_made)
{
    unmade<<<1, 32>>>(zeros<int>(32));
}

//: locks_in_two_orders | limit | - | two blocks take two locks, each in its own order
__global__ void philosophers(int *locks, int *met)
{
    if (threadIdx.x)
        return;
    int first = PICK(blockIdx.x, 0), second = 1 - first;
    while (atomicCAS(&locks[first], 0, 1))
        ;
    RIGHT(if (0))
    {
        atomicAdd(met, 1);
        while (atomicAdd(met, 0) < 2)
            ;
    }
    while (atomicCAS(&locks[second], 0, 1)) // HERE
        ;
    atomicExch(&locks[second], 0);
    atomicExch(&locks[first], 0);
}
CASE(locks_in_two_orders)
{
    philosophers<<<2, 32>>>(zeros<int>(2), zeros<int>(1));
}

//: lock_never_released | limit | - | the way out of an empty queue keeps the lock
__global__ void keeps_the_lock(int *l, int *queue)
{
    for (int turn = 0; turn < 2; turn++) {
        while (atomicCAS(l, 0, 1)) // HERE
            ;
        if (*(volatile int *)queue == 0) {
            RIGHT(atomicExch(l, 0);)
            continue;
        }
        *queue -= 1;
        atomicExch(l, 0);
    }
}
CASE(lock_never_released)
{
    keeps_the_lock<<<1, 1>>>(zeros<int>(1), zeros<int>(1));
}

//: flag_that_nobody_sets | limit | - | a block waits for a flag that only another value would set
__global__ void waits(volatile int *flag, int *out)
{
    if (blockIdx.x == PICK(2, 0))
        *flag = 1;
    if (blockIdx.x == 1)
        while (*flag == 0) // HERE
            ;
    out[blockIdx.x] = 1;
}
CASE(flag_that_nobody_sets)
{
    waits<<<2, 1>>>(zeros<int>(1), zeros<int>(2));
}
