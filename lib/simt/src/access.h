// Addresses of one warp-wide access: where they lie, what they cost.
//
// Included by the exec_*.c files that touch memory. The costs are those that an H200
// was seen to count: sectors are the distinct 32-byte blocks that a request touches;
// a shared wavefront serves 32 lanes of up to 4 bytes, 16 of 8 or 8 of 16, one word a
// bank, equal words together.

#ifndef SIMT_ACCESS_H
#define SIMT_ACCESS_H

#include "cache.h"
#include "lanes.h"

typedef struct access access;
struct access {
    u64 address[32];
    u32 mask;       // lanes that take part
    u32 size;       // bytes a lane, all its elements
    bool contiguous, uniform;
};

void follow_row(warp *w, const access *x, bool writes); // cache_lanes.c
void follow_lanes(warp *w, const access *x, u32 lanes, bool writes);
void follow_atomic(warp *w, const access *x);

static inline u32 first_lane(u32 mask)
{
    return (u32)__builtin_ctz(mask);
}

// Lanes outside the mask take the address of one inside before them, so that loops over
// all lanes meet no address that is not asked for.
static inline void keep_lanes(access *x, u32 mask)
{
    u64 last = x->address[first_lane(mask)];
    x->mask = mask;
    for (int l = 0; l < 32; l++)
        x->address[l] = last = mask >> l & 1 ? x->address[l] : last;
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
        u64 next = first, size = x->size;
        LANES (l) {
            odd |= x->address[l] ^ next;
            other |= x->address[l] ^ first;
            next += size;
        }
        x->contiguous = !odd;
        x->uniform = !other;
    } else {
        keep_lanes(x, w->mask);
        first = x->address[0];
        LANES (l)
            other |= x->address[l] ^ first;
        x->contiguous = false;
        x->uniform = !other;
    }
}

// A generic address says its space by the window that it lies in. Part 0: global, 1:
// shared, 2: local.
static inline void spaces_of(const access *x, u32 *masks)
{
    masks[0] = masks[1] = masks[2] = 0;
    for (u32 m = x->mask; m; m &= m - 1) {
        u32 l = first_lane(m);
        u64 a = x->address[l];
        masks[a - SHARED_WINDOW < WINDOW_SIZE ? 1 : a - LOCAL_WINDOW < WINDOW_SIZE ? 2 : 0] |=
            1u << l;
    }
}

static inline ptx_space space_of_part(int part)
{
    return part == 0 ? S_GLOBAL : part == 1 ? S_SHARED : S_LOCAL;
}

// The lanes of one part, with addresses of their space.
static inline void take_part(access *to, const access *x, int part, u32 mask)
{
    static const u64 bases[] = {0, SHARED_WINDOW, LOCAL_WINDOW};
    *to = *x;
    if (mask != x->mask) {
        keep_lanes(to, mask);
        to->contiguous = to->uniform = false;
    }
    for (int l = 0; part && l < 32; l++)
        to->address[l] -= bases[part];
}

// Do all lanes lie in [low, low + room)? x->size is at most room.
static inline bool all_within(const access *x, u64 low, u64 room)
{
    u64 far = 0, last = room - x->size;
    LANES (l)
        far |= x->address[l] - low > last ? 1 : 0;
    return !far;
}

// Lane whose address is no multiple of the access size, or -1.
static inline int misaligned_lane(const access *x)
{
    u64 low = 0;
    u64 bits = x->size - 1;
    LANES (l)
        low |= x->address[l];
    if (!(low & bits))
        return -1;
    for (int l = 0; l < 32; l++)
        if (x->mask >> l & 1 && x->address[l] & bits)
            return l;
    return -1;
}

// The lines that are followed through the caches meet them: cache.h. Most requests touch
// none, so that is what must be seen quickly.
static inline void follow(warp *w, const access *x, bool writes)
{
    u32 line = (u32)(x->address[0] >> 7), hash = line * FOLLOW_STEP;
    if (x->contiguous) {
        u32 more = (u32)((x->address[31] + x->size - 1) >> 7) - line;
        for (; hash >= FOLLOW_BELOW && more; more--)
            hash += FOLLOW_STEP;
        if (hash < FOLLOW_BELOW)
            follow_row(w, x, writes);
    } else if (x->uniform) {
        if (hash < FOLLOW_BELOW)
            follow_lanes(w, x, x->mask, writes);
    } else {
        u32 lanes = 0;
        LANES (l)
            lanes |= is_followed(x->address[l] >> 7) ? 1u << l : 0;
        if (lanes & x->mask)
            follow_lanes(w, x, lanes & x->mask, writes);
    }
}

