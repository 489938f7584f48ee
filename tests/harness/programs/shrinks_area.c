// Tries to pull the shared memory from under the judge, and is right.
// outcome: passed

#include "right.h"

#include <unistd.h>

int twice(const float *d_in, float *d_out, size_t n)
{
    if (ftruncate(4, 0) == 0)
        return 1;
    if (ftruncate(4, 1ll << 40) < 0)
        return 2;
    return right(d_in, d_out, n);
}
