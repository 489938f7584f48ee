// Matrix products of side n, from the plain one to tensor cores, and row kernels.

#include "cases.h"

#include <mma.h>

// A warp's threads lie along a row of the result, or (by_column) along a column.
static __global__ void by_row(const float *a, float *c, size_t n)
{
    size_t x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const float *b = a + n * n;
    float sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

static __global__ void by_column(const float *a, float *c, size_t n)
{
    size_t y = blockIdx.x * blockDim.x + threadIdx.x, x = blockIdx.y * blockDim.y + threadIdx.y;
    const float *b = a + n * n;
    float sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

template <int T> static __global__ void tiled(const float *a, float *c, size_t n)
{
    __shared__ float as[T][T], bs[T][T];
    unsigned tx = threadIdx.x, ty = threadIdx.y;
    size_t x = blockIdx.x * T + tx, y = blockIdx.y * T + ty;
    const float *b = a + n * n;
    float sum = 0;
    for (size_t k = 0; k < n; k += T) {
        as[ty][tx] = a[y * n + k + tx];
        bs[ty][tx] = b[(k + ty) * n + x];
        __syncthreads();
        for (int i = 0; i < T; i++)
            sum += as[ty][i] * bs[i][tx];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

// 64 x 64 tiles, 256 threads, 4 x 4 results a thread.
static __global__ void registers_4x4(const float *a, float *c, size_t n)
{
    __shared__ float as[8][64], bs[8][64];
    unsigned t = threadIdx.y * 16 + threadIdx.x;
    size_t blocks = n / 64, number = blockIdx.y * gridDim.x + blockIdx.x;
    size_t x0 = number % blocks * 64, y0 = number / blocks * 64;
    const float *b = a + n * n;
    float sum[4][4] = {};
    for (size_t k = 0; k < n; k += 8) {
        for (unsigned i = t; i < 512; i += 256) {
            as[i % 8][i / 8] = a[(y0 + i / 8) * n + k + i % 8];
            bs[i / 64][i % 64] = b[(k + i / 64) * n + x0 + i % 64];
        }
        __syncthreads();
        for (int i = 0; i < 8; i++) {
            float u[4], v[4];
            for (int j = 0; j < 4; j++) {
                u[j] = as[i][threadIdx.y * 4 + j];
                v[j] = bs[i][threadIdx.x * 4 + j];
            }
            for (int p = 0; p < 4; p++)
                for (int q = 0; q < 4; q++)
                    sum[p][q] += u[p] * v[q];
        }
        __syncthreads();
    }
    for (int p = 0; p < 4; p++)
        for (int q = 0; q < 4; q++)
            c[(y0 + threadIdx.y * 4 + p) * n + x0 + threadIdx.x * 4 + q] = sum[p][q];
}

static __global__ void tensor_tiles(const float *in, float *out, size_t n)
{
    using namespace nvcuda::wmma;
    const __half *a = (const __half *)in, *b = a + n * n;
    size_t warp = thread_id() / 32, across = n / 16;
    if (warp >= across * across)
        return;
    size_t y = warp / across * 16, x = warp % across * 16;
    fragment<matrix_a, 16, 16, 16, __half, row_major> fa;
    fragment<matrix_b, 16, 16, 16, __half, row_major> fb;
    fragment<accumulator, 16, 16, 16, float> fc;
    fill_fragment(fc, 0);
    for (size_t k = 0; k < n; k += 16) {
        load_matrix_sync(fa, a + y * n + k, (unsigned)n);
        load_matrix_sync(fb, b + k * n + x, (unsigned)n);
        mma_sync(fc, fa, fb, fc);
    }
    store_matrix_sync(out + y * n + x, fc, (unsigned)n, mem_row_major);
}

static __global__ void tensor_only(const float *in, float *out, size_t n)
{
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, __half, row_major> a;
    fragment<matrix_b, 16, 16, 16, __half, col_major> b;
    fragment<accumulator, 16, 16, 16, float> c, d;
    load_matrix_sync(a, (const __half *)in, 16);
    load_matrix_sync(b, (const __half *)in, 16);
    fill_fragment(c, 0);
    fill_fragment(d, 1);
    for (size_t i = 0; i < n; i++) {
        mma_sync(c, a, b, c);
        mma_sync(d, a, b, d);
    }
    store_matrix_sync(out + thread_id() / 32 * 256, c, 16, mem_row_major);
    store_matrix_sync(out + thread_id() / 32 * 256, d, 16, mem_row_major);
}

// Rows of 1024 through ldmatrix, 128 bytes apart or padded by 16.
template <int ROW> static __global__ void fragments(const float *in, float *out, size_t n)
{
    __shared__ __align__(16) unsigned char s[64 * ROW];
    for (unsigned i = threadIdx.x; i < 64 * ROW / 4; i += blockDim.x)
        ((float *)s)[i] = in[i];
    __syncthreads();
    unsigned at = (unsigned)__cvta_generic_to_shared(s) + (threadIdx.x % 32) * ROW, sum = 0;
    for (size_t k = 0; k < n; k++) {
        unsigned a, b, c, d;
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "r"(at + (unsigned)(k % 4) * 16));
        sum += a ^ b ^ c ^ d;
    }
    out[thread_id()] = sum;
}

// A row of n a warp: exp(x - max) / sum.
static __global__ void softmax_rows(const float *in, float *out, size_t n)
{
    size_t row = thread_id() / 32, lane = threadIdx.x % 32;
    const float *x = in + row * n;
    float most = -INFINITY, sum = 0;
    for (size_t i = lane; i < n; i += 32)
        most = fmaxf(most, x[i]);
    for (int d = 16; d; d /= 2)
        most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
    for (size_t i = lane; i < n; i += 32)
        sum += __expf(x[i] - most);
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    for (size_t i = lane; i < n; i += 32)
        out[row * n + i] = __expf(x[i] - most) / sum;
}

static const kernel_case list[] = {
    {"product_by_row", by_row, 16, 16, 0, 1, 0, {256, 512, 1024}},
    {"product_by_row_32", by_row, 32, 8, 0, 1, 0, {256, 1024}},
    {"product_by_column", by_column, 16, 16, 0, 1, 0, {256, 512}},
    {"product_by_column_32", by_column, 32, 8, 0, 1, 0, {256}},
    {"product_tile_16", tiled<16>, 16, 16, 0, 1, 0, {256, 512, 1024}},
    {"product_tile_32", tiled<32>, 32, 32, 0, 1, 0, {256, 1024}},
    {"product_registers", registers_4x4, 16, 16, 0, 16, 0, {256, 1024}},
    {"product_tensor", tensor_tiles, 256, 1, 512, 1, 0, {512, 1024}},
    {"tensor_only", tensor_only, 256, 1, 264, 1, 0, {128}},
    {"fragments_128", fragments<128>, 256, 1, 264, 1, 0, {128}},
    {"fragments_padded", fragments<144>, 256, 1, 264, 1, 0, {128}},
    {"softmax_rows", softmax_rows, 256, 1, 512, 1, 0, {256, 4096}},
};
LIST(product_cases, list)
