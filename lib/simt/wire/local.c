// The device in the program's own process, for programs linked with both halves.

#include "context.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STAGING = 4 << 20 };

static wire_machine machine;

// SIMT_RECORD=FILE: what the program did, as JSON, when it ends.
static void write_record(void)
{
    const char *path = getenv("SIMT_RECORD");
    FILE *out = fopen(path, "w");
    if (out) {
        wire_write_record(&machine, out);
        if (!fclose(out))
            return;
    }
    fprintf(stderr, "simt: cannot write %s: %s\n", path, strerror(errno));
}

static bool arena_is_mapped(void *with)
{
    (void)with; // the front end maps what it hands out
    return true;
}

static wire_machine machine;

static wire_machine *local_open(void)
{
    const char *workers = getenv("SIMT_WORKERS"), *schedule = getenv("SIMT_SCHEDULE");
    const char *limit = getenv("SIMT_LIMIT");
    simt_config config = {
        .gpu = getenv("SIMT_GPU"),
        .workers = workers ? atoi(workers) : 0,
        .instruction_limit = limit ? strtoull(limit, NULL, 10) : 0,
        .schedule = schedule ? strtoull(schedule, NULL, 10) : 0,
        .watch = getenv("SIMT_WATCH"),
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

// With SIMT_CHECKS, what was found goes to stderr, and SIMT_ERROR_EXITCODE is the exit
// code if that is anything.
static void local_end(wire_machine *m, int status)
{
    const char *exit_code = getenv("SIMT_ERROR_EXITCODE");
    if (getenv("SIMT_RECORD"))
        write_record();
    const char *checks = getenv("SIMT_CHECKS");
    int found = checks && *checks ? wire_say(m, stderr) : 0;
    if (found && exit_code && atoi(exit_code) && !status) {
        fflush(NULL);
        _exit(atoi(exit_code));
    }
}

const wire_local simt_local = {local_open, wire_execute, local_end};
