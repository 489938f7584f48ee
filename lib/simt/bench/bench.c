// How fast the device core is: thread instructions (active lanes) a second on one core,
// with all counters on. The median of five runs, after one that warms up; each run's sum
// is checked.
//
//   bench KERNELS.ptx        ends with 1 if a figure is below its target

#include "../simt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 5, BLOCK = 256 };

typedef struct work {
    const char *kernel;
    size_t n;
    uint32_t grid;
    double target; // G thread instructions a second
    bool races;
} work;

static const work works[] = {
    {"stride_sum", (size_t)1 << 24, 256, 1.0, false},
    {"shared_tree", (size_t)1 << 22, 1 << 14, 0.5, false},
    {"shared_tree", (size_t)1 << 22, 1 << 14, 0, true},
};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void must(int error, const char *what)
{
    if (!error)
        return;
    fprintf(stderr, "bench: %s: error %d\n", what, error);
    exit(2);
}

// G thread instructions a second.
static double measure(const work *w, const char *ptx, size_t bytes)
{
    simt_config config = {.workers = 1, .check_races = w->races};
    simt_device *d = simt_open(&config);
    uint32_t module, kernel;
    uint64_t p[3] = {0, 0, w->n};
    size_t outs = strcmp(w->kernel, "stride_sum") ? w->grid : (size_t)w->grid * BLOCK;
    double rate[RUNS];
    if (!d)
        must(2, "no device");
    must(simt_load(d, ptx, bytes, &module), "load");
    must(simt_find_kernel(d, module, w->kernel, &kernel), w->kernel);
    must(simt_alloc(d, 4 * w->n, &p[0]), "memory");
    must(simt_alloc(d, 4 * outs, &p[1]), "memory");
    must(simt_fill(d, p[0], 1, 4 * w->n), "fill");
    uint32_t *sums = malloc(4 * outs);
    simt_launch l = {.kernel = kernel, .grid = {w->grid, 1, 1}, .block = {BLOCK, 1, 1},
                     .parameters = p, .parameter_bytes = sizeof p};
    for (int i = -1; i < RUNS; i++) {
        simt_reset_record(d);
        double start = seconds();
        must(simt_run(d, &l), "run");
        double took = seconds() - start;
        if (i >= 0)
            rate[i] = simt_counter(d, "thread_inst_executed_ptx") / took * 1e-9;
        must(simt_read(d, sums, p[1], 4 * outs), "read");
        uint32_t sum = 0;
        for (size_t k = 0; k < outs; k++)
            sum += sums[k];
        must(sum != (uint32_t)(w->n * 0x01010101u), "a wrong sum");
    }
    free(sums);
    simt_close(d);
    qsort(rate, RUNS, sizeof *rate, by_value);
    return rate[RUNS / 2];
}

int main(int count, char **words)
{
    FILE *f = count == 2 ? fopen(words[1], "r") : NULL;
    static char ptx[1 << 20];
    size_t bytes = f ? fread(ptx, 1, sizeof ptx, f) : 0;
    if (!bytes) {
        fputs("usage: bench KERNELS.ptx\n", stderr);
        return 2;
    }
    fclose(f);
    int low = 0;
    puts("G thread instructions a second on one core, median of 5, counters on");
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        const work *w = &works[i];
        double rate = measure(w, ptx, bytes);
        printf("  %-12s %-16s %6.2f", w->kernel, w->races ? "and race check" : "", rate);
        if (w->target > 0)
            printf("   target %.1f%s", w->target, rate < w->target ? "   MISSED" : "");
        puts("");
        low |= rate < w->target;
    }
    return low;
}
