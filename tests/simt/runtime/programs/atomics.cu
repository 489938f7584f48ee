// <cuda/atomic> and what waits on it: every operation on each width, by many threads, and
// latches, semaphores and flags that blocks hand to each other.

#include "say.h"

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>

enum { THREADS = 256, BLOCKS = 4, ALL = THREADS * BLOCKS };

// Whole words: atomics of a byte read and exchange the word around it.
template <class T> struct alignas(8) counts {
    T sum, less, all, any, odd, least, most, won, last;
};

template <class T, cuda::thread_scope scope> __global__ void whole(counts<T> *c)
{
    using ref = cuda::atomic_ref<T, scope>;
    T t = (T)(blockIdx.x * THREADS + threadIdx.x), byte = (T)(t % 101);
    ref(c->sum).fetch_add(byte, cuda::memory_order_relaxed);
    ref(c->less).fetch_sub(byte, cuda::memory_order_acq_rel);
    ref(c->all).fetch_and((T)(~T(0) ^ (T)(1 << t % 3)), cuda::memory_order_seq_cst);
    ref(c->any).fetch_or((T)(1 << t % 7), cuda::memory_order_release);
    ref(c->odd).fetch_xor(byte, cuda::memory_order_acquire);
    ref(c->least).fetch_min((T)(byte + 3));
    ref(c->most).fetch_max((T)(byte + 3));
    T seen = 0;
    if (ref(c->won).compare_exchange_strong(seen, 1))
        ref(c->last).store(77, cuda::memory_order_release);
}

template <class T, cuda::thread_scope scope> static void of_whole(const char *name)
{
    counts<T> *c, start = {}, got;
    start.all = (T)~T(0);
    start.least = 127;
    must(cudaMalloc(&c, sizeof *c));
    must(cudaMemcpy(c, &start, sizeof start, cudaMemcpyHostToDevice));
    whole<T, scope><<<BLOCKS, THREADS>>>(c);
    must(cudaMemcpy(&got, c, sizeof got, cudaMemcpyDeviceToHost));
    T sum = 0, odd = 0;
    for (int t = 0; t < ALL; t++) {
        T byte = (T)((T)t % 101);
        sum = (T)(sum + byte);
        odd = (T)(odd ^ byte);
    }
    bool right = got.sum == sum && got.less == (T)(0 - sum) && got.all == (T)(~T(0) ^ 7) &&
                 got.any == 127 && got.odd == odd && got.least == 3 && got.most == 103 &&
                 got.won == 1 && got.last == 77;
    printf("%s: %s\n", name, right ? "right" : "wrong");
    must(cudaFree(c));
}

// Small numbers: their sums are exact in every order.
template <class T> __global__ void real(cuda::atomic<T, cuda::thread_scope_device> *x)
{
    x[0].fetch_add((T)(threadIdx.x * 0.25));
    x[1].fetch_sub((T)0.5);
    T seen = x[2].load();
    while (!x[2].compare_exchange_weak(seen, seen + 1))
        ;
    x[3].exchange((T)9.5);
}

template <class T> static void of_real(const char *name)
{
    cuda::atomic<T, cuda::thread_scope_device> *x;
    T got[4];
    must(cudaMalloc(&x, sizeof got));
    must(cudaMemset(x, 0, sizeof got));
    real<T><<<2, 64>>>(x);
    must(cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost));
    printf("%s: %g %g %g %g\n", name, (double)got[0], (double)got[1], (double)got[2],
           (double)got[3]);
    must(cudaFree(x));
}

struct wide { // no instruction has these: they are compared and exchanged
    short a, b, c, d;
};

__global__ void structures(cuda::atomic<wide, cuda::thread_scope_device> *x)
{
    wide seen = x->load(cuda::memory_order_relaxed), next;
    do {
        next = seen;
        next.a++;
        next.b -= 2;
        next.c = (short)(seen.c ^ threadIdx.x);
        next.d = 4;
    } while (!x->compare_exchange_weak(seen, next));
}

// Block 0 writes, the others wait to be told, each by a word of its own.
__global__ void hand_over(int *data, cuda::atomic<int, cuda::thread_scope_device> *flag,
                          int *out)
{
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x * 3;
        __syncthreads();
        if (threadIdx.x == 0) {
            cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
            flag->store(1, cuda::memory_order_relaxed);
            flag->notify_all();
        }
        return;
    }
    if (threadIdx.x == 0)
        flag->wait(0, cuda::memory_order_acquire);
    __syncthreads();
    out[(blockIdx.x - 1) * blockDim.x + threadIdx.x] = data[threadIdx.x];
}

__global__ void in_turns(int *out)
{
    using latch = cuda::latch<cuda::thread_scope_block>;
    using semaphore = cuda::counting_semaphore<cuda::thread_scope_block, 3>;
    __shared__ alignas(latch) char latch_memory[sizeof(latch)];
    __shared__ alignas(semaphore) char semaphore_memory[sizeof(semaphore)];
    __shared__ int inside, most, arrived;
    latch *l = (latch *)latch_memory;
    semaphore *s = (semaphore *)semaphore_memory;
    if (threadIdx.x == 0) {
        new (l) latch(blockDim.x);
        new (s) semaphore(3);
        inside = most = arrived = 0;
    }
    __syncthreads();
    s->acquire();
    atomicMax(&most, atomicAdd(&inside, 1) + 1);
    atomicSub(&inside, 1);
    s->release();
    atomicAdd(&arrived, 1);
    l->arrive_and_wait();
    if (threadIdx.x == 0) {
        out[0] = arrived;
        out[1] = most <= 3 && most > 0;
    }
    cuda::std::atomic_flag *f = (cuda::std::atomic_flag *)(out + 2);
    if (!f->test_and_set())
        atomicAdd(&out[3], 1);
}

int main()
{
    of_whole<int, cuda::thread_scope_device>("int");
    of_whole<unsigned, cuda::thread_scope_system>("unsigned, for the system");
    of_whole<long long, cuda::thread_scope_device>("long long");
    of_whole<unsigned long long, cuda::thread_scope_system>("unsigned long long");
    of_whole<unsigned short, cuda::thread_scope_device>("unsigned short");
    of_whole<unsigned char, cuda::thread_scope_device>("unsigned char");
    of_real<float>("float");
    of_real<double>("double");
    void *x;
    must(cudaMalloc(&x, 4096));
    must(cudaMemset(x, 0, 4096));
    structures<<<2, 64>>>((cuda::atomic<wide, cuda::thread_scope_device> *)x);
    wide w;
    must(cudaMemcpy(&w, x, sizeof w, cudaMemcpyDeviceToHost));
    printf("structure: %d %d %d %d\n", w.a, w.b, w.c, w.d);
    int *ints = (int *)x, host[256];
    must(cudaMemset(x, 0, 4096));
    hand_over<<<4, 64>>>(ints, (cuda::atomic<int, cuda::thread_scope_device> *)(ints + 64),
                         ints + 128);
    must(cudaMemcpy(host, ints + 128, 192 * sizeof *host, cudaMemcpyDeviceToHost));
    int right = 0;
    for (int i = 0; i < 192; i++)
        right += host[i] == i % 64 * 3;
    printf("handed over: %d\n", right);
    must(cudaMemset(x, 0, 4096));
    in_turns<<<1, 96>>>(ints);
    must(cudaMemcpy(host, ints, 4 * sizeof *host, cudaMemcpyDeviceToHost));
    printf("in turns: %d %d %d\n", host[0], host[1], host[3]);
}
