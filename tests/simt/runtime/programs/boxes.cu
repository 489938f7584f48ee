// Copies and fills of rows and boxes, pitched memory, and arrays.

#include "say.h"

enum { W = 20, H = 6, D = 4 };

__global__ void number(cudaPitchedPtr box, int w, int h, int d)
{
    for (int z = 0; z < d; z++)
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++)
                ((int *)((char *)box.ptr + (z * box.ysize + y) * box.pitch))[x] =
                    z * 10000 + y * 100 + x;
}

static int host[D][H][W];

static long total()
{
    long sum = 0;
    for (int z = 0; z < D; z++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++)
                sum += (long)host[z][y][x] * (1 + x + 3 * y + 7 * z);
    return sum;
}

static void clear(int value)
{
    for (int i = 0; i < D * H * W; i++)
        (&host[0][0][0])[i] = value;
}

static void pitched()
{
    char *p;
    size_t pitch;
    for (size_t width : {1, 511, 512, 513, 1000}) {
        must(cudaMallocPitch(&p, &pitch, width, 3));
        printf("width %zu: pitch %zu, aligned %d\n", width, pitch,
               (size_t)p % 512 == 0);
        must(cudaFree(p));
    }
    cudaPitchedPtr box;
    must(cudaMalloc3D(&box, make_cudaExtent(W * 4, H, D)));
    printf("box: pitch %zu, size %zu %zu\n", box.pitch, box.xsize, box.ysize);
    number<<<1, 1>>>(box, W, H, D);

    cudaMemcpy3DParms c = {};
    c.srcPtr = box;
    c.dstPtr = make_cudaPitchedPtr(host, W * 4, W * 4, H);
    c.extent = make_cudaExtent(W * 4, H, D);
    c.kind = cudaMemcpyDeviceToHost;
    must(cudaMemcpy3D(&c));
    printf("whole: %d %d, total %ld\n", host[0][0][0], host[3][5][19], total());

    clear(-1);
    c.srcPos = make_cudaPos(8, 1, 1); // bytes, rows, slices
    c.dstPos = make_cudaPos(4, 2, 2);
    c.extent = make_cudaExtent(12, 3, 2);
    must(cudaMemcpy3D(&c));
    printf("part: %d %d %d, total %ld\n", host[2][2][1], host[3][4][3], host[2][2][4],
           total());

    clear(7);
    c = {};
    c.srcPtr = make_cudaPitchedPtr(host, W * 4, W * 4, H);
    c.dstPtr = box;
    c.dstPos = make_cudaPos(0, 0, 3);
    c.extent = make_cudaExtent(8, 2, 1);
    c.kind = cudaMemcpyDefault;
    must(cudaMemcpy3DAsync(&c, 0));
    must(cudaMemset3D(box, 1, make_cudaExtent(4, 1, 2)));
    must(cudaMemcpy2D(host, W * 4, box.ptr, box.pitch, W * 4, H,
                      cudaMemcpyDeviceToHost));
    printf("filled: %#x %d\n", host[0][0][0], host[0][0][1]);
    must(cudaMemcpy2D(host, W * 4, (char *)box.ptr + 3 * H * box.pitch, box.pitch,
                      W * 4, H, cudaMemcpyDeviceToHost));
    printf("put: %d %d %d\n", host[0][0][0], host[0][1][1], host[0][1][2]);
    must(cudaMemset2D(box.ptr, box.pitch, 2, 4, H));
    must(cudaMemcpy2D(host, W * 4, box.ptr, box.pitch, W * 4, H,
                      cudaMemcpyDeviceToHost));
    printf("column: %#x %d %#x\n", host[0][1][0], host[0][1][1], host[0][5][0]);

    c.extent = make_cudaExtent(8, 2, 1);
    c.kind = cudaMemcpyDeviceToHost;
    SAY(cudaMemcpy3D(&c));
    c.kind = cudaMemcpyHostToDevice;
    c.dstPtr.ptr = nullptr;
    SAY(cudaMemcpy3D(&c));
    SAY(cudaMemcpy3D(nullptr));
    SAY(cudaMalloc3D(nullptr, make_cudaExtent(1, 1, 1)));
    SAY(cudaMallocPitch(&p, nullptr, 4, 4));
    SAY(cudaMemcpy2D(box.ptr, box.pitch, host, 2, 4, 2, cudaMemcpyHostToDevice));
    must(cudaFree(box.ptr));
}

