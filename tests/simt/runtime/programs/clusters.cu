// Clusters (compute capability 9.0): shared memory of other blocks, the cluster's
// barrier, what a cluster knows of itself, and the launches that cannot be.

#include <cooperative_groups.h>
#include "say.h"

namespace cg = cooperative_groups;

// Each block leaves a number in its shared memory; all read it from the next block.
__global__ void __cluster_dims__(4, 1, 1) neighbours(int *out)
{
    __shared__ int here[32];
    cg::cluster_group cluster = cg::this_cluster();
    here[threadIdx.x] = (int)(blockIdx.x * 100 + threadIdx.x);
    cluster.sync();
    unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
    int *there = cluster.map_shared_rank(here, next);
    int sum = there[threadIdx.x] + (int)cluster.query_shared_rank(there) * 10000;
    cluster.sync(); // nobody leaves while others read
    out[blockIdx.x * 32 + threadIdx.x] = sum;
}

// A histogram over the shared memory of a whole cluster.
__global__ void histogram(const int *data, int n, int *bins)
{
    extern __shared__ int mine[];
    cg::cluster_group cluster = cg::this_cluster();
    int each = 64;
    for (int i = threadIdx.x; i < each; i += blockDim.x)
        mine[i] = 0;
    cluster.sync();
    int all = each * (int)cluster.num_blocks();
    for (int i = (int)cluster.thread_rank(); i < n; i += (int)cluster.num_threads()) {
        int bin = data[i] % all;
        atomicAdd(cluster.map_shared_rank(mine, bin / each) + bin % each, 1);
    }
    cluster.sync();
    for (int i = threadIdx.x; i < each; i += blockDim.x)
        atomicAdd(&bins[cluster.block_rank() * each + i], mine[i]);
}

__global__ void about(unsigned *out)
{
    cg::cluster_group cluster = cg::this_cluster();
    unsigned id[3], clusters[3], explicitly;
    asm("mov.u32 %0, %%clusterid.x;" : "=r"(id[0]));
    asm("mov.u32 %0, %%clusterid.y;" : "=r"(id[1]));
    asm("mov.u32 %0, %%nclusterid.x;" : "=r"(clusters[0]));
    asm("mov.u32 %0, %%nclusterid.y;" : "=r"(clusters[1]));
    asm("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(explicitly));
    if (blockIdx.x == gridDim.x - 1 && blockIdx.y == gridDim.y - 1 && threadIdx.x == 5) {
        unsigned say[] = {id[0], id[1], clusters[0], clusters[1], explicitly,
                          cluster.num_blocks(), cluster.block_rank(), cluster.num_threads(), cluster.thread_rank(),
                          cluster.dim_blocks().x, cluster.dim_blocks().y, cluster.block_index().x,
                          cluster.block_index().y};
        for (unsigned i = 0; i < sizeof say / sizeof *say; i++)
            out[i] = say[i];
    }
}

// Work between arriving and waiting.
__global__ void __cluster_dims__(2) split_barrier(int *out)
{
    __shared__ int x;
    cg::cluster_group cluster = cg::this_cluster();
    for (int i = 0; i < 3; i++) {
        if (threadIdx.x == 0)
            x = (int)blockIdx.x * 10 + i;
        auto token = cluster.barrier_arrive();
        int busy = i * 1000;
        cluster.barrier_wait(std::move(token));
        int other = *cluster.map_shared_rank(&x, cluster.block_rank() ^ 1);
        cluster.sync();
        if (threadIdx.x == 0)
            out[blockIdx.x * 3 + i] = other + busy;
    }
}

__global__ void plain(int *out)
{
    if (threadIdx.x == 0)
        atomicAdd(out, 1);
}

static int *d, h[1024];

static void fetch()
{
    must(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
}

static int with(unsigned x, unsigned y, dim3 grid, const void *f, void **arguments, size_t shared, unsigned block)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute;
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = x;
    attribute.val.clusterDim.y = y;
    attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    int code = cudaLaunchKernelExC(&config, f, arguments);
    printf("clusters of %u by %u in %u by %u: %s\n", x, y, grid.x, grid.y, cudaGetErrorName((cudaError_t)code));
    cudaGetLastError();
    return code;
}

int main()
{
    must(cudaMalloc(&d, sizeof h));
    neighbours<<<8, 32>>>(d);
    fetch();
    for (int b = 0; b < 8; b++)
        printf("block %d: %d %d\n", b, h[b * 32], h[b * 32 + 31]);
    void *arguments[] = {&d};
    must(cudaMemset(d, 0, sizeof h));
    with(2, 3, dim3(4, 6), (void *)about, arguments, 0, 32);
    fetch();
    for (int i = 0; i < 13; i++)
        printf("about %d\n", h[i]);
    about<<<dim3(2, 2), 32>>>((unsigned *)d);
    fetch();
    printf("no cluster: %d %d %d %d %d of %d, rank %d\n", h[0], h[1], h[2], h[3], h[4], h[5], h[6]);
    split_barrier<<<4, 64>>>(d);
    fetch();
    for (int i = 0; i < 12; i++)
        printf("%d%c", h[i], i < 11 ? ' ' : '\n');

    int n = 10000, *data, *from = (int *)malloc(4 * n), expected[512] = {};
    for (int i = 0; i < n; i++) {
        from[i] = (int)((unsigned)i * 2654435761u >> 20);
        expected[from[i] % 256] += 2; // once a cluster
    }
    must(cudaMalloc(&data, 4 * n));
    must(cudaMemcpy(data, from, 4 * n, cudaMemcpyHostToDevice));
    must(cudaMemset(d, 0, sizeof h));
    void *more[] = {&data, &n, &d};
    with(4, 1, 8, (void *)histogram, more, 256, 128);
    fetch();
    int wrong = 0;
    for (int i = 0; i < 256; i++)
        wrong += h[i] != expected[i];
    printf("histogram: %d wrong\n", wrong);

    must(cudaMemset(d, 0, sizeof h));
    with(8, 1, 16, (void *)plain, arguments, 0, 32);
    with(16, 1, 16, (void *)plain, arguments, 0, 32);
    with(3, 1, 16, (void *)plain, arguments, 0, 32);
    fetch();
    printf("ran in %d blocks\n", h[0]);
    must(cudaFuncSetAttribute(plain, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    with(16, 1, 16, (void *)plain, arguments, 0, 32);
    with(32, 1, 32, (void *)plain, arguments, 0, 32);
    neighbours<<<6, 32>>>(d);
    printf("a grid of 6 in fours: %s\n", cudaGetErrorName(cudaGetLastError()));
    SAY(cudaDeviceSynchronize());
}
