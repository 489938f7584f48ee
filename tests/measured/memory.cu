// Ways to walk through global memory.

#include "cases.h"

static __global__ void copy(const float *in, float *out, size_t n)
{
    size_t i = thread_id();
    if (i < n)
        out[i] = in[i];
}

static __global__ void copy_loop(const float *in, float *out, size_t n)
{
    for (size_t i = thread_id(); i < n; i += thread_count())
        out[i] = in[i];
}

static __global__ void copy_vectors(const float *in, float *out, size_t n)
{
    size_t i = thread_id();
    if (i < n / 4)
        ((float4 *)out)[i] = ((const float4 *)in)[i];
}

static __global__ void copy_pairs(const float *in, float *out, size_t n)
{
    size_t i = thread_id();
    if (i < n / 2)
        ((float2 *)out)[i] = ((const float2 *)in)[i];
}

static __global__ void copy_bytes(const float *in, float *out, size_t n)
{
    size_t i = thread_id();
    if (i < n)
        ((char *)out)[i] = ((const char *)in)[i];
}

static __global__ void copy_shorts(const float *in, float *out, size_t n)
{
    size_t i = thread_id();
    if (i < n)
        ((short *)out)[i] = ((const short *)in)[i];
}

// A thread takes a run of its own: neighbours in time, not in the warp.
static __global__ void copy_runs(const float *in, float *out, size_t n)
{
    for (size_t i = thread_id() * 8; i < thread_id() * 8 + 8 && i < n; i++)
        out[i] = in[i];
}

template <int OFFSET> static __global__ void copy_offset(const float *in, float *out, size_t n)
{
    size_t i = thread_id();
    if (i + OFFSET < n)
        out[i + OFFSET] = in[i + OFFSET];
}

template <int STRIDE> static __global__ void read_strided(const float *in, float *out, size_t n)
{
    size_t i = thread_id();
    if (i < n)
        out[i] = in[i * STRIDE];
}

template <int STRIDE> static __global__ void write_strided(const float *in, float *out, size_t n)
{
    size_t i = thread_id();
    if (i < n)
        out[i * STRIDE] = in[i];
}

// Every thread of a block reads the block's one word.
static __global__ void broadcast(const float *in, float *out, size_t n)
{
    size_t i = thread_id();
    if (i < n)
        out[i] = in[blockIdx.x];
}

static __global__ void reversed(const float *in, float *out, size_t n)
{
    size_t i = thread_id();
    if (i < n)
        out[i] = in[n - 1 - i];
}

static __global__ void gather(const float *in, float *out, size_t n)
{
    size_t i = thread_id();
    if (i < n)
        out[i] = in[mix((unsigned)i) % n];
}

static __global__ void scatter(const float *in, float *out, size_t n)
{
    size_t i = thread_id();
    if (i < n)
        out[mix((unsigned)i) % n] = in[i];
}

static __global__ void half_the_lanes(const float *in, float *out, size_t n)
{
    size_t i = thread_id();
    if (i < n && threadIdx.x % 2)
        out[i] = in[i];
}

struct particle {
    float x, y, z;
};

static __global__ void structs_of_three(const float *in, float *out, size_t n)
{
    size_t i = thread_id();
    if (i < n) {
        particle p = ((const particle *)in)[i];
        out[i] = p.x + p.y + p.z;
    }
}

static __global__ void three_arrays(const float *in, float *out, size_t n)
{
    size_t i = thread_id();
    if (i < n)
        out[i] = in[i] + in[i + n] + in[i + 2 * n];
}

static __global__ void sum_loop(const float *in, float *out, size_t n)
{
    float sum = 0;
    for (size_t i = thread_id(); i < n; i += thread_count())
        sum += in[i];
    out[thread_id()] = sum;
}

static __global__ void sum_vectors(const float *in, float *out, size_t n)
{
    float sum = 0;
    for (size_t i = thread_id(); i < n / 4; i += thread_count()) {
        float4 v = ((const float4 *)in)[i];
        sum += v.x + v.y + v.z + v.w;
    }
    out[thread_id()] = sum;
}

static __global__ void saxpy(const float *in, float *out, size_t n)
{
    size_t i = thread_id();
    if (i < n)
        out[i] = 2 * in[i] + out[i];
}

// What the next load's address is, the last one says.
static __global__ void chase(const float *in, float *out, size_t n)
{
    const unsigned *next = (const unsigned *)in;
    unsigned at = threadIdx.x;
    for (int k = 0; k < 256; k++)
        at = next[at % n] >> 2;
    out[thread_id()] = at;
}

static __global__ void transpose_rows(const float *in, float *out, size_t n)
{
    size_t x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n)
        out[x * n + y] = in[y * n + x];
}

static __global__ void stencil_line(const float *in, float *out, size_t n)
{
    size_t i = thread_id();
    if (i >= 3 && i + 3 < n) {
        float sum = 0;
        for (int k = -3; k <= 3; k++)
            sum += in[i + k];
        out[i] = sum;
    }
}

static __global__ void stencil_plane(const float *in, float *out, size_t n)
{
    size_t x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x + 1 < n && y > 0 && y + 1 < n) {
        const float *p = in + y * n + x;
        out[y * n + x] = 0.2f * (p[0] + p[-1] + p[1] + p[-(ptrdiff_t)n] + p[n]);
    }
}

static __global__ void matvec_thread(const float *in, float *out, size_t n)
{
    size_t row = thread_id();
    if (row >= n)
        return;
    float sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += in[row * n + k] * in[k];
    out[row] = sum;
}

