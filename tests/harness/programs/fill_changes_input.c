// Changes what it was given.
// outcome: wrong
// words: changed its input in (argument 1)
// step: fill

#include <string.h>

int fill(const int *in, int *out, size_t n)
{
    memcpy(out, in, n * sizeof *out);
    memset((void *)in, 0, n * sizeof *in);
    return 0;
}
