// Arithmetic: chains and independent operations, special functions, divergence.

#include "cases.h"

#include <cuda_fp16.h>

static __global__ void nothing(const float *, float *, size_t)
{
}

static __global__ void fma_chain(const float *in, float *out, size_t n)
{
    float x = in[threadIdx.x], y = x;
    for (size_t k = 0; k < n; k++)
        y = fmaf(y, x, 0.5f);
    out[thread_id()] = y;
}

static __global__ void fma_four(const float *in, float *out, size_t n)
{
    float x = in[threadIdx.x], a = x, b = x + 1, c = x + 2, d = x + 3;
    for (size_t k = 0; k < n; k++) {
        a = fmaf(a, x, 0.5f);
        b = fmaf(b, x, 0.5f);
        c = fmaf(c, x, 0.5f);
        d = fmaf(d, x, 0.5f);
    }
    out[thread_id()] = a + b + c + d;
}

static __global__ void fma_doubles(const float *in, float *out, size_t n)
{
    double x = in[threadIdx.x], a = x, b = x + 1;
    for (size_t k = 0; k < n; k++) {
        a = fma(a, x, 0.5);
        b = fma(b, x, 0.5);
    }
    out[thread_id()] = (float)(a + b);
}

static __global__ void fma_halves(const float *in, float *out, size_t n)
{
    __half2 x = ((const __half2 *)in)[threadIdx.x], a = x, b = __hadd2(x, x);
    for (size_t k = 0; k < n; k++) {
        a = __hfma2(a, x, x);
        b = __hfma2(b, x, x);
    }
    ((__half2 *)out)[thread_id()] = __hadd2(a, b);
}

static __global__ void exponentials(const float *in, float *out, size_t n)
{
    float x = in[threadIdx.x];
    for (size_t k = 0; k < n; k++)
        x = __expf(x) * 0.1f;
    out[thread_id()] = x;
}

static __global__ void sines(const float *in, float *out, size_t n)
{
    float x = in[threadIdx.x];
    for (size_t k = 0; k < n; k++)
        x = sinf(x) + 1;
    out[thread_id()] = x;
}

static __global__ void divisions(const float *in, float *out, size_t n)
{
    float x = in[threadIdx.x], y = x;
    for (size_t k = 0; k < n; k++)
        y = x / (y + 1);
    out[thread_id()] = y;
}

static __global__ void square_roots(const float *in, float *out, size_t n)
{
    float x = in[threadIdx.x];
    for (size_t k = 0; k < n; k++)
        x = sqrtf(x + 1);
    out[thread_id()] = x;
}

static __global__ void hashes(const float *in, float *out, size_t n)
{
    unsigned h = __float_as_uint(in[threadIdx.x]) + (unsigned)thread_id();
    for (size_t k = 0; k < n; k++)
        h = mix(h);
    out[thread_id()] = h;
}

static __global__ void remainders(const float *in, float *out, size_t n)
{
    unsigned h = __float_as_uint(in[threadIdx.x]), d = __float_as_uint(in[0]) >> 9 | 1;
    for (size_t k = 0; k < n; k++)
        h = h % d * 2654435761u;
    out[thread_id()] = h;
}

static __global__ void long_products(const float *in, float *out, size_t n)
{
    unsigned long long h = __float_as_uint(in[threadIdx.x]) + thread_id();
    for (size_t k = 0; k < n; k++)
        h = h * 6364136223846793005ull + 1442695040888963407ull;
    out[thread_id()] = (float)(h >> 33);
}

static __global__ void bit_counts(const float *in, float *out, size_t n)
{
    unsigned h = __float_as_uint(in[threadIdx.x]), sum = 0;
    for (size_t k = 0; k < n; k++) {
        sum += __popc(h) + __clz(h);
        h += sum * 0x9e3779b9u;
    }
    out[thread_id()] = sum;
}

static __global__ void shuffles(const float *in, float *out, size_t n)
{
    float x = in[threadIdx.x];
    for (size_t k = 0; k < n; k++)
        for (int d = 16; d; d /= 2)
            x += __shfl_xor_sync(~0u, x, d) * 0.25f;
    out[thread_id()] = x;
}

static __global__ void votes(const float *in, float *out, size_t n)
{
    unsigned h = __float_as_uint(in[threadIdx.x]), sum = 0;
    for (size_t k = 0; k < n; k++) {
        sum += __popc(__ballot_sync(~0u, h & 1));
        h = mix(h + sum);
    }
    out[thread_id()] = sum;
}

// Both arms of an if, each long: by lane, then the same by warp.
static __device__ float arm(float x, float a, size_t n)
{
    for (size_t k = 0; k < n; k++)
        x = fmaf(x, a, a);
    return x;
}

static __global__ void arms_by_lane(const float *in, float *out, size_t n)
{
    float x = in[threadIdx.x];
    if (threadIdx.x % 2)
        x = arm(x, 0.5f, n);
    else
        x = arm(x, 0.25f, n + 1);
    out[thread_id()] = x;
}

