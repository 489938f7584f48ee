// Cooperative grids: blocks that wait for each other, the launches that are too large for
// that, and what a grid knows of itself.

#include <cooperative_groups.h>
#include "say.h"

namespace cg = cooperative_groups;

// Each round every block adds what all blocks wrote the round before.
__global__ void rounds(int *sums, int n)
{
    cg::grid_group grid = cg::this_grid();
    for (int r = 0; r < n; r++) {
        if (threadIdx.x == 0) {
            int sum = 1;
            for (unsigned i = 0; i < gridDim.x; i++)
                sum += sums[r * gridDim.x + i] & 0xffff;
            sums[(r + 1) * gridDim.x + blockIdx.x] = sum;
        }
        grid.sync();
    }
}

__global__ void about(unsigned long long *out)
{
    cg::grid_group grid = cg::this_grid();
    if (grid.thread_rank() == grid.num_threads() - 1) {
        out[0] = grid.is_valid();
        out[1] = grid.num_threads();
        out[2] = grid.num_blocks();
        out[3] = grid.block_rank();
        out[4] = grid.thread_rank();
        out[5] = grid.group_dim().x * 100 + grid.group_dim().y;
        out[6] = grid.dim_blocks().x * 100 + grid.dim_blocks().y;
        out[7] = grid.block_index().x * 100 + grid.block_index().y;
    }
}

// Turned around in place: all have read before anyone writes.
__global__ void turn(int *a, int n)
{
    cg::grid_group grid = cg::this_grid();
    int i = (int)grid.thread_rank(), keep = 0;
    if (i < n)
        keep = a[n - 1 - i];
    grid.sync();
    if (i < n)
        a[i] = keep;
    auto token = grid.barrier_arrive();
    grid.barrier_wait(std::move(token));
    if (i < n)
        a[i] += i > 0 ? 0 : 1000;
}

static unsigned long long *d, h[8192];

static int run(const void *f, dim3 grid, dim3 block, void **arguments, size_t shared = 0)
{
    int code = cudaLaunchCooperativeKernel(f, grid, block, arguments, shared, 0);
    printf("%s, ", cudaGetErrorName((cudaError_t)code));
    code = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName((cudaError_t)code));
    cudaGetLastError();
    must(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    return code;
}

int main()
{
    must(cudaMalloc(&d, sizeof h));
    int n = 4;
    void *arguments[] = {&d, &n};
    for (int again = 0; again < 2; again++) {
        must(cudaMemset(d, 0, sizeof h));
        run((void *)rounds, 20, 64, arguments);
        printf("sums %d %d %d\n", ((int *)h)[20], ((int *)h)[40], ((int *)h)[99]);
    }
    run((void *)about, dim3(3, 2), dim3(8, 4), arguments);
    for (int i = 0; i < 8; i++)
        printf("about %llu\n", h[i]);
    for (int i = 0; i < 1000; i++)
        ((int *)h)[i] = i;
    must(cudaMemcpy(d, h, 4000, cudaMemcpyHostToDevice));
    n = 1000;
    run((void *)turn, 8, 128, arguments);
    printf("turned %d %d %d\n", ((int *)h)[0], ((int *)h)[1], ((int *)h)[999]);

    int blocks, device = 0, sms;
    must(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
    must(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, turn, 1024, 0));
    printf("fits: ");
    n = 0;
    run((void *)turn, blocks * sms, 1024, arguments);
    printf("one more: ");
    run((void *)turn, blocks * sms + 1, 1024, arguments);
    printf("plain: ");
    about<<<2, 32>>>(d); // not cooperative: no grid to wait for
    must(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    printf("a grid of %llu\n", h[1]);
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks * sms + 1;
    config.blockDim = 1024;
    cudaLaunchAttribute cooperative;
    cooperative.id = cudaLaunchAttributeCooperative;
    cooperative.val.cooperative = 1;
    config.attrs = &cooperative;
    config.numAttrs = 1;
    SAY(cudaLaunchKernelExC(&config, (void *)turn, arguments));
    config.gridDim = 2;
    SAY(cudaLaunchKernelExC(&config, (void *)turn, arguments));
    SAY(cudaDeviceSynchronize());
}
