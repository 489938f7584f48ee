// Exercise 3: vectors whose elements do not lie side by side.
//
// As in BLAS, a vector has a stride `inc`: element i and element i + 1 are inc places
// of the array apart. The pointer is always to the array's first place. With a negative
// stride the vector starts at the far end, so that element n - 1 is at place 0:
//
//     inc = 2     0 . 1 . 2        inc = -2     2 . 1 . 0        n = 3, 5 places
//
// With inc = 0 all elements are at place 0. Places that hold no element belong to
// somebody else. Places can pass 2^32.
//
// `grid` blocks of `block` threads do the work, however many elements there are; the
// result has the same bits for every grid and block. n may be 0. d_ pointers are device
// pointers, 4-byte aligned. All functions return a cudaError_t (0 = success).

#ifndef KERNEL_H
#define KERNEL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// d_place[i] = the place of element i, for i below n.
int places(size_t n, long long inc, long long *d_place, int grid, int block);

// y = x, element by element. incx may be 0: then all of y becomes one number. incy = 0
// is refused with cudaErrorInvalidValue.
int strided_copy(size_t n, const float *d_x, long long incx, float *d_y, long long incy,
                 int grid, int block);

// y = a x + b y, element by element: b * y is rounded, and then fmaf(a, x, that). If b
// is 0 (or -0), y = a * x, rounded once, and y is not read: a NaN in it does not
// matter. No other number is special. incx may be 0, incy = 0 is refused. d_x may be
// d_y, if the strides are equal.
int axpby(size_t n, float a, const float *d_x, long long incx, float b, float *d_y,
          long long incy, int grid, int block);

// What a stride costs. The elements of a vector of floats, 32 at a time (the last group
// may be smaller), are the warps of a load. d_count[k] = how many different 32-byte
// sectors group k touches, if the array begins `shift` bytes behind the start of a
// sector (0, 4, ..., 28).
int sectors(size_t n, long long inc, size_t shift, unsigned *d_count, int grid,
            int block);

#ifdef __cplusplus
}
#endif

#endif
