// Texture and surface objects: which descriptors are taken, and what is told back.

#include "say.h"

__global__ void fetch(cudaTextureObject_t t, int *out)
{
    out[threadIdx.x] = tex1Dfetch<int>(t, threadIdx.x);
}

static cudaResourceDesc resource;
static cudaTextureDesc reading;

static void create(const char *what)
{
    cudaTextureObject_t t = 0;
    cudaError_t code = cudaCreateTextureObject(&t, &resource, &reading, NULL);
    printf("%s: %s, last %s\n", what, cudaGetErrorName(code),
           cudaGetErrorName(cudaGetLastError()));
    if (!code)
        must(cudaDestroyTextureObject(t));
    reading = {};
}

static void linear(void *at, cudaChannelFormatDesc format, size_t bytes)
{
    resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear = {at, format, bytes};
}

static void pitched(void *at, size_t width, size_t height, size_t pitch)
{
    resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D = {at, cudaCreateChannelDesc<float>(), width, height, pitch};
}

static void of_memory(char *memory)
{
    cudaChannelFormatDesc ints = cudaCreateChannelDesc<int>();
    linear(memory, ints, 1024);
    create("linear");
    linear(memory + 4, ints, 1024);
    create("linear, off by 4");
    linear(memory, ints, 2);
    create("linear, no element");
    linear(memory, cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindSigned), 1024);
    create("linear, of three");
    linear(memory, cudaCreateChannelDesc(8, 16, 0, 0, cudaChannelFormatKindSigned), 1024);
    create("linear, uneven");
    linear(memory, ints, 1024);
    reading.readMode = cudaReadModeNormalizedFloat;
    create("linear, whole words as parts of 1");
    pitched(memory, 8, 8, 64);
    create("pitched");
    pitched(memory, 8, 8, 36);
    create("pitched, at 36");
    pitched(memory, 8, 0, 64);
    create("pitched, no rows");
    pitched(memory, 8, 8, 64);
    reading.filterMode = cudaFilterModeLinear;
    create("pitched, linear");
}

static void of_arrays()
{
    cudaArray_t ints, bytes, floats;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<int>();
    must(cudaMallocArray(&ints, &d, 8, 8));
    d = cudaCreateChannelDesc<uchar2>();
    must(cudaMallocArray(&bytes, &d, 8, 8, cudaArraySurfaceLoadStore));
    d = cudaCreateChannelDesc<float>();
    must(cudaMallocArray(&floats, &d, 8, 8));
    resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = ints;
    create("integers");
    reading.filterMode = cudaFilterModeLinear;
    create("integers, linear");
    reading.readMode = cudaReadModeNormalizedFloat;
    create("integers as parts of 1");
    resource.res.array.array = bytes;
    reading.filterMode = cudaFilterModeLinear;
    create("bytes, linear");
    reading.filterMode = cudaFilterModeLinear;
    reading.readMode = cudaReadModeNormalizedFloat;
    create("bytes as parts of 1, linear");
    resource.res.array.array = floats;
    reading.filterMode = cudaFilterModeLinear;
    create("floats, linear");
    cudaSurfaceObject_t s = 0;
    SAY(cudaCreateSurfaceObject(&s, &resource)); // made without the flag
    resource.res.array.array = bytes;
    SAY(cudaCreateSurfaceObject(&s, &resource));
    cudaResourceDesc told = {};
    SAY(cudaGetSurfaceObjectResourceDesc(&told, s));
    printf("the same: %d\n", told.resType == cudaResourceTypeArray &&
                                 told.res.array.array == bytes);
    SAY(cudaDestroySurfaceObject(s));
    must(cudaGetChannelDesc(&d, bytes));
    printf("%d %d %d %d, %d\n", d.x, d.y, d.z, d.w, d.f);
    must(cudaFreeArray(ints));
    must(cudaFreeArray(bytes));
    must(cudaFreeArray(floats));
}

static void told(char *memory)
{
    cudaTextureObject_t t;
    linear(memory, cudaCreateChannelDesc<short4>(), 512);
    reading.addressMode[0] = cudaAddressModeBorder;
    reading.readMode = cudaReadModeNormalizedFloat;
    reading.borderColor[2] = 0.5f;
    SAY(cudaCreateTextureObject(&t, &resource, &reading, NULL));
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    SAY(cudaGetTextureObjectResourceDesc(&r, t));
    printf("type %d, at %d, %zu bytes, %d bits\n", r.resType,
           (int)((char *)r.res.linear.devPtr - memory), r.res.linear.sizeInBytes,
           r.res.linear.desc.w);
    SAY(cudaGetTextureObjectTextureDesc(&d, t));
    printf("read mode %d\n", d.readMode);
    SAY(cudaDestroyTextureObject(t));
    SAY(cudaCreateTextureObject(&t, NULL, &reading, NULL));
    SAY(cudaCreateTextureObject(&t, &resource, NULL, NULL));
    reading = {};
}

// An object may read managed memory and variables, and reads what is there at the launch.
__device__ __align__(512) int variable[32];

static void other_memory(int *out)
{
    int *managed, host[32];
    must(cudaMallocManaged(&managed, sizeof host));
    for (int i = 0; i < 32; i++)
        managed[i] = i * i;
    cudaTextureObject_t t;
    linear(managed, cudaCreateChannelDesc<int>(), sizeof host);
    must(cudaCreateTextureObject(&t, &resource, &reading, NULL));
    fetch<<<1, 32>>>(t, out);
    must(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("managed: %d %d\n", host[1], host[31]);
    must(cudaDestroyTextureObject(t));
    void *at;
    must(cudaGetSymbolAddress(&at, variable));
    linear(at, cudaCreateChannelDesc<int>(), sizeof variable);
    must(cudaCreateTextureObject(&t, &resource, &reading, NULL));
    must(cudaMemcpyToSymbol(variable, managed, sizeof host));
    fetch<<<1, 32>>>(t, out);
    must(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("variable: %d %d\n", host[2], host[30]);
    must(cudaDestroyTextureObject(t));
    must(cudaFree(managed));
}

int main()
{
    char *memory;
    must(cudaMalloc(&memory, 1 << 16));
    of_memory(memory);
    of_arrays();
    told(memory);
    other_memory((int *)memory);
    must(cudaDeviceSynchronize());
}
