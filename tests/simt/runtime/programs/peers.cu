// Two devices: each thread has its own, addresses differ, memory of the other one.

#include "say.h"

#include <pthread.h>

__device__ int variable = 5;

__global__ void add(int *p, int by)
{
    *p += by;
}

__global__ void fetch(int *to, const int *from)
{
    *to = *from + variable;
}

static int value_of(const int *p)
{
    int value = -1;
    must(cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost));
    return value;
}

static int *make(int number, int value)
{
    int *p;
    must(cudaSetDevice(number));
    must(cudaMalloc(&p, 1024));
    must(cudaMemcpy(p, &value, 4, cudaMemcpyHostToDevice));
    return p;
}

static void *in_a_thread(void *to)
{
    int number = -1;
    must(cudaGetDevice(&number)); // a new thread begins with device 0
    must(cudaSetDevice(1));
    add<<<1, 1>>>((int *)to, 1000);
    must(cudaDeviceSynchronize());
    return (void *)(size_t)number;
}

int main()
{
    int count = 0, number = -1, can = -1;
    must(cudaGetDeviceCount(&count));
    printf("two at least: %d\n", count >= 2);
    int *a = make(0, 10), *b = make(1, 20);
    must(cudaGetDevice(&number));
    printf("device %d\n", number);
    cudaPointerAttributes about;
    must(cudaPointerGetAttributes(&about, a));
    printf("a is of %d", about.device);
    must(cudaPointerGetAttributes(&about, b));
    printf(", b of %d\n", about.device);

    add<<<1, 1>>>(b, 1);
    printf("b %d\n", value_of(b));
    must(cudaSetDevice(0));
    add<<<1, 1>>>(a, 2);
    printf("a %d\n", value_of(a));
    must(cudaMemcpyPeer(a + 1, 0, b, 1, 4));
    printf("copied %d\n", value_of(a + 1));
    must(cudaMemcpy(b + 1, a, 4, cudaMemcpyDefault));
    must(cudaSetDevice(1));
    printf("back %d\n", value_of(b + 1));
    SAY(cudaMemcpyPeer(a, 99, b, 1, 4));

    int seven = 7;
    must(cudaMemcpyToSymbol(variable, &seven, 4)); // each device has its own
    SAY(cudaDeviceCanAccessPeer(&can, 1, 0));
    printf("can %d\n", can);
    SAY(cudaDeviceDisablePeerAccess(0));
    SAY(cudaDeviceEnablePeerAccess(0, 0));
    SAY(cudaDeviceEnablePeerAccess(0, 0));
    SAY(cudaDeviceEnablePeerAccess(1, 0));
    fetch<<<1, 1>>>(b, a);
    must(cudaDeviceSynchronize());
    printf("fetched %d\n", value_of(b));
    must(cudaSetDevice(0));
    fetch<<<1, 1>>>(a, a);
    printf("at home %d\n", value_of(a));

    cudaStream_t s;
    cudaEvent_t event;
    must(cudaSetDevice(1));
    must(cudaStreamCreate(&s));
    must(cudaEventCreate(&event));
    add<<<1, 1, 0, s>>>(b, 100);
    must(cudaEventRecord(event, s));
    must(cudaSetDevice(0));
    must(cudaStreamWaitEvent(0, event, 0)); // across devices
    must(cudaMemcpyPeerAsync(a, 0, b, 1, 4, 0));
    must(cudaDeviceSynchronize());
    printf("after the event %d\n", value_of(a));

    pthread_t thread;
    void *first;
    pthread_create(&thread, nullptr, in_a_thread, b);
    pthread_join(thread, &first);
    must(cudaGetDevice(&number));
    printf("the thread began with %d, this one has %d\n", (int)(size_t)first, number);
    must(cudaSetDevice(1));
    printf("b %d\n", value_of(b));
    SAY(cudaDeviceDisablePeerAccess(0));
    SAY(cudaDeviceReset()); // this one alone
    must(cudaSetDevice(0));
    printf("a %d\n", value_of(a));
    int *other = make(1, 1);
    must(cudaSetDevice(0));
    add<<<1, 1>>>(other, 1); // without peer access
    SAY(cudaDeviceSynchronize());
}
