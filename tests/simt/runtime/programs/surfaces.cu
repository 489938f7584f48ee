// Surfaces: kernels write arrays, read them back, go over their edges; later launches see
// what was written through textures, and copies see it too.

#include "say.h"

#include <vector>

__global__ void fill(cudaSurfaceObject_t s, int width, int scale)
{
    int x = threadIdx.x, y = blockIdx.x;
    if (x < width)
        surf2Dwrite((float)(scale * (x + 10 * y)), s, x * 4, y);
}

// Edges: what lies outside is not written, or the nearest texel is.
__global__ void edges(cudaSurfaceObject_t s, float *out)
{
    int x = (int)threadIdx.x - 2;
    out[threadIdx.x] = surf2Dread<float>(s, x * 4, 1, cudaBoundaryModeZero);
    out[threadIdx.x + 32] = surf2Dread<float>(s, x * 4, 1, cudaBoundaryModeClamp);
    out[threadIdx.x + 64] = surf2Dread<float>(s, 8, x, cudaBoundaryModeZero);
    out[threadIdx.x + 96] = surf2Dread<float>(s, 8, x, cudaBoundaryModeClamp);
}

__global__ void write_outside(cudaSurfaceObject_t s)
{
    surf2Dwrite(-1.0f, s, -4, 0, cudaBoundaryModeZero);
    surf2Dwrite(-2.0f, s, 0, 99, cudaBoundaryModeZero);
    surf2Dwrite(-3.0f, s, 99 * 4, 2, cudaBoundaryModeClamp);
}

__global__ void through_texture(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex2D<float>(t, 0.5f + threadIdx.x % 5, 0.5f + threadIdx.x / 5);
}

__global__ void line(cudaSurfaceObject_t s, unsigned *out)
{
    int x = threadIdx.x;
    surf1Dwrite(make_uchar4(x, 2 * x, 3 * x, 255 - x), s, 4 * x);
    uchar4 c = surf1Dread<uchar4>(s, 4 * x);
    out[x] = c.x + (c.y << 8) + (c.z << 16) + ((unsigned)c.w << 24);
}

__global__ void box(cudaSurfaceObject_t s)
{
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    surf3Dwrite(make_short2(x + 4 * y, -z), s, 4 * x, y, z);
}

__global__ void layers(cudaSurfaceObject_t lines, cudaSurfaceObject_t planes)
{
    int x = threadIdx.x, layer = blockIdx.x;
    surf1DLayeredwrite(100 * layer + x, lines, 4 * x, layer);
    surf2DLayeredwrite(make_int4(layer, x, x % 2, x / 2), planes, x % 2 * 16, x / 2, layer);
}

__global__ void cube(cudaSurfaceObject_t s)
{
    surfCubemapwrite((unsigned short)(1000 * blockIdx.x + threadIdx.x), s,
                     threadIdx.x % 2 * 2, threadIdx.x / 2, (int)blockIdx.x);
}

__global__ void increment(cudaSurfaceObject_t s)
{
    double2 v;
    int4 raw = surf2Dread<int4>(s, threadIdx.x * 16, 0);
    memcpy(&v, &raw, sizeof v);
    v.x += 1;
    v.y *= 2;
    memcpy(&raw, &v, sizeof v);
    surf2Dwrite(raw, s, threadIdx.x * 16, 0);
}

static cudaSurfaceObject_t surface(cudaArray_t a)
{
    cudaResourceDesc r = {};
    cudaSurfaceObject_t s = 0;
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    must(cudaCreateSurfaceObject(&s, &r));
    return s;
}

template <class T> static cudaArray_t array_of(cudaExtent e, unsigned flags)
{
    cudaArray_t a;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    must(cudaMalloc3DArray(&a, &format, e, flags | cudaArraySurfaceLoadStore));
    return a;
}

template <class T> static std::vector<T> texels(cudaArray_t a, size_t x, size_t y, size_t z)
{
    std::vector<T> v(x * y * z);
    cudaMemcpy3DParms p = {};
    p.srcArray = a;
    p.dstPtr = make_cudaPitchedPtr(v.data(), x * sizeof(T), x, y);
    p.extent = make_cudaExtent(x, y, z);
    p.kind = cudaMemcpyDeviceToHost;
    must(cudaMemcpy3D(&p));
    return v;
}

static void show(const char *name, const float *v, int n)
{
    printf("%s:", name);
    for (int i = 0; i < n; i++)
        printf(" %g", v[i]);
    printf("\n");
}

