// The fat binary: a container of entries, each PTX or machine code for one target.
//
//     container   magic, version, header size, size of all entries
//     entry       kind, header size, payload size, ..., flags, size when unpacked
//
// Nothing in it is believed: every size is held against what is left.

#include "fatbin.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define MAGIC 0xba55ed50u
#define ZSTD_MAGIC 0xfd2fb528u

enum { KIND_PTX = 1, KIND_CUBIN = 2, MOST_TEXT = 256 << 20 };

typedef struct container {
    uint32_t magic;
    uint16_t version, header;
    uint64_t bytes; // of the entries
} container;

typedef struct entry {
    uint16_t kind, version;
    uint32_t header;
    uint64_t payload; // padded
    uint32_t packed;  // 0: stored
    uint32_t options;
    uint16_t minor, major;
    uint32_t target;
    uint32_t name, name_bytes;
    uint64_t flags, unused, unpacked;
} entry;

static int stored(const char *from, size_t bytes, char **ptx, size_t *size)
{
    *ptx = malloc(bytes + 1);
    if (!*ptx)
        return FATBIN_NO_MEMORY;
    memcpy(*ptx, from, bytes);
    *size = bytes;
    return FATBIN_OK;
}

static int unpacked(const entry *e, const char *from, char **ptx, size_t *size)
{
    uint32_t magic = 0;
    size_t got;
    if (e->packed > e->payload || e->unpacked > MOST_TEXT)
        return FATBIN_DAMAGED;
    char *to = malloc(e->unpacked + 1);
    if (!to)
        return FATBIN_NO_MEMORY;
    if (e->packed >= sizeof magic)
        memcpy(&magic, from, sizeof magic);
    if (magic == ZSTD_MAGIC) {
        got = ZSTD_decompress(to, e->unpacked, from, e->packed);
        got = ZSTD_isError(got) ? SIZE_MAX : got;
    } else {
        got = (size_t)lz4_decode((const unsigned char *)from, e->packed,
                                 (unsigned char *)to, e->unpacked);
    }
    if (got != e->unpacked) {
        free(to);
        return FATBIN_DAMAGED;
    }
    *ptx = to;
    *size = got;
    return FATBIN_OK;
}

// Is target a better than b, or the first?
static bool better(unsigned a, unsigned b, bool first, unsigned cc)
{
    if (first)
        return true;
    return (a <= cc) == (b <= cc) ? a > b : a <= cc;
}

static int find(const void *image, size_t limit, int kind, unsigned cc, char **ptx,
                size_t *bytes)
{
    const char *at = image;
    container c;
    entry best = {0};
    const char *text = NULL;
    *ptx = NULL;
    *bytes = 0;
    if (limit < sizeof c)
        return FATBIN_DAMAGED;
    memcpy(&c, at, sizeof c);
    if (c.magic != MAGIC || c.header < sizeof c || c.header > limit ||
        c.bytes > limit - c.header)
        return FATBIN_DAMAGED;
    at += c.header;
    for (uint64_t left = c.bytes; left;) {
        entry e;
        if (left < sizeof e)
            return FATBIN_DAMAGED;
        memcpy(&e, at, sizeof e);
        if (e.header < sizeof e || e.header > left || e.payload > left - e.header)
            return FATBIN_DAMAGED;
        if (e.kind == kind && better(e.target, best.target, !text, cc)) {
            best = e;
            text = at + e.header;
        }
        at += e.header + e.payload;
        left -= e.header + e.payload;
    }
    if (!text)
        return FATBIN_NO_PTX;
    return best.packed ? unpacked(&best, text, ptx, bytes)
                       : stored(text, best.payload, ptx, bytes);
}

int fatbin_ptx(const void *image, size_t limit, unsigned cc, char **ptx, size_t *bytes)
{
    int code = find(image, limit, KIND_PTX, cc, ptx, bytes);
    while (*bytes && !(*ptx)[*bytes - 1]) // padding
        --*bytes;
    return code;
}

int fatbin_cubin(const void *image, size_t limit, unsigned cc, char **cubin,
                 size_t *bytes)
{
    return find(image, limit, KIND_CUBIN, cc, cubin, bytes);
}
