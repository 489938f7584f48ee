// Calls that are not inlined: through pointers, tables and virtual tables, by recursion,
// with structs as arguments and results.

#include "say.h"

struct shape {
    __device__ virtual int area() const = 0;
    __device__ virtual ~shape() {}
};

struct square : shape {
    int side;
    __device__ square(int side) : side(side) {}
    __device__ int area() const override { return side * side; }
};

struct box : square {
    int depth;
    __device__ box(int side, int depth) : square(side), depth(depth) {}
    __device__ int area() const override { return 2 * square::area() + 4 * side * depth; }
};

__global__ void areas(int *out)
{
    square s(threadIdx.x);
    box b(threadIdx.x, 3);
    const shape *p = threadIdx.x % 2 ? (const shape *)&b : &s;
    out[threadIdx.x] = p->area();
}

typedef int binary(int, int);
__device__ __noinline__ int plus(int a, int b) { return a + b; }
__device__ __noinline__ int minus(int a, int b) { return a - b; }
__device__ __noinline__ int times(int a, int b) { return a * b; }
__device__ binary *const table[] = {plus, minus, times};
__device__ binary *chosen = minus;

__global__ void through_a_table(int *out, int shift)
{
    int i = threadIdx.x;
    out[i] = table[(i + shift) % 3](i, 10) * 100 + chosen(i, 1);
}

// Each thread calls the kernel's argument: a pointer that the host copied.
__global__ void through_an_argument(binary *f, int *out)
{
    out[threadIdx.x] = f(threadIdx.x, 7);
}

__device__ __noinline__ void quicksort(int *a, int low, int high)
{
    if (low >= high)
        return;
    int pivot = a[(low + high) / 2], i = low, j = high;
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
    quicksort(a, low, j);
    quicksort(a, i, high);
}

__global__ void sort_rows(int *rows, int n)
{
    quicksort(rows + threadIdx.x * n, 0, n - 1);
}

struct wide {
    long long a[5];
    char tag;
};

__device__ __noinline__ wide turn(wide w, int by)
{
    wide r = w;
    for (int i = 0; i < 5; i++)
        r.a[i] = w.a[(i + by) % 5];
    r.tag = w.tag + by;
    return r;
}

__global__ void structs(long long *out)
{
    wide w;
    for (int i = 0; i < 5; i++)
        w.a[i] = threadIdx.x * 10 + i;
    w.tag = 'a';
    w = turn(w, threadIdx.x % 5);
    out[threadIdx.x] = w.a[0] * 1000 + w.tag;
}

// Deep: hundreds of frames of each thread's own.
__device__ __noinline__ int down(int n, volatile int *trail)
{
    int here[4] = {n, n + 1, n + 2, n + 3};
    trail[0] = here[n & 3];
    return n == 0 ? 0 : down(n - 1, trail) + here[(n * 7) & 3] - n;
}

__global__ void deep(int n, int *out)
{
    int trail;
    out[threadIdx.x] = down(n + threadIdx.x, &trail);
}

static int *d, h[4096];

static void fetch(int n)
{
    must(cudaMemcpy(h, d, n * 4, cudaMemcpyDeviceToHost));
}

int main()
{
    must(cudaMalloc(&d, sizeof h));
    areas<<<1, 8>>>(d);
    fetch(8);
    for (int i = 0; i < 8; i++)
        printf("area %d\n", h[i]);
    for (int shift = 0; shift < 3; shift++) {
        through_a_table<<<1, 64>>>(d, shift);
        fetch(64);
        printf("table %d %d %d %d\n", h[0], h[1], h[2], h[63]);
    }
    binary *f;
    must(cudaMemcpyFromSymbol(&f, chosen, sizeof f));
    through_an_argument<<<1, 32>>>(f, d);
    fetch(32);
    printf("argument %d %d\n", h[0], h[31]);
    must(cudaMemcpyFromSymbol(&f, table, sizeof f, 2 * sizeof f));
    must(cudaMemcpyToSymbol(chosen, &f, sizeof f));
    through_a_table<<<1, 64>>>(d, 0);
    fetch(64);
    printf("table %d %d %d %d\n", h[0], h[1], h[2], h[63]);

    unsigned seed = 1;
    for (int i = 0; i < 32 * 100; i++)
        h[i] = (seed = seed * 1664525 + 1013904223) >> 16;
    must(cudaMemcpy(d, h, 32 * 400, cudaMemcpyHostToDevice));
    long long before = 0, after = 0;
    for (int i = 0; i < 3200; i++)
        before += (long long)h[i] * h[i];
    sort_rows<<<1, 32>>>(d, 100);
    fetch(3200);
    int sorted = 0;
    for (int r = 0; r < 32; r++)
        for (int i = 1; i < 100; i++)
            sorted += h[r * 100 + i - 1] <= h[r * 100 + i];
    for (int i = 0; i < 3200; i++)
        after += (long long)h[i] * h[i];
    printf("sorted %d, %s\n", sorted, before == after ? "the same numbers" : "others");

    structs<<<1, 32>>>((long long *)d);
    fetch(64);
    printf("structs %lld %lld %lld\n", ((long long *)h)[0], ((long long *)h)[7],
           ((long long *)h)[31]);

    must(cudaDeviceSetLimit(cudaLimitStackSize, 64 << 10));
    deep<<<1, 32>>>(400, d);
    fetch(32);
    int expected = 0;
    for (int n = 1; n <= 431; n++)
        expected += (n * 7) & 3;
    printf("deep %d, %s\n", h[31], h[31] == expected ? "right" : "wrong");
    SAY(cudaDeviceSynchronize());
}
