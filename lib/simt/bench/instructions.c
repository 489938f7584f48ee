// What the ten kinds of bench.c take in instructions of the host: one launch of each, made
// smaller, for callgrind to count (instructions.sh).
//
//   instructions KERNELS.ptx           the names of the kinds
//   instructions KERNELS.ptx KIND      launches it twice; `counted` is the second

#include "simt.h"
#include "common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct work {
    const char *kernel;
    size_t n;
    uint32_t grid;
} work;

// As in bench.c, a sixteenth of it or so.
static const work works[] = {
    {"streaming", 1 << 20, 32},   {"shared_tree", 1 << 18, 1 << 10},
    {"shuffle", 1 << 18, 32},     {"sgemm_tile", 128, 64},
    {"divergent", 1 << 16, 16},   {"histogram", 1 << 18, 32},
    {"stencil", 1 << 10, 62},     {"half_pairs", 1 << 17, 16},
    {"hashing", 1 << 7, 1 << 6},  {"tensor", 1 << 6, 1 << 4},
};
enum { WORKS = sizeof works / sizeof *works, BYTES = 8 << 20 };

__attribute__((noinline)) int counted(simt_device *d, const simt_launch *l)
{
    int error = simt_run(d, l);
    __asm__ volatile("" ::: "memory"); // no tail call
    return error;
}

static void launch(const work *w, const char *ptx, size_t bytes)
{
    simt_device *d = simt_open(&(simt_config){.workers = 1});
    uint32_t module, kernel;
    uint64_t p[3] = {0, 0, w->n};
    if (!d)
        must(2, "no device");
    must(simt_load(d, ptx, bytes, &module), "load");
    must(simt_find_kernel(d, module, w->kernel, &kernel), w->kernel);
    for (int i = 0; i < 2; i++) {
        must(simt_alloc(d, BYTES, &p[i]), "memory");
        must(simt_fill(d, p[i], i ? 0 : 0x3f, BYTES), "fill");
    }
    simt_launch l = {.kernel = kernel, .grid = {w->grid, 1, 1}, .block = {256, 1, 1},
                     .parameters = p, .parameter_bytes = sizeof p};
    must(simt_run(d, &l), w->kernel);
    must(counted(d, &l), w->kernel);
    simt_close(d);
}

int main(int count, char **words)
{
    size_t bytes;
    const char *ptx = ptx_of(count, words, &bytes);
    for (int i = 0; i < WORKS; i++)
        if (count == 2)
            puts(works[i].kernel);
        else if (!strcmp(words[2], works[i].kernel))
            launch(&works[i], ptx, bytes);
    return 0;
}
