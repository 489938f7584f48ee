// Textures of every kind. Texels are small multiples of 64 and points lie at quarters
// between them, so the 8-bit weights of linear filtering make no rounding.

#include "say.h"

#include <vector>

enum { WRAP, CLAMP, MIRROR, BORDER };

struct where {
    float x, y, z;
    int layer;
    float lod;
};

enum kind { T1, T2, T3, L1, L2, CUBE, CUBES, LOD, GRAD };

template <class R>
__global__ void read(int kind, cudaTextureObject_t t, const where *at, int n, R *out)
{
    int i = threadIdx.x;
    if (i >= n)
        return;
    where p = at[i];
    switch (kind) {
    case T1: out[i] = tex1D<R>(t, p.x); break;
    case T2: out[i] = tex2D<R>(t, p.x, p.y); break;
    case T3: out[i] = tex3D<R>(t, p.x, p.y, p.z); break;
    case L1: out[i] = tex1DLayered<R>(t, p.x, p.layer); break;
    case L2: out[i] = tex2DLayered<R>(t, p.x, p.y, p.layer); break;
    case CUBE: out[i] = texCubemap<R>(t, p.x, p.y, p.z); break;
    case CUBES: out[i] = texCubemapLayered<R>(t, p.x, p.y, p.z, p.layer); break;
    case LOD: out[i] = tex2DLod<R>(t, p.x, p.y, p.lod); break;
    case GRAD:
        out[i] = tex2DGrad<R>(t, p.x, p.y, make_float2(p.lod, 0), make_float2(0, p.lod / 2));
        break;
    }
}

template <class R> __global__ void fetch(cudaTextureObject_t t, int first, R *out)
{
    out[threadIdx.x] = tex1Dfetch<R>(t, first + (int)threadIdx.x);
}

__global__ void gather(cudaTextureObject_t t, float x, float y, float4 *out)
{
    out[0] = tex2Dgather<float4>(t, x, y, 0);
    out[1] = tex2Dgather<float4>(t, x, y, 1);
    out[2] = tex2Dgather<float4>(t, x, y, 2);
    out[3] = tex2Dgather<float4>(t, x, y, 3);
}

static void *out, *points;

static void show(const char *name, const std::vector<float> &v)
{
    printf("%s:", name);
    for (float x : v)
        printf(" %.9g", x);
    printf("\n");
}

