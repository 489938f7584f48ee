// Overwrites every shared mapping of its process, the ring to the device among them.
// outcome: crashed|hung|wrong
// words: twice

#include <stdint.h>
#include <stdio.h>
#include <string.h>

int twice(const float *d_in, float *d_out, size_t n)
{
    char line[512], how[5];
    FILE *maps = fopen("/proc/self/maps", "r");
    (void)d_in, (void)d_out, (void)n;
    while (maps && fgets(line, sizeof line, maps)) {
        uintptr_t from, to;
        if (sscanf(line, "%lx-%lx %4s", &from, &to, how) == 3 && !strcmp(how, "rw-s"))
            memset((void *)from, 0xff, to - from < 1 << 24 ? to - from : 1 << 24);
    }
    return 0;
}
