// A machine's beginning, record and end.

#include "context.h"

#include <stdlib.h>
#include <string.h>

void simt_json_text(FILE *out, const char *text); // src/record.c

bool wire_machine_open(wire_machine *m, simt_config config)
{
    const char *devices = getenv("SIMT_DEVICES");
    int count = devices ? atoi(devices) : 1;
    *m = (wire_machine){0};
    if (count < 1 || count > WIRE_DEVICES)
        return false;
    for (; m->count < count; m->count++) {
        wire_context *x = &m->device[m->count];
        config.number = m->count;
        x->device = simt_open(&config);
        x->machine = m;
        if (!x->device) {
            wire_machine_close(m);
            return false;
        }
    }
    return true;
}

void wire_machine_stage(wire_machine *m, char *staging, uint64_t bytes)
{
    for (int i = 0; i < m->count; i++) {
        m->device[i].staging = staging;
        m->device[i].staging_bytes = bytes;
    }
}

void wire_machine_close(wire_machine *m)
{
    for (int i = 0; i < m->count; i++) {
        simt_close(m->device[i].device);
        free(m->device[i].blob);
        free(m->device[i].events);
        timeline_free(&m->device[i].time);
    }
    while (m->managed) {
        wire_managed *gone = m->managed;
        m->managed = gone->next;
        simt_pages_free(gone->pages);
        free(gone);
    }
    *m = (wire_machine){0};
}

// ---- The record ---------------------------------------------------------------------

// A device's record without its last brace.
static void write_open(const wire_context *x, FILE *out)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);
    if (!memory)
        return;
    simt_write_record(x->device, memory);
    fclose(memory);
    while (bytes && text[bytes - 1] != '}')
        bytes--;
    if (bytes)
        fwrite(text, 1, bytes - 1, out);
    free(text);
    fputs(",\"timeline\":[", out);
    timeline_write(&x->time, (int)(x - x->machine->device), out);
    fprintf(out, "],\"modelled_ns\":%.15g", x->time.end);
    static const char *const names[] = {"copy_h2d", "copy_d2h", "copy_d2d", "fill"};
    fputs(",\"copies\":{", out);
    for (int i = 0; i < 4; i++)
        fprintf(out, "%s\"%s_calls\":%llu,\"%s_bytes\":%llu", i ? "," : "", names[i],
                (unsigned long long)x->calls[i], names[i],
                (unsigned long long)x->bytes[i]);
}

// The first device's record is the machine's; the others' are in it.
void wire_write_record(const wire_machine *m, FILE *out)
{
    simt_pages_seen now = wire_managed_seen(m);
    const struct {
        const char *name;
        uint64_t value;
    } managed[] = {
        {"managed_faults", now.faults - m->since.faults},
        {"managed_host_faults", now.host_faults - m->since.host_faults},
        {"managed_bytes_h2d", now.bytes_h2d - m->since.bytes_h2d},
        {"managed_bytes_d2h", now.bytes_d2h - m->since.bytes_d2h},
        {"managed_bytes_d2d", now.bytes_d2d - m->since.bytes_d2d},
    };
    write_open(&m->device[0], out);
    for (size_t i = 0; i < sizeof managed / sizeof *managed; i++)
        fprintf(out, ",\"%s\":%llu", managed[i].name,
                (unsigned long long)managed[i].value);
    fputs("}", out);
    if (*m->failed) {
        fputs(",\"failed\":{\"call\":", out);
        simt_json_text(out, m->failed);
        fputs(",\"file\":", out);
        simt_json_text(out, m->sources[m->failed_at >> 20 & 15]);
        fprintf(out, ",\"line\":%u}", m->failed_at & 0xfffff);
    }
    for (int i = 1; i < m->count; i++) {
        fputs(i == 1 ? ",\"others\":[" : ",", out);
        write_open(&m->device[i], out);
        fputs(i == m->count - 1 ? "}}]" : "}}", out);
    }
    fputs("}\n", out);
}

void wire_reset_record(wire_machine *m)
{
    for (int i = 0; i < m->count; i++) {
        simt_reset_record(m->device[i].device);
        timeline_reset(&m->device[i].time);
        memset(m->device[i].calls, 0, sizeof m->device[i].calls);
        memset(m->device[i].bytes, 0, sizeof m->device[i].bytes);
    }
    m->since = wire_managed_seen(m);
    *m->failed = 0;
}
