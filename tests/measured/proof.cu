// Kernels that were written and measured after the time model had been fitted, and not
// used for it: what it says of them is a prediction.

#include "cases.h"

#include <cuda_fp16.h>

static __global__ void triad(const float *in, float *out, size_t n)
{
    size_t i = thread_id();
    if (i < n)
        out[i] = in[i] + 3 * in[i + n];
}

static __global__ void dot_block(const float *in, float *out, size_t n)
{
    __shared__ float s[8];
    float sum = 0;
    for (size_t i = thread_id(); i < n; i += thread_count())
        sum += in[i] * in[i + n];
    for (int d = 16; d; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < 8; k++)
            sum += s[k];
        atomicAdd(out, sum);
    }
}

static __global__ void sum_rows(const float *in, float *out, size_t n) // a block a row
{
    __shared__ float s[256];
    float sum = 0;
    for (size_t i = threadIdx.x; i < n; i += 256)
        sum += in[blockIdx.x * n + i];
    s[threadIdx.x] = sum;
    for (int d = 128; d; d /= 2) {
        __syncthreads();
        if (threadIdx.x < d)
            s[threadIdx.x] += s[threadIdx.x + d];
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = s[0];
}

static __global__ void sum_columns(const float *in, float *out, size_t n) // a thread a column
{
    size_t x = thread_id();
    if (x >= n)
        return;
    float sum = 0;
    for (size_t y = 0; y < n; y++)
        sum += in[y * n + x];
    out[x] = sum;
}

static __global__ void add_squares(const float *in, float *out, size_t n)
{
    size_t x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n)
        out[y * n + x] = in[y * n + x] + in[n * n + y * n + x];
}

static __constant__ float taps[17];

static __global__ void convolve_line(const float *in, float *out, size_t n)
{
    size_t i = thread_id();
    if (i + 16 < n) {
        float sum = 0;
        for (int k = 0; k < 17; k++)
            sum += taps[k] * in[i + k];
        out[i] = sum;
    }
}

static __global__ void convolve_tile(const float *in, float *out, size_t n)
{
    __shared__ float s[256 + 16];
    size_t i = thread_id();
    s[threadIdx.x] = in[i];
    if (threadIdx.x < 16)
        s[threadIdx.x + 256] = i + 256 < n ? in[i + 256] : 0;
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 17; k++)
        sum += taps[k] * s[threadIdx.x + k];
    out[i] = sum;
}

static __global__ void stencil_box(const float *in, float *out, size_t n) // a cube, 7 points
{
    size_t x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x + 1 >= n || y + 1 >= n)
        return;
    for (size_t z = 1; z + 1 < 64; z++) {
        const float *p = in + (z * n + y) * n + x;
        out[(z * n + y) * n + x] =
            p[0] + p[1] + p[-1] + p[n] + p[-(ptrdiff_t)n] + p[n * n] + p[-(ptrdiff_t)(n * n)];
    }
}

static __global__ void lookup(const float *in, float *out, size_t n) // a table of 4096 words
{
    size_t i = thread_id();
    if (i < n)
        out[i] = in[__float_as_uint(in[i]) & 4095];
}

static __global__ void rows_apart(const float *in, float *out, size_t n) // 12 entries a row
{
    size_t row = thread_id();
    if (row >= n)
        return;
    float sum = 0;
    for (int k = 0; k < 12; k++)
        sum += in[row * 12 + k] * in[mix((unsigned)(row * 12 + k)) % n];
    out[row] = sum;
}

static __global__ void bodies_tiled(const float *in, float *out, size_t n)
{
    __shared__ float4 s[256];
    const float4 *p = (const float4 *)in;
    float4 me = p[thread_id() % n];
    float ax = 0, ay = 0, az = 0;
    for (size_t t = 0; t < n; t += 256) {
        s[threadIdx.x] = p[t + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 256; j++) {
            float4 o = s[j];
            float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z;
            float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), f = o.w * r * r * r;
            ax += f * dx;
            ay += f * dy;
            az += f * dz;
        }
        __syncthreads();
    }
    out[thread_id()] = ax + ay + az;
}

static __global__ void normalize_rows(const float *in, float *out, size_t n) // 1024 wide
{
    __shared__ float s[8], q[8];
    float v[4], sum = 0, squares = 0;
    for (int k = 0; k < 4; k++) {
        v[k] = in[blockIdx.x * 1024 + k * 256 + threadIdx.x];
        sum += v[k];
        squares += v[k] * v[k];
    }
    for (int d = 16; d; d /= 2) {
        sum += __shfl_xor_sync(~0u, sum, d);
        squares += __shfl_xor_sync(~0u, squares, d);
    }
    if (threadIdx.x % 32 == 0) {
        s[threadIdx.x / 32] = sum;
        q[threadIdx.x / 32] = squares;
    }
    __syncthreads();
    sum = squares = 0;
    for (int k = 0; k < 8; k++) {
        sum += s[k];
        squares += q[k];
    }
    float mean = sum / 1024, r = rsqrtf(squares / 1024 - mean * mean + 1e-5f);
    for (int k = 0; k < 4; k++)
        out[blockIdx.x * 1024 + k * 256 + threadIdx.x] = (v[k] - mean) * r;
}

