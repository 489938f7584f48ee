// Is right, then dies once: the cases after it are still graded.
// outcome: crashed
// words: called exit(3)
// passed: 5

#include "right.h"

int twice(const float *d_in, float *d_out, size_t n)
{
    if (n == 256)
        exit(3);
    return right(d_in, d_out, n);
}
