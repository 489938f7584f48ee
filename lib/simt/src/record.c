// From the counts of operations to counters by kernel and by source line, and to JSON.

#include "record.h"

#include "async.h"
#include "watch.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[COUNT_ALL] = {
#define C(id, name) [COUNT_##id] = name,
    COUNTERS(C)
#undef C
#define C(id, name) [COUNT_CLASSES + CLASS_##id] = "inst_" name "_ptx",
    CLASSES(C)
#undef C
};

static handler *named(const simt_device *device, const char *name)
{
    return device->handlers[handler_named(name)];
}

struct record *record_new(const simt_device *d)
{
    record *r = calloc(1, sizeof *r);
    if (r)
        r->counted = (counted){
            named(d, "ld_global"), named(d, "st_global"), named(d, "ld_shared"),
            named(d, "st_shared"), named(d, "ld_any"),    named(d, "st_any"),
            named(d, "atomic"),    named(d, "shfl"),      named(d, "vote"),
            named(d, "tex"),       named(d, "suld"),      named(d, "sust")};
    return r;
}

static void clear(record *r)
{
    for (size_t i = 0; i < r->launch_count; i++)
        free(r->launches[i].lines);
    r->launch_count = r->dropped = r->fault_count = r->access_count = 0;
    memset(r->totals, 0, sizeof r->totals);
}

void record_free(record *r)
{
    if (r) {
        clear(r);
        free(r->accesses);
    }
    free(r);
}

void simt_reset_record(simt_device *device)
{
    clear(device->record);
    device_forget(device);
    writer_begin(device);
}

// ---- Adding a launch ------------------------------------------------------------

static line_record *line_of(launch_record *r, uint16_t file, uint32_t line)
{
    for (size_t i = r->line_count; i-- > 0;) // neighbours share lines
        if (r->lines[i].line == line && r->lines[i].file == file)
            return &r->lines[i];
    size_t n = r->line_count;
    if ((n & (n - 1)) == 0) // no room behind 0, 1, 2, 4, ...
        r->lines = realloc(r->lines, (n ? 2 * n : 1) * sizeof *r->lines);
    if (!r->lines)
        abort();
    line_record *l = &r->lines[r->line_count++];
    memset(l, 0, sizeof *l);
    l->file = file;
    l->line = line;
    return l;
}

static void add_shared(double *c, const site_count *s, bool stores)
{
    int at = stores ? COUNT_SHARED_ST : COUNT_SHARED_LD;
    c[at] += (double)s->requests;
    c[at + 1] += (double)s->sectors;
    c[at + 2] += (double)(s->sectors - s->ideal);
}

static void add_global(double *c, const op *o, const site_count *s, bool stores)
{
    int at = stores ? COUNT_ST_REQUESTS : COUNT_LD_REQUESTS;
    c[at] += (double)s->requests;
    c[at + 1] += (double)s->sectors;
    c[at + 2] += (double)s->lanes * o->bytes * o->vec;
}

// What one operation's counts mean.
static void add_site(double *c, const counted *h, const op *o, const site_count *s,
                     const site_count *generic_shared)
{
    handler *run = o->inner ? o->inner : o->run;
    if (run == h->ld || run == h->st) {
        add_global(c, o, s, run == h->st);
    } else if (run == h->ld_shared || run == h->st_shared) {
        add_shared(c, s, run == h->st_shared);
    } else if (run == h->ld_any || run == h->st_any) {
        bool stores = run == h->st_any;
        if (o->space == S_REG) {
            add_global(c, o, s, stores);
            add_shared(c, generic_shared, stores);
        } else if (o->space == S_LOCAL) {
            c[stores ? COUNT_LOCAL_ST : COUNT_LOCAL_LD] += (double)s->requests;
            c[stores ? COUNT_LOCAL_ST_SECTORS : COUNT_LOCAL_LD_SECTORS] += (double)s->sectors;
        }
    } else if (run == control_copy) { // a global load and a shared store
        add_global(c, o, s, false);
        add_shared(c, generic_shared, true);
    } else if (run == control_bulk_copy) {
        add_global(c, o, s, false);
        add_global(c, o, generic_shared, true);
    } else if (run == h->atomic) {
        bool shared = o->space == S_SHARED;
        c[shared ? COUNT_ATOMS_SHARED : COUNT_ATOMS_GLOBAL] += (double)s->lanes;
        c[COUNT_ATOM_DEPTH] += (double)s->extra;
        if (shared) {
            c[COUNT_SHARED_ATOM] += (double)s->requests;
            c[COUNT_SHARED_ATOM_WAVES] += (double)s->sectors;
            c[COUNT_SHARED_ATOM_CONFLICTS] += (double)(s->sectors - s->ideal);
        } else {
            c[o->mode ? COUNT_RED_REQUESTS : COUNT_ATOM_REQUESTS] += (double)s->requests;
            c[o->mode ? COUNT_RED_SECTORS : COUNT_ATOM_SECTORS] += (double)s->sectors;
        }
    } else if (run == h->tex) {
        c[COUNT_TEX_REQUESTS] += (double)s->requests;
        c[COUNT_TEX_SECTORS] += (double)s->sectors;
    } else if (run == h->suld || run == h->sust) {
        c[COUNT_SURFACE_REQUESTS] += (double)s->requests;
        c[COUNT_SURFACE_SECTORS] += (double)s->sectors;
    } else if (run == control_bra || run == control_bra_idx) {
        c[COUNT_BRANCHES] += (double)s->requests;
        c[COUNT_DIVERGENT] += (double)s->extra;
    } else if (run == h->shfl) {
        c[COUNT_SHUFFLES] += (double)s->requests;
    } else if (run == h->vote) {
        c[COUNT_VOTES] += (double)s->requests;
    } else if (run == control_warp_barrier) {
        c[COUNT_WARP_BARRIERS] += (double)s->requests;
    }
}

