// The standard library's way to agree on an order: atomics of every scope, fences, flags,
// latches, semaphores, barriers, and pointers that carry a hint.

#include <cuda/annotated_ptr>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/std/atomic>
#include <new>
#include "say.h"

__device__ cuda::atomic<int, cuda::thread_scope_device> tickets{0};
__device__ cuda::atomic<unsigned long long, cuda::thread_scope_system> total{0};
__device__ cuda::std::atomic<double> real{0.0};
__device__ cuda::atomic<short, cuda::thread_scope_device> narrow{0};

__global__ void counts(int *order)
{
    int ticket = tickets.fetch_add(1, cuda::memory_order_relaxed);
    order[ticket] = 1;
    total.fetch_add(ticket, cuda::memory_order_acq_rel);
    real.fetch_add(0.5);
    narrow.fetch_add(1);
    unsigned long long seen = total.load(), expected = ~0ull;
    total.compare_exchange_strong(expected, seen); // fails: nobody stores that
}

// One block makes, the next ones pass on: a chain of flags through global memory.
__global__ void chain(int *data, int *flags)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> before(flags[blockIdx.x]), mine(flags[blockIdx.x + 1]);
    if (threadIdx.x == 0)
        while (before.load(cuda::memory_order_acquire) == 0)
            __nanosleep(20);
    __syncthreads();
    data[(blockIdx.x + 1) * 32 + threadIdx.x] = data[blockIdx.x * 32 + 31 - threadIdx.x] + (int)threadIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        mine.store(1, cuda::memory_order_release);
}

// The last block to come adds up what all left.
__global__ void last_block(const int *in, int *partial, unsigned *count, int *out)
{
    __shared__ bool last;
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd_block(&sum, in[blockIdx.x * 64 + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(count, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int all = 0;
        for (unsigned i = 0; i < gridDim.x; i++)
            all += ((volatile int *)partial)[i];
        *out = all;
    }
}

template <typename T>
__device__ T *place(void *room)
{
    return (T *)room;
}

__global__ void meets(int *out)
{
    typedef cuda::latch<cuda::thread_scope_block> latch;
    typedef cuda::counting_semaphore<cuda::thread_scope_block, 2> semaphore;
    typedef cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ __align__(16) char a[sizeof(latch)], b[sizeof(semaphore)], c[sizeof(barrier)];
    __shared__ int inside, most, sum, done;
    if (threadIdx.x == 0) {
        new (a) latch(blockDim.x);
        new (b) semaphore(2);
        init(place<barrier>(c), blockDim.x);
        inside = most = sum = done = 0;
    }
    __syncthreads();
    atomicAdd(&done, 1);
    place<latch>(a)->arrive_and_wait();
    if (threadIdx.x % 32 == 0) {
        out[100 + threadIdx.x / 32] = done;
        place<semaphore>(b)->acquire(); // two at a time
        int n = atomicAdd(&inside, 1) + 1;
        atomicMax(&most, n);
        atomicAdd(&sum, (int)threadIdx.x);
        atomicSub(&inside, 1);
        place<semaphore>(b)->release();
    }
    auto token = place<barrier>(c)->arrive();
    place<barrier>(c)->wait(std::move(token));
    if (threadIdx.x >= 64) { // the others go on without these
        place<barrier>(c)->arrive_and_drop();
        return;
    }
    for (int i = 0; i < 3; i++)
        place<barrier>(c)->arrive_and_wait();
    if (threadIdx.x == 0)
        out[0] = sum, out[1] = most <= 2, out[2] = inside;
}

__global__ void hints(const int *in, int *out)
{
    cuda::annotated_ptr<const int, cuda::access_property::streaming> once(in);
    cuda::annotated_ptr<int, cuda::access_property::persisting> often(out);
    cuda::access_property mixed(cuda::access_property::persisting{}, 0.5f);
    cuda::annotated_ptr<const int, cuda::access_property> half(in, mixed);
    often[threadIdx.x] = once[threadIdx.x] + half[31 - threadIdx.x];
    __stcs(out + 32 + threadIdx.x, __ldcg(in + threadIdx.x) + __ldca(in + threadIdx.x) + __ldcs(in + threadIdx.x) +
                                       __ldlu(in + threadIdx.x) + __ldcv(in + threadIdx.x) + __ldg(in + threadIdx.x));
    __stwt(out + 64 + threadIdx.x, __nv_atomic_load_n((int *)in + threadIdx.x, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE));
}

int main()
{
    int *d, h[4096];
    must(cudaMalloc(&d, sizeof h));
    must(cudaMemset(d, 0, sizeof h));
    counts<<<8, 128>>>(d);
    must(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    int all = 0;
    for (int i = 0; i < 1024; i++)
        all += h[i];
    unsigned long long sum;
    double half;
    short small;
    must(cudaMemcpyFromSymbol(&sum, total, sizeof sum));
    must(cudaMemcpyFromSymbol(&half, real, sizeof half));
    must(cudaMemcpyFromSymbol(&small, narrow, sizeof small));
    printf("tickets %d, total %llu, real %g, narrow %d\n", all, sum, half, small);

    int *flags;
    must(cudaMalloc(&flags, 4 * 64));
    must(cudaMemset(flags, 0, 4 * 64));
    int one = 1;
    must(cudaMemcpy(flags, &one, 4, cudaMemcpyHostToDevice));
    must(cudaMemset(d, 0, sizeof h));
    chain<<<20, 32>>>(d, flags);
    must(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    printf("chain %d %d\n", h[20 * 32], h[20 * 32 + 31]);

    for (int i = 0; i < 1280; i++)
        h[i] = i % 7;
    must(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    must(cudaMemset(flags, 0, 4 * 64));
    for (int again = 0; again < 2; again++) {
        last_block<<<20, 64>>>(d, d + 2000, (unsigned *)flags, flags + 1);
        must(cudaMemcpy(h, flags, 8, cudaMemcpyDeviceToHost));
        printf("last block: %d, count %d\n", h[1], h[0]);
    }
    must(cudaMemset(d, 0, sizeof h));
    meets<<<1, 256>>>(d);
    must(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    printf("meets %d %d %d, %d %d\n", h[0], h[1], h[2], h[100], h[107]);

    for (int i = 0; i < 32; i++)
        h[i] = i * i;
    must(cudaMemcpy(d, h, 128, cudaMemcpyHostToDevice));
    hints<<<1, 32>>>(d, d + 1000);
    must(cudaMemcpy(h, d + 1000, 96 * 4, cudaMemcpyDeviceToHost));
    printf("hints %d %d, %d, %d\n", h[0], h[5], h[32 + 7], h[64 + 9]);
    SAY(cudaDeviceSynchronize());
}
