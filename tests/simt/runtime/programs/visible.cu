// What a program sees that does not wait: old data, every time. (A GPU may be quicker.)

#include "say.h"

#include <pthread.h>

__global__ void put(int *p, int value)
{
    *p = value;
}

__global__ void carry(int *to, const int *from)
{
    *to = *from;
}

static int order[8], placed;

static void note(void *which)
{
    order[placed++] = (int)(size_t)which;
}

static void *in_a_thread(void *d)
{
    int value;
    put<<<1, 1, 0, cudaStreamPerThread>>>((int *)d, 77);
    must(cudaMemcpyAsync(&value, d, 4, cudaMemcpyDeviceToHost, cudaStreamPerThread));
    must(cudaStreamSynchronize(cudaStreamPerThread));
    return (void *)(size_t)value;
}

int main()
{
    int *d, *e, *pinned, *managed, pageable = 1, value;
    must(cudaMalloc(&d, 4));
    must(cudaMalloc(&e, 4));
    must(cudaMallocHost(&pinned, 4));
    must(cudaMallocManaged(&managed, 4));
    *pinned = *managed = 1;

    put<<<1, 1>>>(d, 2);
    must(cudaMemcpyAsync(pinned, d, 4, cudaMemcpyDeviceToHost, 0));
    put<<<1, 1>>>(managed, 2);
    printf("before a wait: pinned %d, managed %d\n", *pinned, *managed);
    must(cudaDeviceSynchronize());
    printf("after it: pinned %d, managed %d\n", *pinned, *managed);

    must(cudaMemcpyAsync(&pageable, d, 4, cudaMemcpyDeviceToHost, 0));
    printf("a copy to pageable memory waits: %d\n", pageable);

    *pinned = 3;
    pageable = 3;
    must(cudaMemcpyAsync(d, pinned, 4, cudaMemcpyHostToDevice, 0));
    must(cudaMemcpyAsync(e, &pageable, 4, cudaMemcpyHostToDevice, 0));
    *pinned = pageable = 4; // too early for the pinned one
    must(cudaMemcpy(&value, d, 4, cudaMemcpyDeviceToHost));
    printf("from pinned memory: %d\n", value);
    must(cudaMemcpy(&value, e, 4, cudaMemcpyDeviceToHost));
    printf("from pageable memory: %d\n", value);

    cudaStream_t a, b, free_running;
    cudaEvent_t event;
    must(cudaStreamCreate(&a));
    must(cudaStreamCreate(&b));
    must(cudaStreamCreateWithFlags(&free_running, cudaStreamNonBlocking));
    must(cudaEventCreate(&event));
    must(cudaMemset(d, 0, 4));
    must(cudaMemset(e, 0, 4));
    must(cudaDeviceSynchronize());

    put<<<1, 1, 0, a>>>(d, 5); // b forgets to wait for a
    carry<<<1, 1, 0, b>>>(e, d);
    must(cudaMemcpyAsync(pinned, e, 4, cudaMemcpyDeviceToHost, b));
    must(cudaStreamSynchronize(b));
    printf("without an event: %d\n", *pinned);
    must(cudaDeviceSynchronize());

    put<<<1, 1, 0, a>>>(d, 6);
    must(cudaEventRecord(event, a));
    must(cudaStreamWaitEvent(b, event, 0));
    carry<<<1, 1, 0, b>>>(e, d);
    must(cudaMemcpyAsync(pinned, e, 4, cudaMemcpyDeviceToHost, b));
    must(cudaStreamSynchronize(b));
    printf("with an event: %d\n", *pinned);

    put<<<1, 1, 0, a>>>(d, 7); // the legacy stream waits for blocking streams
    carry<<<1, 1>>>(e, d);
    must(cudaMemcpy(&value, e, 4, cudaMemcpyDeviceToHost));
    printf("through the legacy stream: %d\n", value);

    put<<<1, 1, 0, free_running>>>(d, 8); // and not for the others
    must(cudaMemcpy(&value, d, 4, cudaMemcpyDeviceToHost));
    printf("past a non-blocking stream: %d\n", value);
    must(cudaStreamSynchronize(free_running));
    must(cudaMemcpy(&value, d, 4, cudaMemcpyDeviceToHost));
    printf("after it: %d\n", value);

    put<<<1, 1, 0, a>>>(d, 9);
    must(cudaLaunchHostFunc(a, note, (void *)1));
    must(cudaLaunchHostFunc(b, note, (void *)2));
    must(cudaLaunchHostFunc(a, note, (void *)3));
    printf("called before a wait: %d\n", placed);
    must(cudaStreamSynchronize(b));
    must(cudaStreamSynchronize(a));
    printf("called: %d %d %d\n", order[0], order[1], order[2]);

    cudaEvent_t start, end;
    float once, twice;
    must(cudaEventCreate(&start));
    must(cudaEventCreate(&end));
    must(cudaEventRecord(start));
    put<<<1, 1>>>(d, 1);
    must(cudaEventRecord(event));
    put<<<1, 1>>>(d, 1);
    must(cudaEventRecord(end));
    must(cudaDeviceSynchronize());
    must(cudaEventElapsedTime(&once, start, event));
    must(cudaEventElapsedTime(&twice, start, end));
    printf("times rise: %d\n", once > 0 && twice > once);

    pthread_t thread;
    void *result;
    pthread_create(&thread, nullptr, in_a_thread, d);
    pthread_join(thread, &result);
    printf("another thread: %d\n", (int)(size_t)result);

    for (int i = 0; i < 10000; i++) // more than any queue holds
        put<<<1, 1>>>(managed, i);
    must(cudaDeviceSynchronize());
    printf("all: %d\n", *managed);
}
