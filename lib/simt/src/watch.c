// Watching a line: the addresses that the lanes of its accesses touch.
//
// What is watched is said by a text, FILE:LINE:BLOCK:WARP, where * stands for any and the
// end may be left out ("kernel.cu:45", "kernel.cu:*:0"). Memory operations of the line run
// through control_watched; nothing else is any slower, and without a text nothing is.
// Where block and warp are chosen the first executions of each operation are kept, else
// its dearest access; of equal ones that of the lowest block and warp, so host threads do
// not matter.

#include "watch.h"

#include "access.h"
#include "check.h"
#include "record.h"

#include <stdlib.h>

// ---- What to watch --------------------------------------------------------------

static bool number(char *text, uint64_t *value, bool *any)
{
    char *end;
    *any = !text || !strcmp(text, "*");
    *value = *any ? 0 : strtoull(text, &end, 10);
    return *any || (*text >= '0' && *text <= '9' && !*end);
}

struct watch *watch_new(const char *what)
{
    char text[160], *rest = text, *part[4] = {0};
    uint64_t line, warp;
    watch *w = calloc(1, sizeof *w);
    if (!w || snprintf(text, sizeof text, "%s", what) >= (int)sizeof text)
        return free(w), NULL;
    for (int i = 0; i < 4 && rest; i++)
        part[i] = strsep(&rest, ":");
    bool good = !rest && number(part[1], &line, &w->any_line) &&
                number(part[2], &w->block, &w->any_block) &&
                number(part[3], &warp, &w->any_warp) && line <= UINT32_MAX &&
                warp <= UINT32_MAX &&
                snprintf(w->file, sizeof w->file, "%s", part[0]) < (int)sizeof w->file;
    if (!good)
        return free(w), NULL;
    w->line = (uint32_t)line;
    w->warp = (uint32_t)warp;
    return w;
}

static bool same_file(const watch *w, const char *path)
{
    const char *name = path ? strrchr(path, '/') : NULL;
    name = name ? name + 1 : path ? path : "";
    return !strcmp(w->file, "*") || !strcmp(w->file, name);
}

static handler *does(const op *o)
{
    return o->inner ? o->inner : o->run;
}

// What the operation does to memory, or NULL.
static const char *verb_of(const counted *h, const op *o)
{
    handler *run = does(o);
    bool far = o->space != S_PARAM && o->space != S_CONST;
    if (run == h->ld || run == h->ld_shared || (run == h->ld_any && far))
        return "load";
    if (run == h->st || run == h->st_shared || (run == h->st_any && far))
        return "store";
    return run == h->atomic ? "atomic" : NULL;
}

void watch_code(const simt_device *device, const module *m, simt_code *code)
{
    const watch *w = device->watch;
    handler *rows = device->handlers[handler_named("row_lanes")];
    for (uint32_t i = 0; w && i < code->count; i++) {
        const place_of *p = &code->places[i];
        op *o = &code->ops[i];
        if ((!w->any_line && p->line != w->line) || !p->line ||
            !same_file(w, module_file(m, p->file)) ||
            !verb_of(&device->record->counted, o))
            continue;
        if (!code->unwatched)
            code->unwatched = calloc(code->count, sizeof *code->unwatched);
        if (!code->unwatched)
            abort();
        if (o->run == control_guarded) // else checked, which has set it
            o->lanes = CHECK_GUARDED;
        else if (o->run == rows)
            o->lanes = CHECK_ROWS;
        code->unwatched[i] = o->run;
        o->inner = does(o);
        o->run = control_watched;
    }
}

// ---- Looking --------------------------------------------------------------------

static ptx_space space_at(const op *o, uint64_t address)
{
    if (o->space != S_REG)
        return (ptx_space)o->space;
    return address - SHARED_WINDOW < WINDOW_SIZE  ? S_SHARED
           : address - LOCAL_WINDOW < WINDOW_SIZE ? S_LOCAL
                                                  : S_GLOBAL;
}

static void price(sighting *s, const access *x)
{
    u32 lanes = (u32)__builtin_popcount(x->mask), least = (lanes * x->size + 31) / 32;
    if (s->space == S_SHARED) {
        s->cost = count_wavefronts(x, &s->ideal);
        return;
    }
    s->cost = count_sectors(x);
    if (s->space == S_LOCAL)
        s->cost *= x->size > 4 ? x->size / 4 : 1;
    s->ideal = s->cost < least ? s->cost : least;
}

static void look(const warp *w, const op *o, access *x, sighting *s)
{
    const block *b = w->block;
    uint32_t keep = 0;
    s->space = space_at(o, x->address[first_lane(x->mask)]);
    for (u32 m = x->mask; m; m &= m - 1)
        if (space_at(o, x->address[first_lane(m)]) == s->space)
            keep |= 1u << first_lane(m);
    if (keep != x->mask) {
        keep_lanes(x, keep);
        x->contiguous = x->uniform = false;
    }
    if (s->space == S_LOCAL)
        x->contiguous = x->uniform = false;
    uint64_t base = o->space != S_REG        ? 0
                    : s->space == S_SHARED   ? SHARED_WINDOW
                    : s->space == S_LOCAL    ? LOCAL_WINDOW
                                             : 0;
    for (u32 l = 0; l < 32; l++) {
        x->address[l] -= base;
        if (s->space == S_LOCAL) // word i of lane l lies beside word i of lane l + 1
            x->address[l] = (x->address[l] / 4 * 32 + l) * 4;
    }
    s->mask = x->mask;
    s->bytes = x->size;
    s->linear = b->linear;
    s->warp = w->index;
    memcpy(s->block, b->id, sizeof s->block);
    memcpy(s->address, x->address, sizeof s->address);
    if (s->space == S_LOCAL)
        keep_lanes(x, keep);
    price(s, x);
}