static __global__ void arms_by_warp(const float *in, float *out, size_t n)
{
    float x = in[threadIdx.x];
    if (threadIdx.x / 32 % 2)
        x = arm(x, 0.5f, n);
    else
        x = arm(x, 0.25f, n + 1);
    out[thread_id()] = x;
}

static __global__ void eight_ways(const float *in, float *out, size_t n)
{
    float x = in[threadIdx.x];
    switch (__float_as_uint(x) % 8) {
    case 0: x = arm(x, 0.1f, n); break;
    case 1: x = arm(x, 0.2f, n + 1); break;
    case 2: x = arm(x, 0.3f, n + 2); break;
    case 3: x = arm(x, 0.4f, n + 3); break;
    case 4: x = arm(x, 0.5f, n + 4); break;
    case 5: x = arm(x, 0.6f, n + 5); break;
    case 6: x = arm(x, 0.7f, n + 6); break;
    default: x = arm(x, 0.8f, n + 7);
    }
    out[thread_id()] = x;
}

static __global__ void collatz(const float *, float *out, size_t n)
{
    unsigned x = (unsigned)(thread_id() % n) + 1, steps = 0;
    for (; x != 1; steps++)
        x = x % 2 ? 3 * x + 1 : x / 2;
    out[thread_id()] = steps;
}

static __global__ void mandelbrot(const float *, float *out, size_t n)
{
    size_t x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    float a = 3.0f * x / n - 2.2f, b = 3.0f * y / n - 1.5f, u = 0, v = 0;
    int k = 0;
    for (; k < 256 && u * u + v * v < 4; k++) {
        float t = u * u - v * v + a;
        v = 2 * u * v + b;
        u = t;
    }
    out[y * n + x] = k;
}

// A body for each thread, all others one after the other.
static __global__ void bodies(const float *in, float *out, size_t n)
{
    size_t i = thread_id();
    const float4 *p = (const float4 *)in;
    float4 me = p[i % n];
    float ax = 0, ay = 0, az = 0;
    for (size_t j = 0; j < n; j++) {
        float4 o = p[j];
        float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z;
        float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
        float f = o.w * r * r * r;
        ax += f * dx;
        ay += f * dy;
        az += f * dz;
    }
    if (i < n)
        out[i] = ax + ay + az;
}

static const kernel_case list[] = {
    {"nothing", nothing, 256, 1, 1, 1, 0, {1}},
    {"nothing_often", nothing, 256, 1, 1 << 15, 1, 0, {1}},
    {"fma_chain", fma_chain, 256, 1, 1056, 1, 0, {1 << 10}},
    {"fma_chain_one_warp", fma_chain, 32, 1, 132, 1, 0, {1 << 12}},
    {"fma_four", fma_four, 256, 1, 1056, 1, 0, {1 << 9}},
    {"fma_doubles", fma_doubles, 256, 1, 1056, 1, 0, {1 << 9}},
    {"fma_halves", fma_halves, 256, 1, 1056, 1, 0, {1 << 9}},
    {"exponentials", exponentials, 256, 1, 1056, 1, 0, {1 << 8}},
    {"sines", sines, 256, 1, 1056, 1, 0, {1 << 6}},
    {"divisions", divisions, 256, 1, 1056, 1, 0, {1 << 6}},
    {"square_roots", square_roots, 256, 1, 1056, 1, 0, {1 << 7}},
    {"hashes", hashes, 256, 1, 1056, 1, 0, {1 << 8}},
    {"remainders", remainders, 256, 1, 1056, 1, 0, {1 << 7}},
    {"long_products", long_products, 256, 1, 1056, 1, 0, {1 << 9}},
    {"bit_counts", bit_counts, 256, 1, 1056, 1, 0, {1 << 8}},
    {"shuffles", shuffles, 256, 1, 1056, 1, 0, {1 << 6}},
    {"votes", votes, 256, 1, 1056, 1, 0, {1 << 8}},
    {"arms_by_lane", arms_by_lane, 256, 1, 1056, 1, 0, {1 << 8}},
    {"arms_by_warp", arms_by_warp, 256, 1, 1056, 1, 0, {1 << 8}},
    {"eight_ways", eight_ways, 256, 1, 1056, 1, 0, {1 << 7}},
    {"collatz", collatz, 256, 1, 1056, 1, 0, {1 << 16}},
    {"mandelbrot", mandelbrot, 16, 16, 0, 1, 0, {1 << 9, 1 << 10}},
    {"bodies", bodies, 256, 1, 0, 1, 0, {1 << 12, 1 << 13}},
    {"tail_wave", fma_chain, 1024, 1, 265, 1, 0, {1 << 11}},
    {"one_fat_block", fma_chain, 1024, 1, 1, 1, 0, {1 << 12}},
};
LIST(compute_cases, list)
