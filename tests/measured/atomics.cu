// Atomics: on one word, on many, in shared memory, with and without the old value.

#include "cases.h"

static __global__ void one_counter(const float *, float *out, size_t n)
{
    if (thread_id() < n)
        atomicAdd((unsigned *)out, 1u);
}

// The lanes of a warp add once; `collect` asks for the old value too.
static __global__ void one_a_warp(const float *, float *out, size_t n)
{
    if (thread_id() < n && threadIdx.x % 32 == 0)
        atomicAdd((unsigned *)out, 32u);
}

static __global__ void collect(const float *in, float *out, size_t n)
{
    size_t i = thread_id();
    if (i < n && __float_as_uint(in[i]) % 4 == 0) {
        unsigned at = atomicAdd((unsigned *)out, 1u);
        out[1 + at] = in[i];
    }
}

static __global__ void own_words(const float *, float *out, size_t n)
{
    size_t i = thread_id();
    if (i < n)
        atomicAdd((unsigned *)out + i, 1u);
}

static __global__ void float_words(const float *in, float *out, size_t n)
{
    size_t i = thread_id();
    if (i < n)
        atomicAdd(out + mix((unsigned)i) % 4096, in[i]);
}

static __global__ void bins_256(const float *in, float *out, size_t n)
{
    for (size_t i = thread_id(); i < n; i += thread_count())
        atomicAdd((unsigned *)out + (__float_as_uint(in[i]) & 255), 1u);
}

static __global__ void words_spread(const float *in, float *out, size_t n)
{
    size_t i = thread_id();
    if (i < n)
        atomicAdd((unsigned *)out + mix(__float_as_uint(in[i])) % (1 << 20), 1u);
}

static __global__ void bins_shared(const float *in, float *out, size_t n)
{
    __shared__ unsigned bins[256];
    bins[threadIdx.x] = 0;
    __syncthreads();
    for (size_t i = thread_id(); i < n; i += thread_count())
        atomicAdd(&bins[__float_as_uint(in[i]) & 255], 1u);
    __syncthreads();
    atomicAdd((unsigned *)out + threadIdx.x, bins[threadIdx.x]);
}

static __global__ void bin_hot(const float *in, float *out, size_t n)
{
    __shared__ unsigned bins[256];
    bins[threadIdx.x] = 0;
    __syncthreads();
    for (size_t i = thread_id(); i < n; i += thread_count())
        atomicAdd(&bins[__float_as_uint(in[i]) & 1], 1u);
    __syncthreads();
    atomicAdd((unsigned *)out + threadIdx.x, bins[threadIdx.x]);
}

static __global__ void largest(const float *in, float *out, size_t n)
{
    int most = 0;
    for (size_t i = thread_id(); i < n; i += thread_count())
        most = max(most, __float_as_int(in[i]));
    atomicMax((int *)out, most);
}

enum : size_t { M1 = 1 << 20, M4 = 1 << 22, M16 = 1 << 24 };

static const kernel_case list[] = {
    {"one_counter", one_counter, 256, 1, 0, 1, 0, {M1}},
    {"one_a_warp", one_a_warp, 256, 1, 0, 1, 0, {M1, M4}},
    {"collect", collect, 256, 1, 0, 1, 0, {M1}},
    {"own_words", own_words, 256, 1, 0, 1, 0, {M1, M16}},
    {"float_words", float_words, 256, 1, 0, 1, 0, {M1}},
    {"bins_256", bins_256, 256, 1, 264, 1, 0, {M1}},
    {"words_spread", words_spread, 256, 1, 0, 1, 0, {M1, M4}},
    {"bins_shared", bins_shared, 256, 1, 528, 1, 0, {M1, M16}},
    {"bin_hot", bin_hot, 256, 1, 528, 1, 0, {M1}},
    {"largest", largest, 256, 1, 528, 1, 0, {M16}},
};
LIST(atomic_cases, list)
