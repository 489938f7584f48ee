// Follows a null pointer on the host.
// outcome: crashed
// words: segmentation fault at address 0

#include <stddef.h>

int twice(const float *d_in, float *d_out, size_t n)
{
    (void)d_in, (void)d_out, (void)n;
    volatile int *volatile nowhere = NULL;
    *nowhere = 1;
    return 0;
}
