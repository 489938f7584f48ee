// Host memory that kernels use: registered, mapped, write-combined; what addresses are.

#include "say.h"

__global__ void twice(int *p, int n)
{
    for (int i = 0; i < n; i++)
        p[i] *= 2;
}

__device__ int variable;

static void say_pointer(const char *what, const void *p)
{
    cudaPointerAttributes a;
    cudaError_t code = cudaPointerGetAttributes(&a, p);
    printf("%s: %s, type %d, device %d, %s %s\n", what, cudaGetErrorName(code), a.type,
           a.device,
           !a.devicePointer       ? "-"
           : a.devicePointer == p ? "same"
                                  : "other",
           !a.hostPointer       ? "-"
           : a.hostPointer == p ? "same"
                                : "other");
}

int main()
{
    enum { N = 1000 };
    int *heap = (int *)malloc(1 << 20), *p, *d, stack = 1;
    unsigned flags;
    for (int i = 0; i < N; i++)
        heap[i] = i;
    must(cudaMalloc(&d, 4096));
    say_pointer("not registered", heap);
    SAY(cudaHostRegister(heap, 4 * N, cudaHostRegisterMapped));
    say_pointer("registered", heap);
    say_pointer("inside", heap + 10);
    SAY(cudaHostRegister(heap, 4 * N, 0));
    SAY(cudaHostRegister(heap + 500, 4 * N, 0));
    must(cudaHostGetDevicePointer(&p, heap, 0));
    twice<<<1, 1>>>(p, N);
    must(cudaDeviceSynchronize());
    printf("by a kernel: %d %d\n", heap[1], heap[999]);
    must(cudaMemcpyAsync(d, heap, 400, cudaMemcpyHostToDevice, 0));
    must(cudaMemcpyAsync(heap + 500, d, 400, cudaMemcpyDeviceToHost, 0));
    must(cudaDeviceSynchronize());
    printf("by copies: %d\n", heap[599]);
    SAY(cudaHostUnregister(heap));
    SAY(cudaHostUnregister(heap));
    printf("kept: %d\n", heap[999]);
    say_pointer("unregistered", heap);
    SAY(cudaHostRegister(&stack, 4, 1 << 20));

    const unsigned kinds[] = {cudaHostAllocDefault, cudaHostAllocPortable,
                              cudaHostAllocMapped,
                              cudaHostAllocWriteCombined | cudaHostAllocMapped};
    for (unsigned kind : kinds) {
        must(cudaHostAlloc(&p, 4 * N, kind));
        must(cudaHostGetFlags(&flags, p));
        int *on_device;
        must(cudaHostGetDevicePointer(&on_device, p, 0));
        for (int i = 0; i < N; i++)
            p[i] = i;
        twice<<<1, 1>>>(on_device, N);
        must(cudaDeviceSynchronize());
        printf("flags %u: kept %d, same address %d, %d\n", kind, (flags & kind) == kind,
               p == on_device, p[999]);
        say_pointer("  pinned", p);
        say_pointer("  its end", p + N - 1);
        must(cudaFreeHost(p));
    }
    must(cudaMallocManaged(&p, 4096));
    say_pointer("managed", p);
    must(cudaFree(p));
    say_pointer("device", d);
    say_pointer("device, inside", d + 5);
    must(cudaFree(d));
    void *address;
    must(cudaGetSymbolAddress(&address, variable));
    say_pointer("variable", address);
    say_pointer("stack", &stack);
    cudaPointerAttributes a;
    SAY(cudaPointerGetAttributes(nullptr, heap));
    SAY(cudaPointerGetAttributes(&a, heap));
    SAY(cudaHostGetDevicePointer(&p, heap, 0));
    SAY(cudaHostGetFlags(&flags, heap));
    SAY(cudaHostGetFlags(nullptr, heap));
    SAY(cudaHostAlloc(nullptr, 16, 0));
}
