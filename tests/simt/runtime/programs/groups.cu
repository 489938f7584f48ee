// Groups of threads: tiles of every size, those that happen to be together, groups by
// label, and what they do as one: reduce, scan, shuffle, vote, match.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include "say.h"

namespace cg = cooperative_groups;

// The same question of each size of tile: the sum, the largest and the prefix sums.
template <int size>
__global__ void tiles(int *out)
{
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<size>(block);
    int t = (int)block.thread_rank(), x = t * 7 % 64;
    int sum = cg::reduce(tile, x, cg::plus<int>());
    int most = cg::reduce(tile, x, cg::greater<int>());
    int up = cg::inclusive_scan(tile, x, cg::plus<int>());
    int before = cg::exclusive_scan(tile, x);
    int neighbour = tile.shfl_xor(x, size / 2);
    out[t] = sum + most * 3 + up * 5 + before * 7 + neighbour * 11 + (int)tile.ballot(x & 1) +
             tile.any(x == 63) * 13 + tile.all(x < 64) * 17 + (int)tile.meta_group_rank() * 19 +
             (int)tile.match_any(x % 3) + (int)tile.size();
}

static int expected_of_tile(int size, int t)
{
    int first = t / size * size, sum = 0, most = 0, up = 0, any = 0;
    unsigned ballot = 0, same = 0;
    for (int i = first; i < first + size; i++) {
        int x = i * 7 % 64;
        sum += x;
        most = x > most ? x : most;
        up += i <= t ? x : 0;
        any |= x == 63;
        ballot |= (unsigned)(x & 1) << (i - first);
        same |= (unsigned)(x % 3 == t * 7 % 64 % 3) << (i - first);
    }
    int x = t * 7 % 64, neighbour = (first + ((t - first) ^ (size / 2))) * 7 % 64;
    return sum + most * 3 + up * 5 + (up - x) * 7 + neighbour * 11 + (int)ballot + any * 13 + 17 +
           t / size * 19 + (int)same + size;
}

// Those that took the same way.
__global__ void together(int *out, int *tickets)
{
    int t = threadIdx.x;
    out[t] = -1;
    if (t % 3 == 1) {
        cg::coalesced_group g = cg::coalesced_threads();
        int first = 0;
        if (g.thread_rank() == 0)
            first = atomicAdd(tickets, (int)g.size());
        first = g.shfl(first, 0);
        int sum = cg::reduce(g, t, cg::plus<int>());
        int up = cg::inclusive_scan(g, 1, cg::plus<int>());
        out[t] = sum * 1000 + (int)g.size() * 10 + up - (int)g.thread_rank() + 0 * first;
    }
}

__global__ void labels(int *out)
{
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int t = threadIdx.x;
    auto mine = cg::labeled_partition(tile, t % 5);
    auto half = cg::binary_partition(tile, t % 32 < 10);
    int sum = cg::reduce(mine, t, cg::plus<int>());
    int least = cg::reduce(half, t, cg::less<int>());
    out[t] = sum * 100000 + (int)mine.size() * 10000 + (int)mine.thread_rank() * 1000 +
             (int)half.size() * 10 + least % 10;
}

// Tiles of more than a warp keep their messages in shared memory.
template <int size>
__global__ void large(int *out)
{
    __shared__ cg::block_tile_memory<256> memory;
    cg::thread_block block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<size>(block);
    int t = (int)block.thread_rank();
    int sum = cg::reduce(tile, t, cg::plus<int>());
    int up = cg::inclusive_scan(tile, 2, cg::plus<int>());
    tile.sync();
    int any = tile.any(t == 130), other = tile.shfl(t, size - 1);
    out[t] = sum * 10 + any + up * 100000 + other;
}

__global__ void block_wide(int *out)
{
    cg::thread_block block = cg::this_thread_block();
    __shared__ int total;
    if (block.thread_rank() == 0)
        total = 0;
    block.sync();
    auto warp = cg::tiled_partition<32>(block);
    cg::reduce_update_async(warp, cuda::atomic_ref<int, cuda::thread_scope_block>(total), (int)block.thread_rank(),
                            cg::plus<int>());
    auto token = block.barrier_arrive();
    block.barrier_wait(std::move(token));
    out[block.thread_rank()] = total + __syncthreads_count(threadIdx.x % 3 == 0) * 10000 +
                               __syncthreads_and(threadIdx.x < 300) * 2 + __syncthreads_or(threadIdx.x == 7);
    cg::invoke_one(warp, [&] { atomicAdd(&out[1023], 1); });
}

