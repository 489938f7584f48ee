// Stray accesses to global memory.

#include "fault.h"

//: one_past_the_end | out_of_bounds | memcheck | a grid of one thread too many
__global__ void store_all(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (PICK(i <= n, i < n))
        out[i] = i; // HERE
}
CASE(one_past_the_end)
{
    store_all<<<2, 64>>>(zeros<int>(100), 100);
}

//: before_the_start | out_of_bounds | memcheck | the first thread reads its left neighbour
__global__ void differences(const float *in, float *out)
{
    int i = threadIdx.x;
    float left = PICK(true, i > 0) ? in[i - 1] : 0; // HERE
    out[i] = in[i] - left;
}
CASE(before_the_start)
{
    differences<<<1, 64>>>(zeros<float>(64), zeros<float>(64));
}

//: far_away | out_of_bounds | memcheck | an index in bytes where elements are meant
__global__ void strided(int *out, long stride)
{
    out[threadIdx.x * PICK(stride * sizeof(int), stride)] = 1; // HERE
}
CASE(far_away)
{
    strided<<<1, 32>>>(zeros<int>(32 << 10), 1 << 10);
}

//: vector_over_the_end | out_of_bounds | memcheck | the last float4 is only half there
__global__ void scale(float4 *data, int n)
{
    int i = threadIdx.x;
    if (i < PICK((n + 3) / 4, n / 4)) {
        float4 v = data[i]; // HERE
        v.x *= 2, v.y *= 2, v.z *= 2, v.w *= 2;
        data[i] = v;
    }
}
CASE(vector_over_the_end)
{
    scale<<<1, 64>>>((float4 *)zeros<float>(126), 126);
}

//: between_two_arrays | out_of_bounds | memcheck | the end of one array, taken for the next one's start
__global__ void both(int *a, int n)
{
    a[threadIdx.x + PICK(n, 0)] = 1; // HERE
}
CASE(between_two_arrays)
{
    int *a = zeros<int>(100);
    zeros<int>(100);
    both<<<1, 28>>>(a, 100);
}

//: atomic_past_the_end | out_of_bounds | memcheck | a bin that the histogram does not have
__global__ void count_bins(int *bins, int n)
{
    atomicAdd(&bins[threadIdx.x % PICK(n + 1, n)], 1); // HERE
}
CASE(atomic_past_the_end)
{
    count_bins<<<1, 64>>>(zeros<int>(10), 10);
}

//: row_and_column_swapped | out_of_bounds | memcheck | a transpose whose output has the input's width
__global__ void transpose(const float *in, float *out, int rows, int columns)
{
    int x = threadIdx.x, y = blockIdx.x;
    out[x * PICK(columns, rows) + y] = in[y * columns + x]; // HERE
}
CASE(row_and_column_swapped)
{
    transpose<<<16, 48>>>(zeros<float>(16 * 48), zeros<float>(16 * 48), 16, 48);
}

//: null | null_pointer | memcheck | an optional output, written without asking
__global__ void sum_into(int *sum)
{
    if (PICK(true, sum))
        *sum = threadIdx.x; // HERE
}
CASE(null)
{
    sum_into<<<1, 1>>>(nullptr);
}

//: host_pointer | foreign_pointer | memcheck | a kernel gets memory of the host's malloc
__global__ void read_one(const int *in, int *out)
{
    *out = *in; // HERE
}
CASE(host_pointer)
{
    static int on_host[32];
    int *pointers[] = {zeros<int>(32), on_host};
    read_one<<<1, 1>>>(pointers[PICK(1, 0)], zeros<int>(1));
}

//: use_after_free | use_after_free | memcheck | a kernel gets memory that was freed before
__global__ void touch(int *at)
{
    at[threadIdx.x]++; // HERE
}
CASE(use_after_free)
{
    int *at = zeros<int>(32);
    FAULTY(cudaFree(at); taken_count--;)
    touch<<<1, 32>>>(at);
}

//: use_after_free_async | use_after_free | memcheck | the kernel comes behind the free in its stream
__global__ void touch_later(int *at)
{
    at[threadIdx.x] = 1; // HERE
}
CASE(use_after_free_async)
{
    int *at;
    cudaMallocAsync(&at, 32 * sizeof *at, 0);
    FAULTY(cudaFreeAsync(at, 0);)
    touch_later<<<1, 32>>>(at);
    RIGHT(cudaFreeAsync(at, 0);)
}
