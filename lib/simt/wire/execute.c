// Commands, carried out: programs, launches, events. execute_memory.c has the rest.
//
// The peer is not trusted: every number is checked here or by simt.h, and what lies in
// the staging area is copied before it is looked at twice.

#include "execute.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_EVENTS = 1 << 20, MOST_BLOB = 256 << 20 };

// Nominal cost, until there is a model of time: the same for all GPUs.
static const double launch_ns = 1450, event_ns = 3600; // between two kernels; an event


// The staged bytes as a name.
static bool name_of(const wire_context *s, const wire_command *c, char *name,
                    size_t room)
{
    const char *from = staged(s, c);
    if (!from || !c->bytes || c->bytes >= room)
        return false;
    memcpy(name, from, c->bytes);
    name[c->bytes] = 0;
    return true;
}

// The same for words that go into the record: whatever the peer sends, that stays JSON.
static bool words_of(const wire_context *s, const wire_command *c, char *words, size_t room)
{
    if (!name_of(s, c, words, room))
        return false;
    for (char *p = words; *p; p++)
        if ((unsigned char)*p < 32 || (unsigned char)*p > 126)
            *p = '?';
    return true;
}

static int fill_body(wire_reply *r, const void *from, size_t bytes)
{
    if (bytes > sizeof r->body)
        return NO_MEMORY;
    memcpy(r->body, from, bytes);
    r->bytes = (uint32_t)bytes;
    return 0;
}

EXECUTE(NOP)
{
    UNUSED(s), UNUSED(c), UNUSED(r);
    return 0;
}

EXECUTE(GPU)
{
    UNUSED(c);
    const simt_gpu *g = simt_gpu_of(s->device);
    wire_gpu about = {
        .major = g->major, .minor = g->minor, .sms = g->sms, .clock_khz = g->clock_khz,
        .memory_clock_khz = g->memory_clock_khz, .memory_bus_bits = g->memory_bus_bits,
        .l2 = g->l2, .threads_per_sm = g->threads_per_sm,
        .blocks_per_sm = g->blocks_per_sm, .registers_per_sm = g->registers_per_sm,
        .shared_per_sm = g->shared_per_sm, .shared_optin = g->shared_optin,
    };
    size_t available, total;
    simt_memory_info(s->device, &available, &total);
    about.memory = total;
    about.checks = simt_checks_of(s->device);
    r->value[0] = (uint64_t)s->machine->count;
    snprintf(about.name, sizeof about.name, "%s", g->name);
    return fill_body(r, &about, sizeof about);
}

EXECUTE(BLOB)
{
    UNUSED(r);
    const char *from = staged(s, c);
    if (c->as.piece.first)
        s->blob_bytes = 0;
    if (!from || c->bytes > MOST_BLOB - s->blob_bytes)
        return INVALID_VALUE;
    if (!s->blob || s->blob_bytes + c->bytes > s->blob_capacity) {
        uint64_t capacity = (s->blob_bytes + c->bytes) * 2 + 64;
        char *more = realloc(s->blob, capacity);
        if (!more)
            return NO_MEMORY;
        s->blob = more;
        s->blob_capacity = capacity;
    }
    memcpy(s->blob + s->blob_bytes, from, c->bytes);
    s->blob_bytes += c->bytes;
    return 0;
}

EXECUTE(LOAD)
{
    UNUSED(c);
    uint32_t module = 0;
    int error = simt_load(s->device, s->blob ? s->blob : "", s->blob_bytes, &module);
    r->value[0] = module;
    if (error) {
        const char *why = simt_load_error(s->device);
        size_t bytes = why ? strlen(why) : 0;
        fill_body(r, why, bytes < 1000 ? bytes : 1000);
    }
    free(s->blob);
    s->blob = NULL;
    s->blob_bytes = s->blob_capacity = 0;
    return error;
}

EXECUTE(UNLOAD)
{
    UNUSED(r);
    return simt_unload(s->device, (uint32_t)c->as.object.id);
}

