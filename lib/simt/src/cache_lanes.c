// Lanes that go their own ways: which followed lines a request touches.

#include "access.h"

void follow_lanes(warp *w, const access *x, bool writes)
{
    u64 lines[32];
    u32 sectors[32], bytes[32], count = 0;
    for (u32 m = x->mask; m; m &= m - 1) {
        u64 a = x->address[first_lane(m)], line = a >> 7;
        if (!is_followed(line))
            continue;
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
