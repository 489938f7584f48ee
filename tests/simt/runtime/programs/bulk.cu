// Bulk copies (compute capability 9.0): one thread asks, a barrier of shared memory
// counts the bytes; and back to global memory in groups.

#include <cuda/barrier>
#include <cuda/ptx>
#include "say.h"

namespace ptx = cuda::ptx;
using barrier = cuda::barrier<cuda::thread_scope_block>;
enum { N = 1024, TILES = 8 };

__device__ barrier *made(void *room)
{
    if (threadIdx.x == 0) {
        init((barrier *)room, blockDim.x);
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    return (barrier *)room;
}

// In, change, out.
__global__ void round_trip(const int *in, int *out)
{
    __shared__ alignas(128) int tile[N];
    __shared__ alignas(8) char room[sizeof(barrier)];
    barrier *b = made(room);
    for (int i = 0; i < TILES; i++) {
        barrier::arrival_token token;
        if (threadIdx.x == 0) {
            cuda::device::memcpy_async_tx(tile, in + i * N, cuda::aligned_size_t<16>(sizeof tile), *b);
            token = cuda::device::barrier_arrive_tx(*b, 1, sizeof tile);
        } else {
            token = b->arrive();
        }
        b->wait(std::move(token));
        for (int k = threadIdx.x; k < N; k += blockDim.x)
            tile[k] = tile[k] * 2 + i;
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + i * N, tile, sizeof tile);
            ptx::cp_async_bulk_commit_group();
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

// Phases by parity, as hand-written pipelines keep them; two stages ahead.
__global__ void parities(const int *in, int *out)
{
    __shared__ alignas(128) int tile[2][N];
    __shared__ uint64_t full[2];
    int sum = 0;
    if (threadIdx.x == 0)
        for (int s = 0; s < 2; s++)
            ptx::mbarrier_init(&full[s], 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    __syncthreads();
    for (int i = 0; i < TILES + 1; i++) {
        if (threadIdx.x == 0 && i < TILES) {
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[i % 2], sizeof tile[0]);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile[i % 2], in + i * N, sizeof tile[0], &full[i % 2]);
        }
        if (i > 0) {
            int s = (i - 1) % 2;
            while (!ptx::mbarrier_try_wait_parity(&full[s], (i - 1) / 2 % 2))
                ;
            for (int k = threadIdx.x; k < N; k += blockDim.x)
                sum += tile[s][k] * i;
        }
        __syncthreads();
    }
    atomicAdd(out, sum);
}

// Each block writes to its neighbour's shared memory and tells the neighbour's barrier.
__global__ void __cluster_dims__(4) spread(const int *in, int *out)
{
    __shared__ alignas(128) int tile[256], other[256];
    __shared__ uint64_t full, sent;
    unsigned rank = blockIdx.x % 4;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::mbarrier_init(&sent, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &sent, sizeof other);
    }
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
    for (unsigned i = 0; threadIdx.x == 0 && i < 4; i++) // in quarters
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile + i * 64, in + i * 64, 256, &full);
    while (!ptx::mbarrier_try_wait_parity(&full, 0))
        ;
    if (threadIdx.x == 0) {
        int *to;
        uint64_t *tell;
        asm("mapa.u64 %0, %1, %2;" : "=l"(to) : "l"(other), "r"((rank + 1) % 4));
        asm("mapa.u64 %0, %1, %2;" : "=l"(tell) : "l"(&sent), "r"((rank + 1) % 4));
        tile[0] += 100 * (int)rank;
        ptx::fence_proxy_async(ptx::space_shared);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, to, tile, sizeof tile, tell);
    }
    while (!ptx::mbarrier_try_wait_parity(&sent, 0))
        ;
    for (int k = threadIdx.x; k < 256; k += blockDim.x)
        out[blockIdx.x * 256 + k] = other[k];
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
}

static int h[TILES * N], got[TILES * N];

int main()
{
    int *in, *out, wrong = 0;
    for (int i = 0; i < TILES * N; i++)
        h[i] = (int)((unsigned)i * 2654435761u >> 20);
    must(cudaMalloc(&in, sizeof h));
    must(cudaMalloc(&out, sizeof h));
    must(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    round_trip<<<1, 128>>>(in, out);
    must(cudaMemcpy(got, out, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < TILES * N; i++)
        wrong += got[i] != h[i] * 2 + i / N;
    printf("round trip: %d wrong\n", wrong);
    must(cudaMemset(out, 0, 4));
    parities<<<1, 128>>>(in, out);
    int sum, expected = 0;
    must(cudaMemcpy(&sum, out, 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < TILES * N; i++)
        expected += h[i] * (i / N + 1);
    printf("parities: %s\n", sum == expected ? "right" : "wrong");
    spread<<<8, 64>>>(in, out);
    must(cudaMemcpy(got, out, 8 * 256 * 4, cudaMemcpyDeviceToHost));
    wrong = 0;
    for (int i = 0; i < 8 * 256; i++)
        wrong += got[i] != h[i % 256] + (i % 256 ? 0 : 100 * ((i / 256 + 3) % 4));
    printf("spread: %d wrong\n", wrong);
    SAY(cudaDeviceSynchronize());
}
