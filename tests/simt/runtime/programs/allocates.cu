// malloc, free, new, delete and alloca in kernels: lists that outlive the kernel that
// made them, and a heap that ends.

#include "say.h"

struct node {
    node *next;
    int value;
};

__device__ node *heads[64];

__global__ void push(int n)
{
    for (int i = 0; i < n; i++) {
        node *x = (node *)malloc(sizeof(node));
        if (!x)
            return;
        x->value = (int)threadIdx.x * i;
        x->next = heads[threadIdx.x];
        heads[threadIdx.x] = x;
    }
}

__global__ void sum_and_free(int *out)
{
    int sum = 0;
    for (node *x = heads[threadIdx.x]; x;) {
        node *next = x->next;
        sum += x->value;
        free(x);
        x = next;
    }
    heads[threadIdx.x] = nullptr;
    out[threadIdx.x] = sum;
}

struct counted {
    int *count;
    __device__ counted(int *count) : count(count) { atomicAdd(count, 1); }
    __device__ ~counted() { atomicAdd(count, -100); }
};

__global__ void objects(int *count)
{
    counted *one = new counted(count);
    int *many = new int[threadIdx.x + 1];
    for (unsigned i = 0; i <= threadIdx.x; i++)
        many[i] = (int)i;
    atomicAdd(count + 1, many[threadIdx.x]);
    delete[] many;
    delete one;
    free(nullptr);
}

__global__ void too_much(int *out)
{
    void *all = malloc((size_t)1 << 40);
    out[0] = all == nullptr;
    int n = 0;
    while (n < 100 && malloc(1 << 20)) // 8 MiB in all, and some is in use
        n++;
    out[1] = n > 0 && n < 8;
}

// Room in the frame, as much as each thread wants; a loop of it is given back.
__device__ __noinline__ int room(int n)
{
    int *a = (int *)__builtin_alloca(n * sizeof(int));
    for (int i = 0; i < n; i++)
        a[i] = i;
    int sum = 0;
    for (int i = n - 1; i >= 0; i--)
        sum += a[i];
    return n > 1 ? sum + room(n / 2) : sum;
}

__global__ void grows(int *out)
{
    out[threadIdx.x] = room(threadIdx.x + 1);
}

int main()
{
    size_t bytes;
    must(cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize));
    printf("heap %zu\n", bytes);
    SAY(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 8 << 20));
    int *d, h[64];
    must(cudaMalloc(&d, sizeof h));
    push<<<1, 64>>>(10);
    push<<<1, 32>>>(5);
    sum_and_free<<<1, 64>>>(d);
    must(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    printf("lists %d %d %d %d\n", h[1], h[31], h[32], h[63]);
    must(cudaMemset(d, 0, sizeof h));
    objects<<<4, 64>>>(d);
    must(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    printf("objects %d, numbers %d\n", h[0], h[1]);
    too_much<<<1, 1>>>(d);
    must(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    printf("none %d, some %d\n", h[0], h[1]);
    must(cudaDeviceSetLimit(cudaLimitStackSize, 8 << 10));
    grows<<<1, 64>>>(d);
    must(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    printf("grows %d %d %d\n", h[0], h[7], h[63]);
    SAY(cudaDeviceSynchronize());
}
