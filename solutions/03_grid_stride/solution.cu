// Exercise 3: vectors whose elements do not lie side by side.
//
// Two strides meet here. The grid's stride says which elements a thread takes; the
// vector's stride says where an element lies:
//
//     grid of 2 threads, inc = -3, n = 4
//
//     place       0 1 2 3 4 5 6 7 8 9
//     element     3 . . 2 . . 1 . . 0
//     thread      1     0     1     0
//
//   make exercise3                 grade all steps
//   make exercise3 STEP=places     one of them
//   make hint3 KIND=exercise       one hint at a time

#include "kernel.h"

// Where element i of n lies. n is at least 1.
static __device__ long long place_of(size_t i, size_t n, long long inc)
{
    // TODO(places): i strides from the front; with a negative stride, as many strides
    // from the front as there are elements behind element i. (1 line)
    // BEGIN places
    return inc < 0 ? (long long)(n - 1 - i) * -inc : (long long)i * inc;
    // INSTEAD
    // return 0;
    // END places
}

static __global__ void places_kernel(size_t n, long long inc, long long *place)
{
    // TODO(places): a grid-stride loop over the elements. (3 lines)
    // BEGIN places
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        place[i] = place_of(i, n, inc);
    // END places
}

int places(size_t n, long long inc, long long *d_place, int grid, int block)
{
    places_kernel<<<grid, block>>>(n, inc, d_place);
    return cudaGetLastError();
}

static __global__ void copy_kernel(size_t n, const float *x, long long incx, float *y,
                                   long long incy)
{
    // TODO(strided_copy): the same loop; one place in x, another in y. (3 lines)
    // BEGIN strided_copy
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        y[place_of(i, n, incy)] = x[place_of(i, n, incx)];
    // END strided_copy
}

int strided_copy(size_t n, const float *d_x, long long incx, float *d_y, long long incy,
                 int grid, int block)
{
    // TODO(strided_copy): all of y at one place is no vector: refuse it. (2 lines)
    // BEGIN strided_copy
    if (incy == 0)
        return cudaErrorInvalidValue;
    // END strided_copy
    copy_kernel<<<grid, block>>>(n, d_x, incx, d_y, incy);
    return cudaGetLastError();
}

static __global__ void axpby_kernel(size_t n, float a, const float *x, long long incx,
                                    float b, float *y, long long incy)
{
    // TODO(axpby): the same loop with the arithmetic of kernel.h. Zero times NaN is
    // NaN, so b = 0 needs a way of its own. (6 lines)
    // BEGIN axpby
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        float ax = x[place_of(i, n, incx)];
        float *at = y + place_of(i, n, incy);
        *at = b == 0 ? a * ax : fmaf(a, ax, b * *at);
    }
    // END axpby
}

int axpby(size_t n, float a, const float *d_x, long long incx, float b, float *d_y,
          long long incy, int grid, int block)
{
    // TODO(axpby): refuse what strided_copy refuses. (2 lines)
    // BEGIN axpby
    if (incy == 0)
        return cudaErrorInvalidValue;
    // END axpby
    axpby_kernel<<<grid, block>>>(n, a, d_x, incx, b, d_y, incy);
    return cudaGetLastError();
}

static __global__ void sectors_kernel(size_t n, long long inc, size_t shift,
                                      unsigned *count)
{
    // TODO(sectors): a grid-stride loop over the groups of 32. Within a group the
    // places go up or down and never turn back, so a sector is new when it is not the
    // one before. (12 lines)
    // BEGIN sectors
    size_t groups = (n + 31) / 32, step = (size_t)gridDim.x * blockDim.x;
    for (size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x; k < groups;
         k += step) {
        size_t last = ~(size_t)0;
        unsigned found = 0;
        for (size_t i = 32 * k; i < 32 * k + 32 && i < n; i++) {
            size_t sector = (shift + 4 * (size_t)place_of(i, n, inc)) / 32;
            found += sector != last;
            last = sector;
        }
        count[k] = found;
    }
    // END sectors
}

int sectors(size_t n, long long inc, size_t shift, unsigned *d_count, int grid,
            int block)
{
    sectors_kernel<<<grid, block>>>(n, inc, shift, d_count);
    return cudaGetLastError();
}
