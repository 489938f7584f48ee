// How fast the device core is: thread instructions (active lanes) a second, with all
// counters on. Medians of five runs, after one that warms up; results are checked.
//
//   bench KERNELS.ptx        ends with 1 if a figure misses its target
//
// First ten kinds of kernels on one core, each alone, then their geometric mean; then
// two cores against one, a large matrix product, and how long loading takes.

#include "../simt.h"
#include "common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 5, BLOCK = 256, FILL = 0x3f };
static const double LEAST = 0.2, MEAN = 1.0, RACED = 0.4, CHECKED = 0.25; // G thread instructions a second

// ---- What the results must be -----------------------------------------------------

static uint32_t sum_of(const void *out, size_t words)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < words; i++)
        sum += ((const uint32_t *)out)[i];
    return sum;
}

static bool sums(const void *out, size_t words, size_t n)
{
    return sum_of(out, words) == (uint32_t)(n * 0x3f3f3f3fu);
}

static bool sums_of_warps(const void *out, size_t words, size_t n)
{
    return sum_of(out, words) == (uint32_t)(n * 32 * 0x3f3f3f3fu);
}

static bool counts(const void *out, size_t words, size_t n)
{
    return sum_of(out, words) == (uint32_t)((RUNS + 1) * n) || sum_of(out, words) % n == 0;
}

static bool products(const void *out, size_t words, size_t n)
{
    const float *c = out, x = 0x1.7e7e7ep-1f; // the float 0x3f3f3f3f
    for (size_t i = 0; i < words; i++)
        if (!(fabs(c[i] / ((double)n * x * x) - 1) < 1e-4))
            return false;
    return true;
}

static bool collatz(const void *out, size_t words, size_t n)
{
    for (size_t i = 0; i < words; i += 997) {
        uint32_t x = (uint32_t)(i % n) + 1, steps = 1;
        for (; x != 1; steps++)
            x = x % 2 ? 3 * x + 1 : x / 2;
        if (((const uint32_t *)out)[i] != steps)
            return false;
    }
    return true;
}

static bool means(const void *out, size_t words, size_t n)
{
    const double *y = out;
    (void)words;
    return fabs(y[n + 1] / 0x1.f3f3f3f3f3f3fp-12 - 1) < 1e-12;
}

static bool hashes(const void *out, size_t words, size_t n)
{
    for (uint32_t i = 0; i < words; i += 997) {
        uint32_t h = 0x3f3f3f3fu ^ i;
        for (size_t k = 0; k < n; k++) {
            h ^= h >> 16;
            h *= 0x85ebca6bu;
            h ^= h >> 13;
            h *= 0xc2b2ae35u;
            h ^= h >> 16;
        }
        if (((const uint32_t *)out)[i] != h)
            return false;
    }
    return true;
}

static bool alike(const void *out, size_t words, size_t n)
{
    const uint32_t *y = out;
    (void)n;
    for (size_t i = 0; i < words; i++)
        if (y[i] != y[0] || y[i] == 0)
            return false;
    return true;
}

static bool tiles(const void *out, size_t words, size_t n)
{
    const float *c = out, x = 1.8115234375f; // the half 0x3f3f
    for (size_t i = 0; i < words; i++)
        if (!(fabs(c[i] / (16.0 * (double)n * x * x) - 1) < 1e-3))
            return false;
    return true;
}

// ---- What is run ------------------------------------------------------------------

typedef struct work {
    const char *kernel;
    size_t n;
    uint32_t grid;
    size_t in, out; // words of 4 bytes
    bool (*right)(const void *out, size_t words, size_t n);
} work;

static const work works[] = {
    {"streaming", 1 << 24, 256, 1 << 24, 1 << 16, sums},
    {"shared_tree", 1 << 22, 1 << 14, 1 << 22, 1 << 14, sums},
    {"shuffle", 1 << 22, 256, 1 << 22, 1 << 16, sums_of_warps},
    {"sgemm_tile", 256, 256, 1 << 16, 1 << 16, products},
    {"divergent", 1 << 16, 1 << 8, 1, 1 << 16, collatz},
    {"histogram", 1 << 22, 256, 1 << 22, 256, counts},
    {"stencil", 1 << 10, 1022, 1 << 21, 1 << 21, means},
    {"half_pairs", 1 << 22, 256, 1 << 22, 1 << 16, alike},
    {"hashing", 1 << 7, 1 << 10, 1, 1 << 18, hashes},
    {"tensor", 1 << 6, 1 << 8, 1 << 11, 1 << 19, tiles},
};
enum { WORKS = sizeof works / sizeof *works };
static const work product = {"sgemm_tile", 1024, 4096, 1 << 20, 1 << 20, products};

typedef struct figure {
    double rate, seconds; // G thread instructions a second; of the median run
} figure;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_time(const void *a, const void *b)
{
    double x = ((const figure *)a)->seconds, y = ((const figure *)b)->seconds;
    return (x > y) - (x < y);
}

