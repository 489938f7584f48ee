// What takes longer than what: streams beside each other, pinned and pageable memory,
// kernels that share the GPU or not. Times differ from GPU to GPU, these orders do not.

#include <cstdio>
#include <cstdlib>

static void must(cudaError_t error)
{
    if (error) {
        printf("%s\n", cudaGetErrorName(error));
        exit(1);
    }
}

static __global__ void chain(float *p, int n)
{
    float x = p[threadIdx.x];
    for (int i = 0; i < n; i++)
        x = x * 1.0001f + 0.5f;
    p[(size_t)blockIdx.x * blockDim.x + threadIdx.x] = x;
}

enum { N = 1 << 22, STREAMS = 4, PART = N / STREAMS };
static float *host, *device;
static cudaEvent_t start, stop;
static cudaStream_t streams[STREAMS];

static float milliseconds()
{
    float ms;
    must(cudaEventRecord(stop));
    must(cudaEventSynchronize(stop));
    must(cudaEventElapsedTime(&ms, start, stop));
    return ms;
}

static float copied(const void *from, size_t bytes)
{
    must(cudaEventRecord(start));
    must(cudaMemcpyAsync(device, from, bytes, cudaMemcpyHostToDevice));
    return milliseconds();
}

// There, work, and back, in as many streams.
static float pipeline(int count)
{
    must(cudaDeviceSynchronize());
    must(cudaEventRecord(start));
    for (int i = 0; i < STREAMS; i++) {
        cudaStream_t s = streams[i % count];
        float *d = device + i * PART, *h = host + i * PART;
        must(cudaMemcpyAsync(d, h, PART * sizeof *d, cudaMemcpyHostToDevice, s));
        chain<<<PART / 256, 256, 0, s>>>(d, 100);
        must(cudaMemcpyAsync(h, d, PART * sizeof *d, cudaMemcpyDeviceToHost, s));
    }
    return milliseconds();
}

// Kernels of one block each, in as many streams.
static float small_kernels(int count)
{
    must(cudaDeviceSynchronize());
    must(cudaEventRecord(start));
    for (int i = 0; i < STREAMS; i++)
        chain<<<1, 256, 0, streams[i % count]>>>(device + i * 256, 20000);
    return milliseconds();
}

int main()
{
    must(cudaMallocHost(&host, N * sizeof *host));
    float *pageable = (float *)calloc(N, sizeof *pageable);
    must(cudaMalloc(&device, N * sizeof *device));
    must(cudaMemset(device, 0, N * sizeof *device));
    must(cudaEventCreate(&start));
    must(cudaEventCreate(&stop));
    for (cudaStream_t &s : streams)
        must(cudaStreamCreate(&s));
    copied(host, N * sizeof *host); // the first calls take longest
    copied(pageable, N * sizeof *host);
    pipeline(1);

    float pinned = copied(host, N * sizeof *host);
    printf("pinned memory is copied faster: %d\n", pinned < copied(pageable, N * sizeof *host));
    printf("half as much takes less: %d\n", copied(host, N / 2 * sizeof *host) < pinned);
    float one = pipeline(1), four = pipeline(STREAMS);
    printf("streams overlap: %d\n", four < 0.85f * one);
    printf("not by more than copies allow: %d\n", four > 0.4f * one);
    one = small_kernels(1), four = small_kernels(STREAMS);
    printf("small kernels run beside each other: %d\n", four < 0.5f * one);

    cudaEvent_t done;
    must(cudaEventCreate(&done));
    must(cudaDeviceSynchronize());
    must(cudaEventRecord(start));
    for (int i = 0; i < STREAMS; i++) { // each waits for the one before
        must(cudaStreamWaitEvent(streams[i], done, 0));
        chain<<<1, 256, 0, streams[i]>>>(device + i * 256, 20000);
        must(cudaEventRecord(done, streams[i]));
    }
    printf("unless they wait for each other: %d\n", milliseconds() > 0.8f * one);
    must(cudaDeviceSynchronize());
    return 0;
}
