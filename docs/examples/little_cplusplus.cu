// The C++ that the pages for learners explain; the documentation's tests compile it.

// [extern]
extern "C" int doubled(float *d_x, size_t n); // as in kernel.h: C's name, C's types

static int checked(cudaError_t error) // overloading: the arguments decide which one
{
    return error;
}

static int checked() // static: nobody outside this file sees it
{
    return checked(cudaGetLastError());
}
// [launch]
static __global__ void twice(float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= 2;
}

int doubled(float *d_x, size_t n)
{
    dim3 block(256);                               // a constructor: (256, 1, 1)
    dim3 grid((unsigned)((n + 255) / 256));        // rounded up
    if (n > 0)
        twice<<<grid, block, 0, cudaStreamDefault>>>(d_x, n);
    return checked();
}
// [template]
template <typename T> __device__ T larger(T a, T b) // T is whatever it is called with
{
    return a < b ? b : a;
}

template <int BLOCK> __global__ void block_max(const float *in, float *out)
{
    __shared__ float part[BLOCK]; // a template's number is known to the compiler,
    float x = in[blockIdx.x * BLOCK + threadIdx.x];
    part[threadIdx.x] = x;
    __syncthreads();
    for (int step = BLOCK / 2; step > 0; step /= 2) { // so this loop can be unrolled
        if (threadIdx.x < step)
            part[threadIdx.x] = larger(part[threadIdx.x], part[threadIdx.x + step]);
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}

extern "C" int block_max_256(const float *d_in, float *d_out, int blocks)
{
    block_max<256><<<blocks, 256>>>(d_in, d_out);
    return checked();
}
// [reference]
__device__ void order(float &a, float &b) // a reference: the caller's own variable
{
    if (b < a) {
        float old = a;
        a = b;
        b = old;
    }
}

__global__ void order_pairs(float *x)
{
    float *pair = x + 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    order(pair[0], pair[1]); // no & here, and no * in the function
}
// [cast]
__global__ void copy_fours(const float *in, float *out)
{
    const float4 *in4 = reinterpret_cast<const float4 *>(in); // or (const float4 *)in
    auto *out4 = (float4 *)out;                               // auto: the type on the right
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out4[i] = in4[i]; // 16 bytes; both must lie on 16-byte boundaries
}
// [end]
