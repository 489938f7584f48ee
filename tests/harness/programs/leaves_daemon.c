// Leaves a process behind, out of its session, and is right.
// outcome: passed

#include "right.h"

#include <unistd.h>

int twice(const float *d_in, float *d_out, size_t n)
{
    if (fork() == 0) {
        setsid();
        if (fork() == 0) {
            setsid();
            execlp("sleep", "sleep", "31415", (char *)NULL);
        }
        _exit(0);
    }
    return right(d_in, d_out, n);
}
