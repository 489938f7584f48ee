// Tensor cores as <mma.h> gives them: every shape, type and layout that it has, over small
// numbers whose products and sums every format holds exactly.

#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

constexpr int ROOM = 32 * 128; // elements of any matrix here

struct Inputs {
    float a[ROOM], b[ROOM], c[ROOM]; // as numbers, row-major
};

template <typename T> __host__ __device__ T number(float x) { return static_cast<T>(x); }
template <> __host__ __device__ __half number(float x) { return __float2half(x); }
template <> __host__ __device__ __nv_bfloat16 number(float x) { return __float2bfloat16(x); }

template <typename T> __device__ float plain(T x) { return static_cast<float>(x); }
template <> __device__ float plain(__half x) { return __half2float(x); }

// One warp: d = a b + c through shared memory, C and D in one layout, A and B in theirs.
template <int M, int N, int K, typename T, typename F, typename C, typename LA, typename LB>
__global__ void product(const Inputs *in, float *d, bool c_by_rows, bool in_shared, T *scratch)
{
    __shared__ __align__(32) unsigned char bytes[3 * 16 * 32 * 8];
    T *a = in_shared ? reinterpret_cast<T *>(bytes) : scratch, *b = a + M * K;
    C *c = reinterpret_cast<C *>(b + N * K);
    bool a_rows = std::is_same<LA, wmma::row_major>::value;
    bool b_rows = std::is_same<LB, wmma::row_major>::value;
    for (int i = threadIdx.x; i < M * K; i += 32)
        a[a_rows ? i : i % K * M + i / K] = number<T>(in->a[i]);
    for (int i = threadIdx.x; i < K * N; i += 32)
        b[b_rows ? i : i % N * K + i / N] = number<T>(in->b[i]);
    for (int i = threadIdx.x; i < M * N; i += 32)
        c[c_by_rows ? i : i % N * M + i / N] = number<C>(in->c[i]);
    __syncwarp();
    wmma::fragment<wmma::matrix_a, M, N, K, F, LA> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, F, LB> fb;
    wmma::fragment<wmma::accumulator, M, N, K, C> fc;
    wmma::layout_t layout = c_by_rows ? wmma::mem_row_major : wmma::mem_col_major;
    wmma::load_matrix_sync(fa, a, a_rows ? K : M);
    wmma::load_matrix_sync(fb, b, b_rows ? N : K);
    wmma::load_matrix_sync(fc, c, c_by_rows ? N : M, layout);
    for (int i = 0; i < fa.num_elements; i++)
        fa.x[i] = fa.x[i] + fa.x[i]; // fragments may be worked on element by element
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, c_by_rows ? N : M, layout);
    __syncwarp();
    for (int i = threadIdx.x; i < M * N; i += 32)
        d[i] = plain<C>(c[c_by_rows ? i : i % N * M + i / N]);
}

static Inputs *in;
static float *out;
static void *scratch;

template <int M, int N, int K, typename T, typename F, typename C, typename LA, typename LB>
static int layouts(bool is_unsigned)
{
    int wrong = 0;
    for (int i = 0; i < M * K; i++)
        in->a[i] = (float)(i * 7 % 9 - (is_unsigned ? 0 : 4));
    for (int i = 0; i < K * N; i++)
        in->b[i] = (float)(i * 5 % 7 - (is_unsigned ? 0 : 3));
    for (int i = 0; i < M * N; i++)
        in->c[i] = (float)(i % 50 - 25);
    for (int how = 0; how < 4; how++) {
        product<M, N, K, T, F, C, LA, LB><<<1, 32>>>(in, out, how & 1, how & 2, (T *)scratch);
        if (cudaDeviceSynchronize() != cudaSuccess)
            return -1;
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                float sum = in->c[i * N + j];
                for (int k = 0; k < K; k++)
                    sum += 2 * in->a[i * K + k] * in->b[k * N + j];
                wrong += out[i * N + j] != sum;
            }
    }
    return wrong;
}

template <int M, int N, int K, typename T, typename F, typename C>
static void shape(const char *name, bool is_unsigned = false)
{
    using R = wmma::row_major;
    using L = wmma::col_major;
    printf("%-10s %dx%dx%d: wrong %d %d %d %d\n", name, M, N, K,
           layouts<M, N, K, T, F, C, R, R>(is_unsigned), layouts<M, N, K, T, F, C, R, L>(is_unsigned),
           layouts<M, N, K, T, F, C, L, R>(is_unsigned), layouts<M, N, K, T, F, C, L, L>(is_unsigned));
}

