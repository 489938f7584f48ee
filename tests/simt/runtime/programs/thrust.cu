// Thrust, unmodified: vectors and algorithms on the device against loops on the host.

#include "say.h"

#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

#include <algorithm>
#include <numeric>
#include <vector>

static const int sizes[] = {0, 1, 31, 33, 1000, 100003};

struct square_and_more {
    int more;
    __host__ __device__ int operator()(int x) const
    {
        return x * x + more;
    }
};

static std::vector<int> numbers(int n, unsigned mask)
{
    std::vector<int> v(n);
    unsigned x = 99;
    for (int &i : v)
        i = (int)((x = 1664525 * x + 1013904223) >> 9 & mask) - (int)(mask / 2);
    return v;
}

static void say(const char *what, int n, bool right)
{
    printf("%s of %d: %s\n", what, n, right ? "right" : "wrong");
}

static std::vector<int> host(const thrust::device_vector<int> &d, size_t n)
{
    std::vector<int> v(n);
    thrust::copy(d.begin(), d.begin() + n, v.begin());
    return v;
}

static void sorts(int n)
{
    auto v = numbers(n, 0xfffff), keys = numbers(n, 63);
    thrust::device_vector<int> d(v.begin(), v.end());
    thrust::sort(d.begin(), d.end(), thrust::greater<int>());
    std::sort(v.begin(), v.end(), std::greater<int>());
    say("sort", n, host(d, n) == v);

    thrust::device_vector<int> k(keys.begin(), keys.end()), order(n);
    thrust::sequence(order.begin(), order.end());
    thrust::stable_sort_by_key(k.begin(), k.end(), order.begin());
    std::vector<int> w(n);
    std::iota(w.begin(), w.end(), 0);
    std::stable_sort(w.begin(), w.end(), [&](int a, int b) { return keys[a] < keys[b]; });
    say("stable sort by key", n, host(order, n) == w);

    thrust::device_vector<int> found(n), sums(n);
    auto ends = thrust::reduce_by_key(k.begin(), k.end(), order.begin(), found.begin(),
                                      sums.begin());
    std::sort(keys.begin(), keys.end());
    std::vector<int> key, sum;
    for (int i = 0; i < n; i++) {
        if (!i || keys[i] != keys[i - 1]) {
            key.push_back(keys[i]);
            sum.push_back(0);
        }
        sum.back() += w[i];
    }
    size_t count = (size_t)(ends.first - found.begin());
    say("reduce by key", n, count == key.size() && host(found, count) == key &&
                                host(sums, count) == sum);
    auto end = thrust::unique(k.begin(), k.end());
    count = (size_t)(end - k.begin());
    say("unique", n, count == key.size() && host(k, count) == key);
}

static void passes(int n)
{
    auto v = numbers(n, 1023), w = v;
    thrust::device_vector<int> d = v, e(n, 7);
    thrust::transform(d.begin(), d.end(), e.begin(), square_and_more{5});
    for (int i = 0; i < n; i++)
        w[i] = v[i] * v[i] + 5;
    say("transform", n, host(e, n) == w);
    thrust::inclusive_scan(d.begin(), d.end(), e.begin());
    std::partial_sum(v.begin(), v.end(), w.begin());
    say("scan", n, host(e, n) == w);
    int most = thrust::reduce(d.begin(), d.end(), -1000000, thrust::maximum<int>());
    say("most", n, most == (n ? *std::max_element(v.begin(), v.end()) : -1000000));
    d.resize(n + 3, 11);
    d.push_back(12);
    v.insert(v.end(), {11, 11, 11, 12});
    say("growth", n, host(d, n + 4) == v && d[n + 3] == 12);
}

int main()
{
    for (int n : sizes) {
        sorts(n);
        passes(n);
    }
    must(cudaDeviceSynchronize());
}