template <class T = float> static std::vector<T> taken(int n)
{
    std::vector<T> v(n);
    must(cudaMemcpy(v.data(), out, n * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
}

static void read_all(const char *name, int kind, cudaTextureObject_t t,
                     const std::vector<where> &at)
{
    int n = (int)at.size();
    must(cudaMemcpy(points, at.data(), n * sizeof(where), cudaMemcpyHostToDevice));
    read<float><<<1, 128>>>(kind, t, (where *)points, n, (float *)out);
    must(cudaGetLastError());
    show(name, taken(n));
}

static cudaTextureDesc reading(int mode, cudaTextureFilterMode filter, bool normalized)
{
    cudaTextureDesc d = {};
    for (auto &m : d.addressMode)
        m = (cudaTextureAddressMode)mode;
    d.filterMode = filter;
    d.normalizedCoords = normalized;
    d.borderColor[0] = 32;
    return d;
}

static cudaTextureObject_t made(const cudaResourceDesc &r, const cudaTextureDesc &d)
{
    cudaTextureObject_t t = 0;
    must(cudaCreateTextureObject(&t, &r, &d, NULL));
    return t;
}

static cudaResourceDesc of(cudaArray_t a)
{
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    return r;
}

// The array's texels, in order, of T.
template <class T>
static cudaArray_t array_of(cudaExtent e, unsigned flags, const std::vector<T> &texels)
{
    cudaArray_t a;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    must(cudaMalloc3DArray(&a, &format, e, flags));
    cudaMemcpy3DParms p = {};
    size_t rows = e.height ? e.height : 1;
    p.srcPtr = make_cudaPitchedPtr((void *)texels.data(), e.width * sizeof(T), e.width, rows);
    p.dstArray = a;
    p.extent = make_cudaExtent(e.width, rows, e.depth ? e.depth : 1);
    p.kind = cudaMemcpyHostToDevice;
    must(cudaMemcpy3D(&p));
    return a;
}

static std::vector<float> ramp(int n, float step)
{
    std::vector<float> v(n);
    for (int i = 0; i < n; i++)
        v[i] = step * (float)i;
    return v;
}

// ---- Linear memory ----------------------------------------------------------------

template <class T>
static cudaResourceDesc linear(const T *host, int n, void *device)
{
    cudaResourceDesc r = {};
    must(cudaMemcpy(device, host, n * sizeof(T), cudaMemcpyHostToDevice));
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = device;
    r.res.linear.desc = cudaCreateChannelDesc<T>();
    r.res.linear.sizeInBytes = n * sizeof(T);
    return r;
}

static void fetches(void *memory)
{
    int ints[8];
    short2 pairs[3] = {{-1, 2}, {300, -400}, {32767, -32768}};
    uchar4 bytes[2] = {{0, 51, 102, 255}, {255, 204, 153, 0}};
    for (int i = 0; i < 8; i++)
        ints[i] = 10 * i - 25;
    cudaTextureDesc d = {};
    cudaTextureObject_t t = made(linear(ints, 8, memory), d);
    fetch<int><<<1, 12>>>(t, -2, (int *)out);
    printf("integers:");
    for (int i : taken<int>(12))
        printf(" %d", i);
    must(cudaDestroyTextureObject(t));
    t = made(linear(pairs, 3, memory), d);
    fetch<short2><<<1, 4>>>(t, 0, (short2 *)out);
    printf("\npairs:");
    for (short2 i : taken<short2>(4))
        printf(" (%d, %d)", i.x, i.y);
    must(cudaDestroyTextureObject(t));
    printf("\nbytes:");
    t = made(linear(bytes, 2, memory), d);
    fetch<uchar4><<<1, 2>>>(t, 0, (uchar4 *)out);
    for (uchar4 i : taken<uchar4>(2))
        printf(" (%d, %d, %d, %d)", i.x, i.y, i.z, i.w);
    must(cudaDestroyTextureObject(t));
    d.readMode = cudaReadModeNormalizedFloat;
    t = made(linear(bytes, 2, memory), d);
    fetch<float4><<<1, 3>>>(t, 0, (float4 *)out);
    printf("\nas parts of 1:");
    for (float f : taken(12))
        printf(" %.4f", f);
    printf("\n");
    must(cudaDestroyTextureObject(t));
}

// ---- One to three dimensions ------------------------------------------------------

static void lines()
{
    static const char *const names[] = {"wrap", "clamp", "mirror", "border"};
    cudaArray_t a = array_of<float>(make_cudaExtent(4, 0, 0), 0, {64, 128, 512, 1024});
    for (int normalized = 0; normalized < 2; normalized++)
        for (int filter = 0; filter < 2; filter++)
            for (int mode = WRAP; mode <= BORDER; mode++) {
                std::vector<where> at;
                for (int i = -8; i < 16; i++)
                    at.push_back({(2 * i + 1) / (normalized ? 16.0f : 4.0f)});
                cudaTextureObject_t t =
                    made(of(a), reading(mode, (cudaTextureFilterMode)filter, normalized));
                char name[80];
                snprintf(name, sizeof name, "%s, %s, %s", names[mode],
                         filter ? "linear" : "point", normalized ? "0 to 1" : "texels");
                read_all(name, T1, t, at);
                must(cudaDestroyTextureObject(t));
            }
    must(cudaFreeArray(a));
}

static std::vector<where> grid(float first, float step, int n, float scale)
{
    std::vector<where> at;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            at.push_back({(first + step * x) * scale, (first + step * y) * scale});
    return at;
}

static void planes(void *memory)
{
    cudaArray_t a = array_of(make_cudaExtent(4, 4, 0), 0, ramp(16, 64));
    cudaTextureObject_t t = made(of(a), reading(CLAMP, cudaFilterModeLinear, false));
    read_all("plane, clamp", T2, t, grid(-0.25f, 1.25f, 5, 1));
    must(cudaDestroyTextureObject(t));
    cudaTextureDesc mixed = reading(WRAP, cudaFilterModeLinear, true);
    mixed.addressMode[1] = cudaAddressModeBorder;
    t = made(of(a), mixed);
    read_all("plane, wrap and border", T2, t, grid(-0.25f, 1.25f, 5, 0.25f));
    must(cudaDestroyTextureObject(t));
    must(cudaFreeArray(a));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = memory;
    r.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    r.res.pitch2D.width = 3;
    r.res.pitch2D.height = 5;
    r.res.pitch2D.pitchInBytes = 64;
    must(cudaMemcpy2D(memory, 64, ramp(15, 64).data(), 12, 12, 5, cudaMemcpyHostToDevice));
    t = made(r, reading(BORDER, cudaFilterModeLinear, false));
    read_all("pitched", T2, t, grid(0.25f, 0.75f, 5, 1));
    must(cudaDestroyTextureObject(t));
    unsigned char bytes[] = {0, 255, 255, 0};
    cudaArray_t b = array_of(make_cudaExtent(2, 2, 0), 0,
                             std::vector<unsigned char>(bytes, bytes + 4));
    cudaTextureDesc d = reading(CLAMP, cudaFilterModeLinear, false);
    d.readMode = cudaReadModeNormalizedFloat;
    t = made(of(b), d);
    read_all("bytes, linear", T2, t, grid(0.5f, 0.25f, 5, 1));
    must(cudaDestroyTextureObject(t));
    must(cudaFreeArray(b));
}

static void boxes()
{
    cudaArray_t a = array_of(make_cudaExtent(4, 4, 4), 0, ramp(64, 64));
    cudaTextureDesc d = reading(CLAMP, cudaFilterModeLinear, true);
    d.addressMode[0] = cudaAddressModeWrap;
    d.addressMode[2] = cudaAddressModeMirror;
    cudaTextureObject_t t = made(of(a), d);
    std::vector<where> at;
    for (int i = -3; i < 8; i++)
        at.push_back({(2 * i + 1) / 16.0f, (2 * (i * 5 % 8) + 1) / 16.0f,
                      (2 * (i * 3 % 8) + 1) / 16.0f});
    read_all("box, linear", T3, t, at);
    must(cudaDestroyTextureObject(t));
    d.filterMode = cudaFilterModePoint;
    t = made(of(a), d);
    read_all("box, point", T3, t, at);
    must(cudaDestroyTextureObject(t));
    must(cudaFreeArray(a));
}

// ---- Layers, cubes, levels ----------------------------------------------------------

static void layers()
{
    cudaArray_t a = array_of(make_cudaExtent(4, 0, 3), cudaArrayLayered, ramp(12, 64));
    cudaTextureObject_t t = made(of(a), reading(CLAMP, cudaFilterModeLinear, false));
    std::vector<where> at;
    for (int i = 0; i < 9; i++)
        at.push_back({0.25f + 0.5f * i, 0, 0, i % 3});
    read_all("layers of lines", L1, t, at);
    must(cudaDestroyTextureObject(t));
    must(cudaFreeArray(a));
    a = array_of(make_cudaExtent(2, 2, 3), cudaArrayLayered, ramp(12, 128));
    t = made(of(a), reading(CLAMP, cudaFilterModeLinear, false));
    for (auto &p : at) p.y = 2 - p.x / 2;
    read_all("layers of planes", L2, t, at);
    must(cudaDestroyTextureObject(t));
    must(cudaFreeArray(a));
}

static void cubes()
{
    cudaArray_t a = array_of(make_cudaExtent(4, 4, 12), cudaArrayCubemap | cudaArrayLayered,
                             ramp(192, 64));
    cudaArray_t one = array_of(make_cudaExtent(4, 4, 6), cudaArrayCubemap, ramp(96, 64));
    static const float directions[][3] = {
        {1, 0.125f, 0.375f},   {-1, 0.125f, 0.375f},  {0.125f, 1, 0.375f},
        {0.125f, -1, 0.375f},  {0.125f, 0.375f, 1},   {0.125f, 0.375f, -1},
        {1, -0.625f, 0.375f}, {-1, -0.625f, 0.375f}, {-0.375f, 1, 0.625f},
        {-0.375f, -1, 0.625f}, {0.375f, -0.625f, 1}, {0.375f, -0.625f, -1},
    };
    std::vector<where> at;
    for (auto &d : directions)
        at.push_back({d[0], d[1], d[2], (int)at.size() % 2});
    for (int filter = 0; filter < 2; filter++) {
        cudaTextureDesc d = reading(CLAMP, (cudaTextureFilterMode)filter, true);
        cudaTextureObject_t t = made(of(one), d);
        read_all(filter ? "cube, linear" : "cube, point", CUBE, t, at);
        must(cudaDestroyTextureObject(t));
        t = made(of(a), d);
        read_all(filter ? "cubes, linear" : "cubes, point", CUBES, t, at);
        must(cudaDestroyTextureObject(t));
    }
    must(cudaFreeArray(a));
    must(cudaFreeArray(one));
}

static void levels()
{
    cudaMipmappedArray_t a;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    must(cudaMallocMipmappedArray(&a, &format, make_cudaExtent(8, 8, 0), 4));
    static const float base[] = {0, 4096, 8192, 16384};
    for (unsigned i = 0; i < 4; i++) {
        cudaArray_t level;
        int n = 8 >> i;
        std::vector<float> texels = ramp(n * n, 0);
        for (int k = 0; k < n * n; k++)
            texels[k] = base[i] + 64 * (k % n);
        must(cudaGetMipmappedArrayLevel(&level, a, i));
        must(cudaMemcpy2DToArray(level, 0, 0, texels.data(), n * 4, n * 4, n,
                                 cudaMemcpyHostToDevice));
    }
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = a;
    cudaTextureDesc d = reading(CLAMP, cudaFilterModePoint, true);
    std::vector<where> at;
    for (int i = -1; i < 8; i++)
        at.push_back({0.6f, 0.3f, 0, 0, 0.25f + i / 2.0f});
    std::vector<where> lods = at;
    cudaTextureObject_t t = made(r, d);
    read_all("levels, all clamped to the first", LOD, t, at);
    must(cudaDestroyTextureObject(t));
    d.maxMipmapLevelClamp = 3;
    t = made(r, d);
    read_all("levels, nearest", LOD, t, at);
    at.clear();
    for (float g : {1 / 16.0f, 1 / 8.0f, 1 / 4.0f, 1 / 2.0f, 1.0f, 2.0f})
        at.push_back({0.6f, 0.3f, 0, 0, g});
    read_all("levels, by gradients", GRAD, t, at);
    must(cudaDestroyTextureObject(t));
    at = lods;
    d.mipmapFilterMode = cudaFilterModeLinear;
    t = made(r, d);
    read_all("levels, mixed", LOD, t, at);
    must(cudaDestroyTextureObject(t));
    d.mipmapLevelBias = 0.5f;
    d.minMipmapLevelClamp = 0.5f;
    d.maxMipmapLevelClamp = 2.25f;
    t = made(r, d);
    read_all("levels, bias 1/2, from 1/2 to 9/4", LOD, t, at);
    must(cudaDestroyTextureObject(t));
    d = reading(CLAMP, cudaFilterModeLinear, true);
    d.maxMipmapLevelClamp = 3;
    d.mipmapFilterMode = cudaFilterModeLinear;
    t = made(r, d);
    for (auto &p : at) p.x = 0.3125f, p.y = 0.5f;
    read_all("levels, trilinear", LOD, t, at);
    must(cudaDestroyTextureObject(t));
    must(cudaFreeMipmappedArray(a));
}

static void gathers()
{
    std::vector<float4> texels;
    for (int i = 0; i < 16; i++)
        texels.push_back(make_float4((float)i, 100.0f + i, 200.0f + i, 300.0f + i));
    cudaArray_t a = array_of(make_cudaExtent(4, 4, 0), cudaArrayTextureGather, texels);
    cudaTextureObject_t t = made(of(a), reading(CLAMP, cudaFilterModePoint, false));
    gather<<<1, 1>>>(t, 1.75f, 2.25f, (float4 *)out);
    show("four around (1.75, 2.25)", taken(16));
    gather<<<1, 1>>>(t, 0.25f, 3.75f, (float4 *)out);
    show("four around (0.25, 3.75)", taken(16));
    must(cudaDestroyTextureObject(t));
    must(cudaFreeArray(a));
}

int main()
{
    void *memory;
    must(cudaMalloc(&out, 4096));
    must(cudaMalloc(&points, 128 * sizeof(where)));
    must(cudaMalloc(&memory, 4096));
    fetches(memory);
    lines();
    planes(memory);
    boxes();
    layers();
    cubes();
    levels();
    gathers();
    must(cudaDeviceSynchronize());
}
