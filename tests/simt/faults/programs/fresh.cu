// Reads of bytes that nobody has written.

#include "fault.h"

//: never_written | uninitialised | initcheck | cudaMalloc, and no cudaMemset
__global__ void add_one(int *data)
{
    data[threadIdx.x] += 1; // HERE
}
CASE(never_written)
{
    add_one<<<1, 32>>>(PICK(fresh<int>, zeros<int>)(32));
}

//: partly_written | uninitialised | initcheck | the copy's count is in elements
__global__ void double_all(const int *in, int *out)
{
    out[threadIdx.x] = 2 * in[threadIdx.x]; // HERE
}
CASE(partly_written)
{
    static const int numbers[64] = {1, 2, 3};
    int *in = fresh<int>(64);
    cudaMemcpy(in, numbers, 64 * PICK(1, sizeof(int)), cudaMemcpyHostToDevice);
    double_all<<<1, 64>>>(in, zeros<int>(64));
}

//: padding_of_a_pitch | uninitialised | initcheck | a row's sum takes in the padding behind it
__global__ void row_sums(const char *in, size_t pitch, int width, int *out)
{
    int sum = 0;
    for (int x = 0; x < width; x++)
        sum += in[threadIdx.x * pitch + x]; // HERE
    out[threadIdx.x] = sum;
}
CASE(padding_of_a_pitch)
{
    static const char rows[8 * 100] = {1};
    char *in;
    size_t pitch;
    cudaMallocPitch(&in, &pitch, 100, 8);
    taken[taken_count++] = in;
    cudaMemcpy2D(in, pitch, rows, 100, 100, 8, cudaMemcpyHostToDevice);
    row_sums<<<1, 8>>>(in, pitch, PICK((int)pitch, 100), zeros<int>(8));
}

//: through_a_copy | uninitialised | - | what was never written is copied first, then read
__global__ void negate_all(const int *in, int *out)
{
    out[threadIdx.x] = -in[threadIdx.x]; // HERE
}
CASE(through_a_copy)
{
    int *from = PICK(fresh<int>, zeros<int>)(32), *in = fresh<int>(32);
    cudaMemcpy(in, from, 32 * sizeof(int), cudaMemcpyDeviceToDevice);
    negate_all<<<1, 32>>>(in, zeros<int>(32));
}

//: taken_to_the_host | uninitialised | - | the last block's results were never written
__global__ void half_of_it(int *out)
{
    out[threadIdx.x] = 1;
}
CASE(taken_to_the_host)
{
    int *out = fresh<int>(64);
    half_of_it<<<1, PICK(32, 64)>>>(out);
    show(out, 64);
}

//: grid_too_small | uninitialised | initcheck | a grid rounded down leaves the end unwritten
__global__ void first_step(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = i;
}
__global__ void second_step(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] * in[i]; // HERE
}
CASE(grid_too_small)
{
    int n = 100, *between = fresh<int>(n), *out = zeros<int>(n);
    first_step<<<PICK(n / 64, (n + 63) / 64), 64>>>(between, n);
    second_step<<<2, 64>>>(between, out, n);
}

//: counter_not_zeroed | uninitialised | initcheck | an atomic adds to what was never set
__global__ void count_all(int *count)
{
    atomicAdd(count, 1); // HERE
}
CASE(counter_not_zeroed)
{
    count_all<<<1, 32>>>(PICK(fresh<int>, zeros<int>)(1));
}

//: heap_not_written | uninitialised | initcheck | malloc() in a kernel gives no zeros
__global__ void heap_sum(int *out, int n)
{
    int *own = (int *)malloc(n * sizeof *own), sum = 0;
    for (int i = 0; i < PICK(n - 1, n); i++)
        own[i] = i;
    for (int i = 0; i < n; i++)
        sum += own[i]; // HERE
    free(own);
    *out = sum;
}
CASE(heap_not_written)
{
    heap_sum<<<1, 1>>>(zeros<int>(1), 16);
}

//: shared_not_zeroed | uninitialised | initcheck | shared bins, and nobody sets them to 0
__global__ void bins_of_block(int *out)
{
    __shared__ int bins[32];
    RIGHT(bins[threadIdx.x] = 0;)
    __syncthreads();
    atomicAdd(&bins[threadIdx.x / 2], 1); // HERE
    __syncthreads();
    RIGHT(out[threadIdx.x] = bins[threadIdx.x];)
}
CASE(shared_not_zeroed)
{
    bins_of_block<<<1, 32>>>(zeros<int>(32));
}

//: field_not_written | uninitialised | - | a struct with padding is copied, one field unset
struct ranked {
    int value;
    long long rank; // behind 4 bytes of padding, which a copy may take along
};
__global__ void best_of_block(ranked *out)
{
    __shared__ ranked all[32];
    int i = threadIdx.x;
    all[i].value = i;
    RIGHT(all[i].rank = i;)
    __syncthreads();
    out[i] = all[31 - i]; // HERE
}
CASE(field_not_written)
{
    best_of_block<<<1, 32>>>(zeros<ranked>(32));
}

//: halo_not_loaded | uninitialised | initcheck | a tile's right edge is never loaded
__global__ void three_points(const int *in, int *out)
{
    __shared__ int tile[66];
    int i = threadIdx.x;
    tile[i + 1] = in[i];
    if (i == 0)
        tile[0] = 0;
    RIGHT(if (i == 63) tile[65] = 0;)
    __syncthreads();
    out[i] = tile[i] + tile[i + 1] + tile[i + 2]; // HERE
}
CASE(halo_not_loaded)
{
    three_points<<<1, 64>>>(zeros<int>(64), zeros<int>(64));
}

//: second_block_finds_nothing | uninitialised | initcheck | only the first block fills its shared memory
__global__ void table_of_block(int *out)
{
    __shared__ int table[32];
    if (PICK(blockIdx.x == 0, true))
        table[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[blockIdx.x * 32 + threadIdx.x] = table[31 - threadIdx.x]; // HERE
}
CASE(second_block_finds_nothing)
{
    table_of_block<<<2, 32>>>(zeros<int>(64));
}

//: local_not_written | uninitialised | - | a local array of which one element is never set
__global__ void own_table(const int *in, int *out)
{
    int table[16];
    for (int i = 0; i < PICK(15, 16); i++)
        table[in[i] + i] = i;
    out[threadIdx.x] = table[in[0] + threadIdx.x]; // HERE
}
CASE(local_not_written)
{
    own_table<<<1, 16>>>(zeros<int>(16), zeros<int>(16));
}