static figure measure(const work *w, const char *ptx, size_t bytes, int workers,
                      unsigned checks)
{
    simt_config config = {.workers = workers, .checks = checks};
    simt_device *d = simt_open(&config);
    uint32_t module, kernel;
    uint64_t p[3] = {0, 0, w->n};
    figure found[RUNS];
    if (!d)
        must(2, "no device");
    must(simt_load(d, ptx, bytes, &module), simt_load_error(d));
    must(simt_find_kernel(d, module, w->kernel, &kernel), w->kernel);
    must(simt_alloc(d, 4 * w->in, &p[0]), "memory");
    must(simt_alloc(d, 4 * w->out, &p[1]), "memory");
    must(simt_fill(d, p[0], FILL, 4 * w->in), "fill");
    must(simt_fill(d, p[1], 0, 4 * w->out), "fill");
    void *out = malloc(4 * w->out);
    simt_launch l = {.kernel = kernel, .grid = {w->grid, 1, 1}, .block = {BLOCK, 1, 1},
                     .parameters = p, .parameter_bytes = sizeof p};
    for (int i = -1; i < RUNS; i++) {
        simt_reset_record(d);
        double start = seconds();
        int error = simt_run(d, &l);
        double took = seconds() - start;
        if (error)
            fprintf(stderr, "bench: %s: %s\n", w->kernel, simt_fault_at(d, 0)->detail);
        must(error, w->kernel);
        if (i >= 0)
            found[i] = (figure){simt_counter(d, "thread_inst_executed_ptx") / took * 1e-9, took};
        must(simt_read(d, out, p[1], 4 * w->out), "read");
        must(!w->right(out, w->out, w->n), "a wrong result");
    }
    free(out);
    simt_close(d);
    qsort(found, RUNS, sizeof *found, by_time);
    return found[RUNS / 2];
}

// ---- The figures ------------------------------------------------------------------

static int missed; // targets

static void show(const char *what, double value, const char *unit, double low, double high)
{
    printf("  %-28s %7.2f %s", what, value, unit);
    bool bad = value < low || value > high;
    if (low > 0)
        printf("   at least %.2f", low);
    else if (high < HUGE_VAL)
        printf("   at most %.2f", high);
    puts(bad ? "   MISSED" : "");
    missed += bad;
}

static double loading(const char *ptx, size_t bytes)
{
    double start = seconds();
    simt_device *d = simt_open(&(simt_config){0});
    uint32_t module, kernel;
    simt_kernel_info about;
    must(simt_load(d, ptx, bytes, &module), "load");
    for (int i = 0; i < WORKS; i++) {
        must(simt_find_kernel(d, module, works[i].kernel, &kernel), works[i].kernel);
        must(simt_kernel_info_of(d, kernel, &about), "info");
    }
    double took = seconds() - start;
    simt_close(d);
    return 1e3 * took;
}

int main(int count, char **words)
{
    size_t bytes;
    const char *ptx = ptx_of(count, words, &bytes);
    double logs = 0, raced = 0, checked = 0;
    puts("G thread instructions a second on one core, median of 5, counters on");
    for (int i = 0; i < WORKS; i++) {
        if (count > 2 && strcmp(words[2], works[i].kernel))
            continue;
        double rate = measure(&works[i], ptx, bytes, 1, 0).rate;
        logs += log(rate) / WORKS;
        show(works[i].kernel, rate, "G/s", LEAST, HUGE_VAL);
        if (count > 2)
            show("with all checks", measure(&works[i], ptx, bytes, 1, SIMT_CHECK_ALL).rate, "G/s",
                 0, HUGE_VAL);
    }
    if (count > 2)
        return missed > 0;
    show("geometric mean", exp(logs), "G/s", MEAN, HUGE_VAL);
    for (int i = 0; i < WORKS; i++) {
        raced += log(measure(&works[i], ptx, bytes, 1, SIMT_CHECK_RACE).rate) / WORKS;
        checked += log(measure(&works[i], ptx, bytes, 1, SIMT_CHECK_ALL).rate) / WORKS;
    }
    show("the same with race check", exp(raced), "G/s", RACED, HUGE_VAL);
    show("the same with all checks", exp(checked), "G/s", CHECKED, HUGE_VAL);
    puts("More");
    figure one = measure(&works[0], ptx, bytes, 1, 0);
    figure two = measure(&works[0], ptx, bytes, 2, 0);
    show("two cores over one", one.seconds / two.seconds, "   ", 1.8, HUGE_VAL);
    show("1024^3 SGEMM on two cores", measure(&product, ptx, bytes, 2, 0).seconds, "s  ",
         0, 8);
    show("loading these kernels", loading(ptx, bytes), "ms ", 0, 50);
    return missed > 0;
}