static void planes(float *out)
{
    float host[128];
    cudaArray_t a = array_of<float>(make_cudaExtent(5, 3, 0), 0);
    cudaSurfaceObject_t s = surface(a);
    fill<<<3, 32>>>(s, 5, 2);
    edges<<<1, 10>>>(s, out);
    must(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    show("row, zero outside", host, 10);
    show("row, clamped", host + 32, 10);
    show("column, zero outside", host + 64, 10);
    show("column, clamped", host + 96, 10);
    write_outside<<<1, 1>>>(s);
    cudaTextureObject_t t;
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    must(cudaCreateTextureObject(&t, &r, &d, NULL));
    through_texture<<<1, 15>>>(t, out);
    must(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    show("through a texture", host, 15);
    fill<<<1, 32>>>(s, 2, 3);
    through_texture<<<1, 15>>>(t, out);
    must(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    show("written again", host, 15);
    auto v = texels<float>(a, 5, 3, 1);
    show("copied", v.data(), 15);
    must(cudaDestroyTextureObject(t));
    must(cudaDestroySurfaceObject(s));
    must(cudaFreeArray(a));
}

static void others(unsigned *out)
{
    unsigned host[8];
    cudaArray_t a = array_of<uchar4>(make_cudaExtent(8, 0, 0), 0);
    cudaSurfaceObject_t s = surface(a);
    line<<<1, 8>>>(s, out);
    must(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("line:");
    for (unsigned u : host)
        printf(" %08x", u);
    must(cudaDestroySurfaceObject(s));
    must(cudaFreeArray(a));
    a = array_of<short2>(make_cudaExtent(4, 3, 2), 0);
    s = surface(a);
    box<<<1, dim3(4, 3, 2)>>>(s);
    printf("\nbox:");
    for (short2 p : texels<short2>(a, 4, 3, 2))
        printf(" %d,%d", p.x, p.y);
    must(cudaDestroySurfaceObject(s));
    must(cudaFreeArray(a));
    cudaArray_t b = array_of<int4>(make_cudaExtent(2, 2, 3), cudaArrayLayered);
    a = array_of<int>(make_cudaExtent(4, 0, 3), cudaArrayLayered);
    s = surface(a);
    cudaSurfaceObject_t t = surface(b);
    layers<<<3, 4>>>(s, t);
    printf("\nlayers of lines:");
    for (int i : texels<int>(a, 4, 1, 3))
        printf(" %d", i);
    printf("\nlayers of planes:");
    for (int4 i : texels<int4>(b, 2, 2, 3))
        printf(" %d,%d,%d,%d", i.x, i.y, i.z, i.w);
    must(cudaDestroySurfaceObject(s));
    must(cudaDestroySurfaceObject(t));
    must(cudaFreeArray(a));
    must(cudaFreeArray(b));
    a = array_of<unsigned short>(make_cudaExtent(2, 2, 6), cudaArrayCubemap);
    s = surface(a);
    cube<<<6, 4>>>(s);
    printf("\ncube:");
    for (int i : texels<unsigned short>(a, 2, 2, 6))
        printf(" %d", i);
    must(cudaDestroySurfaceObject(s));
    must(cudaFreeArray(a));
    a = array_of<int4>(make_cudaExtent(3, 1, 0), 0);
    s = surface(a);
    double2 v[] = {{1, 2}, {3, 4}, {5, 6}};
    must(cudaMemcpy2DToArray(a, 0, 0, v, sizeof v, sizeof v, 1, cudaMemcpyHostToDevice));
    increment<<<1, 3>>>(s);
    increment<<<1, 3>>>(s);
    must(cudaMemcpy2DFromArray(v, sizeof v, a, 0, 0, sizeof v, 1, cudaMemcpyDeviceToHost));
    printf("\nsixteen bytes each:");
    for (double2 p : v)
        printf(" %g,%g", p.x, p.y);
    printf("\n");
    must(cudaDestroySurfaceObject(s));
    must(cudaFreeArray(a));
}

// A level of a mipmapped array is a surface too.
static void level(float *out)
{
    cudaMipmappedArray_t m;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    must(cudaMallocMipmappedArray(&m, &format, make_cudaExtent(8, 8, 0), 2,
                                  cudaArraySurfaceLoadStore));
    cudaArray_t a;
    must(cudaGetMipmappedArrayLevel(&a, m, 1));
    cudaSurfaceObject_t s = surface(a);
    fill<<<4, 32>>>(s, 4, 1);
    auto v = texels<float>(a, 4, 4, 1);
    show("second level", v.data(), 16);
    must(cudaDestroySurfaceObject(s));
    must(cudaFreeMipmappedArray(m));
}

int main()
{
    void *out;
    must(cudaMalloc(&out, 4096));
    planes((float *)out);
    others((unsigned *)out);
    level((float *)out);
    must(cudaDeviceSynchronize());
}