static void add_code(launch_record *r, launch *run, const simt_code *code, const counted *h)
{
    const worker *k = &run->workers[0];
    line_record *line = NULL;
    for (uint32_t i = 0; i < code->count; i++) {
        const op *o = &code->ops[i];
        uint64_t runs = k->block_runs[code->block_base + o->block];
        if (!runs)
            continue;
        const place_of *p = &code->places[i];
        if (!line || line->line != p->line || line->file != p->file)
            line = line_of(r, p->file, p->line);
        if (code->classes[i] < CLASS_COUNT) {
            line->counters[COUNT_INST] += (double)runs;
            line->counters[COUNT_THREAD_INST] +=
                (double)k->block_lanes[code->block_base + o->block];
            line->counters[COUNT_CLASSES + code->classes[i]] += (double)runs;
        }
        const site_count *s = &k->sites[code->site_base + o->site];
        add_site(line->counters, h, o, s, s + code->count);
        // A line's share: warps that came here, in blocks. The kernel's total is exact.
        if (o->run == control_bar)
            line->counters[COUNT_BARRIERS] += (double)s->requests / run->warps;
    }
}

// How full the launch makes a multiprocessor, and how often.
static void add_occupancy(launch_record *r, const launch *run)
{
    const simt_gpu *g = run->device->gpu;
    r->registers = run->registers;
    r->limits = run->limits;
    r->occupancy = 100.0 * r->limits.blocks * run->warps / (g->threads_per_sm / 32.0);
    r->waves = r->limits.blocks ? (double)run->blocks / g->sms / r->limits.blocks : 0;
}

void record_launch(launch *run, int status)
{
    record *r = run->device->record;
    launch_record now = {.status = status, .shared = run->shared};
    const simt_device *d = run->device;
    for (int i = 0; i < run->code_count; i++)
        add_code(&now, run, run->codes[i], &d->record->counted);
    for (size_t i = 0; i < now.line_count; i++)
        for (int c = 0; c < COUNT_ALL; c++)
            now.counters[c] += now.lines[i].counters[c];
    now.counters[COUNT_BARRIERS] = (double)run->workers[0].barriers_done;
    now.counters[COUNT_BLOCKS] = (double)run->workers[0].blocks_done;
    now.counters[COUNT_THREADS] = (double)(run->workers[0].blocks_done * run->threads);
    now.counters[COUNT_LAUNCHES] = 1;
    for (int c = 0; c < COUNT_ALL; c++)
        r->totals[c] += now.counters[c];
    now.work = work_of(run, now.counters);
    now.modelled = time_of(d->gpu, &now.work);
    r->ns += now.modelled.ns;
    run->device->clock += (uint64_t)now.modelled.ns;
    memcpy(r->last.kernel, run->code->name, sizeof r->last.kernel);
    r->last.part = run->limits.blocks ? (double)run->blocks / d->gpu->sms / run->limits.blocks : 1;
    r->last.part = r->last.part < 1 ? r->last.part : 1;
    watch_gather(run, r->launch_count);
    if (r->launch_count == RECORD_LAUNCHES) {
        r->dropped++;
        free(now.lines);
        return;
    }
    memcpy(now.name, run->code->name, sizeof now.name);
    now.asked = d->asked;
    now.symbol = run->code->function->name;
    memcpy(now.grid, run->what->grid, sizeof now.grid);
    memcpy(now.block, run->what->block, sizeof now.block);
    now.files = run->module->ptx.file;
    add_occupancy(&now, run);
    r->launches[r->launch_count++] = now;
}

double simt_modelled_ns(const simt_device *device)
{
    return device->record->ns;
}

const simt_modelled *simt_last_launch(const simt_device *device)
{
    return &device->record->last;
}

double simt_counter(const simt_device *device, const char *name)
{
    for (int c = 0; c < COUNT_ALL; c++)
        if (!strcmp(names[c], name))
            return device->record->totals[c];
    return -1;
}

// ---- JSON -----------------------------------------------------------------------

