// Who stored to a place last, and what did nobody read? While races are looked for, every
// word has the stamps of its last writer and reader; those of the last launch can still be
// read when it has ended.

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
    for (int i = 0; i < run->code_count; i++)
        r->aside |= run->codes[i]->reads_aside;
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

void writer_begin(simt_device *device)
{
    struct races *r = device->races;
    if (!r)
        return;
    r->since = r->segments.first + r->segments.count;
    r->aside = false;
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
    simt_json_text(out, r->ended.code->name);
    fputc(',', out);
    place_json(out, &p);
    fputs("}\n", out);
    return true;
}

// The stamp of a word's last reader, or else of its last writer, if that came since the
// record was reset; 0: nobody did.
static uint32_t toucher(struct races *r, uint64_t address, uint32_t *how)
{
    tracks t;
    if (!races_tracks(r, address, &t))
        return 0;
    uint32_t i = (uint32_t)(address >> 2) & (CHUNK_WORDS - 1);
    *how = t.reader_how[i];
    return t.reader[i] >= r->since ? t.reader[i] : t.writer[i] >= r->since ? t.writer[i] : 0;
}

bool simt_write_unread(const simt_device *device, uint64_t address, size_t count, size_t bytes,
                       FILE *out)
{
    struct races *r = device->races;
    size_t unread = 0, first = 0, last = 0;
    uint64_t near = 0; // that was touched: before the first unread one, or the first; 0: none
    uint32_t how = 0;
    if (!r || !r->ended.code_count || r->aside)
        return false;
    for (size_t i = 0; i < count; i++) {
        uint64_t at = address + i * bytes, word = at;
        while (word < at + bytes && !toucher(r, word, &how))
            word += 4;
        if (word < at + bytes) {
            near = unread && near ? near : word;
            continue;
        }
        first = unread++ ? first : i;
        last = i;
    }
    if (!unread)
        return false;
    fprintf(out, "{\"unread\":%zu,\"first\":%zu,\"last\":%zu", unread, first, last);
    simt_place p;
    const segment *s = near ? segment_of(&r->segments, toucher(r, near, &how)) : NULL;
    if (s && race_place(&r->ended, s, how, &p)) {
        fputc(',', out);
        place_json(out, &p);
    }
    fputs("}\n", out);
    return true;
}
