// The device in the program's own process, for programs linked with both halves.

#include "context.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { STAGING = 4 << 20 };

static bool arena_is_mapped(void *with)
{
    (void)with; // the front end maps what it hands out
    return true;
}

static wire_machine *local_open(void)
{
    static wire_machine machine;
    const char *workers = getenv("SIMT_WORKERS"), *schedule = getenv("SIMT_SCHEDULE");
    simt_config config = {
        .gpu = getenv("SIMT_GPU"),
        .workers = workers ? atoi(workers) : 0,
        .schedule = schedule ? strtoull(schedule, NULL, 10) : 0,
    };
    if (!simt_checks_named(getenv("SIMT_CHECKS"), &config.checks)) {
        fputs("simt: SIMT_CHECKS names a check that there is not\n", stderr);
        return NULL;
    }
    char *staging = malloc(STAGING);
    if (!staging || !wire_machine_open(&machine, config))
        return NULL;
    wire_machine_stage(&machine, staging, STAGING);
    machine.map_arena = arena_is_mapped;
    for (int i = 0; i < machine.count; i++)
        machine.device[i].same_process = true;
    return &machine;
}

// With SIMT_CHECKS, what was found goes to stderr; with SIMT_RECORD=FILE, the record there.
// SIMT_ERROR_EXITCODE is then the exit code, if anything was found.
static void local_end(wire_machine *m, int status)
{
    const char *file = getenv("SIMT_RECORD"), *exit_code = getenv("SIMT_ERROR_EXITCODE");
    FILE *record = file ? fopen(file, "w") : NULL;
    if (record) {
        wire_write_record(m, record);
        fclose(record);
    }
    int found = getenv("SIMT_CHECKS") ? wire_say(m, stderr) : 0;
    if (found && exit_code && atoi(exit_code) && !status) {
        fflush(NULL);
        _exit(atoi(exit_code));
    }
}

const wire_local simt_local = {local_open, wire_execute, local_end};
