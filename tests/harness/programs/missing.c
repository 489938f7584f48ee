// Has no function of that name.
// outcome: wrong
// words: kernel.cu does not define twice

#include <stddef.h>

int twofold(const float *d_in, float *d_out, size_t n)
{
    (void)d_in, (void)d_out, (void)n;
    return 0;
}
