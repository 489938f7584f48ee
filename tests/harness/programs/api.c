// Every kind of argument, from the side that is called.
// outcome: passed
// step: api

#include "right.h"

#include <stdint.h>
#include <stdio.h>

double kinds(const void *null, size_t size, int32_t i32, uint32_t u32, int64_t i64,
             float f32, double f64, const void *same)
{
    return null || same ? 0 : (double)size + i32 + u32 + (double)i64 + f32 + f64;
}

// How far off 256-byte alignment its pointers are.
int shift(const unsigned char *d_in, unsigned char *d_out, size_t n)
{
    unsigned char bytes[256];
    cudaMemcpy(bytes, d_in, n, cudaMemcpyDeviceToHost);
    cudaMemcpy(d_out, bytes, n, cudaMemcpyHostToDevice);
    return (int)((uintptr_t)d_in % 256 + 256 * ((uintptr_t)d_out % 256));
}

int count(size_t unused)
{
    static int calls;
    (void)unused;
    return ++calls;
}

int speak(size_t unused)
{
    (void)unused;
    puts("hello");
    return 0;
}
