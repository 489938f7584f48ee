// Kernels that launch kernels: in order, in streams, after the parent's end, and one
// within the other; what a launch that cannot be says.

#include "say.h"

__global__ void add(int *p, int v)
{
    p[threadIdx.x] = p[threadIdx.x] * 3 + v;
}

__global__ void in_order(int *p)
{
    if (threadIdx.x == 0) {
        add<<<1, 32>>>(p, 1);
        add<<<1, 32>>>(p, 2);
        add<<<1, 32>>>(p, 3);
    }
}

// Three halves of 32 numbers each: a stream, no stream, and the tail.
__global__ void in_streams(int *p)
{
    if (threadIdx.x != 0)
        return;
    add<<<1, 32, 0, cudaStreamTailLaunch>>>(p, 7); // after the parent and its other children
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    add<<<1, 32, 0, s>>>(p + 32, 5);
    add<<<1, 32, 0, cudaStreamFireAndForget>>>(p + 64, 6);
    cudaStreamDestroy(s);
    add<<<1, 32>>>(p, 4);
    p[96] = (int)cudaGetLastError();
}

// A quicksort whose halves are grids of their own.
__global__ void sort(int *a, int low, int high, int depth)
{
    if (depth > 16 || high - low < 8) { // the rest at once
        for (int i = low + 1; i <= high; i++)
            for (int k = i; k > low && a[k - 1] > a[k]; k--) {
                int t = a[k];
                a[k] = a[k - 1];
                a[k - 1] = t;
            }
        return;
    }
    int i = low, j = high, pivot = a[(low + high) / 2];
    while (i <= j) {
        while (a[i] < pivot)
            i++;
        while (a[j] > pivot)
            j--;
        if (i <= j) {
            int t = a[i];
            a[i++] = a[j];
            a[j--] = t;
        }
    }
    if (low < j) {
        sort<<<1, 1>>>(a, low, j, depth + 1);
    }
    if (i < high) {
        cudaStream_t s;
        cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
        sort<<<1, 1, 0, s>>>(a, i, high, depth + 1);
        cudaStreamDestroy(s);
    }
}

__global__ void leaf(int *count, int by)
{
    extern __shared__ int room[];
    room[threadIdx.x] = by;
    __syncthreads();
    atomicAdd(count, room[blockDim.x - 1 - threadIdx.x]);
}

// Every thread of every block launches.
__global__ void many(int *count)
{
    leaf<<<2, 8, 64>>>(count, (int)(blockIdx.x * blockDim.x + threadIdx.x));
}

__global__ void impossible(int *p)
{
    add<<<1, 2048>>>(p, 1);
    p[0] = (int)cudaGetLastError();
    p[1] = (int)cudaGetLastError();
}

struct wide {
    int a[20];
    double b;
};

__global__ void takes(struct wide w, int *out, char tag)
{
    out[threadIdx.x] = w.a[threadIdx.x] + (int)w.b + tag;
}

__global__ void gives(int *out)
{
    wide w;
    for (int i = 0; i < 20; i++)
        w.a[i] = i * i;
    w.b = 1000.5;
    takes<<<1, 20>>>(w, out, 'A');
}

int main()
{
    int *d, h[1000];
    must(cudaMalloc(&d, sizeof h));
    must(cudaMemset(d, 0, sizeof h));
    in_order<<<1, 32>>>(d);
    must(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    printf("in order %d %d\n", h[0], h[31]);
    must(cudaMemset(d, 0, sizeof h));
    in_streams<<<1, 32>>>(d);
    must(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    printf("in streams %d %d %d, %d\n", h[0], h[32], h[64], h[96]);
    unsigned seed = 7;
    long long before = 0, after = 0;
    for (int i = 0; i < 1000; i++)
        before += h[i] = (int)((seed = seed * 1664525 + 1013904223) >> 12);
    must(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    sort<<<1, 1>>>(d, 0, 999, 0);
    must(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < 1000; i++) {
        wrong += i > 0 && h[i - 1] > h[i];
        after += h[i];
    }
    printf("sorted: %d wrong, %s\n", wrong, before == after ? "the same numbers" : "others");
    must(cudaMemset(d, 0, sizeof h));
    many<<<2, 16>>>(d);
    must(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    printf("many %d\n", h[0]);
    impossible<<<1, 1>>>(d);
    must(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    printf("impossible: %s, then %s\n", cudaGetErrorName((cudaError_t)h[0]), cudaGetErrorName((cudaError_t)h[1]));
    gives<<<1, 1>>>(d);
    must(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    printf("gives %d %d\n", h[0], h[19]);
    SAY(cudaDeviceSynchronize());
}
