// Constants of a function: 32 equal lanes each, kept once and found by their hash.

#include "decode.h"

#include <stdlib.h>
#include <string.h>

// The table's slot for so many bytes in each lane: 1 + their place in units of 64.
static uint32_t *constant_slot(const decoder *d, const uint8_t *lanes, size_t size)
{
    uint64_t h = size;
    for (size_t i = 0; i < size / 32; i++)
        h = (h ^ lanes[i]) * 0x100000001b3;
    for (uint32_t at = (uint32_t)(h ^ h >> 32);; at++) {
        uint32_t *slot = &d->constant_table[at & (d->constant_slots - 1)];
        size_t there = *slot ? ((size_t)*slot - 1) * 64 : 0;
        if (!*slot || (d->constant_bytes - there >= size &&
                       !memcmp(d->constants + there, lanes, size)))
            return slot;
    }
}

static void more_constants(decoder *d)
{
    if (d->constant_bytes + BANK_SLACK * 2 > d->constant_capacity) {
        d->constant_capacity = d->constant_capacity * 2 + 4096;
        d->constants = realloc(d->constants, d->constant_capacity);
        if (!d->constants)
            abort();
    }
    if (d->constant_count * 2 < d->constant_slots)
        return;
    d->constant_slots = d->constant_slots ? d->constant_slots * 2 : 64;
    uint32_t *old = d->constant_table, count = d->constant_count;
    d->constant_table = calloc(d->constant_slots, sizeof *old);
    uint32_t *sizes = realloc(d->constant_sizes, d->constant_slots * 2 * sizeof *sizes);
    if (!d->constant_table || !sizes)
        abort();
    d->constant_sizes = sizes;
    free(old);
    for (uint32_t i = 0; i < count; i++)
        *constant_slot(d, d->constants + (size_t)(sizes[2 * i] - 1) * 64, sizes[2 * i + 1]) =
            sizes[2 * i];
}

uint32_t constant(decoder *d, uint64_t value, int bytes)
{
    size_t size = 32 * (size_t)bytes, need = (size + 63) / 64 * 64;
    uint8_t lanes[512] = {0};
    for (int l = 0; l < 32; l++)
        memcpy(lanes + l * bytes, &value, bytes > 8 ? 8 : (size_t)bytes);
    more_constants(d);
    uint32_t *slot = constant_slot(d, lanes, size);
    if (*slot)
        return OPERAND(BANK_CONST, ((size_t)*slot - 1) * 64);
    memset(d->constants + d->constant_bytes, 0, BANK_SLACK);
    memcpy(d->constants + d->constant_bytes, lanes, size);
    *slot = (uint32_t)(d->constant_bytes / 64) + 1;
    d->constant_sizes[2 * d->constant_count] = *slot;
    d->constant_sizes[2 * d->constant_count++ + 1] = (uint32_t)size;
    d->constant_bytes += need;
    return OPERAND(BANK_CONST, d->constant_bytes - need);
}
