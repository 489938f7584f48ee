// cuRAND's generators in kernels, unmodified: the streams as they are, and what is drawn
// from them, against the published algorithms on the host.

#include "say.h"

#include <curand_kernel.h>

#include <cmath>
#include <vector>

static void *out;

template <class S>
__global__ void stream_of(unsigned long long seed, unsigned long long sequence,
                          unsigned long long offset, unsigned *out)
{
    S s;
    curand_init(seed + threadIdx.x, sequence, offset, &s);
    for (int i = 0; i < 8; i++)
        out[threadIdx.x * 8 + i] = curand(&s);
}

template <class S> __global__ void draw(float *uniform, float *normal, unsigned *poisson, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    S s;
    curand_init(2024, i, 0, &s);
    uniform[i] = curand_uniform(&s);
    normal[i] = curand_normal(&s);
    poisson[i] = curand_poisson(&s, 3.0);
}

template <class T> static std::vector<T> taken(const void *from, int n)
{
    std::vector<T> v(n);
    must(cudaMemcpy(v.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
}

static std::vector<unsigned> print(const char *name)
{
    auto v = taken<unsigned>(out, 16);
    for (int row = 0; row < 2; row++) {
        printf("%s %d:", name, row);
        for (int i = 0; i < 8; i++)
            printf(" %08x", v[row * 8 + i]);
        printf("\n");
    }
    return v;
}

static void say(const char *what, bool right)
{
    printf("%s: %s\n", what, right ? "right" : "wrong");
}

// Salmon and others, Parallel random numbers: as easy as 1, 2, 3 (2011).
static void philox(unsigned *c, unsigned k0, unsigned k1)
{
    for (int round = 0; round < 10; round++) {
        unsigned long long a = 0xD2511F53ull * c[0], b = 0xCD9E8D57ull * c[2];
        unsigned next[4] = {(unsigned)(b >> 32) ^ c[1] ^ k0, (unsigned)b,
                            (unsigned)(a >> 32) ^ c[3] ^ k1, (unsigned)a};
        memcpy(c, next, sizeof next);
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
}

// The counter is (place in the stream / 4, sequence), the key is the seed.
static std::vector<unsigned> philox_stream(unsigned long long seed,
                                           unsigned long long sequence, unsigned offset)
{
    std::vector<unsigned> v;
    for (unsigned i = offset; i < offset + 8; i++) {
        unsigned c[4] = {i / 4, 0, (unsigned)sequence, (unsigned)(sequence >> 32)};
        philox(c, (unsigned)seed, (unsigned)(seed >> 32));
        v.push_back(c[i % 4]);
    }
    return v;
}

// Marsaglia, Xorshift RNGs (2003): five words and a Weyl sequence.
static std::vector<unsigned> xorwow_after(std::vector<unsigned> state, int n)
{
    std::vector<unsigned> v;
    unsigned *x = state.data(), &d = state[5];
    for (int i = 0; i < n; i++) {
        unsigned t = x[0] ^ (x[0] >> 2);
        memmove(x, x + 1, 4 * sizeof *x);
        x[4] = (x[4] ^ (x[4] << 4)) ^ (t ^ (t << 1));
        d += 362437;
        v.push_back(x[4] + d);
    }
    return v;
}

__global__ void states(unsigned long long seed, unsigned *out)
{
    curandState s;
    curand_init(seed + threadIdx.x, 0, 0, &s);
    for (int i = 0; i < 5; i++)
        out[threadIdx.x * 6 + i] = s.v[i];
    out[threadIdx.x * 6 + 5] = s.d;
}

static void streams()
{
    stream_of<curandStatePhilox4_32_10_t><<<1, 2>>>(77, 5, 3, (unsigned *)out);
    auto v = print("Philox");
    auto first = philox_stream(77, 5, 3), second = philox_stream(78, 5, 3);
    first.insert(first.end(), second.begin(), second.end());
    say("Philox", v == first);
    stream_of<curandStateXORWOW_t><<<1, 2>>>(1234, 0, 0, (unsigned *)out);
    v = print("XORWOW");
    states<<<1, 2>>>(1234, (unsigned *)out);
    auto s = taken<unsigned>(out, 12);
    first = xorwow_after({s.begin(), s.begin() + 6}, 8);
    second = xorwow_after({s.begin() + 6, s.end()}, 8);
    first.insert(first.end(), second.begin(), second.end());
    say("XORWOW", v == first);
    stream_of<curandStateXORWOW_t><<<1, 2>>>(1234, 0, 1000003, (unsigned *)out);
    v = print("XORWOW, far on");
    first = xorwow_after({s.begin(), s.begin() + 6}, 1000011);
    say("XORWOW, far on",
        std::equal(v.begin(), v.begin() + 8, first.end() - 8));
    stream_of<curandStateXORWOW_t><<<1, 2>>>(1234, 9, 1, (unsigned *)out);
    print("XORWOW, another");
}

// L'Ecuyer (1999); the state is all 12345 where the seed is 0.
static void mrg()
{
    stream_of<curandStateMRG32k3a_t><<<1, 2>>>(0, 0, 0, (unsigned *)out);
    auto v = print("MRG32k3a");
    const long long m1 = 4294967087, m2 = 4294944443;
    long long a[3] = {12345, 12345, 12345}, b[3] = {12345, 12345, 12345};
    bool right = true;
    for (int i = 0; i < 8; i++) {
        long long p = (1403580 * a[1] - 810728 * a[0]) % m1;
        long long q = (527612 * b[2] - 1370589 * b[0]) % m2;
        p += p < 0 ? m1 : 0;
        q += q < 0 ? m2 : 0;
        a[0] = a[1], a[1] = a[2], a[2] = p;
        b[0] = b[1], b[1] = b[2], b[2] = q;
        double want = (double)(p > q ? p - q : p - q + m1) / m1;
        right &= std::fabs(v[i] / 4294967296.0 - want) < 1e-6;
    }
    say("MRG32k3a", right);
}

template <class S> static void draws(const char *name)
{
    for (int n : {1, 31, 33, 1000, 20011}) {
        float *uniform = (float *)out, *normal = uniform + n;
        unsigned *poisson = (unsigned *)(normal + n);
        draw<S><<<(n + 127) / 128, 128>>>(uniform, normal, poisson, n);
        auto u = taken<float>(uniform, n), g = taken<float>(normal, n);
        auto p = taken<unsigned>(poisson, n);
        double mean = 0, square = 0, count = 0, least = 1, most = 0;
        for (int i = 0; i < n; i++) {
            mean += u[i] / n;
            square += (double)g[i] * g[i] / n;
            count += (double)p[i] / n;
            least = std::fmin(least, u[i]);
            most = std::fmax(most, u[i]);
        }
        double off = 5 / std::sqrt((double)n); // five deviations of the Poisson mean
        say(name, least > 0 && most <= 1 && std::fabs(mean - 0.5) < off * 0.29 &&
                      std::fabs(square - 1) < off * 2 && std::fabs(count - 3) < off * 1.74);
        printf("%d: %.5f %.4f %u\n", n, u[n / 2], g[n / 2], p[n / 2]);
    }
}

int main()
{
    must(cudaMalloc(&out, 1 << 20));
    streams();
    mrg();
    draws<curandStateXORWOW_t>("XORWOW draws");
    draws<curandStatePhilox4_32_10_t>("Philox draws");
    draws<curandStateMRG32k3a_t>("MRG32k3a draws");
    must(cudaDeviceSynchronize());
}