static __global__ void bins_1024(const float *in, float *out, size_t n)
{
    __shared__ unsigned bins[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        bins[i] = 0;
    __syncthreads();
    for (size_t i = thread_id(); i < n; i += thread_count())
        atomicAdd(&bins[__float_as_uint(in[i]) & 1023], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        atomicAdd((unsigned *)out + i, bins[i]);
}

static __global__ void julia_doubles(const float *, float *out, size_t n)
{
    size_t x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    double u = 3.0 * x / n - 1.5, v = 3.0 * y / n - 1.5;
    int k = 0;
    for (; k < 64 && u * u + v * v < 4; k++) {
        double t = u * u - v * v - 0.8;
        v = 2 * u * v + 0.156;
        u = t;
    }
    out[y * n + x] = k;
}

static __global__ void polynomial(const float *in, float *out, size_t n)
{
    size_t i = thread_id();
    if (i >= n)
        return;
    float x = in[i], y = x;
    for (int k = 0; k < 48; k++)
        y = y * x + 0.25f * k;
    out[i] = y;
}

static __global__ void halves_axpy(const float *in, float *out, size_t n)
{
    size_t i = thread_id();
    __half2 a = __floats2half2_rn(2, 2);
    if (i < n / 2)
        ((__half2 *)out)[i] = __hfma2(a, ((const __half2 *)in)[i], ((__half2 *)out)[i]);
}

static __global__ void transpose_16(const float *in, float *out, size_t n)
{
    __shared__ float tile[16][17];
    size_t x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    out[(blockIdx.x * 16 + threadIdx.y) * n + blockIdx.y * 16 + threadIdx.x] =
        tile[threadIdx.x][threadIdx.y];
}

static __global__ void product_two(const float *a, float *c, size_t n) // 2 rows a thread
{
    __shared__ float as[32][16], bs[16][16];
    unsigned tx = threadIdx.x, ty = threadIdx.y;
    size_t x = blockIdx.x * 16 + tx, y = blockIdx.y * 32 + ty;
    const float *b = a + n * n;
    float sum[2] = {};
    for (size_t k = 0; k < n; k += 16) {
        as[ty][tx] = a[y * n + k + tx];
        as[ty + 16][tx] = a[(y + 16) * n + k + tx];
        bs[ty][tx] = b[(k + ty) * n + x];
        __syncthreads();
        for (int i = 0; i < 16; i++) {
            sum[0] += as[ty][i] * bs[i][tx];
            sum[1] += as[ty + 16][i] * bs[i][tx];
        }
        __syncthreads();
    }
    c[y * n + x] = sum[0];
    c[(y + 16) * n + x] = sum[1];
}

enum : size_t { M1 = 1 << 20, M4 = 1 << 22, M16 = 1 << 24 };

static const kernel_case list[] = {
    {"triad", triad, 256, 1, 0, 1, 0, {M1, M16}},
    {"dot_block", dot_block, 256, 1, 1056, 1, 0, {M1, M16}},
    {"sum_rows", sum_rows, 256, 1, 4096, 1, 0, {1 << 10, 1 << 12}},
    {"sum_columns", sum_columns, 256, 1, 0, 1, 0, {1 << 10, 1 << 12}},
    {"add_squares", add_squares, 32, 8, 0, 1, 0, {1 << 10, 1 << 12}},
    {"convolve_line", convolve_line, 256, 1, 0, 1, 0, {M1, M16}},
    {"convolve_tile", convolve_tile, 256, 1, 0, 1, 0, {M1, M16}},
    {"stencil_box", stencil_box, 32, 8, 0, 1, 0, {256, 512}},
    {"lookup", lookup, 256, 1, 0, 1, 0, {M1, M16}},
    {"rows_apart", rows_apart, 256, 1, 0, 1, 0, {1 << 18, M1}},
    {"bodies_tiled", bodies_tiled, 256, 1, 0, 1, 0, {1 << 12, 1 << 14}},
    {"normalize_rows", normalize_rows, 256, 1, 16384, 1, 0, {1 << 10}},
    {"bins_1024", bins_1024, 256, 1, 528, 1, 0, {M1, M16}},
    {"julia_doubles", julia_doubles, 16, 16, 0, 1, 0, {1 << 9, 1 << 10}},
    {"polynomial", polynomial, 128, 1, 0, 1, 0, {M1, M16}},
    {"halves_axpy", halves_axpy, 256, 1, 0, 2, 0, {M1, M16}},
    {"transpose_16", transpose_16, 16, 16, 0, 1, 0, {1 << 10, 1 << 12}},
    {"product_two", product_two, 16, 16, 0, 2, 0, {512, 1024}},
};
LIST(proof_cases, list)