// Is a dearer than b, or as dear and of an earlier block or warp?
static bool before(const sighting *a, const sighting *b)
{
    if (a->cost != b->cost)
        return a->cost > b->cost;
    return a->linear != b->linear ? a->linear < b->linear : a->warp < b->warp;
}

// The lanes that the access is for.
static uint32_t lanes_of(const warp *w, const op *o)
{
    uint32_t p = o->lanes == CHECK_GUARDED ? predicate_mask(AT(w, o->guard)) : 0;
    if (o->lanes == CHECK_GUARDED)
        return w->mask & (o->guard_not ? ~p : p);
    bool rows = o->lanes == CHECK_ROWS && o->sub < 32;
    return rows ? w->mask & ((1u << o->sub) - 1) : w->mask;
}

static void see(warp *w, const op *o)
{
    const watch *what = w->worker->launch->device->watch;
    if ((!what->any_block && w->block->linear != what->block) ||
        (!what->any_warp && w->index != what->warp))
        return;
    bool first = !what->any_block && !what->any_warp;
    sightings **place = &w->worker->seen[w->frame->code->site_base + o->site];
    if (*place && first && (*place)->count == WATCH_FIRST)
        return;
    if (!*place)
        *place = room_take(w->worker->launch->device, sizeof **place);
    access x;
    sighting now = {0};
    find_addresses(w, o, &x);
    look(w, o, &x, &now);
    sightings *list = *place;
    if (first)
        list->seen[list->count++] = now;
    else if (!list->count || before(&now, &list->seen[0]))
        list->seen[list->count = 1, 0] = now;
}

int control_watched(warp *w, const op *o)
{
    handler *run = w->frame->code->unwatched[o - w->ops];
    uint32_t all = w->mask, mask = lanes_of(w, o);
    if (mask) {
        if (mask != all)
            warp_set_mask(w, mask);
        see(w, o);
        if (mask != all)
            warp_set_mask(w, all);
    }
    return run(w, o);
}

// ---- Gathering ------------------------------------------------------------------

static bool same_place(const access_record *a, const access_record *b)
{
    return a->line == b->line && !strcmp(a->file, b->file) && !strcmp(a->verb, b->verb) &&
           !strcmp(a->kernel, b->kernel) && a->at.space == b->at.space;
}

static void keep(record *r, const access_record *now, bool dearest)
{
    for (size_t i = 0; dearest && i < r->access_count; i++)
        if (same_place(&r->accesses[i], now)) {
            if (now->at.cost > r->accesses[i].at.cost)
                r->accesses[i] = *now;
            return;
        }
    if (r->access_count == WATCH_MOST)
        return;
    if (!r->accesses)
        r->accesses = calloc(WATCH_MOST, sizeof *r->accesses);
    if (!r->accesses)
        abort();
    r->accesses[r->access_count++] = *now;
}

void watch_gather(launch *run, size_t number)
{
    record *r = run->device->record;
    const watch *what = run->device->watch;
    for (int c = 0; what && c < run->code_count; c++) {
        const simt_code *code = run->codes[c];
        for (uint32_t i = 0; code->unwatched && i < code->count; i++) {
            sightings *best = NULL;
            for (int k = 0; k < run->worker_count; k++) {
                sightings *s = run->workers[k].seen[code->site_base + code->ops[i].site];
                if (s && (!best || before(&s->seen[0], &best->seen[0])))
                    best = s;
            }
            const place_of *p = &code->places[i];
            access_record now = {.launch = number, .line = p->line};
            now.file = module_file(run->module, p->file);
            now.verb = verb_of(&r->counted, &code->ops[i]);
            memcpy(now.kernel, run->code->name, sizeof now.kernel);
            for (uint32_t n = 0; best && n < best->count; n++) {
                now.at = best->seen[n];
                keep(r, &now, what->any_block || what->any_warp);
            }
        }
    }
    for (int k = 0; what && k < run->worker_count; k++)
        for (uint32_t i = 0; i < run->total_sites; i++)
            if (run->workers[k].seen[i])
                room_give(run->device, run->workers[k].seen[i]);
}

void watch_json(FILE *out, const access_record *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const access_record *r = &list[i];
        const sighting *s = &r->at;
        const char *space = s->space == S_SHARED ? "shared" : s->space == S_LOCAL ? "local" : "global";
        fprintf(out, "%s{\"launch\":%zu,\"kernel\":", i ? "," : "", r->launch);
        simt_json_text(out, r->kernel);
        fputs(",\"file\":", out);
        simt_json_text(out, r->file);
        fprintf(out, ",\"line\":%u,\"block\":[%u,%u,%u],\"linear\":%llu,\"warp\":%u,", r->line,
                s->block[0], s->block[1], s->block[2], (unsigned long long)s->linear, s->warp);
        fprintf(out, "\"space\":\"%s\",\"op\":\"%s\",\"bytes\":%u,\"%s\":%u,\"ideal\":%u,", space,
                r->verb, s->bytes, s->space == S_SHARED ? "wavefronts" : "sectors", s->cost,
                s->ideal);
        fprintf(out, "\"mask\":\"0x%08x\",\"addresses\":[", s->mask);
        for (int l = 0; l < 32; l++)
            if (s->mask >> l & 1)
                fprintf(out, "%s%llu", l ? "," : "", (unsigned long long)s->address[l]);
            else
                fprintf(out, "%snull", l ? "," : "");
        fputs("]}", out);
    }
}
