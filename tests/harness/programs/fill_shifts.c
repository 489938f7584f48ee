// Is off by one position.
// outcome: wrong
// words: what belongs one position earlier
// step: fill

#include <string.h>

int fill(const int *in, int *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = in[i ? i - 1 : 0];
    return 0;
}
