// Writes in front of its array.
// outcome: wrong
// words: in front of it changed, the first 4 bytes before its start
// step: fill

#include <string.h>

int fill(const int *in, int *out, size_t n)
{
    memcpy(out, in, n * sizeof *out);
    out[-1] = 7;
    return 0;
}