// The whole of redux, match, elect and vote by themselves.
__global__ void warp_wide(unsigned *out)
{
    unsigned t = threadIdx.x, all = ~0u, x = (t * 2654435761u) >> 3;
    unsigned r = __reduce_add_sync(all, x) ^ __reduce_min_sync(all, x) ^ __reduce_max_sync(all, x) ^
                 __reduce_and_sync(all, x | 5) ^ __reduce_or_sync(all, x) ^ __reduce_xor_sync(all, x) ^
                 (unsigned)__reduce_min_sync(all, (int)(x << 3)) ^ (unsigned)__reduce_max_sync(all, (int)(x << 3));
    int agree;
    unsigned m = __match_all_sync(all, x % 1, &agree);
    out[t] = r + m + agree + __match_any_sync(all, (unsigned long long)(t / 4) << 40) +
             __ballot_sync(all, t % 2) + __all_sync(all, 1) + __any_sync(all, 0) + __uni_sync(all, 0);
    if (t % 2) // a mask of those that are here
        out[t] += __reduce_add_sync(0xaaaaaaaa, t) + __activemask();
}

static unsigned expected_of_warp(unsigned t)
{
    unsigned sum = 0, low = ~0u, high = 0, both = ~0u, some = 0, odd = 0;
    int least = 0x7fffffff, most = -least - 1;
    for (unsigned i = 0; i < 32; i++) {
        unsigned x = (i * 2654435761u) >> 3;
        sum += x, low = x < low ? x : low, high = x > high ? x : high;
        both &= x | 5, some |= x, odd ^= x;
        int y = (int)(x << 3);
        least = y < least ? y : least, most = y > most ? y : most;
    }
    unsigned r = sum ^ low ^ high ^ both ^ some ^ odd ^ (unsigned)least ^ (unsigned)most;
    r += ~0u + 1 + (0xfu << (t / 4 * 4)) + 0xaaaaaaaau + 1 + 0 + 1;
    return t % 2 ? r + 256 + 0xaaaaaaaau : r;
}

static int *d, h[1024];

static void fetch(const char *what, int n, int (*expected)(int))
{
    must(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    int wrong = 0, first = -1;
    for (int t = 0; t < n; t++)
        if (h[t] != expected(t) && wrong++ == 0)
            first = t;
    printf("%s: %d wrong", what, wrong);
    if (wrong)
        printf(", thread %d: %d, not %d", first, h[first], expected(first));
    printf("\n");
}

int main()
{
    must(cudaMalloc(&d, sizeof h));
    tiles<1><<<1, 256>>>(d);
    fetch("tiles of 1", 256, [](int t) { return expected_of_tile(1, t); });
    tiles<2><<<1, 256>>>(d);
    fetch("tiles of 2", 256, [](int t) { return expected_of_tile(2, t); });
    tiles<4><<<1, 256>>>(d);
    fetch("tiles of 4", 256, [](int t) { return expected_of_tile(4, t); });
    tiles<8><<<1, 256>>>(d);
    fetch("tiles of 8", 256, [](int t) { return expected_of_tile(8, t); });
    tiles<16><<<1, 256>>>(d);
    fetch("tiles of 16", 256, [](int t) { return expected_of_tile(16, t); });
    tiles<32><<<1, 256>>>(d);
    fetch("tiles of 32", 256, [](int t) { return expected_of_tile(32, t); });
    must(cudaMemset(d, 0, sizeof h));
    together<<<1, 64>>>(d, d + 1000);
    fetch("together", 64, [](int t) {
        int sum = 0, size = 0;
        for (int i = t / 32 * 32; i < t / 32 * 32 + 32; i++)
            sum += i % 3 == 1 ? i : 0, size += i % 3 == 1;
        return t % 3 == 1 ? sum * 1000 + size * 10 + 1 : -1;
    });
    printf("tickets %d\n", h[1000]);
    labels<<<1, 64>>>(d);
    fetch("labels", 64, [](int t) {
        int first = t / 32 * 32, sum = 0, size = 0, rank = 0;
        for (int i = first; i < first + 32; i++)
            if (i % 5 == t % 5)
                sum += i, size++, rank += i < t;
        bool low = t % 32 < 10;
        return sum * 100000 + size * 10000 + rank * 1000 + (low ? 10 : 22) * 10 +
               (low ? first : first + 10) % 10;
    });
    large<64><<<1, 256>>>(d);
    fetch("tiles of 64", 256, [](int t) {
        int first = t / 64 * 64;
        return (64 * first + 2016) * 10 + (first == 128) + (t - first + 1) * 200000 + first + 63;
    });
    large<128><<<1, 256>>>(d);
    fetch("tiles of 128", 256, [](int t) {
        int first = t / 128 * 128;
        return (128 * first + 8128) * 10 + (first == 128) + (t - first + 1) * 200000 + first + 127;
    });
    must(cudaMemset(d, 0, sizeof h));
    block_wide<<<1, 256>>>(d);
    fetch("the block", 256, [](int t) { return (void)t, 255 * 128 + 86 * 10000 + 2 + 1; });
    printf("one of each warp: %d\n", h[1023]);
    warp_wide<<<1, 32>>>((unsigned *)d);
    fetch("the warp", 32, [](int t) { return (int)expected_of_warp((unsigned)t); });
    SAY(cudaDeviceSynchronize());
}
