// Stray accesses to shared and local memory; kernels that end themselves; the heap of
// kernels.

#include "fault.h"
#include <cassert>

//: shared_past_the_end | shared_bounds | memcheck | the last thread reads behind a static array
__global__ void rotate(int *out)
{
    __shared__ int tile[64];
    int i = threadIdx.x;
    tile[i] = i;
    __syncthreads();
    out[i] = tile[PICK(i + 1, (i + 1) % 64)]; // HERE
}
CASE(shared_past_the_end)
{
    rotate<<<1, 64>>>(zeros<int>(64));
}

//: shared_too_small | shared_bounds | memcheck | dynamic shared memory, asked for in elements, not bytes
__global__ void reverse(int *data)
{
    extern __shared__ int tile[];
    int i = threadIdx.x, n = blockDim.x;
    tile[i] = data[i]; // HERE
    __syncthreads();
    data[i] = tile[n - 1 - i];
}
CASE(shared_too_small)
{
    reverse<<<1, 128, 128 * PICK(1, sizeof(int))>>>(zeros<int>(128));
}

//: shared_before_the_start | shared_bounds | memcheck | a stencil's left edge
__global__ void left(int *out)
{
    __shared__ int tile[32];
    int i = threadIdx.x;
    tile[i] = i;
    __syncthreads();
    out[i] = tile[PICK(i - 1, (i + 31) % 32)]; // HERE
}
CASE(shared_before_the_start)
{
    left<<<1, 32>>>(zeros<int>(32));
}

//: local_past_the_end | local_bounds | memcheck | an index that the local array does not have
__global__ void histogram_of_own(const int *in, int *out, int n)
{
    int bins[16];
    for (int k = 0; k < 16; k++)
        bins[k] = 0;
    for (int k = 0; k < n; k++)
        bins[in[k] & 15] = k;
    bins[PICK(in[0] + (1 << 20), in[0] & 15)]++; // HERE
    for (int k = 0; k < 16; k++)
        out[k] = bins[in[k] & 15];
}
CASE(local_past_the_end)
{
    histogram_of_own<<<1, 1>>>(zeros<int>(32), zeros<int>(16), 32);
}

//: endless_recursion | stack | - | a recursion without an end
__device__ __noinline__ int depth(const int *stop, int level)
{
    int kept[32];
    for (int i = 0; i < 32; i++)
        kept[i] = level + stop[0];
    if (PICK(stop[0] > level, level > 4))
        return level;
    return depth(stop, level + 1) + kept[(level + stop[0]) & 31]; // HERE
}
__global__ void recurse(int *data)
{
    data[1] = depth(data, 0);
}
CASE(endless_recursion)
{
    recurse<<<1, 1>>>(zeros<int>(2));
}

//: trapped | trap | - | a trap for what was thought impossible
__global__ void checked(const int *in)
{
    if (in[threadIdx.x] != PICK(1, 0))
        __trap(); // HERE
}
CASE(trapped)
{
    checked<<<1, 32>>>(zeros<int>(32));
}

//: asserted | assert | - | an assertion that does not hold
__global__ void asserts(const int *in)
{
    assert(in[threadIdx.x] == PICK(1, 0)); // HERE
}
CASE(asserted)
{
    asserts<<<1, 32>>>(zeros<int>(32));
}

//: wild_function | bad_call | memcheck | a call through a pointer that was never set
typedef int function(int);
__device__ __noinline__ int twice(int x)
{
    return 2 * x;
}
__global__ void set_function(function **f)
{
    *f = twice;
}
__global__ void calls(function **f, int *out)
{
    *out = (*f)(*out); // HERE
}
CASE(wild_function)
{
    function **f = zeros<function *>(1);
    RIGHT(set_function<<<1, 1>>>(f);)
    calls<<<1, 1>>>(f, zeros<int>(1));
}

//: device_heap_past_the_end | out_of_bounds | memcheck | behind what malloc() in a kernel gave
__global__ void fill_heap(int n)
{
    int *own = (int *)malloc(n * sizeof *own);
    for (int i = 0; i < n; i++)
        own[PICK(i + 1, i)] = i; // HERE
    printf("%d\n", own[1]);
    free(own);
}
CASE(device_heap_past_the_end)
{
    fill_heap<<<1, 1>>>(24);
}

//: device_heap_use_after_free | use_after_free | memcheck | free() a line too early
__global__ void free_early(int *out, int n)
{
    volatile int *own = (int *)malloc(n * sizeof *own);
    own[n - 1] = n;
    FAULTY(free((void *)own);)
    *out = own[n - 1]; // HERE
    RIGHT(free((void *)own);)
}
CASE(device_heap_use_after_free)
{
    free_early<<<1, 1>>>(zeros<int>(1), 24);
}

//: device_heap_freed_twice | bad_free | memcheck | every thread frees what one has made
__global__ void free_all(int *out)
{
    __shared__ int *own;
    if (threadIdx.x == 0)
        own = (int *)malloc(256);
    __syncthreads();
    out[threadIdx.x] = own != nullptr;
    __syncthreads();
    if (PICK(threadIdx.x < 2, threadIdx.x == 0))
        free(own); // HERE
}
CASE(device_heap_freed_twice)
{
    free_all<<<1, 32>>>(zeros<int>(32));
}

//: device_heap_leak | leak | memcheck | malloc() in a kernel, and no free()
__global__ void never_free(int **out)
{
    int *own = (int *)malloc(64); // HERE
    *own = 1;
    *out = own;
    RIGHT(free(own);)
}
CASE(device_heap_leak)
{
    never_free<<<1, 1>>>(zeros<int *>(1));
}
