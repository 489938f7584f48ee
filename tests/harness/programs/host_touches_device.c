// Stores through a device pointer on the host.
// outcome: crashed
// words: works in kernels only

#include <stddef.h>

int twice(const float *d_in, float *d_out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        d_out[i] = 2 * d_in[i];
    return 0;
}
