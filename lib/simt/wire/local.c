// The device in the program's own process, for programs linked with both halves.

#include "context.h"

#include <stdlib.h>

enum { STAGING = 4 << 20 };

static bool arena_is_mapped(void *with)
{
    (void)with; // the front end maps what it hands out
    return true;
}

static wire_context *local_open(void)
{
    static wire_context context;
    const char *workers = getenv("SIMT_WORKERS"), *races = getenv("SIMT_RACES");
    simt_config config = {
        .gpu = getenv("SIMT_GPU"),
        .workers = workers ? atoi(workers) : 0,
        .check_races = races && atoi(races),
    };
    context.device = simt_open(&config);
    context.staging = malloc(STAGING);
    context.staging_bytes = STAGING;
    context.same_process = true;
    context.map_arena = arena_is_mapped;
    return context.device && context.staging ? &context : NULL;
}

const wire_local simt_local = {local_open, wire_execute};
