// A host function that is right.
// outcome: passed
// step: fill

#include <string.h>

int fill(const int *in, int *out, size_t n)
{
    memcpy(out, in, n * sizeof *out);
    return 0;
}
