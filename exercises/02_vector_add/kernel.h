// Exercise 2: a colour picture in grey.
//
//     grey = (77 * red + 150 * green + 29 * blue + 128) >> 8
//
// in whole numbers, so that there is one right answer: 77 + 150 + 29 = 256, and white
// stays white.
//
// Pictures are pitched: row y begins y * pitch bytes behind the start, and what lies
// between the end of a row and the next row belongs to somebody else. Behind the last
// row nothing follows. Pictures start anywhere and pitches are any number that is not
// less than a row, unless a function says otherwise. w or h may be 0: then nothing is
// launched.
//
// d_ pointers are device pointers, h_ pointers are host pointers. All functions return
// a cudaError_t (0 = success).

#ifndef KERNEL_H
#define KERNEL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// 3 bytes a pixel, red green blue red green blue ...; by a thread a pixel.
int grey_rgb(const unsigned char *d_in, size_t in_pitch, unsigned char *d_out,
             size_t out_pitch, int w, int h);

// 4 bytes a pixel, red green blue alpha; alpha is ignored. d_in and in_pitch are
// multiples of 4, and each pixel is one load of 4 bytes.
int grey_rgba(const unsigned char *d_in, size_t in_pitch, unsigned char *d_out,
              size_t out_pitch, int w, int h);

// A picture for each colour, 1 byte a pixel, all three with in_pitch.
int grey_planar(const unsigned char *d_red, const unsigned char *d_green,
                const unsigned char *d_blue, size_t in_pitch, unsigned char *d_out,
                size_t out_pitch, int w, int h);

// The same with four pixels a thread: loads and stores of 4 bytes where all four
// pointers and both pitches are multiples of 4, one pixel at a time where they are not;
// so are the up to three pixels at the end of a row that do not fill a group of four.
int grey_fours(const unsigned char *d_red, const unsigned char *d_green,
               const unsigned char *d_blue, size_t in_pitch, unsigned char *d_out,
               size_t out_pitch, int w, int h);

// The whole way, as grey_rgb: pitched host picture in, pitched host picture out,
// pitched device memory in between (cudaMallocPitch, cudaMemcpy2D). Each picture is
// copied by one call, and its padding is not copied. Returns the first error that any
// call reports and leaves no device memory behind.
int grey_host(const unsigned char *h_in, size_t in_pitch, unsigned char *h_out,
              size_t out_pitch, int w, int h);

#ifdef __cplusplus
}
#endif

#endif
