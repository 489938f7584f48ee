// Checks: which there are, and how operations come under them.
//
// A check that is off costs nothing. When a function is decoded for a device with checks,
// each operation that touches memory gets one of exec_check.c's in front of its own
// handler, which looks at the access before it happens.

#include "check.h"

#include <string.h>

bool simt_checks_named(const char *names, unsigned *checks)
{
    static const struct {
        const char *name;
        unsigned bits;
    } known[] = {
#define C(id, name, bit) {#name, SIMT_CHECK_##id},
        SIMT_CHECKS(C)
#undef C
        {"all", SIMT_CHECK_ALL},
    };
    *checks = 0;
    for (const char *at = names ? names : ""; *at;) {
        size_t n = strcspn(at, ","), k = 0, count = sizeof known / sizeof *known;
        while (k < count && (strlen(known[k].name) != n || strncmp(known[k].name, at, n)))
            k++;
        if (k == count)
            return false;
        *checks |= known[k].bits;
        at += n + (at[n] == ',');
    }
    return true;
}

unsigned simt_checks_of(const simt_device *device)
{
    return device->config.checks;
}

// What it becomes under checks, or NULL: it touches no memory that is checked.
static handler *checked(const simt_device *d, handler *h)
{
    static const char *const names[][2] = {
        {"ld_global", "checked_load"},   {"ld_shared", "checked_load"},
        {"ld_any", "checked_load"},      {"st_global", "checked_store"},
        {"st_shared", "checked_store"},  {"st_any", "checked_store"},
        {"atomic", "checked_atomic"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (h == d->handlers[handler_named(names[i][0])])
            return d->handlers[handler_named(names[i][1])];
    return NULL;
}

void check_wrap(decoder *d)
{
    const simt_device *device = d->device;
    handler *rows = device->handlers[handler_named("row_lanes")];
    if (!(device->config.checks & CHECK_ACCESSES) && !device->config.schedule)
        return;
    for (uint32_t i = 0; i < d->count; i++) {
        op *o = &d->ops[i];
        handler *run = checked(device, o->inner ? o->inner : o->run);
        if (!run)
            continue;
        o->lanes = o->run == control_guarded ? CHECK_GUARDED
                   : o->run == rows          ? CHECK_ROWS
                                             : CHECK_ALL_LANES;
        if (!o->inner)
            o->inner = o->run;
        o->run = run;
    }
}
