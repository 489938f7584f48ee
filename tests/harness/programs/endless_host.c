// Never comes back.
// outcome: hung
// words: did not come back within 1 s

#include <stddef.h>

int twice(const float *d_in, float *d_out, size_t n)
{
    (void)d_in, (void)d_out, (void)n;
    for (volatile int i = 0;; i++)
        ;
}
