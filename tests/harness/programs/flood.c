// Prints 100 MB, and is right.
// outcome: passed
// seconds: 10

#include "right.h"

#include <stdio.h>

int twice(const float *d_in, float *d_out, size_t n)
{
    for (int i = 0; i < 2500000; i++)
        puts("all tests passed, all tests passed, a");
    return right(d_in, d_out, n);
}
