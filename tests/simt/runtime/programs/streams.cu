// Streams and events: flags, priorities, numbers, attributes, callbacks, wrong handles.

#include "say.h"

#include <pthread.h>

__global__ void put(int *p, int value)
{
    *p = value;
}

static int seen[8], calls;

static void CUDART_CB call_back(cudaStream_t, cudaError_t code, void *which)
{
    seen[calls++ & 7] = (int)(size_t)which + (code ? 100 : 0);
}

static void note(void *which)
{
    seen[calls++ & 7] = (int)(size_t)which;
}

static unsigned long long id_of(cudaStream_t s)
{
    unsigned long long id = 0;
    must(cudaStreamGetId(s, &id));
    return id;
}

static void *own_id(void *to)
{
    *(unsigned long long *)to = id_of(cudaStreamPerThread);
    return nullptr;
}

static void numbers()
{
    cudaStream_t s, low, high, free_running;
    int least, greatest, priority, device = -1;
    unsigned flags;
    must(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    printf("priorities %d to %d\n", least, greatest);
    must(cudaStreamCreate(&s));
    must(cudaStreamCreateWithPriority(&low, cudaStreamNonBlocking, 5));
    must(cudaStreamCreateWithPriority(&high, cudaStreamDefault, -99));
    must(cudaStreamCreateWithFlags(&free_running, cudaStreamNonBlocking));
    for (cudaStream_t t :
         {(cudaStream_t)0, cudaStreamLegacy, s, low, high, free_running}) {
        must(cudaStreamGetFlags(t, &flags));
        must(cudaStreamGetPriority(t, &priority));
        must(cudaStreamGetDevice(t, &device));
        printf("flags %u, priority %d, device %d\n", flags, priority, device);
    }
    printf("ids differ: %d %d %d\n", id_of(s) != id_of(low), id_of(s) != id_of(0),
           id_of(0) != id_of(cudaStreamPerThread));
    unsigned long long other;
    pthread_t thread;
    pthread_create(&thread, nullptr, own_id, &other);
    pthread_join(thread, nullptr);
    printf("each thread has its own: %d\n", other != id_of(cudaStreamPerThread));
    SAY(cudaStreamGetFlags(s, nullptr));
    SAY(cudaStreamGetPriority(s, nullptr));
    SAY(cudaStreamGetId(s, nullptr));
    SAY(cudaStreamDestroy(0));
    SAY(cudaStreamCreateWithPriority(&s, 2, 0));
    SAY(cudaStreamCreateWithPriority(nullptr, 0, 0));

    cudaStreamAttrValue v = {};
    SAY(cudaStreamGetAttribute(s, cudaLaunchAttributePriority, &v));
    printf("priority %d\n", v.priority);
    v.priority = -2;
    SAY(cudaStreamSetAttribute(s, cudaLaunchAttributePriority, &v));
    must(cudaStreamGetPriority(s, &priority));
    printf("priority %d\n", priority);
    v.syncPolicy = cudaSyncPolicyBlockingSync;
    SAY(cudaStreamSetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &v));
    SAY(cudaStreamCopyAttributes(low, s));
    v.syncPolicy = cudaSyncPolicyAuto;
    SAY(cudaStreamGetAttribute(low, cudaLaunchAttributeSynchronizationPolicy, &v));
    printf("copied policy %d\n", v.syncPolicy);
    v = {};
    SAY(cudaStreamGetAttribute(s, cudaLaunchAttributeAccessPolicyWindow, &v));
    printf("window %zu %g\n", v.accessPolicyWindow.num_bytes,
           v.accessPolicyWindow.hitRatio);
    int *d;
    must(cudaMalloc(&d, 1 << 20));
    v.accessPolicyWindow = {d, 1 << 20, 0.5f, cudaAccessPropertyPersisting,
                            cudaAccessPropertyStreaming};
    SAY(cudaStreamSetAttribute(s, cudaLaunchAttributeAccessPolicyWindow, &v));
    v = {};
    must(cudaStreamGetAttribute(s, cudaLaunchAttributeAccessPolicyWindow, &v));
    printf("window %d %zu %g %d %d\n", v.accessPolicyWindow.base_ptr == d,
           v.accessPolicyWindow.num_bytes, v.accessPolicyWindow.hitRatio,
           v.accessPolicyWindow.hitProp, v.accessPolicyWindow.missProp);
    SAY(cudaCtxResetPersistingL2Cache());
    must(cudaFree(d));
}

static void callbacks()
{
    cudaStream_t s;
    int *d;
    must(cudaStreamCreate(&s));
    must(cudaMalloc(&d, 4));
    put<<<1, 1, 0, s>>>(d, 1);
    SAY(cudaStreamAddCallback(s, call_back, (void *)1, 0));
    SAY(cudaLaunchHostFunc(s, note, (void *)2));
    SAY(cudaStreamAddCallback(s, call_back, (void *)3, 0));
    must(cudaStreamSynchronize(s));
    printf("called %d: %d %d %d\n", calls, seen[0], seen[1], seen[2]);
    SAY(cudaStreamAddCallback(s, call_back, nullptr, 1));
    SAY(cudaStreamAddCallback(s, nullptr, nullptr, 0));
    SAY(cudaLaunchHostFunc(s, nullptr, nullptr));
    SAY(cudaFree(d));
}

static void events()
{
    cudaStream_t s;
    cudaEvent_t timed, untimed, blocking, between;
    float ms = -1;
    must(cudaStreamCreate(&s));
    SAY(cudaEventCreateWithFlags(&timed, cudaEventDefault));
    SAY(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    SAY(cudaEventCreateWithFlags(&blocking, cudaEventBlockingSync));
    SAY(cudaEventCreateWithFlags(&between, cudaEventInterprocess));
    SAY(cudaEventCreateWithFlags(&between,
                                 cudaEventInterprocess | cudaEventDisableTiming));
    SAY(cudaEventQuery(timed));
    SAY(cudaEventSynchronize(timed));
    SAY(cudaStreamWaitEvent(s, timed, 0));
    SAY(cudaEventElapsedTime(&ms, timed, blocking));
    must(cudaEventRecord(timed, s));
    SAY(cudaEventElapsedTime(&ms, timed, blocking));
    must(cudaEventRecord(blocking, s));
    must(cudaEventRecord(untimed, s));
    must(cudaStreamSynchronize(s));
    SAY(cudaEventElapsedTime(&ms, timed, blocking));
    printf("time %s\n", ms >= 0 ? "passes" : "runs back");
    SAY(cudaEventElapsedTime(&ms, timed, untimed));
    SAY(cudaEventElapsedTime(&ms, nullptr, timed));
    SAY(cudaEventElapsedTime(&ms, timed, timed));
    printf("none: %g\n", ms);
    SAY(cudaEventRecordWithFlags(timed, s, 99));
    SAY(cudaStreamWaitEvent(s, timed, 99));
    SAY(cudaStreamWaitEvent(s, nullptr, 0));
    SAY(cudaEventRecord(nullptr, s));
    SAY(cudaEventDestroy(timed));
}

int main()
{
    numbers();
    callbacks();
    events();
}
