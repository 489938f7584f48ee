// Faults and findings: what happened, where, to whom. Nothing here prints.

#include "lanes.h"
#include "record.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const int codes[] = { // cudaError_t by kind
    [SIMT_NONE] = 0,           [SIMT_OUT_OF_BOUNDS] = 700,  [SIMT_MISALIGNED] = 716,
    [SIMT_USE_AFTER_FREE] = 700, [SIMT_FOREIGN_POINTER] = 700, [SIMT_NULL_POINTER] = 700,
    [SIMT_SHARED_BOUNDS] = 700, [SIMT_LOCAL_BOUNDS] = 700,  [SIMT_READ_ONLY] = 700,
    [SIMT_BARRIER] = 719,      [SIMT_DEADLOCK] = 719,       [SIMT_LIMIT] = 702,
    [SIMT_STOPPED] = 702,      [SIMT_ASSERT] = 710,         [SIMT_TRAP] = 719,
    [SIMT_UNSUPPORTED] = 801,  [SIMT_SHUFFLE] = 719,        [SIMT_RACE] = 0,
    [SIMT_STACK] = 719,        [SIMT_BAD_CALL] = 718,       [SIMT_BAD_FREE] = 719,
};

// The plain name in a mangled one: _Z4treePKjPjm is tree.
const char *source_name(const char *symbol, char *to, size_t size)
{
    const char *s = symbol;
    if (s[0] == '_' && s[1] == 'Z') {
        s += 2;
        while (*s && (*s < '0' || *s > '9'))
            s++;
        size_t n = 0;
        const char *best = NULL;
        size_t length = 0;
        while (*s >= '0' && *s <= '9') { // nested names: the last one counts
            n = strtoul(s, (char **)(uintptr_t)&s, 10);
            if (n > strlen(s))
                break;
            best = s;
            length = n;
            s += n;
        }
        if (best && length < size) {
            memcpy(to, best, length);
            to[length] = 0;
            return to;
        }
    }
    snprintf(to, size, "%s", symbol);
    return to;
}

const char *module_file(const module *m, uint16_t file)
{
    const char *name = file < 512 ? m->ptx.file[file] : NULL;
    return name ? name : "";
}

void fault_place(const warp *w, const op *o, int lane, simt_place *p)
{
    const launch *run = w->worker->launch;
    const frame *f = w->frame;
    for (int i = 0; i < w->split_count; i++) // o may belong to a split that waits
        if (o >= w->splits[i].frame->code->ops &&
            o < w->splits[i].frame->code->ops + w->splits[i].frame->code->count)
            f = w->splits[i].frame;
    const place_of *at = NULL;
    if (f && o >= f->code->ops && o < f->code->ops + f->code->count)
        at = &f->code->places[o - f->code->ops];
    p->file = at ? module_file(run->module, at->file) : "";
    p->line = at ? (int)at->line : 0;
    p->caller = at ? (int)at->caller : 0;
    memcpy(p->block, w->block->id, sizeof p->block);
    uint32_t thread = w->index * 32 + (uint32_t)lane;
    const uint32_t *n = run->what->block;
    p->thread[0] = thread % n[0];
    p->thread[1] = thread / n[0] % n[1];
    p->thread[2] = thread / n[0] / n[1];
}

void fault_text(warp *w, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(w->worker->detail, sizeof w->worker->detail, format, list);
    va_end(list);
}

event fault_here(warp *w, const op *o, simt_fault_kind kind, int lane)
{
    worker *k = w->worker;
    simt_fault *f = &k->fault;
    *f = (simt_fault){.kind = kind, .code = codes[kind]};
    f->kernel = k->launch->code->function->name;
    fault_place(w, o, lane, &f->at);
    snprintf(f->detail, sizeof f->detail, "%s", k->detail);
    k->detail[0] = 0;
    k->fault_block = w->block->linear;
    if (o >= w->ops && o < w->ops + w->frame->code->count && w->current < w->split_count &&
        w->splits[w->current].state == RUNS)
        w->splits[w->current].pc = (uint32_t)(o - w->ops); // for fault_waiters
    return FAULTED;
}

access_kind op_kind(const warp *w, const op *o)
{
    handler *h = o->inner ? o->inner : o->run;
    handler *const *all = w->worker->launch->device->handlers;
    if (h == all[handler_named("atomic")])
        return ATOMIC;
    return h == all[handler_named("st_global")] || h == all[handler_named("st_shared")] ||
                   h == all[handler_named("st_any")]
               ? STORE
               : LOAD;
}

