// Findings for people, as a program that runs with SIMT_CHECKS prints them at its end.

#include "context.h"

#include <string.h>

const char *source_name(const char *symbol, char *to, size_t size); // src/fault.c

static void say_place(FILE *out, const char *before, const simt_place *p)
{
    fprintf(out, "    %s %s:%d", before, *p->file ? p->file : "?", p->line);
    if (p->caller)
        fprintf(out, " (called at line %d)", p->caller);
    fprintf(out, ", block (%u,%u,%u), thread (%u,%u,%u)\n", p->block[0], p->block[1],
            p->block[2], p->thread[0], p->thread[1], p->thread[2]);
}

static void say_memory(FILE *out, const simt_fault *f)
{
    if (*f->access)
        fprintf(out, "    %s of %u bytes at 0x%llx of %s memory\n", f->access, f->bytes,
                (unsigned long long)f->address, f->space);
    if (!f->nearest)
        return;
    long long d = f->distance;
    if (f->kind == SIMT_USE_AFTER_FREE)
        fprintf(out, "    %lld bytes into %zu bytes that were freed, at 0x%llx\n", d,
                f->nearest_bytes, (unsigned long long)f->nearest);
    else if (f->kind == SIMT_OUT_OF_BOUNDS)
        fprintf(out, "    %lld bytes %s the %zu bytes at 0x%llx\n", d < 0 ? -d : d,
                d < 0 ? "before" : "behind", f->nearest_bytes,
                (unsigned long long)f->nearest);
    else
        fprintf(out, "    the allocation: %zu bytes at 0x%llx\n", f->nearest_bytes,
                (unsigned long long)f->nearest);
}

static void say(FILE *out, const simt_fault *f)
{
    char kernel[96];
    fprintf(out, "simt: %s", simt_kind_name(f->kind));
    if (*f->kernel)
        fprintf(out, " in %s", source_name(f->kernel, kernel, sizeof kernel));
    if (*f->detail)
        fprintf(out, ": %s", f->detail);
    fputc('\n', out);
    if (*f->kernel)
        say_place(out, "at", &f->at);
    else if (f->at.line)
        fprintf(out, "    called at %s:%d\n", f->at.file, f->at.line);
    if (f->launch.line)
        fprintf(out, "    launched at %s:%d\n", f->launch.file, f->launch.line);
    say_memory(out, f);
    if (f->other.line)
        say_place(out, *f->other_access ? f->other_access : "and", &f->other);
    for (int i = 0; i < SIMT_WAITERS && f->waiters[i].line; i++) {
        const struct simt_waiter *w = &f->waiters[i];
        fprintf(out, "    block (%u,%u,%u): %u thread%s of warp%s", w->block[0], w->block[1],
                w->block[2], w->threads, w->threads == 1 ? "" : "s",
                w->warps & (w->warps - 1) ? "s" : "");
        for (uint32_t k = 0; k < 32; k++)
            if (w->warps >> k & 1)
                fprintf(out, " %u", k);
        fprintf(out, " %s, %s:%d\n", w->what, w->file, w->line);
    }
}

int wire_say(const wire_machine *m, FILE *out)
{
    int count = 0;
    for (int i = 0; i < m->count; i++) {
        const simt_fault *f;
        for (size_t k = 0; (f = simt_fault_at(m->device[i].device, k)); k++, count++)
            say(out, f);
    }
    if (count)
        fprintf(out, "simt: %d finding%s\n", count, count == 1 ? "" : "s");
    return count;
}
