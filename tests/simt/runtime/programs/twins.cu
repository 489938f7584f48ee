// Compiled with --default-stream per-thread: stream 0 is the thread's own. Each
// thread's work is in order; the calls that wait, wait for that thread's alone.

#include "say.h"

#include <pthread.h>

__global__ void add(int *p, int by)
{
    *p += by;
}

__device__ int variable;

static void *work(void *which)
{
    int by = (int)(size_t)which, value = 0, *d, *e;
    must(cudaMalloc(&d, 16));
    must(cudaMallocAsync(&e, 16, 0));
    must(cudaMemset(d, 0, 16));
    for (int i = 0; i < 10; i++)
        add<<<1, 1>>>(d, by);
    must(cudaMemcpyAsync(e, d, 4, cudaMemcpyDeviceToDevice, 0));
    must(cudaMemcpy(&value, e, 4, cudaMemcpyDeviceToHost));
    must(cudaFreeAsync(e, 0));
    must(cudaStreamSynchronize(0));
    must(cudaFree(d));
    return (void *)(size_t)value;
}

static void note(void *to)
{
    *(int *)to += 1;
}

int main()
{
    pthread_t threads[4];
    for (size_t i = 0; i < 4; i++)
        pthread_create(&threads[i], nullptr, work, (void *)(i + 1));
    for (int i = 0; i < 4; i++) {
        void *value;
        pthread_join(threads[i], &value);
        printf("thread %d: %d\n", i, (int)(size_t)value);
    }
    unsigned long long own, legacy;
    must(cudaStreamGetId(0, &own));
    must(cudaStreamGetId(cudaStreamLegacy, &legacy));
    printf("stream 0 is the legacy one: %d\n", own == legacy);

    int value = 5, called = 0;
    cudaEvent_t start, end;
    must(cudaEventCreate(&start));
    must(cudaEventCreate(&end));
    must(cudaEventRecord(start));
    must(cudaMemcpyToSymbol(variable, &value, 4));
    int *at;
    must(cudaGetSymbolAddress((void **)&at, variable));
    add<<<1, 1>>>(at, 3);
    must(cudaEventRecord(end));
    must(cudaLaunchHostFunc(0, note, &called));
    must(cudaMemcpyFromSymbol(&value, variable, 4));
    must(cudaStreamSynchronize(0));
    float ms = -1;
    must(cudaEventElapsedTime(&ms, start, end));
    printf("symbol %d, called %d, time %s\n", value, called,
           ms >= 0 ? "passes" : "stands");

    cudaGraph_t graph;
    cudaGraphExec_t exec;
    SAY(cudaStreamBeginCapture(0,
                               cudaStreamCaptureModeGlobal)); // not the legacy stream
    add<<<1, 1>>>(at, 1);
    SAY(cudaStreamEndCapture(0, &graph));
    must(cudaGraphInstantiate(&exec, graph, 0));
    must(cudaGraphLaunch(exec, 0));
    must(cudaGraphLaunch(exec, 0));
    must(cudaMemcpyFromSymbol(&value, variable, 4));
    printf("captured: %d\n", value);
    SAY(cudaGraphExecDestroy(exec));
    SAY(cudaGraphDestroy(graph));
}