void simt_json_text(FILE *out, const char *s)
{
    fputc('"', out);
    for (; s && *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 32 || c == 127)
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

static void counters(FILE *out, const double *c, bool all)
{
    bool first = true;
    fputc('{', out);
    for (int i = 0; i < COUNT_ALL; i++) {
        if (!all && c[i] == 0)
            continue;
        fprintf(out, "%s\"%s\":%.15g", first ? "" : ",", names[i], c[i]);
        first = false;
    }
    fputc('}', out);
}

// The modelled time, and what it was made of.
static void time_json(FILE *out, const launch_record *r)
{
    const modelled *m = &r->modelled;
    const work *w = &r->work;
    fprintf(out, ",\"ns\":%.6g,\"limiter\":\"%s\",\"bounds\":{", m->ns, bound_names[m->limiter]);
    for (int i = 0; i < BOUNDS_COUNT; i++)
        fprintf(out, "%s\"%s\":%.6g", i ? "," : "", bound_names[i], m->bound[i]);
    const struct {
        const char *name;
        double value;
    } asked[] = {
        {"cycles", w->average.cycles}, {"instructions", w->instructions}, {"longest", w->longest},
        {"globals", w->average.globals}, {"shareds", w->average.shareds},
        {"atomics", w->average.atomics}, {"l1_lines", w->l1_lines}, {"l1_reads", w->l1_reads},
        {"l1_hits", w->l1_hits}, {"l2_reads", w->l2_reads}, {"l2_writes", w->l2_writes},
        {"dram_reads", w->dram_reads}, {"dram_writes", w->dram_writes},
        {"atomic_sectors", w->atomic_sectors}, {"slice", w->slice},
    };
    fputs("},\"work\":{\"pipes\":[", out);
    for (int i = 0; i < PIPES; i++)
        fprintf(out, "%s%.15g", i ? "," : "", w->pipe[i]);
    fputc(']', out);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        fprintf(out, ",\"%s\":%.6g", asked[i].name, asked[i].value);
    fputc('}', out);
}

static void launch_json(FILE *out, const launch_record *r)
{
    fputs("{\"kernel\":", out);
    simt_json_text(out, r->name);
    fputs(",\"symbol\":", out);
    simt_json_text(out, r->symbol);
    if (r->asked.line) {
        fputs(",\"file\":", out);
        simt_json_text(out, r->asked.file);
        fprintf(out, ",\"line\":%d", r->asked.line);
    }
    fputc(',', out);
    json_triple(out, "grid", r->grid);
    fputc(',', out);
    json_triple(out, "block", r->block);
    fprintf(out, ",\"shared\":%zu,\"status\":%d,\"occupancy\":{", r->shared, r->status);
    const struct {
        const char *name;
        double value;
    } occupancy[] = {
        {"launch__registers_per_thread", r->registers},
        {"launch__occupancy_limit_blocks", r->limits.by_blocks},
        {"launch__occupancy_limit_warps", r->limits.by_warps},
        {"launch__occupancy_limit_registers", r->limits.by_registers},
        {"launch__occupancy_limit_shared_mem", r->limits.by_shared},
        {"sm__maximum_warps_per_active_cycle_pct", r->occupancy},
        {"launch__waves_per_multiprocessor", r->waves},
    };
    for (size_t i = 0; i < sizeof occupancy / sizeof *occupancy; i++)
        fprintf(out, "%s\"%s\":%.15g", i ? "," : "", occupancy[i].name, occupancy[i].value);
    fputc('}', out);
    time_json(out, r);
    fputs(",\"counters\":", out);
    counters(out, r->counters, true);
    fputs(",\"lines\":[", out);
    for (size_t i = 0; i < r->line_count; i++) {
        const char *file = r->files[r->lines[i].file & 511];
        fprintf(out, "%s{\"file\":", i ? "," : "");
        simt_json_text(out, file ? file : "");
        fprintf(out, ",\"line\":%u,\"counters\":", r->lines[i].line);
        counters(out, r->lines[i].counters, false);
        fputc('}', out);
    }
    fputs("]}", out);
}

void simt_write_record(const simt_device *device, FILE *out)
{
    const record *r = device->record;
    const simt_gpu *g = device->gpu;
    fprintf(out, "{\"gpu\":\"%s\",\"device\":{\"major\":%d,\"minor\":%d,\"sms\":%d,"
                 "\"clock_khz\":%d,\"threads_per_sm\":%d,\"l2\":%d,\"dram_gbs\":%g},"
                 "\"launches\":[",
            g->key, g->major, g->minor, g->sms, g->clock_khz, g->threads_per_sm, g->l2,
            g->dram_gbs);
    for (size_t i = 0; i < r->launch_count; i++) {
        if (i)
            fputc(',', out);
        launch_json(out, &r->launches[i]);
    }
    fputs("],\"totals\":", out);
    counters(out, r->totals, true);
    fprintf(out, ",\"dropped_launches\":%zu,\"faults\":[", r->dropped);
    for (size_t i = 0; i < r->fault_count; i++) {
        if (i)
            fputc(',', out);
        fault_json(out, &r->faults[i]);
    }
    fputs("]", out);
    if (r->access_count) {
        fputs(",\"accesses\":[", out);
        watch_json(out, r->accesses, r->access_count);
        fputs("]", out);
    }
    fputs("}\n", out);
}