static __attribute__((noinline)) u32 scattered_sectors(const access *x)
{
    u64 changes = 0, back = 0;
    for (int l = 1; l < 32; l++) {
        u64 here = x->address[l] >> 5, before = x->address[l - 1] >> 5;
        changes += here != before;
        back |= here < before;
    }
    if (!back) // addresses that rise from lane to lane
        return (u32)changes + 1;
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

// Distinct 32-byte sectors; an aligned access never straddles two.
static inline u32 count_sectors(const access *x)
{
    if (x->contiguous) {
        u64 low = x->address[0] >> 5, high = (x->address[31] + x->size - 1) >> 5;
        return (u32)(high - low + 1);
    }
    return x->uniform ? 1 : scattered_sectors(x);
}

// Is no bank asked for two words by lanes of one group? All lanes count.
static inline bool conflict_free(const access *x, u32 lanes, u32 words)
{
    u32 bad = 0, word[32], word_of[32];
    LANES (l)
        word[l] = (u32)(x->address[l] >> 2);
    for (u32 g = 0; g < 32; g += lanes) {
        for (u32 k = 0; k < words; k++)
            for (u32 l = g; l < g + lanes; l++)
                word_of[(word[l] + k) & 31] = word[l] + k;
        for (u32 k = 0; k < words; k++)
            for (u32 l = g; l < g + lanes; l++)
                bad |= word_of[(word[l] + k) & 31] ^ (word[l] + k);
    }
    return !bad;
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
    if ((groups == 1 || x->mask == 0xffffffffu) && conflict_free(x, lanes, words)) {
        *ideal = groups;
        return groups;
    }
    if (words == 1) { // distinct words, by bank
        u32 seen[64], degree = 0;
        u8 depth[32] = {0};
        memset(seen, 0, sizeof seen);
        for (u32 m = x->mask; m; m &= m - 1) {
            u32 word = (u32)(x->address[first_lane(m)] >> 2) + 1;
            u32 at = word * 2654435769u >> 26;
            while (seen[at] && seen[at] != word)
                at = (at + 1) & 63;
            if (seen[at] == word)
                continue;
            seen[at] = word;
            u32 n = ++depth[(word - 1) & 31];
            degree = n > degree ? n : degree;
        }
        *ideal = 1;
        return degree;
    }
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

// Do `bytes` from `a` on lie in [0, room)? (A sum could wrap.)
static inline bool fits(u64 a, u64 bytes, u64 room)
{
    return a <= room && bytes <= room - a;
}

// Host pointer of a shared range, or NULL.
static inline char *shared_pointer(const warp *w, u64 a, u64 bytes)
{
    return fits(a, bytes, w->worker->launch->shared) ? w->block->shared + a
                                                  : cluster_shared(w, a, bytes);
}

// Host pointer of a global range, or NULL. Each site remembers its last allocation.
static inline char *global_pointer(warp *w, const op *o, u64 address, u64 bytes)
{
    range *r = &w->cache[o->site];
    if (address >= r->low && fits(address - r->low, bytes, r->high - r->low))
        return r->host + (address - r->low);
    if (address - MALLOC_WINDOW < WINDOW_SIZE)
        return device_heap_find(w->worker->launch->device->malloced, address, bytes);
    range found;
    const simt_device *d = w->worker->launch->device;
    if (!heap_touch(d->heap, d->config.number, address, bytes, op_writes(w, o), &found))
        return NULL;
    *r = found;
    return found.host + (address - found.low);
}

// Where all lanes' bytes are, from address 0 of the space on, or NULL: they lie in shared
// memory, or in the allocation that this site saw last.
static inline char *base_of_all(warp *w, const op *o, const access *x, ptx_space space)
{
    u64 shared = w->worker->launch->shared;
    if (space == S_SHARED)
        return x->size <= shared && all_within(x, 0, shared) ? w->block->shared : NULL;
    if (space != S_GLOBAL || !global_pointer(w, o, x->address[0], x->size))
        return NULL;
    const range *r = &w->cache[o->site];
    bool known = r->high - r->low >= x->size; // not in memory of the device's malloc
    return known && all_within(x, r->low, r->high - r->low)
               ? (char *)((uintptr_t)r->host - r->low)
               : NULL;
}

#endif
