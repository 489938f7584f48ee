// Who stored to a place last? While races are looked for, every word has the stamp of its
// last writer; those of the last launch can still be read when it has ended.

#include "race.h"

#include "record.h"

#include <stdlib.h>
#include <string.h>

void writer_keep(launch *run)
{
    struct races *r = run->device->races;
    if (!r) {
        free(run->codes);
        return;
    }
    free(r->ended.codes);
    r->ended_what = *run->what;
    r->ended.what = &r->ended_what;
    r->ended.codes = run->codes;
    r->ended.code_count = run->code_count;
    r->ended.code = run->code;
    r->ended.module = run->module;
    r->ended.cluster_size = run->cluster_size;
    memcpy(r->ended.cluster, run->cluster, sizeof run->cluster);
}

void writer_forget(simt_device *device)
{
    struct races *r = device->races;
    if (!r)
        return;
    free(r->ended.codes);
    r->ended.codes = NULL;
    r->ended.code_count = 0;
}

bool simt_write_writer(const simt_device *device, uint64_t address, FILE *out)
{
    struct races *r = device->races;
    tracks t;
    simt_place p;
    if (!r || !r->ended.code_count || !races_tracks(r, address, &t))
        return false;
    uint32_t i = (uint32_t)(address >> 2) & (CHUNK_WORDS - 1);
    const segment *s = segment_of(&r->segments, t.writer[i]);
    if (!s || !t.writer[i] || !race_place(&r->ended, s, t.writer_how[i], &p))
        return false;
    fputs("{\"kernel\":", out);
    json_text(out, r->ended.code->name);
    fputc(',', out);
    place_json(out, &p);
    fputs("}\n", out);
    return true;
}
