// Kernels that are slow, each in one way. The line that the profile must point at ends
// in a comment with the rule's name.

#include "kernel.h"

#define I (size_t(blockIdx.x) * blockDim.x + threadIdx.x)

static __global__ void copy(const float *in, float *out, size_t n)
{
    if (I < n)
        out[I] = in[I];
}

static __global__ void strided(const float *in, float *out, size_t n)
{
    if (I < n)
        out[I] = in[I * 32 % n]; // uncoalesced
}

static __global__ void shifted(const float *in, float *out, size_t n)
{
    if (I + 1 < n)
        out[I] = in[I + 1]; // misaligned
}

static __global__ void tiles(const float *in, float *out, size_t n)
{
    __shared__ float tile[32][32];
    size_t at = blockIdx.x * size_t(1024);
    for (int y = threadIdx.y; y < 32; y += 8)
        tile[y][threadIdx.x] = in[at + y * 32 + threadIdx.x];
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += 8)
        out[at + y * 32 + threadIdx.x] = tile[threadIdx.x][y]; // bank_conflicts
}

static __global__ void ways(const float *in, float *out, size_t n)
{
    float x = in[I];
    if (threadIdx.x & 1) { // divergent
        for (int k = 0; k < 64; k++)
            x = x * x + 0.5f;
    } else {
        for (int k = 0; k < 64; k++)
            x = sqrtf(x * x + 1.0f);
    }
    out[I] = x;
}

static __global__ void hot(const float *in, float *out, size_t n)
{
    atomicAdd(out, in[I]); // serial_atomics
}

static __global__ void indexed(const float *in, float *out, size_t n)
{
    float found[32];
    for (int k = 0; k < 32; k++)
        found[(k * 7 + threadIdx.x) & 31] = in[(I + k) % n]; // local_memory
    float x = 0;
    for (int k = 0; k < 32; k++)
        x += found[(k * (threadIdx.x | 1)) & 31];
    out[I] = x;
}

static __global__ void modulo(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, at = i;
#pragma unroll 1
    for (int k = 0; k < 16; k++)
        at = (at + 12345u) % (n - k); // division
    out[i] = in[at];
}

static __global__ void in_double(const float *in, float *out, size_t n)
{
    double x = in[I];
#pragma unroll 1
    for (int k = 0; k < 64; k++)
        x = x * 1.5 + 0.25; // slow_f64
    out[I] = (float)x;
}

static __global__ void big(const float *in, float *out, size_t n) // low_occupancy
{
    __shared__ float mine[12000];
    for (int k = threadIdx.x; k < 12000; k += blockDim.x)
        mine[k] = in[(I + k) % n];
    __syncthreads();
    out[I] = mine[threadIdx.x];
}

static __global__ void alone(const float *in, float *out, size_t n) // small_launch
{
    for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = in[i];
}

static __global__ void waves(const float *in, float *out, size_t n) // tail
{
    float x = in[I % n];
#pragma unroll 1
    for (int k = 0; k < 256; k++)
        x = x * 0.5f + 1.0f;
    out[I % n] = x;
}

static __global__ void odd(const float *in, float *out, size_t n) // odd_block
{
    float x = I < n ? in[I] : 0;
#pragma unroll 1
    for (int k = 0; k < 256; k++)
        x = x * 0.5f + 1.0f;
    if (I < n)
        out[I] = x;
}

static __global__ void meet(const float *in, float *out, size_t n) // barriers
{
    __shared__ float x[256];
    x[threadIdx.x] = in[I];
#pragma unroll 1
    for (int k = 0; k < 64; k++) {
        __syncthreads();
        x[threadIdx.x] += 1;
    }
    out[I] = x[threadIdx.x];
}

static __global__ void one(const float *in, float *out, size_t at) // many_launches
{
    out[at + threadIdx.x] = in[at + threadIdx.x];
}

static __global__ void again(const float *in, float *out, size_t n) // redundant_loads
{
    float x = 0;
    for (int k = 0; k < 16; k++)
        x += ((const volatile float *)in)[I];
    out[I] = x;
}

static __global__ void lanes(const float *in, float *out, size_t n)
{
    size_t warp = I / 32;
    if ((threadIdx.x & 31) >= 8)
        return;
    float x = in[warp];
#pragma unroll 1
    for (int k = 0; k < 256; k++) // few_lanes
        x = x * 0.5f + 1.0f;
    out[I] = x;
}

static unsigned blocks(size_t n)
{
    return (unsigned)((n + 255) / 256);
}

int good_copy(const float *d_in, float *d_out, size_t n)
{
    copy<<<blocks(n), 256>>>(d_in, d_out, n);
    return cudaGetLastError();
}
int strided_copy(const float *d_in, float *d_out, size_t n)
{
    strided<<<blocks(n), 256>>>(d_in, d_out, n);
    return cudaGetLastError();
}
int shifted_copy(const float *d_in, float *d_out, size_t n)
{
    shifted<<<blocks(n), 256>>>(d_in, d_out, n);
    return cudaGetLastError();
}
int transpose(const float *d_in, float *d_out, size_t n)
{
    tiles<<<(unsigned)(n / 1024), dim3(32, 8)>>>(d_in, d_out, n);
    return cudaGetLastError();
}
int both_ways(const float *d_in, float *d_out, size_t n)
{
    ways<<<blocks(n), 256>>>(d_in, d_out, n);
    return cudaGetLastError();
}
int hot_spot(const float *d_in, float *d_out, size_t n)
{
    hot<<<blocks(n), 256>>>(d_in, d_out, n);
    return cudaGetLastError();
}
int local_array(const float *d_in, float *d_out, size_t n)
{
    indexed<<<blocks(n), 256>>>(d_in, d_out, n);
    return cudaGetLastError();
}
int remainders(const float *d_in, float *d_out, size_t n)
{
    modulo<<<blocks(n), 256>>>(d_in, d_out, (unsigned)n);
    return cudaGetLastError();
}
int doubles(const float *d_in, float *d_out, size_t n)
{
    in_double<<<blocks(n), 256>>>(d_in, d_out, n);
    return cudaGetLastError();
}
int big_blocks(const float *d_in, float *d_out, size_t n)
{
    big<<<(unsigned)(n / 64), 64>>>(d_in, d_out, n);
    return cudaGetLastError();
}
int one_block(const float *d_in, float *d_out, size_t n)
{
    alone<<<1, 1024>>>(d_in, d_out, n);
    return cudaGetLastError();
}
int last_wave(const float *d_in, float *d_out, size_t n)
{
    waves<<<108 * 8 + 1, 256>>>(d_in, d_out, n); // one block more than A100 has places
    return cudaGetLastError();
}
int odd_blocks(const float *d_in, float *d_out, size_t n)
{
    odd<<<(unsigned)((n + 32) / 33), 33>>>(d_in, d_out, n);
    return cudaGetLastError();
}
int many_barriers(const float *d_in, float *d_out, size_t n)
{
    meet<<<blocks(n), 256>>>(d_in, d_out, n);
    return cudaGetLastError();
}
int many_launches(const float *d_in, float *d_out, size_t n)
{
    for (size_t at = 0; at + 256 <= n && at < 20 * 256; at += 256)
        one<<<1, 256>>>(d_in, d_out, at);
    return cudaGetLastError();
}
int loads_again(const float *d_in, float *d_out, size_t n)
{
    again<<<blocks(n), 256>>>(d_in, d_out, n);
    return cudaGetLastError();
}
int few_lanes(const float *d_in, float *d_out, size_t n)
{
    lanes<<<blocks(n), 256>>>(d_in, d_out, n);
    return cudaGetLastError();
}
