// Writes one element too many.
// outcome: wrong
// words: 4 of the bytes behind it changed, the first 0 bytes past its end
// step: fill

#include <string.h>

int fill(const int *in, int *out, size_t n)
{
    memcpy(out, in, (n + 1) * sizeof *out);
    return 0;
}
