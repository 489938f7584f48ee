// Memory in stream order: what pools hold, when they let go, and wrong uses.

#include "say.h"

__global__ void put(int *p, int value)
{
    *p = value;
}

static unsigned long long about(cudaMemPool_t pool, cudaMemPoolAttr what)
{
    unsigned long long value = ~0ull;
    must(cudaMemPoolGetAttribute(pool, what, &value));
    return value;
}

static int switch_of(cudaMemPool_t pool, cudaMemPoolAttr what)
{
    int value = -1;
    must(cudaMemPoolGetAttribute(pool, what, &value));
    return value;
}

static void say_pool(const char *when, cudaMemPool_t pool)
{
    unsigned long long used = about(pool, cudaMemPoolAttrUsedMemCurrent);
    unsigned long long reserved = about(pool, cudaMemPoolAttrReservedMemCurrent);
    printf("%s: used %llu, high %llu, reserved %s\n", when, used,
           about(pool, cudaMemPoolAttrUsedMemHigh),
           reserved == 0      ? "nothing"
           : reserved >= used ? "enough"
                              : "too little");
}

int main()
{
    cudaStream_t s, other;
    cudaMemPool_t pool, mine, seen;
    int *p, *q, *r, value = 0;
    must(cudaStreamCreate(&s));
    must(cudaStreamCreate(&other));
    must(cudaDeviceGetDefaultMemPool(&pool, 0));
    must(cudaDeviceGetMemPool(&seen, 0));
    printf("the device's pool is its default: %d\n", pool == seen);
    printf("threshold %llu, reuse %d %d %d\n",
           about(pool, cudaMemPoolAttrReleaseThreshold),
           switch_of(pool, cudaMemPoolReuseFollowEventDependencies),
           switch_of(pool, cudaMemPoolReuseAllowOpportunistic),
           switch_of(pool, cudaMemPoolReuseAllowInternalDependencies));
    say_pool("new", pool);
    must(cudaMallocAsync(&p, 1 << 20, s));
    must(cudaMallocAsync(&q, 3 << 20, s));
    say_pool("two", pool);
    put<<<1, 1, 0, s>>>(p, 1);
    put<<<1, 1, 0, s>>>(q, 2);
    must(cudaFreeAsync(q, s));
    say_pool("one", pool);
    must(cudaMallocAsync(&r, 3 << 20, s));
    printf("in one stream memory is used again: %d\n", q == r);
    must(cudaMemcpyAsync(&value, p, 4, cudaMemcpyDeviceToHost, s));
    must(cudaFreeAsync(r, s));
    must(cudaFreeAsync(p, s));
    must(cudaStreamSynchronize(s));
    printf("value %d\n", value);
    say_pool("none, after a wait", pool);

    unsigned long long keep = 64 << 20, zero = 0;
    must(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    must(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero));
    must(cudaMallocAsync(&p, 1 << 20, s));
    must(cudaFreeAsync(p, s));
    must(cudaStreamSynchronize(s));
    say_pool("kept", pool);
    must(cudaMemPoolTrimTo(pool, 0));
    say_pool("trimmed", pool);

    cudaMemPoolProps about_mine = {};
    about_mine.allocType = cudaMemAllocationTypePinned;
    about_mine.location = {cudaMemLocationTypeDevice, 0};
    must(cudaMemPoolCreate(&mine, &about_mine));
    must(cudaMallocFromPoolAsync(&p, 1 << 20, mine, s));
    say_pool("mine", mine);
    say_pool("the other", pool);
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    cudaMemAccessFlags flags;
    must(cudaMemPoolGetAccess(&flags, mine, &here));
    printf("access %d\n", flags);
    must(cudaDeviceSetMemPool(0, mine));
    must(cudaDeviceGetMemPool(&seen, 0));
    printf("chosen: %d\n", seen == mine);
    must(cudaMallocAsync(&q, 2 << 20, s));
    say_pool("mine", mine);
    must(cudaDeviceSetMemPool(0, pool));
    must(cudaFreeAsync(p, s));
    must(cudaFreeAsync(q, s));
    must(cudaStreamSynchronize(s));
    SAY(cudaMemPoolDestroy(mine));

    must(cudaMallocAsync(&p, 1024, s));
    must(cudaStreamSynchronize(s));
    SAY(cudaFree(p));
    SAY(cudaFreeAsync(p, s));
    SAY(cudaFreeAsync(&value, s));
    SAY(cudaMallocAsync(nullptr, 16, s));
    SAY(cudaMallocAsync(&p, (size_t)1 << 50, s));
    SAY(cudaMemPoolDestroy(pool));
    SAY(cudaMemPoolDestroy(nullptr));
    SAY(cudaMemPoolCreate(nullptr, &about_mine));
    SAY(cudaMemPoolCreate(&mine, nullptr));
    SAY(cudaDeviceGetDefaultMemPool(&pool, 99));
    SAY(cudaMemPoolGetAttribute(pool, (cudaMemPoolAttr)99, &keep));
    keep = 5;
    SAY(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &keep));
    SAY(cudaMemPoolTrimTo(nullptr, 0));

    size_t before, during, after, all;
    must(cudaMemGetInfo(&before, &all));
    must(cudaMalloc(&p, 256 << 20));
    must(cudaMemGetInfo(&during, &all));
    must(cudaFree(p));
    must(cudaMemGetInfo(&after, &all));
    printf("free memory moves: %d %d\n", before - during == 256 << 20, before == after);

    cudaPointerAttributes a;
    must(cudaMallocAsync(&p, 1024, s));
    must(cudaPointerGetAttributes(&a, p));
    printf("type %d, device %d\n", a.type, a.device);
    must(cudaFreeAsync(p, s));
    must(cudaDeviceSynchronize());
}
