// Lanes that go their own ways: which followed lines a request touches.

#include "access.h"

// A store's bytes a sector matter only if they are all of it: here they are, as good as.
void follow_row(warp *w, const access *x, bool writes)
{
    u64 low = x->address[0], high = x->address[31] + x->size - 1, last = high >> 7;
    for (u64 line = low >> 7; line <= last; line++) {
        if (!is_followed(line))
            continue;
        u32 first = line == low >> 7 ? low >> 5 & 3 : 0, end = line == last ? high >> 5 & 3 : 3;
        cache_touch(w, line, (2u << end) - (1u << first), writes ? 0x20202020 : 0);
    }
}

void follow_lanes(warp *w, const access *x, u32 lanes, bool writes)
{
    u64 lines[32];
    u32 sectors[32], bytes[32], count = 0;
    if (x->uniform) {
        u64 a = x->address[0];
        u32 all = x->size * (u32)__builtin_popcount(x->mask), s = a >> 5 & 3;
        cache_touch(w, a >> 7, 1u << s, writes ? (all < 32 ? all : 32) << 8 * s : 0);
        return;
    }
    for (u32 m = lanes; m; m &= m - 1) {
        u64 a = x->address[first_lane(m)], line = a >> 7;
        u32 i = count;
        while (i > 0 && lines[i - 1] != line)
            i--;
        if (!i) {
            lines[count] = line;
            sectors[count] = bytes[count] = 0;
            i = ++count;
        }
        u32 s = a >> 5 & 3, stored = bytes[i - 1] >> 8 * s & 255;
        stored = stored + x->size < 32 ? stored + x->size : 32;
        sectors[i - 1] |= 1u << s;
        bytes[i - 1] = (bytes[i - 1] & ~(255u << 8 * s)) | stored << 8 * s;
    }
    for (u32 i = 0; i < count; i++)
        cache_touch(w, lines[i], sectors[i], writes ? bytes[i] : 0);
}

void follow_atomic(warp *w, const access *x)
{
    u64 seen[32];
    u32 count = 0;
    for (u32 m = x->mask; m; m &= m - 1) {
        u64 sector = x->address[first_lane(m)] >> 5;
        u32 i = count;
        while (i > 0 && seen[i - 1] != sector)
            i--;
        if (i)
            continue;
        seen[count++] = sector;
        cache_atomic(w, sector);
    }
}
