// A test's memory and its random numbers.
//
// Each test's numbers follow from (seed, test name, case) alone, so SEED=n with one
// test gives the same data as the whole run did.

#include "judge.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

typedef struct block {
    struct block *next;
    max_align_t bytes[];
} block;

static block *blocks;
static uint64_t state, fixed_state;

double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// splitmix64 (Steele, Lea, Flood 2014)
static uint64_t next(uint64_t *s)
{
    uint64_t z = *s += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

void data_begin(const char *test, int i)
{
    uint64_t hash = 0xcbf29ce484222325; // FNV-1a
    for (const char *c = test; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 0x100000001b3;
    state = option.seed;
    state = next(&state) ^ hash;
    state = next(&state) + (uint64_t)i;
    fixed_state = 0x574f524b424f4f4b;
}

void data_end(void)
{
    while (blocks) {
        block *b = blocks;
        blocks = b->next;
        free(b);
    }
    area_forget();
}

void *wb_new(size_t bytes)
{
    block *b = calloc(1, sizeof *b + (bytes ? bytes : 1));
    if (!b)
        fail_as(OURS, "no memory for a test's array of %zu bytes", bytes);
    b->next = blocks;
    blocks = b;
    return b->bytes;
}

char *data_print(const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        die("out of memory");
    va_end(arguments);
    char *kept = memcpy(wb_new(strlen(text) + 1), text, strlen(text) + 1);
    free(text);
    return kept;
}

uint64_t data_secret(void)
{
    uint64_t value;
    if (getrandom(&value, sizeof value, 0) != sizeof value)
        die("getrandom failed");
    return value;
}

static double unit(uint64_t *s)
{
    return (double)(next(s) >> 11) * 0x1p-53;
}

uint32_t wb_random(void)
{
    return (uint32_t)(next(&state) >> 32);
}

double wb_uniform(double low, double high)
{
    return low + (high - low) * unit(&state);
}

float *wb_random_f32(size_t n, double low, double high)
{
    float *x = wb_new(n * sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)wb_uniform(low, high);
    return x;
}

double *wb_random_f64(size_t n, double low, double high)
{
    double *x = wb_new(n * sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = wb_uniform(low, high);
    return x;
}

// From low to high, both included.
int32_t *wb_random_i32(size_t n, int32_t low, int32_t high)
{
    int32_t *x = wb_new(n * sizeof *x);
    uint64_t span = (uint64_t)((int64_t)high - low) + 1;
    for (size_t i = 0; i < n; i++)
        x[i] = (int32_t)(low + (int64_t)(wb_random() % span));
    return x;
}

uint32_t *wb_random_u32(size_t n)
{
    uint32_t *x = wb_new(n * sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = wb_random();
    return x;
}

unsigned char *wb_random_bytes(size_t n)
{
    unsigned char *x = wb_new(n);
    for (size_t i = 0; i < n; i++)
        x[i] = (unsigned char)wb_random();
    return x;
}

uint32_t *wb_fixed_u32(size_t n)
{
    uint32_t *x = wb_new(n * sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = (uint32_t)(next(&fixed_state) >> 32);
    return x;
}

float *wb_fixed_f32(size_t n)
{
    float *x = wb_new(n * sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(2 * unit(&fixed_state) - 1);
    return x;
}
