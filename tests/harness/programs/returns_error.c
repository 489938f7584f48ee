// Returns an error.
// outcome: wrong
// words: twice returned 2 (cudaErrorMemoryAllocation)

#include <stddef.h>

int twice(const float *d_in, float *d_out, size_t n)
{
    (void)d_in, (void)d_out, (void)n;
    return 2;
}
