// Skips every third.
// outcome: wrong
// words: every 3rd element from 2 on: never written
// step: fill

#include <string.h>

int fill(const int *in, int *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (i % 3 != 2)
            out[i] = in[i];
    return 0;
}