EXECUTE(KERNEL)
{
    char name[4096];
    uint32_t kernel;
    simt_kernel_info info;
    if (!name_of(s, c, name, sizeof name))
        return INVALID_VALUE;
    int error = simt_find_kernel(s->device, (uint32_t)c->as.object.id, name, &kernel);
    if (!error)
        error = simt_kernel_info_of(s->device, kernel, &info);
    if (error)
        return error;
    if (info.parameters > WIRE_PARAMETERS)
        return NO_MEMORY;
    wire_kernel about = {
        .parameter_bytes = info.parameter_bytes, .shared = info.shared,
        .local = info.local, .constant = info.constant, .parameters = info.parameters,
        .max_threads = info.max_threads, .registers = info.registers,
    };
    fill_body(r, &about, sizeof about);
    for (int i = 0; i < info.parameters; i++) {
        size_t offset, bytes;
        error = simt_parameter(s->device, kernel, i, &offset, &bytes);
        if (error)
            return error;
        uint32_t place[2] = {(uint32_t)offset, (uint32_t)bytes};
        memcpy(r->body + r->bytes, place, sizeof place);
        r->bytes += sizeof place;
    }
    r->value[0] = kernel;
    return 0;
}

EXECUTE(VARIABLE)
{
    char name[4096];
    size_t bytes = 0;
    if (!name_of(s, c, name, sizeof name))
        return INVALID_VALUE;
    int error = simt_find_variable(s->device, (uint32_t)c->as.object.id, name,
                                   &r->value[0], &bytes);
    r->value[1] = bytes;
    return error;
}

EXECUTE(BIND)
{
    UNUSED(r);
    char name[4096];
    if (!name_of(s, c, name, sizeof name))
        return INVALID_VALUE;
    return simt_bind_variable(s->device, (uint32_t)c->as.object.id, name,
                              c->as.object.address);
}

EXECUTE(LIMIT)
{
    UNUSED(r);
    uint64_t which = c->as.object.id;
    return which < SIMT_LIMITS
               ? simt_set_limit(s->device, (int)which, c->as.object.address)
               : INVALID_VALUE;
}

// A launch whose arguments are a copy: *arguments is to be freed.
static int launch_of(const wire_context *s, const wire_command *c, simt_launch *l,
                     void **arguments)
{
    const struct wire_launch *x = &c->as.launch;
    const char *from = staged(s, c);
    *arguments = NULL;
    if (!from || c->bytes > WIRE_BODY)
        return INVALID_VALUE;
    *arguments = malloc(c->bytes + 1);
    if (!*arguments)
        return NO_MEMORY;
    memcpy(*arguments, from, c->bytes);
    *l = (simt_launch){
        .kernel = x->kernel,
        .grid = {x->grid[0], x->grid[1], x->grid[2]},
        .block = {x->block[0], x->block[1], x->block[2]},
        .shared = x->shared, .cooperative = x->cooperative != 0,
        .cluster = {x->cluster[0], x->cluster[1], x->cluster[2]},
        .any_cluster = x->any_cluster != 0,
        .registers = x->registers <= 255 ? (int)x->registers : 0, .preferred = x->preferred,
        .parameters = *arguments, .parameter_bytes = c->bytes,
    };
    return 0;
}

EXECUTE(CHECK)
{
    UNUSED(r);
    simt_launch l;
    void *arguments;
    int error = launch_of(s, c, &l, &arguments);
    if (!error)
        error = simt_check_launch(s->device, &l);
    free(arguments);
    return error;
}

EXECUTE(LAUNCH)
{
    UNUSED(r);
    simt_launch l;
    void *arguments;
    int error = launch_of(s, c, &l, &arguments);
    if (!error)
        error = simt_check_launch(s->device, &l);
    if (!error) {
        double before = simt_modelled_ns(s->device);
        s->sticky = simt_run(s->device, &l);
        const simt_modelled *m = simt_last_launch(s->device);
        timeline_add(&s->time, c, ENGINE_NONE, launch_ns, 0, "", 0);
        timeline_add(&s->time, c, ENGINE_KERNELS, simt_modelled_ns(s->device) - before,
                     m->part, m->kernel, 0);
    }
    free(arguments);
    return error;
}

EXECUTE(RECORD)
{
    UNUSED(r);
    uint64_t id = c->as.object.id;
    if (id >= MOST_EVENTS)
        return INVALID_VALUE;
    if (id >= s->event_count) {
        uint64_t *more = realloc(s->events, (id + 64) * sizeof *more);
        if (!more)
            return NO_MEMORY;
        memset(more + s->event_count, 0, (id + 64 - s->event_count) * sizeof *more);
        s->events = more;
        s->event_count = id + 64;
    }
    s->events[id] = (uint64_t)timeline_add(&s->time, c, ENGINE_NONE, event_ns, 0, "", 0);
    return 0;
}