static __global__ void matvec_warp(const float *in, float *out, size_t n)
{
    size_t row = thread_id() / 32, lane = threadIdx.x % 32;
    if (row >= n)
        return;
    float sum = 0;
    for (size_t k = lane; k < n; k += 32)
        sum += in[row * n + k] * in[k];
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0)
        out[row] = sum;
}

// An array that is indexed by data lies in local memory.
static __global__ void local_array(const float *in, float *out, size_t n)
{
    size_t i = thread_id();
    if (i >= n)
        return;
    float kept[16];
    for (int k = 0; k < 16; k++)
        kept[k] = in[i] + k;
    unsigned h = mix((unsigned)i);
    for (int k = 0; k < 8; k++, h >>= 4)
        kept[h & 15] += kept[(h >> 2) & 15];
    float sum = 0;
    for (int k = 0; k < 16; k++)
        sum += kept[k];
    out[i] = sum;
}

static __constant__ float weights[1024];

static __global__ void constant_same(const float *in, float *out, size_t n)
{
    size_t i = thread_id();
    float sum = i < n ? in[i] : 0;
    for (int k = 0; k < 64; k++)
        sum = sum * weights[k] + weights[k + 64];
    if (i < n)
        out[i] = sum;
}

static __global__ void constant_apart(const float *in, float *out, size_t n)
{
    size_t i = thread_id();
    if (i < n)
        out[i] = in[i] + weights[threadIdx.x % 32 * 4];
}

enum : size_t { K64 = 1 << 16, M1 = 1 << 20, M4 = 1 << 22, M16 = 1 << 24, M32 = 1 << 25 };

static const kernel_case list[] = {
    {"copy", copy, 256, 1, 0, 1, 0, {M1, K64, M16, M32}},
    {"copy_loop", copy_loop, 256, 1, 528, 1, 0, {M1, M16}},
    {"copy_vectors", copy_vectors, 256, 1, 0, 4, 0, {M1, M32}},
    {"copy_pairs", copy_pairs, 256, 1, 0, 2, 0, {M1, M32}},
    {"copy_bytes", copy_bytes, 256, 1, 0, 1, 0, {M1, M32}},
    {"copy_shorts", copy_shorts, 256, 1, 0, 1, 0, {M1, M32}},
    {"copy_runs", copy_runs, 256, 1, 0, 8, 0, {M1, M32}},
    {"copy_offset_1", copy_offset<1>, 256, 1, 0, 1, 0, {M1, M32}},
    {"copy_offset_5", copy_offset<5>, 256, 1, 0, 1, 0, {M1}},
    {"read_stride_2", read_strided<2>, 256, 1, 0, 1, 0, {M1, M16}},
    {"read_stride_8", read_strided<8>, 256, 1, 0, 1, 0, {M1, M4}},
    {"read_stride_32", read_strided<32>, 256, 1, 0, 1, 0, {M1}},
    {"write_stride_2", write_strided<2>, 256, 1, 0, 1, 0, {M1, M16}},
    {"write_stride_8", write_strided<8>, 256, 1, 0, 1, 0, {M1, M4}},
    {"write_stride_32", write_strided<32>, 256, 1, 0, 1, 0, {M1}},
    {"broadcast", broadcast, 256, 1, 0, 1, 0, {M1, M32}},
    {"reversed", reversed, 256, 1, 0, 1, 0, {M1, M32}},
    {"gather", gather, 256, 1, 0, 1, 0, {M1, M16}},
    {"scatter", scatter, 256, 1, 0, 1, 0, {M1, M16}},
    {"half_the_lanes", half_the_lanes, 256, 1, 0, 1, 0, {M1, M32}},
    {"structs_of_three", structs_of_three, 256, 1, 0, 1, 0, {M1, M4 * 2}},
    {"three_arrays", three_arrays, 256, 1, 0, 1, 0, {M1, M4 * 2}},
    {"sum_loop", sum_loop, 256, 1, 1056, 1, 0, {M1, M32}},
    {"sum_vectors", sum_vectors, 256, 1, 1056, 4, 0, {M1, M32}},
    {"sum_one_block", sum_loop, 256, 1, 1, 1, 0, {M1}},
    {"sum_one_warp_blocks", sum_loop, 32, 1, 4096, 1, 0, {M16}},
    {"saxpy", saxpy, 256, 1, 0, 1, 0, {M1, M32}},
    {"saxpy_blocks_of_32", saxpy, 32, 1, 0, 1, 0, {M16}},
    {"saxpy_low_occupancy", saxpy, 256, 1, 0, 1, 100 << 10, {M16}},
    {"chase_one_warp", chase, 32, 1, 1, 1, 0, {1 << 12, M1, M32}},
    {"chase_many", chase, 256, 1, 528, 1, 0, {M1, M32}},
    {"transpose_rows", transpose_rows, 32, 8, 0, 1, 0, {1 << 10, 1 << 12}},
    {"stencil_line", stencil_line, 256, 1, 0, 1, 0, {M1, M32}},
    {"stencil_plane", stencil_plane, 32, 8, 0, 1, 0, {1 << 10, 1 << 12}},
    {"matvec_thread", matvec_thread, 128, 1, 0, 1, 0, {1 << 10, 1 << 12}},
    {"matvec_warp", matvec_warp, 256, 1, 512, 1, 0, {1 << 12}},
    {"local_array", local_array, 256, 1, 0, 1, 0, {M1, M4}},
    {"constant_same", constant_same, 256, 1, 0, 1, 0, {M1}},
    {"constant_apart", constant_apart, 256, 1, 0, 1, 0, {M1}},
};
LIST(memory_cases, list)
