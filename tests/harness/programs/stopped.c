// Stops itself.
// outcome: hung
// words: did not come back within 1 s

#include <signal.h>
#include <stddef.h>

int twice(const float *d_in, float *d_out, size_t n)
{
    (void)d_in, (void)d_out, (void)n;
    return raise(SIGSTOP);
}