EXECUTE(JOIN)
{
    UNUSED(r);
    timeline_join(&s->time, c, (uint32_t)c->as.object.id);
    return 0;
}

EXECUTE(MARK)
{
    UNUSED(r);
    char name[64];
    const struct wire_range *x = &c->as.range;
    if (!words_of(s, c, name, sizeof name) || x->bytes < x->address || x->managed >= WIRE_ROWS)
        return INVALID_VALUE;
    timeline_mark(&s->time, (uint32_t)x->managed, (double)x->address, (double)x->bytes, name);
    return 0;
}

EXECUTE(TIME)
{
    if (c->as.object.id >= s->event_count)
        return INVALID_VALUE;
    r->value[0] = s->events[c->as.object.id];
    return 0;
}

EXECUTE(SOURCE)
{
    UNUSED(r);
    char name[sizeof *s->machine->sources];
    uint64_t id = c->as.object.id;
    if (id >= sizeof s->machine->sources / sizeof *s->machine->sources ||
        *s->machine->sources[id] || !words_of(s, c, name, sizeof name))
        return INVALID_VALUE; // what has a name may be in the record
    memcpy(s->machine->sources[id], name, sizeof name);
    return 0;
}

const char *source_name(const char *symbol, char *to, size_t size); // src/fault.c

EXECUTE(FAILED)
{
    UNUSED(r);
    char text[640], kernel[96];
    wire_machine *m = s->machine;
    if (!words_of(s, c, text, sizeof text) || c->as.object.id > strlen(text))
        return INVALID_VALUE;
    if (*m->failed)
        return 0;
    m->failed_at = c->host;
    const char *rest = text + c->as.object.id;
    if (c->as.object.id) {
        char symbol[640];
        memcpy(symbol, text, c->as.object.id);
        symbol[c->as.object.id] = 0;
        snprintf(m->failed, sizeof m->failed, "%s%.200s",
                 source_name(symbol, kernel, sizeof kernel), rest);
    } else {
        snprintf(m->failed, sizeof m->failed, "%.300s", rest);
    }
    return 0;
}

EXECUTE(FINDING)
{
    UNUSED(r);
    char text[600], symbol[600] = "";
    const struct wire_finding *x = &c->as.finding;
    if (!words_of(s, c, text, sizeof text) || x->kind > SIMT_UNCHECKED_ERROR ||
        x->symbol > strlen(text))
        return INVALID_VALUE;
    memcpy(symbol, text, x->symbol);
    return simt_note(s->device, (simt_fault_kind)x->kind,
                     x->symbol ? symbol : NULL, text + x->symbol, x->address, x->bytes);
}

EXECUTE(END)
{
    UNUSED(c), UNUSED(r);
    simt_end(s->device);
    return 0;
}

EXECUTE(WAIT)
{
    UNUSED(c);
    r->bytes = (uint32_t)simt_take_output(s->device, r->body, sizeof r->body);
    r->flags |= r->bytes == sizeof r->body ? WIRE_MORE : 0;
    int error = s->soft;
    s->soft = 0;
    return error;
}

void wire_execute(wire_machine *m, const wire_command *c, wire_reply *r)
{
    static executor *const table[] = {
#define COMMAND(name, payload, meaning) [WIRE_##name] = run_##name,
        WIRE_COMMANDS(COMMAND)
#undef COMMAND
    };
    wire_context *s = &m->device[c->device < m->count ? c->device : 0];
    r->flags = r->bytes = r->unused = 0;
    simt_asked_at(s->device, m->sources[c->host >> 20 & 15], (int)(c->host & 0xfffff));
    r->value[0] = r->value[1] = 0;
    // A lost context does nothing more, but says why and hands over what was printed.
    if (c->op >= WIRE_OPS || c->device >= m->count)
        r->code = INVALID_VALUE;
    else if (s->sticky && c->op != WIRE_WAIT && c->op != WIRE_GPU &&
             c->op != WIRE_FINDING)
        r->code = s->sticky;
    else
        r->code = table[c->op](s, c, r);
    r->ended = s->time.end;
    if (s->sticky) {
        r->code = s->sticky;
        r->flags |= WIRE_STICKY;
    } else if (r->code && !(c->flags & WIRE_CALL) && !s->soft) {
        s->soft = r->code;
    }
}
