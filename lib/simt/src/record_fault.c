// A fault or finding as JSON: what, where, and who waits where.

#include "record.h"

void json_triple(FILE *out, const char *name, const uint32_t *v)
{
    fprintf(out, "\"%s\":[%u,%u,%u]", name, v[0], v[1], v[2]);
}

const char *simt_kind_name(simt_fault_kind kind)
{
    static const char *const kinds[] = {
        "none", "out_of_bounds", "misaligned", "use_after_free", "foreign_pointer",
        "null_pointer", "shared_bounds", "local_bounds", "read_only", "barrier", "deadlock",
        "limit", "stopped", "assert", "trap", "unsupported", "shuffle", "race", "stack",
        "bad_call", "bad_free", "uninitialised", "leak", "bad_copy", "unchecked_error"};
    return kinds[kind];
}

void place_json(FILE *out, const simt_place *p)
{
    fputs("\"file\":", out);
    simt_json_text(out, p->file);
    fprintf(out, ",\"line\":%d,", p->line);
    if (p->caller)
        fprintf(out, "\"caller\":%d,", p->caller);
    json_triple(out, "block", p->block);
    fputc(',', out);
    json_triple(out, "thread", p->thread);
}

static void asked_json(FILE *out, const char *name, const simt_asked *a)
{
    if (!a->line)
        return;
    fprintf(out, ",\"%s\":{\"file\":", name);
    simt_json_text(out, a->file);
    fprintf(out, ",\"line\":%d}", a->line);
}

void fault_json(FILE *out, const simt_fault *f)
{
    char name[96];
    fprintf(out, "{\"kind\":\"%s\",\"code\":%d,\"kernel\":", simt_kind_name(f->kind), f->code);
    simt_json_text(out, source_name(f->kernel, name, sizeof name));
    fputc(',', out);
    place_json(out, &f->at);
    fprintf(out, ",\"access\":\"%s\",\"space\":\"%s\",\"bytes\":%u,\"address\":\"0x%llx\","
                 "\"nearest\":\"0x%llx\",\"nearest_bytes\":%zu,\"distance\":%lld,\"detail\":",
            f->access, f->space, f->bytes, (unsigned long long)f->address,
            (unsigned long long)f->nearest, f->nearest_bytes, (long long)f->distance);
    simt_json_text(out, f->detail);
    asked_json(out, "allocated", &f->made);
    asked_json(out, "freed", &f->freed);
    if (f->launch.line) {
        fputs(",\"launched\":{\"file\":", out);
        simt_json_text(out, f->launch.file);
        fprintf(out, ",\"line\":%d,", f->launch.line);
        json_triple(out, "grid", f->launch.grid);
        fputc(',', out);
        json_triple(out, "block", f->launch.block);
        fputc('}', out);
    }
    if (f->other.line) {
        fputs(f->kind == SIMT_UNINITIALISED ? ",\"beside\":{" : ",\"other\":{", out);
        place_json(out, &f->other);
        fprintf(out, ",\"access\":\"%s\"}", f->other_access);
    }
    for (int i = 0; i < SIMT_WAITERS && f->waiters[i].line; i++) {
        const struct simt_waiter *w = &f->waiters[i];
        fputs(i ? ",{\"file\":" : ",\"waiting\":[{\"file\":", out);
        simt_json_text(out, w->file);
        fprintf(out, ",\"line\":%d,\"warps\":\"0x%08x\",\"threads\":%u,", w->line,
                w->warps, w->threads);
        json_triple(out, "block", w->block);
        fputs(",\"what\":", out);
        simt_json_text(out, w->what);
        fputs(i + 1 < SIMT_WAITERS && f->waiters[i + 1].line ? "}" : "}]", out);
    }
    fputc('}', out);
}