static void arrays()
{
    cudaArray_t flat, line, box, copy;
    cudaChannelFormatDesc ints = cudaCreateChannelDesc<int>(), seen;
    cudaExtent extent;
    unsigned flags;
    must(cudaMallocArray(&flat, &ints, W, H));
    must(cudaMallocArray(&copy, &ints, W, H));
    must(cudaMallocArray(&line, &ints, W));
    must(cudaMalloc3DArray(&box, &ints, make_cudaExtent(W, H, D)));
    for (cudaArray_t a : {flat, line, box}) {
        must(cudaArrayGetInfo(&seen, &extent, &flags, a));
        printf("array %zu %zu %zu, flags %u, bits %d %d %d %d, kind %d\n", extent.width,
               extent.height, extent.depth, flags, seen.x, seen.y, seen.z, seen.w,
               seen.f);
    }
    int *in = &host[0][0][0];
    for (int i = 0; i < W * H * D; i++)
        in[i] = i;
    must(cudaMemcpy2DToArray(flat, 0, 0, in, W * 4, W * 4, H, cudaMemcpyHostToDevice));
    must(cudaMemcpy2DArrayToArray(copy, 0, 0, flat, 0, 0, W * 4, H));
    must(cudaMemcpy2DToArray(copy, 8, 1, in, W * 4, 8, 2, cudaMemcpyHostToDevice));
    clear(-1);
    must(cudaMemcpy2DFromArray(host, W * 4, copy, 0, 0, W * 4, H,
                               cudaMemcpyDeviceToHost));
    printf("array: %d %d %d %d\n", host[0][0][0], host[0][1][1], host[0][1][2],
           host[0][5][19]);

    for (int i = 0; i < W * H * D; i++)
        in[i] = 3 * i;
    cudaMemcpy3DParms c = {};
    c.srcPtr = make_cudaPitchedPtr(host, W * 4, W * 4, H);
    c.dstArray = box;
    c.extent = make_cudaExtent(W, H, D); // elements, as an array takes part
    c.kind = cudaMemcpyHostToDevice;
    must(cudaMemcpy3D(&c));
    clear(-1);
    c = {};
    c.srcArray = box;
    c.srcPos = make_cudaPos(2, 1, 1);
    c.dstPtr = make_cudaPitchedPtr(host, W * 4, W * 4, H);
    c.extent = make_cudaExtent(5, 2, 2);
    c.kind = cudaMemcpyDeviceToHost;
    must(cudaMemcpy3D(&c));
    printf("box: %d %d %d\n", host[0][0][0], host[1][1][4], host[1][1][5]);

    SAY(cudaMemcpy2DToArray(flat, 8, 0, in, W * 4, W * 4, H, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2DToArray(flat, 0, 1, in, W * 4, W * 4, H, cudaMemcpyHostToDevice));
    cudaArray_t none = nullptr;
    cudaChannelFormatDesc odd = {32, 32, 32, 0, cudaChannelFormatKindFloat};
    SAY(cudaMallocArray(&none, &odd, W, H));
    SAY(cudaMallocArray(&none, nullptr, W, H));
    SAY(cudaMallocArray(&none, &ints, 1 << 20, 2));
    SAY(cudaFreeArray(nullptr));
    SAY(cudaArrayGetInfo(nullptr, nullptr, nullptr, flat));
    must(cudaGetChannelDesc(&seen, flat));
    printf("desc %d %d\n", seen.x, seen.f);

    cudaMipmappedArray_t mips;
    cudaArray_t level;
    must(cudaMallocMipmappedArray(&mips, &ints, make_cudaExtent(W, H, 0), 3));
    for (unsigned i = 0; i < 3; i++) {
        must(cudaGetMipmappedArrayLevel(&level, mips, i));
        must(cudaArrayGetInfo(nullptr, &extent, nullptr, level));
        printf("level %u: %zu %zu %zu\n", i, extent.width, extent.height, extent.depth);
    }
    SAY(cudaGetMipmappedArrayLevel(&level, mips, 3));
    SAY(cudaFreeMipmappedArray(mips));
    must(cudaMalloc3DArray(&none, &ints, make_cudaExtent(W, H, 5), cudaArrayLayered));
    must(cudaArrayGetInfo(&seen, &extent, &flags, none));
    printf("layers %zu %zu %zu, flags %u\n", extent.width, extent.height, extent.depth,
           flags);
    SAY(cudaMalloc3DArray(&none, &ints, make_cudaExtent(W, H, 6), cudaArrayCubemap));
    SAY(cudaMalloc3DArray(&none, &ints, make_cudaExtent(H, H, 6), cudaArrayCubemap));
    SAY(cudaFreeArray(flat));
    SAY(cudaFreeArray(line));
    SAY(cudaFreeArray(box));
}

int main()
{
    pitched();
    arrays();
}
