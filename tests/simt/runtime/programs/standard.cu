// <cuda/std/...> in kernels: each function runs on the host too, and both must agree.

#include "say.h"

#include <cuda/functional>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/chrono>
#include <cuda/std/cmath>
#include <cuda/std/complex>
#include <cuda/std/expected>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/mdspan>
#include <cuda/std/numeric>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <cuda/std/variant>
#include <cuda/annotated_ptr>
#include <cuda/cmath>

namespace std_ = cuda::std;

#define BOTH __host__ __device__

struct arrays {
    BOTH long long operator()(int t) const
    {
        std_::array<int, 8> a{};
        std_::iota(a.begin(), a.end(), t);
        std_::span<int> middle = std_::span<int>(a).subspan(2, 4);
        middle[0] += 100;
        int i = t % 8, sum = std_::accumulate(a.begin(), a.end(), 0);
        return sum * 1000LL + a[i] + (long long)middle.size() + a.back() +
               std_::gcd(t + 12, 18) + std_::lcm(t + 1, 6);
    }
};

struct choices {
    BOTH long long operator()(int t) const
    {
        std_::optional<int> o;
        if (t % 3)
            o = t;
        std_::variant<int, double, unsigned char> v;
        if (t % 2)
            v = t * 0.5;
        else if (t % 4)
            v = (unsigned char)t;
        else
            v = -t;
        auto seen = std_::visit([](auto x) { return (int)(x * 2) + (int)sizeof x; }, v);
        std_::expected<int, unsigned> e = t;
        if (t % 5 == 0)
            e = std_::unexpected<unsigned>(7u + (unsigned)t);
        return o.value_or(-9) * 10000LL + seen * 100 + (long long)v.index() +
               (e ? e.value() : (int)e.error() * 1000000);
    }
};

struct pairs {
    BOTH long long operator()(int t) const
    {
        std_::tuple<int, double, char> x{t, t * 2.0, 'a'};
        auto [a, b] = std_::pair<int, long long>{t, t + 1LL};
        auto y = std_::tuple_cat(x, std_::make_tuple(t * t));
        return std_::apply([](int i, double d, char c, int s) { return i + (int)d + c + s; },
                           y) + a * b + std_::invoke(std_::minus<int>(), a, 3) +
               std_::exchange(a, 5) + a;
    }
};

struct bits {
    BOTH long long operator()(int t) const
    {
        unsigned x = (unsigned)t * 2654435761u + 1;
        float f = std_::bit_cast<float>(0x3f800000u + (unsigned)t);
        return std_::popcount(x) + std_::countl_zero(x) * 100 + std_::countr_zero(x) * 10000 +
               (long long)std_::bit_ceil(x >> 2) + std_::bit_floor(x) + std_::rotl(x, t) +
               std_::bit_width(x) + (int)std_::has_single_bit(x) +
               (long long)((f - 1) * 8388608) + cuda::ceil_div(t + 100, 7) +
               std_::numeric_limits<short>::max();
    }
};

struct numbers { // every step is exact
    BOTH long long operator()(int t) const
    {
        std_::complex<double> z(t, 1), w = z * std_::conj(z) + z;
        auto time = std_::chrono::minutes(t) + std_::chrono::seconds(30);
        double root = std_::sqrt((double)t * t), f = std_::floor(t * 0.375 - 3);
        return (long long)w.real() + (long long)w.imag() * 7 +
               (long long)std_::chrono::milliseconds(time).count() + (long long)root +
               (long long)f + std_::isnan(root) + (long long)std_::fma(f, f, 0.0) +
               (long long)std_::copysign(2.0, f) + (long long)std_::abs(f);
    }
};

struct views {
    BOTH long long operator()(int t) const
    {
        int data[24];
        for (int i = 0; i < 24; i++)
            data[i] = i * t;
        std_::mdspan<int, std_::extents<int, 4, std_::dynamic_extent>> m(data, 6);
        std_::mdspan<int, std_::dextents<int, 2>, std_::layout_left> l(data, 4, 6);
        return m(t % 4, t % 6) * 1000LL + l(t % 4, t % 6) + m.extent(1) + l.stride(1);
    }
};

template <class F> __global__ void each(F f, long long *out)
{
    cuda::annotated_ptr<long long, cuda::access_property::streaming> to(out);
    to[threadIdx.x] = f((int)threadIdx.x);
}

template <class F> static void compare(const char *name)
{
    long long *out, host[96];
    int right = 0;
    must(cudaMalloc(&out, sizeof host));
    each<<<1, 96>>>(F(), out);
    must(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (int t = 0; t < 96; t++)
        right += host[t] == F()(t);
    printf("%s: %d right\n", name, right);
    must(cudaFree(out));
}

int main()
{
    compare<arrays>("arrays and spans");
    compare<choices>("choices");
    compare<pairs>("tuples");
    compare<bits>("bits");
    compare<numbers>("numbers and times");
    compare<views>("views");
}
