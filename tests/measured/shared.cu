// Shared memory: banks, widths, trees, barriers.

#include "cases.h"

template <int STRIDE> static __global__ void load_stride(const float *in, float *out, size_t n)
{
    __shared__ float s[8192];
    for (int i = threadIdx.x; i < 8192; i += blockDim.x)
        s[i] = in[i];
    __syncthreads();
    float sum = 0;
    unsigned at = threadIdx.x * STRIDE;
    for (size_t k = 0; k < n; k++, at += 1)
        sum += s[at & 8191];
    out[thread_id()] = sum;
}

template <int STRIDE> static __global__ void store_stride(const float *in, float *out, size_t n)
{
    __shared__ volatile float s[8192];
    float x = in[threadIdx.x];
    for (size_t k = 0; k < n; k++)
        s[(threadIdx.x * STRIDE + k) & 8191] = x + k;
    __syncthreads();
    out[thread_id()] = s[threadIdx.x];
}

static __device__ float total(float2 v)
{
    return v.x + v.y;
}

static __device__ float total(float4 v)
{
    return v.x + v.y + v.z + v.w;
}

template <class T, int STRIDE>
static __global__ void load_wide(const float *in, float *out, size_t n)
{
    __shared__ T s[2048];
    for (int i = threadIdx.x; i < 2048; i += blockDim.x)
        s[i] = ((const T *)in)[i];
    __syncthreads();
    float sum = 0;
    unsigned at = threadIdx.x * STRIDE;
    for (size_t k = 0; k < n; k++, at += 4)
        sum += total(s[at & 2047]);
    out[thread_id()] = sum;
}

static __global__ void one_word(const float *in, float *out, size_t n)
{
    __shared__ float s[256];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    float sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += s[(k + threadIdx.x / 32) & 255];
    out[thread_id()] = sum;
}

template <int PAD> static __global__ void transpose_tile(const float *in, float *out, size_t n)
{
    __shared__ float tile[32][32 + PAD];
    size_t x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        out[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}

static __global__ void stencil_tile(const float *in, float *out, size_t n)
{
    __shared__ float s[256 + 16];
    size_t i = thread_id();
    unsigned t = threadIdx.x + 8;
    s[t] = in[i];
    if (threadIdx.x < 8) {
        s[threadIdx.x] = i >= 8 ? in[i - 8] : 0;
        s[t + 256] = i + 256 < n ? in[i + 256] : 0;
    }
    __syncthreads();
    float sum = 0;
    for (int k = -8; k <= 8; k++)
        sum += s[t + k];
    if (i < n)
        out[i] = sum;
}

static __global__ void barriers(const float *in, float *out, size_t n)
{
    float x = in[threadIdx.x];
    for (size_t k = 0; k < n; k++) {
        x = x * 0.5f + 1;
        __syncthreads();
    }
    out[thread_id()] = x;
}

// Inclusive sums within blocks (Hillis and Steele).
static __global__ void scan_block(const float *in, float *out, size_t n)
{
    __shared__ float s[2][256];
    unsigned t = threadIdx.x, at = 0;
    size_t i = thread_id();
    s[0][t] = i < n ? in[i] : 0;
    for (unsigned d = 1; d < blockDim.x; d *= 2) {
        __syncthreads();
        s[at ^ 1][t] = t >= d ? s[at][t] + s[at][t - d] : s[at][t];
        at ^= 1;
    }
    if (i < n)
        out[i] = s[at][t];
}

static __global__ void bitonic_block(const float *in, float *out, size_t n)
{
    __shared__ float s[512];
    unsigned t = threadIdx.x;
    size_t base = (size_t)blockIdx.x * 512;
    s[t] = in[base + t];
    s[t + 256] = in[base + t + 256];
    for (unsigned size = 2; size <= 512; size *= 2)
        for (unsigned d = size / 2; d; d /= 2) {
            __syncthreads();
            unsigned a = t / d * 2 * d + t % d, b = a + d;
            bool up = !(a & size);
            float x = s[a], y = s[b];
            if ((x > y) == up) {
                s[a] = y;
                s[b] = x;
            }
        }
    __syncthreads();
    if (base < n) {
        out[base + t] = s[t];
        out[base + t + 256] = s[t + 256];
    }
}

static __global__ void tree_block(const float *in, float *out, size_t n)
{
    __shared__ float s[256];
    unsigned t = threadIdx.x;
    size_t i = thread_id();
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned d = blockDim.x / 2; d; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

enum : size_t { K64 = 1 << 16, M1 = 1 << 20, M16 = 1 << 24, M32 = 1 << 25 };

static const kernel_case list[] = {
    {"load_stride_1", load_stride<1>, 256, 1, 264, 1, 0, {1 << 8}},
    {"load_stride_2", load_stride<2>, 256, 1, 264, 1, 0, {1 << 8}},
    {"load_stride_4", load_stride<4>, 256, 1, 264, 1, 0, {1 << 8}},
    {"load_stride_16", load_stride<16>, 256, 1, 264, 1, 0, {1 << 8}},
    {"load_stride_32", load_stride<32>, 256, 1, 264, 1, 0, {1 << 8}},
    {"load_stride_33", load_stride<33>, 256, 1, 264, 1, 0, {1 << 8}},
    {"store_stride_1", store_stride<1>, 256, 1, 264, 1, 0, {1 << 8}},
    {"store_stride_8", store_stride<8>, 256, 1, 264, 1, 0, {1 << 8}},
    {"store_stride_32", store_stride<32>, 256, 1, 264, 1, 0, {1 << 8}},
    {"load_pairs", load_wide<float2, 1>, 256, 1, 264, 1, 0, {1 << 8}},
    {"load_pairs_stride_2", load_wide<float2, 2>, 256, 1, 264, 1, 0, {1 << 8}},
    {"load_fours", load_wide<float4, 1>, 256, 1, 264, 1, 0, {1 << 8}},
    {"load_fours_stride_2", load_wide<float4, 2>, 256, 1, 264, 1, 0, {1 << 8}},
    {"one_word", one_word, 256, 1, 264, 1, 0, {1 << 8}},
    {"transpose_tile", transpose_tile<0>, 32, 8, 0, 4, 0, {1 << 10, 1 << 12}},
    {"transpose_padded", transpose_tile<1>, 32, 8, 0, 4, 0, {1 << 10, 1 << 12}},
    {"stencil_tile", stencil_tile, 256, 1, 0, 1, 0, {M1, M32}},
    {"barriers", barriers, 256, 1, 1056, 1, 0, {1 << 7}},
    {"scan_block", scan_block, 256, 1, 0, 1, 0, {M1, M16}},
    {"bitonic_block", bitonic_block, 256, 1, 0, 2, 0, {M1}},
    {"tree_block", tree_block, 256, 1, 0, 1, 0, {M1, M32}},
};
LIST(shared_cases, list)