bool op_writes(const warp *w, const op *o)
{
    return op_kind(w, o) != LOAD;
}

// An index that is too large has passed a condition, if there is one.
static void tell_condition(warp *w, const op *o, simt_fault_kind kind)
{
    const simt_code *c = w->frame->code;
    const op *b = w->splits[w->current].branch;
    bool bounds = kind == SIMT_OUT_OF_BOUNDS || kind == SIMT_SHARED_BOUNDS ||
                  kind == SIMT_LOCAL_BOUNDS;
    if (!bounds || !b || b < c->ops || b >= c->ops + c->count || o < c->ops ||
        o >= c->ops + c->count)
        return;
    const place_of *at = &c->places[b - c->ops], *here = &c->places[o - c->ops];
    if (at->line && at->file == here->file && at->line != here->line)
        fault_text(w, "the condition before it is at line %u", at->line);
}

event fault_access(warp *w, const op *o, int lane, uint64_t address, uint32_t bytes)
{
    worker *k = w->worker;
    const launch *run = k->launch;
    ptx_space space = (ptx_space)o->space;
    if (space == S_REG)
        space = address - SHARED_WINDOW < WINDOW_SIZE  ? S_SHARED
                : address - LOCAL_WINDOW < WINDOW_SIZE ? S_LOCAL
                                                       : S_GLOBAL;
    simt_fault_kind kind = address & (bytes - 1)  ? SIMT_MISALIGNED
                           : space == S_SHARED    ? SIMT_SHARED_BOUNDS
                           : space == S_LOCAL     ? SIMT_LOCAL_BOUNDS
                                                  : SIMT_OUT_OF_BOUNDS;
    uint64_t nearest = 0;
    size_t nearest_bytes = 0;
    int64_t distance = 0;
    if (space == S_GLOBAL && address - MALLOC_WINDOW < WINDOW_SIZE) {
        simt_fault_kind why = device_heap_explain(run->device->malloced, address, &nearest,
                                                  &nearest_bytes, &distance);
        if (kind != SIMT_MISALIGNED)
            kind = why;
    } else if (space == S_SHARED || space == S_LOCAL) {
        nearest_bytes = space == S_SHARED ? run->shared : run->local;
        distance = (int64_t)address - (int64_t)nearest_bytes;
    } else {
        simt_fault_kind why = heap_explain(run->device->heap, address, bytes, &nearest,
                                           &nearest_bytes, &distance);
        if (kind != SIMT_MISALIGNED)
            kind = why;
    }
    tell_condition(w, o, kind);
    event e = fault_here(w, o, kind, lane);
    simt_fault *f = &k->fault;
    handler *h = o->inner ? o->inner : o->run;
    handler *const *all = run->device->handlers;
    strcpy(f->access, h == all[handler_named("atomic")] ? "atomic"
                      : op_writes(w, o)                 ? "store"
                                                        : "load");
    strcpy(f->space, space == S_SHARED  ? "shared"
                     : space == S_LOCAL ? "local"
                     : space == S_CONST ? "constant"
                     : space == S_PARAM ? "parameter"
                                        : "global");
    f->bytes = bytes;
    f->address = address;
    f->nearest = nearest;
    f->nearest_bytes = nearest_bytes;
    f->distance = distance;
    return e;
}

// Keeps one a (kind, line, other line), so that a race in a loop is told once. Threads
// may call this at once, and which of them comes first depends on the host: of equal
// findings the one of the lowest block and thread stays.
static uint64_t rank_of(const simt_fault *f)
{
    const simt_place *p = &f->at;
    return ((uint64_t)p->block[2] * 65536 + p->block[1]) << 44 ^ (uint64_t)p->block[0] << 12 ^
           ((p->thread[2] * 32 + p->thread[1]) * 1024 + p->thread[0]);
}

void simt_asked_at(simt_device *device, const char *file, int line)
{
    device->asked = (simt_asked){.file = file, .line = *file ? line : 0};
}

// Of a call of the program: its line is where it was made.
static bool is_of_host(const simt_fault *f)
{
    return !*f->kernel;
}

