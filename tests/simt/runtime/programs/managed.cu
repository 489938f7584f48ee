// Managed memory: advice, prefetches, what is said of a range, and attachment. (What
// moves when is counted by the emulator, and checked elsewhere.)

#include "say.h"

__global__ void add(int *p, int n, int by)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        p[i] += by;
}

static cudaMemLocation device()
{
    return {cudaMemLocationTypeDevice, 0};
}
static cudaMemLocation host()
{
    return {cudaMemLocationTypeHost, 0};
}

static void say_range(const char *when, const void *p, size_t bytes)
{
    int mostly = -1, preferred = -1, last = -1, by[2] = {-1, -1};
    must(cudaMemRangeGetAttribute(&mostly, 4, cudaMemRangeAttributeReadMostly, p,
                                  bytes));
    must(cudaMemRangeGetAttribute(&preferred, 4, cudaMemRangeAttributePreferredLocation,
                                  p, bytes));
    must(cudaMemRangeGetAttribute(&last, 4, cudaMemRangeAttributeLastPrefetchLocation,
                                  p, bytes));
    must(cudaMemRangeGetAttribute(by, 8, cudaMemRangeAttributeAccessedBy, p, bytes));
    printf("%s: mostly %d, preferred %d, last %d, by %d %d\n", when, mostly, preferred,
           last, by[0], by[1]);
}

int main()
{
    const size_t bytes = 4 << 20;
    const int n = (int)(bytes / 4);
    int *p, *d;
    must(cudaMallocManaged(&p, bytes));
    must(cudaMalloc(&d, 4096));
    for (int i = 0; i < n; i++)
        p[i] = i;
    say_range("new", p, bytes);
    must(cudaMemAdvise(p, bytes, cudaMemAdviseSetReadMostly, device()));
    must(cudaMemAdvise(p, bytes, cudaMemAdviseSetPreferredLocation, device()));
    must(cudaMemAdvise(p, bytes, cudaMemAdviseSetAccessedBy, host()));
    say_range("advised", p, bytes);
    must(cudaMemPrefetchAsync(p, bytes, device(), 0, 0));
    say_range("prefetched", p, bytes);
    add<<<1, 256>>>(p, n, 1);
    must(cudaMemPrefetchAsync(p, bytes / 2, host(), 0, 0));
    must(cudaDeviceSynchronize());
    say_range("half at home", p, bytes / 2);
    say_range("other half", (char *)p + bytes / 2, bytes / 2);
    say_range("mixed", p, bytes);
    printf("values %d %d\n", p[0], p[n - 1]);
    must(cudaMemAdvise(p, bytes, cudaMemAdviseUnsetReadMostly, device()));
    must(cudaMemAdvise(p, bytes, cudaMemAdviseUnsetPreferredLocation, device()));
    must(cudaMemAdvise(p, bytes, cudaMemAdviseSetAccessedBy, device()));
    must(cudaMemAdvise(p, bytes, cudaMemAdviseUnsetAccessedBy, host()));
    must(cudaMemAdvise(p, bytes / 2, cudaMemAdviseSetPreferredLocation, host()));
    say_range("first half", p, bytes / 2);
    say_range("mixed", p, bytes);

    int mostly = -1, last = -1;
    void *values[] = {&mostly, &last};
    size_t sizes[] = {4, 4};
    cudaMemRangeAttribute which[] = {cudaMemRangeAttributeReadMostly,
                                     cudaMemRangeAttributeLastPrefetchLocation};
    SAY(cudaMemRangeGetAttributes(values, sizes, which, 2, p, bytes / 2));
    printf("both: %d %d\n", mostly, last);

    SAY(cudaMemAdvise(d, 4096, cudaMemAdviseSetReadMostly, device()));
    SAY(cudaMemAdvise(p, bytes + (64 << 20), cudaMemAdviseSetReadMostly, device()));
    SAY(cudaMemAdvise(p, bytes, (cudaMemoryAdvise)99, device()));
    SAY(cudaMemAdvise(p, bytes, cudaMemAdviseSetPreferredLocation,
                      cudaMemLocation{cudaMemLocationTypeDevice, 99}));
    SAY(cudaMemPrefetchAsync(d, 4096, device(), 0, 0));
    SAY(cudaMemPrefetchAsync(p, bytes, cudaMemLocation{cudaMemLocationTypeDevice, 99},
                             0, 0));
    SAY(cudaMemRangeGetAttribute(&mostly, 2, cudaMemRangeAttributeReadMostly, p,
                                 bytes));
    SAY(cudaMemRangeGetAttribute(&mostly, 4, cudaMemRangeAttributeReadMostly, d, 4096));
    SAY(cudaMemRangeGetAttribute(&mostly, 4, (cudaMemRangeAttribute)99, p, bytes));
    SAY(cudaMemRangeGetAttribute(nullptr, 4, cudaMemRangeAttributeReadMostly, p,
                                 bytes));

    cudaStream_t s;
    int *q;
    must(cudaStreamCreate(&s));
    must(cudaMallocManaged(&q, 4096, cudaMemAttachHost));
    q[0] = 5;
    SAY(cudaStreamAttachMemAsync(s, q, 0, cudaMemAttachSingle));
    must(cudaStreamSynchronize(s));
    add<<<1, 1, 0, s>>>(q, 1, 1);
    must(cudaStreamSynchronize(s));
    printf("attached: %d\n", q[0]);
    SAY(cudaStreamAttachMemAsync(s, q, 0, cudaMemAttachGlobal));
    SAY(cudaStreamAttachMemAsync(s, q, 16, cudaMemAttachGlobal));
    SAY(cudaStreamAttachMemAsync(s, d, 0, cudaMemAttachGlobal));
    SAY(cudaStreamAttachMemAsync(s, q, 0, 99));
    SAY(cudaMallocManaged(&q, 16, 99));
    SAY(cudaMallocManaged(nullptr, 16));
    SAY(cudaFree(p));
    SAY(cudaFree(p));
}
