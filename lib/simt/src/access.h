// Addresses of one warp-wide access: where they lie, what they cost.
//
// Included by the exec_*.c files that touch memory. The costs are those that an H200
// was seen to count: sectors are the distinct 32-byte blocks that a request touches;
// a shared wavefront serves 32 lanes of up to 4 bytes, 16 of 8 or 8 of 16, one word a
// bank, equal words together.

#ifndef SIMT_ACCESS_H
#define SIMT_ACCESS_H

#include "lanes.h"

typedef struct access {
    u64 address[32];
    u32 mask;       // lanes that take part
    u32 size;       // bytes a lane, all its elements
    bool contiguous, uniform;
} access;

static inline u32 first_lane(u32 mask)
{
    return (u32)__builtin_ctz(mask);
}

static inline void find_addresses(warp *w, const op *o, access *x)
{
    x->mask = w->mask;
    x->size = (u32)o->bytes * o->vec;
    if (o->wide) {
        const u64 *a = AT(w, o->a);
        u64 imm = (u64)o->imm;
        LANES (l)
            x->address[l] = a[l] + imm;
    } else {
        const u32 *a = AT(w, o->a);
        u32 imm = (u32)o->imm;
        LANES (l)
            x->address[l] = a[l] + imm;
    }
    u64 odd = 0, other = 0, first = x->address[0];
    if (w->full) {
        u32 size = x->size;
        LANES (l) {
            odd |= x->address[l] ^ (first + (u64)l * size);
            other |= x->address[l] ^ first;
        }
        x->contiguous = !odd;
        x->uniform = !other;
    } else {
        first = x->address[first_lane(w->mask)];
        LANES (l)
            other |= w->lane[l] ? x->address[l] ^ first : 0;
        x->contiguous = false;
        x->uniform = !other;
    }
}

// Lane whose address is no multiple of the access size, or -1.
static inline int misaligned_lane(const access *x)
{
    u64 low = 0;
    u64 bits = x->size - 1;
    for (int l = 0; l < 32; l++)
        low |= x->mask >> l & 1 ? x->address[l] & bits : 0;
    if (!low)
        return -1;
    for (int l = 0; l < 32; l++)
        if (x->mask >> l & 1 && x->address[l] & bits)
            return l;
    return -1;
}

// Distinct 32-byte sectors; an aligned access never straddles two.
static inline u32 count_sectors(const access *x)
{
    if (x->contiguous) {
        u64 low = x->address[0] >> 5, high = (x->address[31] + x->size - 1) >> 5;
        return (u32)(high - low + 1);
    }
    if (x->uniform)
        return 1;
    u64 seen[64]; // open addressing; 0 is no sector of ours
    memset(seen, 0, sizeof seen);
    u32 count = 0;
    u64 last = 0;
    for (u32 m = x->mask; m; m &= m - 1) {
        u64 sector = (x->address[first_lane(m)] >> 5) + 1;
        if (sector == last)
            continue;
        last = sector;
        u32 at = (u32)(sector * 0x9e3779b97f4a7c15ull >> 58);
        while (seen[at] && seen[at] != sector)
            at = (at + 1) & 63;
        if (!seen[at]) {
            seen[at] = sector;
            count++;
        }
    }
    return count;
}

// Wavefronts of a shared access; *ideal: what it costs without conflicts.
static inline u32 count_wavefronts(const access *x, u32 *ideal)
{
    u32 lanes = x->size <= 4 ? 32 : x->size == 8 ? 16 : 8, groups = 32 / lanes;
    if (x->contiguous && !(x->address[0] & 3)) {
        *ideal = groups;
        return groups;
    }
    if (x->uniform) { // one address: a 16-byte load takes two wavefronts, others one
        *ideal = x->size == 16 ? 2 : 1;
        return *ideal;
    }
    u32 total = 0, needed = 0, words = x->size <= 4 ? 1 : x->size / 4;
    for (u32 g = 0; g < groups; g++) {
        u32 bank_words[32][32];
        u8 depth[32] = {0};
        u32 degree = 0;
        u32 group = x->mask >> (g * lanes);
        if (lanes < 32)
            group &= (1u << lanes) - 1;
        for (u32 m = group; m; m &= m - 1) {
            u32 word = (u32)(x->address[g * lanes + first_lane(m)] >> 2);
            for (u32 k = 0; k < words; k++) {
                u32 bank = (word + k) & 31, i = 0;
                while (i < depth[bank] && bank_words[bank][i] != word + k)
                    i++;
                if (i == depth[bank]) {
                    bank_words[bank][i] = word + k;
                    depth[bank]++;
                    degree = depth[bank] > degree ? depth[bank] : degree;
                }
            }
        }
        total += degree;
        needed += group != 0;
    }
    *ideal = needed;
    return total;
}

// Host pointer of a global range, or NULL. Each site remembers its last allocation.
static inline char *global_pointer(warp *w, const op *o, u64 address, u64 bytes)
{
    range *r = &w->cache[o->site];
    if (address >= r->low && address + bytes <= r->high)
        return r->host + (address - r->low);
    range found;
    if (!heap_find(w->worker->launch->device->heap, address, bytes, &found))
        return NULL;
    *r = found;
    return found.host + (address - found.low);
}

#endif
