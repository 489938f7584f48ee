// Handlers by name, and which instruction set this host has.

#include "exec.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
#define H(name) #name,
#include "handlers.def"
#undef H
};
enum { COUNT = sizeof names / sizeof *names, TABLE = 1024 };

static int16_t table[TABLE]; // open addressing, index + 1
static pthread_once_t once = PTHREAD_ONCE_INIT;

static unsigned hash(const char *s)
{
    unsigned h = 2166136261u;
    while (*s)
        h = (h ^ (unsigned char)*s++) * 16777619u;
    return h;
}

static void build(void)
{
    _Static_assert(COUNT < TABLE / 2, "the table is too small");
    for (int i = 0; i < COUNT; i++) {
        unsigned at = hash(names[i]) % TABLE;
        while (table[at])
            at = (at + 1) % TABLE;
        table[at] = (int16_t)(i + 1);
    }
}

int handler_named(const char *name)
{
    pthread_once(&once, build);
    for (unsigned at = hash(name) % TABLE; table[at]; at = (at + 1) % TABLE)
        if (!strcmp(names[table[at] - 1], name))
            return table[at] - 1;
    return -1;
}

// SIMT_ISA=base takes the portable handlers, so that tests can compare the two.
bool host_has_v3(void)
{
    const char *wish = getenv("SIMT_ISA");
    if (wish && !strcmp(wish, "base"))
        return false;
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi2");
#else
    return false;
#endif
}
