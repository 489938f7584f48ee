// What the programs of bench.c and instructions.c share: the kernels' text, and calls that
// must not fail. Includes nothing of simt.h: instructions.c is built for older ones too.

#ifndef SIMT_BENCH_COMMON_H
#define SIMT_BENCH_COMMON_H

#include <stdio.h>
#include <stdlib.h>

static void must(int error, const char *what)
{
    if (!error)
        return;
    fprintf(stderr, "%s: error %d\n", what, error);
    exit(2);
}

// The file that the first word names; ends the program if there is none.
static const char *ptx_of(int count, char **words, size_t *bytes)
{
    static char ptx[1 << 20];
    FILE *f = count >= 2 ? fopen(words[1], "r") : NULL;
    *bytes = f ? fread(ptx, 1, sizeof ptx, f) : 0;
    if (!*bytes) {
        fprintf(stderr, "usage: %s KERNELS.ptx [KIND]\n", words[0]);
        exit(2);
    }
    fclose(f);
    return ptx;
}

#endif
