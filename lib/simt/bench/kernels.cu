// What the benchmark runs: ten kinds of kernels, each as learners write them.
//
// All take the same three arguments, so that one table (bench.c) launches them: an input
// whose bytes are all 1, an output of one word a thread or more, and a size.

#include <cuda_fp16.h>
#include <mma.h>

#define KERNEL extern "C" __global__ void

static __device__ size_t thread_id()
{
    return (size_t)blockIdx.x * blockDim.x + threadIdx.x;
}

// Streaming: coalesced loads, integer additions, a loop.
KERNEL streaming(const unsigned *in, unsigned *out, size_t n)
{
    unsigned sum = 0;
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = thread_id(); i < n; i += step)
        sum += in[i];
    out[thread_id()] = sum;
}

// A tree in shared memory: barriers, divergence, bank counting.
KERNEL shared_tree(const unsigned *in, unsigned *out, size_t n)
{
    __shared__ unsigned sum[256];
    unsigned t = threadIdx.x;
    size_t i = thread_id();
    sum[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (t < stride)
            sum[t] += sum[t + stride];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = sum[0];
}

// Shuffles: a warp's sum in five steps, many times over.
KERNEL shuffle(const unsigned *in, unsigned *out, size_t n)
{
    unsigned sum = 0;
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = thread_id(); i < n; i += step) {
        unsigned x = in[i];
        for (int offset = 16; offset > 0; offset /= 2)
            x += __shfl_xor_sync(~0u, x, offset);
        sum += x;
    }
    out[thread_id()] = sum;
}

// SGEMM: 16 x 16 tiles in shared memory, square matrices of side n, blocks of 256.
KERNEL sgemm_tile(const float *a, float *c, size_t n)
{
    __shared__ float as[16][16], bs[16][16];
    unsigned tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    size_t row = blockIdx.x / (n / 16) * 16 + ty, column = blockIdx.x % (n / 16) * 16 + tx;
    float sum = 0;
    for (size_t k = 0; k < n; k += 16) {
        as[ty][tx] = a[row * n + k + tx];
        bs[ty][tx] = a[(k + ty) * n + column];
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += as[ty][i] * bs[i][tx];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

// Divergent: the lanes of a warp leave a loop one after the other (Collatz).
KERNEL divergent(const unsigned *in, unsigned *out, size_t n)
{
    unsigned x = (unsigned)(thread_id() % n) + 1, steps = in[0] & 1;
    while (x != 1) {
        if (x % 2)
            x = 3 * x + 1;
        else
            x /= 2;
        steps++;
    }
    out[thread_id()] = steps;
}

// Atomics: a histogram of 256 bins in shared memory, then in global memory.
KERNEL histogram(const unsigned *in, unsigned *out, size_t n)
{
    __shared__ unsigned bins[256];
    bins[threadIdx.x] = 0;
    __syncthreads();
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = thread_id(); i < n; i += step) {
        unsigned x = in[i] * (unsigned)i * 2654435761u;
        atomicAdd(&bins[x >> 24], 1);
    }
    __syncthreads();
    atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

// A stencil of doubles: five points of a square of side n, a row a block.
KERNEL stencil(const double *in, double *out, size_t n)
{
    size_t y = blockIdx.x + 1;
    for (size_t x = threadIdx.x + 1; x + 1 < n; x += blockDim.x)
        out[y * n + x] = 0.2 * (in[y * n + x] + in[y * n + x - 1] + in[y * n + x + 1] +
                                in[(y - 1) * n + x] + in[(y + 1) * n + x]);
}

// Pairs of 16-bit floats: a polynomial by Horner's rule.
KERNEL half_pairs(const __half2 *in, __half2 *out, size_t n)
{
    __half2 sum = __floats2half2_rn(0, 0);
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = thread_id(); i < n; i += step) {
        __half2 x = in[i], y = x;
        for (int k = 0; k < 8; k++)
            y = __hfma2(y, x, x);
        sum = __hadd2(sum, y);
    }
    out[thread_id()] = sum;
}

// Integer hashing: multiplications, shifts and exclusive ors in registers.
KERNEL hashing(const unsigned *in, unsigned *out, size_t n)
{
    unsigned h = in[0] ^ (unsigned)thread_id();
    for (size_t i = 0; i < n; i++) {
        h ^= h >> 16;
        h *= 0x85ebca6bu;
        h ^= h >> 13;
        h *= 0xc2b2ae35u;
        h ^= h >> 16;
    }
    out[thread_id()] = h;
}

// Tensor cores: each warp multiplies its 16 x 16 tiles, n times.
KERNEL tensor(const __half *in, float *out, size_t n)
{
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, __half, row_major> a;
    fragment<matrix_b, 16, 16, 16, __half, col_major> b;
    fragment<accumulator, 16, 16, 16, float> c;
    fill_fragment(c, 0);
    for (size_t i = 0; i < n; i++) {
        load_matrix_sync(a, in + i % 16 * 256, 16);
        load_matrix_sync(b, in + i % 16 * 256, 16);
        mma_sync(c, a, b, c);
    }
    store_matrix_sync(out + thread_id() / 32 * 256, c, 16, mem_row_major);
}

// Nothing: what a launch costs.
KERNEL nothing(const unsigned *, unsigned *, size_t)
{
}
