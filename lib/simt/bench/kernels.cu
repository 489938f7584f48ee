// What the benchmark runs: two kernels of the kind that the first chapters are about.

// A grid-stride sum: coalesced loads, integer additions, a loop.
extern "C" __global__ void stride_sum(const unsigned *in, unsigned *out, size_t n)
{
    unsigned sum = 0;
    size_t step = (size_t)gridDim.x * blockDim.x, id = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (size_t i = id; i < n; i += step)
        sum += in[i];
    out[id] = sum;
}

// A tree in shared memory: barriers, divergence, bank counting.
extern "C" __global__ void shared_tree(const unsigned *in, unsigned *out, size_t n)
{
    __shared__ unsigned sum[256];
    unsigned t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * blockDim.x + t;
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
