// CUB, unmodified: whole-device and block algorithms against loops on the host.

#include "say.h"

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include <algorithm>
#include <vector>

static const int sizes[] = {0, 1, 31, 33, 1000, 100003};

struct is_odd {
    __host__ __device__ bool operator()(unsigned x) const
    {
        return x & 1;
    }
};

static std::vector<unsigned> numbers(int n)
{
    std::vector<unsigned> v(n);
    unsigned x = 12345;
    for (unsigned &u : v)
        u = (x = 1664525 * x + 1013904223) >> 7;
    return v;
}

static unsigned *in, *out, *values, *sorted_values;

static std::vector<unsigned> taken(const unsigned *from, int n)
{
    std::vector<unsigned> v(n);
    must(cudaMemcpy(v.data(), from, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    return v;
}

static void say(const char *what, int n, bool right)
{
    printf("%s of %d: %s\n", what, n, right ? "right" : "wrong");
}

// CUB's calls run twice: how much memory, then the work. For a histogram of nothing it
// asks for one byte and writes four more behind it, which only a GPU does not see.
template <class F> static void twice(F f)
{
    void *memory = NULL;
    size_t bytes = 0;
    must(f(memory, bytes));
    must(cudaMallocAsync(&memory, bytes < 64 ? 64 : bytes, 0));
    must(f(memory, bytes));
    must(cudaFreeAsync(memory, 0));
}

static void try_size(int n)
{
    auto v = numbers(n), w = v;
    must(cudaMemcpy(in, v.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
    twice([&](void *m, size_t &b) { return cub::DeviceReduce::Sum(m, b, in, out, n); });
    unsigned sum = 0;
    for (unsigned u : v)
        sum += u;
    say("sum", n, taken(out, 1)[0] == sum);

    twice([&](void *m, size_t &b) {
        return cub::DeviceScan::ExclusiveSum(m, b, in, out, n);
    });
    sum = 0;
    for (int i = 0; i < n; i++) {
        w[i] = sum;
        sum += v[i];
    }
    say("scan", n, taken(out, n) == w);

    twice([&](void *m, size_t &b) {
        return cub::DeviceRadixSort::SortKeys(m, b, in, out, n);
    });
    w = v;
    std::sort(w.begin(), w.end());
    say("sort", n, taken(out, n) == w);

    std::vector<unsigned> order(n);
    for (int i = 0; i < n; i++)
        order[i] = i;
    must(cudaMemcpy(values, order.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
    twice([&](void *m, size_t &b) {
        return cub::DeviceRadixSort::SortPairs(m, b, in, out, values, sorted_values, n, 0, 8);
    });
    std::stable_sort(order.begin(), order.end(),
                     [&](unsigned a, unsigned b) { return (v[a] & 255) < (v[b] & 255); });
    say("sort of pairs by a byte", n, taken(sorted_values, n) == order);

    twice([&](void *m, size_t &b) {
        return cub::DeviceSelect::If(m, b, in, out, values, n, is_odd());
    });
    w.clear();
    std::copy_if(v.begin(), v.end(), std::back_inserter(w), is_odd());
    unsigned chosen = taken(values, 1)[0];
    say("choice", n, chosen == w.size() && taken(out, chosen) == w);

    twice([&](void *m, size_t &b) {
        return cub::DeviceHistogram::HistogramEven(m, b, in, (int *)out, 17, 0u, 1u << 25, n);
    });
    w.assign(16, 0);
    for (unsigned u : v)
        w[u >> 21]++;
    say("histogram", n, taken(out, 16) == w);
}

__global__ void blocks(const unsigned *in, unsigned *out)
{
    using reduce = cub::BlockReduce<unsigned, 96>;
    using scan = cub::BlockScan<unsigned, 96>;
    using warp = cub::WarpReduce<unsigned, 16>;
    __shared__ union {
        reduce::TempStorage r;
        scan::TempStorage s;
        warp::TempStorage w[6];
    } memory;
    unsigned x = in[threadIdx.x], sum = reduce(memory.r).Sum(x), before;
    __syncthreads();
    scan(memory.s).ExclusiveSum(x, before);
    __syncthreads();
    unsigned part = warp(memory.w[threadIdx.x / 16]).Sum(x);
    out[threadIdx.x] = before;
    if (threadIdx.x == 0)
        out[96] = sum;
    if (threadIdx.x % 16 == 0)
        out[97 + threadIdx.x / 16] = part;
}

static void in_blocks()
{
    auto v = numbers(96);
    std::vector<unsigned> w(103, 0);
    for (int i = 0; i < 96; i++) {
        w[i] = w[96];
        w[96] += v[i];
        w[97 + i / 16] += v[i];
    }
    must(cudaMemcpy(in, v.data(), 96 * sizeof(unsigned), cudaMemcpyHostToDevice));
    blocks<<<1, 96>>>(in, out);
    say("block and warps", 96, taken(out, 103) == w);
}

int main()
{
    for (unsigned **p : {&in, &out, &values, &sorted_values})
        must(cudaMalloc(p, 100003 * sizeof(unsigned)));
    for (int n : sizes)
        try_size(n);
    in_blocks();
    must(cudaDeviceSynchronize());
}