template <int M, int N, int K> static void three(void)
{
    shape<M, N, K, __half, __half, float>("f16 f32");
    shape<M, N, K, __half, __half, __half>("f16 f16");
    shape<M, N, K, __nv_bfloat16, __nv_bfloat16, float>("bf16 f32");
    shape<M, N, K, signed char, signed char, int>("s8 s32");
    shape<M, N, K, unsigned char, unsigned char, int>("u8 s32", true);
}

// Types below a byte: rows by columns only, words of 8 or 32 elements.
__global__ void small(const unsigned *a, const unsigned *b, int *d)
{
    using namespace wmma::experimental;
    wmma::fragment<wmma::matrix_a, 8, 8, 32, precision::s4, wmma::row_major> sa;
    wmma::fragment<wmma::matrix_b, 8, 8, 32, precision::s4, wmma::col_major> sb;
    wmma::fragment<wmma::matrix_a, 8, 8, 32, precision::u4, wmma::row_major> ua;
    wmma::fragment<wmma::matrix_b, 8, 8, 32, precision::u4, wmma::col_major> ub;
    wmma::fragment<wmma::matrix_a, 8, 8, 128, precision::b1, wmma::row_major> ba;
    wmma::fragment<wmma::matrix_b, 8, 8, 128, precision::b1, wmma::col_major> bb;
    wmma::fragment<wmma::accumulator, 8, 8, 32, int> c;
    wmma::fragment<wmma::accumulator, 8, 8, 128, int> e;
    wmma::load_matrix_sync(sa, a, 32);
    wmma::load_matrix_sync(sb, b, 32);
    wmma::fill_fragment(c, 5);
    wmma::mma_sync(c, sa, sb, c);
    wmma::store_matrix_sync(d, c, 8, wmma::mem_row_major);
    wmma::load_matrix_sync(ua, a, 32);
    wmma::load_matrix_sync(ub, b, 32);
    wmma::fill_fragment(c, -5);
    wmma::mma_sync(c, ua, ub, c);
    wmma::store_matrix_sync(d + 64, c, 8, wmma::mem_row_major);
    wmma::load_matrix_sync(ba, a, 128);
    wmma::load_matrix_sync(bb, b, 128);
    wmma::fill_fragment(e, 1);
    bmma_sync(e, ba, bb, e);
    wmma::store_matrix_sync(d + 128, e, 8, wmma::mem_col_major);
    wmma::fill_fragment(e, 2);
    bmma_sync(e, ba, bb, e, bmmaBitOpAND);
    wmma::store_matrix_sync(d + 192, e, 8, wmma::mem_row_major);
}

static int nibble(const unsigned *w, int row, int k, bool is_signed)
{
    int v = (int)(w[row * 4 + k / 8] >> k % 8 * 4 & 15);
    return is_signed && v > 7 ? v - 16 : v;
}

static void small_types()
{
    unsigned *a, *b;
    int *d, wrong[4] = {0};
    cudaMallocManaged(&a, 128);
    cudaMallocManaged(&b, 128);
    cudaMallocManaged(&d, 1024);
    for (int i = 0; i < 32; i++) {
        a[i] = 0x9e3779b9u * (unsigned)(i + 1);
        b[i] = 0x85ebca6bu * (unsigned)(i + 7);
    }
    small<<<1, 32>>>(a, b, d);
    printf("small: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            int s = 5, u = -5, x = 1, y = 2;
            for (int k = 0; k < 32; k++) {
                s += nibble(a, i, k, true) * nibble(b, j, k, true);
                u += nibble(a, i, k, false) * nibble(b, j, k, false);
            }
            for (int k = 0; k < 128; k++) {
                int p = a[i * 4 + k / 32] >> k % 32 & 1, q = b[j * 4 + k / 32] >> k % 32 & 1;
                x += p ^ q;
                y += p & q;
            }
            wrong[0] += d[i * 8 + j] != s;
            wrong[1] += d[64 + i * 8 + j] != u;
            wrong[2] += d[128 + j * 8 + i] != x;
            wrong[3] += d[192 + i * 8 + j] != y;
        }
    printf("s4, u4 and b1: wrong %d %d %d %d\n", wrong[0], wrong[1], wrong[2], wrong[3]);
}

int main()
{
    cudaMallocManaged(&in, sizeof *in);
    cudaMallocManaged(&out, ROOM * sizeof *out);
    cudaMalloc(&scratch, 1 << 16);
    three<16, 16, 16>();
    three<32, 8, 16>();
    three<8, 32, 16>();
    shape<16, 16, 8, float, wmma::precision::tf32, float>("tf32 f32");
    shape<8, 8, 4, double, double, double>("f64 f64");
    small_types();
    return 0;
}
