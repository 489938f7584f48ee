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

// What the checks found, at the end of the program: there is no judge to ask.
static void say_findings(void)
{
    const simt_fault *f;
    for (int d = 0; d < machine.count; d++)
        for (size_t i = 0; (f = simt_fault_at(machine.device[d].device, i)); i++) {
            const simt_place *p = &f->at, *q = &f->other;
            if (f->code)
                continue;
            fprintf(stderr, "simt: %s:%d: kernel %s, block (%u,%u,%u) thread (%u,%u,%u), a %s: %s\n",
                    p->file, p->line, f->kernel, p->block[0], p->block[1], p->block[2],
                    p->thread[0], p->thread[1], p->thread[2], f->access, f->detail);
            if (*f->other_access)
                fprintf(stderr, "simt:   earlier, a %s: %s:%d, block (%u,%u,%u) thread (%u,%u,%u)\n",
                        f->other_access, q->file, q->line, q->block[0], q->block[1], q->block[2],
                        q->thread[0], q->thread[1], q->thread[2]);
        }
}

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
    if (config.checks)
        atexit(say_findings);
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
    int found = getenv("SIMT_CHECKS") ? wire_say(m, stderr) : 0;
    if (found && exit_code && atoi(exit_code) && !status) {
        fflush(NULL);
        _exit(atoi(exit_code));
    }
}

const wire_local simt_local = {local_open, wire_execute, local_end};
