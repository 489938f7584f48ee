// Copies to shared memory that go on by themselves: the primitives, pipelines of stages,
// barriers that count arrivals, groups that copy together.

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
#include "say.h"

namespace cg = cooperative_groups;
enum { N = 128, TILES = 12 };

// Three buffers: two copies are under way while the third is used.
__global__ void primitives(const int *in, int *out)
{
    __shared__ int4 tile[3][N / 4];
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i < 2; i++) {
        __pipeline_memcpy_async(&tile[i][t], (const int4 *)in + i * (N / 4) + t, 16);
        __pipeline_commit();
    }
    for (int i = 0; i < TILES; i++) {
        if (i + 2 < TILES)
            __pipeline_memcpy_async(&tile[(i + 2) % 3][t], (const int4 *)in + (i + 2) * (N / 4) + t, 16);
        __pipeline_commit();
        __pipeline_wait_prior(2);
        __syncthreads();
        sum += tile[i % 3][N / 4 - 1 - t].x * (i + 1) + tile[i % 3][N / 4 - 1 - t].w;
        __syncthreads();
    }
    out[t] = sum;
}

// Fewer bytes than asked for: the rest is zeros.
__global__ void zeros(const int *in, int n, int *out)
{
    __shared__ int4 tile[N];
    __shared__ int narrow[N];
    int t = threadIdx.x, left = n - 4 * t;
    int have = left <= 0 ? 0 : left >= 4 ? 16 : left * 4;
    __pipeline_memcpy_async(&tile[t], (const int4 *)in + t, 16, 16 - have);
    __pipeline_memcpy_async(&narrow[t], in + t, 4, t < n ? 0 : 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = ((int *)tile)[t] * 10 + narrow[t];
}

__global__ void with_a_barrier(const int *in, int *out)
{
    __shared__ int tile[N];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    int t = threadIdx.x, sum = 0;
    if (t == 0)
        init(&barrier, blockDim.x);
    __syncthreads();
    for (int i = 0; i < TILES; i++) {
        cuda::memcpy_async(tile + t, in + i * N + t, sizeof(int), barrier);
        barrier.arrive_and_wait(); // all copies have landed
        sum += tile[N - 1 - t] * (i + 1);
        barrier.arrive_and_wait(); // all have read
    }
    out[t] = sum;
}

__global__ void with_a_group(const int *in, int *out)
{
    __shared__ int tile[2][N];
    cg::thread_block block = cg::this_thread_block();
    int t = threadIdx.x, sum = 0;
    cg::memcpy_async(block, tile[0], in, sizeof tile[0]);
    for (int i = 0; i < TILES; i++) {
        if (i + 1 < TILES) {
            cg::memcpy_async(block, tile[(i + 1) % 2], in + (i + 1) * N, sizeof tile[0]);
            cg::wait_prior<1>(block);
        } else {
            cg::wait(block);
        }
        sum += tile[i % 2][N - 1 - t] * (i + 1);
        block.sync();
    }
    out[t] = sum;
}

template <int stages>
__global__ void with_a_pipeline(const int *in, int *out)
{
    __shared__ int tile[stages][N];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    cg::thread_block block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    int t = threadIdx.x, sum = 0;
    for (int i = 0, ahead = 0; i < TILES; i++) {
        for (; ahead < TILES && ahead < i + stages; ahead++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, tile[ahead % stages], in + ahead * N, cuda::aligned_size_t<16>(sizeof tile[0]), pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        sum += tile[i % stages][N - 1 - t] * (i + 1);
        pipeline.consumer_release();
    }
    out[t] = sum;
}

// Half of the warps fetch, the other half add up.
__global__ void producers_and_consumers(const int *in, int *out)
{
    __shared__ int tile[2][N];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    cg::thread_block block = cg::this_thread_block();
    bool fetches = threadIdx.x < N;
    auto pipeline = cuda::make_pipeline(block, &state, fetches ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    int t = threadIdx.x % N, sum = 0;
    for (int i = 0; i < TILES; i++) {
        if (fetches) {
            pipeline.producer_acquire();
            cuda::memcpy_async(&tile[i % 2][t], in + i * N + t, sizeof(int), pipeline);
            pipeline.producer_commit();
        } else {
            pipeline.consumer_wait();
            sum += tile[i % 2][N - 1 - t] * (i + 1);
            pipeline.consumer_release();
        }
    }
    if (!fetches)
        out[t] = sum;
}

static int *in, *d, h[TILES * N], got[N];

static void fetch(const char *what)
{
    must(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int t = 0; t < N; t++) {
        int sum = 0;
        for (int i = 0; i < TILES; i++)
            sum += h[i * N + N - 1 - t] * (i + 1);
        wrong += got[t] != sum;
    }
    printf("%s: %d wrong\n", what, wrong);
    must(cudaMemset(d, 0xff, sizeof got));
}

int main()
{
    for (int i = 0; i < TILES * N; i++)
        h[i] = (int)((unsigned)i * 2654435761u >> 16);
    must(cudaMalloc(&in, sizeof h));
    must(cudaMalloc(&d, sizeof got));
    must(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));

    primitives<<<1, N / 4>>>(in, d);
    must(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int t = 0; t < N / 4; t++) {
        int sum = 0;
        for (int i = 0; i < TILES; i++)
            sum += h[i * N + (N / 4 - 1 - t) * 4] * (i + 1) + h[i * N + (N / 4 - 1 - t) * 4 + 3];
        wrong += got[t] != sum;
    }
    printf("primitives: %d wrong\n", wrong);
    zeros<<<1, N>>>(in, 50, d);
    must(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    wrong = 0;
    for (int t = 0; t < N; t++)
        wrong += got[t] != (t < 50 ? h[t] * 11 : 0);
    printf("zeros: %d wrong\n", wrong);
    with_a_barrier<<<1, N>>>(in, d);
    fetch("a barrier");
    with_a_group<<<1, N>>>(in, d);
    fetch("a group");
    with_a_pipeline<1><<<1, N>>>(in, d);
    fetch("one stage");
    with_a_pipeline<2><<<1, N>>>(in, d);
    fetch("two stages");
    with_a_pipeline<4><<<1, N>>>(in, d);
    fetch("four stages");
    producers_and_consumers<<<1, 2 * N>>>(in, d);
    fetch("producers and consumers");
    SAY(cudaDeviceSynchronize());
}