void finding_add(simt_device *device, const simt_fault *found)
{
    struct record *r = device->record;
    simt_fault now = *found, *fault = &now;
    if (is_of_host(fault)) {
        fault->at.file = device->asked.line ? device->asked.file : "";
        fault->at.line = device->asked.line;
    } else {
        fault->launch = device->asked;
    }
    memory_told(device, fault);
    pthread_mutex_lock(&device->lock);
    bool known = false;
    for (size_t i = 0; i < r->fault_count && !known; i++) {
        simt_fault *f = &r->faults[i];
        if (f->kind != fault->kind || f->at.line != fault->at.line ||
            f->other.line != fault->other.line || strcmp(f->at.file, fault->at.file) ||
            (is_of_host(f) && (f->kind == SIMT_UNINITIALISED // a large copy comes in pieces
                                 ? f->nearest != fault->nearest
                                 : strcmp(f->detail, fault->detail))))
            continue;
        known = true;
        if (rank_of(fault) < rank_of(f))
            *f = *fault;
    }
    if (!known && r->fault_count < RECORD_FAULTS)
        r->faults[r->fault_count++] = *fault;
    pthread_mutex_unlock(&device->lock);
}

// A racing load may come before the store that it should have seen: then the race says
// more than the bytes that were not there yet.
static bool is_of_a_race(const struct record *r, const simt_fault *f)
{
    for (size_t i = 0; i < r->fault_count; i++) {
        const simt_fault *x = &r->faults[i];
        if (x->kind == SIMT_RACE && ((x->at.line == f->at.line && !strcmp(x->at.file, f->at.file)) ||
                                     (x->other.line == f->at.line &&
                                      !strcmp(x->other.file, f->at.file))))
            return true;
    }
    return false;
}

void findings_settle(simt_device *device)
{
    struct record *r = device->record;
    size_t kept = 0;
    for (size_t i = 0; i < r->fault_count; i++)
        if (r->faults[i].kind != SIMT_UNINITIALISED || is_of_host(&r->faults[i]) ||
            !is_of_a_race(r, &r->faults[i]))
            r->faults[kept++] = r->faults[i];
    r->fault_count = kept;
}

int simt_note(simt_device *device, simt_fault_kind kind, const char *symbol,
              const char *text, uint64_t address, uint64_t bytes)
{
    if (kind != SIMT_BAD_FREE && kind != SIMT_LEAK && kind != SIMT_BAD_COPY &&
        kind != SIMT_UNCHECKED_ERROR)
        return 1;
    simt_fault f = {.kind = kind, .kernel = "", .at.file = "", .other.file = "",
                    .address = address, .bytes = (uint32_t)bytes};
    char kernel[96];
    if (symbol)
        snprintf(f.detail, sizeof f.detail, "the launch of %s failed: %s",
                 source_name(symbol, kernel, sizeof kernel), text);
    else
        snprintf(f.detail, sizeof f.detail, "%s", text);
    simt_fault_kind why = SIMT_NONE;
    range r;
    if (address && heap_find(device->heap, address, 0, &r)) {
        f.nearest = r.low;
        f.nearest_bytes = r.high - r.low;
        f.distance = (int64_t)(address - r.low);
    } else if (address)
        why = heap_explain(device->heap, address, 1, &f.nearest, &f.nearest_bytes, &f.distance);
    size_t n = strlen(f.detail);
    if (kind == SIMT_BAD_FREE && address)
        snprintf(f.detail + n, sizeof f.detail - n, ": %s",
                 why == SIMT_USE_AFTER_FREE     ? "it was freed before"
                 : why == SIMT_FOREIGN_POINTER  ? "it is no device memory"
                 : why == SIMT_NONE && f.distance ? "it is inside an allocation, not its start"
                                                : "nothing was allocated there");
    if (kind == SIMT_BAD_COPY && why == SIMT_USE_AFTER_FREE)
        snprintf(f.detail + n, sizeof f.detail - n, ": that memory was freed before");
    else if (kind == SIMT_BAD_COPY && f.nearest && f.distance >= 0 && bytes)
        snprintf(f.detail + n, sizeof f.detail - n,
                 ": %llu bytes from byte %lld of an allocation of %zu bytes",
                 (unsigned long long)bytes, (long long)f.distance, f.nearest_bytes);
    finding_add(device, &f);
    return 0;
}

const simt_fault *simt_fault_at(const simt_device *device, size_t i)
{
    return i < device->record->fault_count ? &device->record->faults[i] : NULL;
}
