// Operations between the lanes of a warp: shuffles, votes, matches, reductions.
//
// Each first waits until every lane that its mask names has arrived (warp_sync), so
// it may run more than once before it takes effect.

#include "lanes.h"

// Run `body` for each group of active lanes that name the same member mask, once all
// lanes of the mask are here. Tiles of a warp may thus shuffle in one instruction.
static int by_group(warp *w, const op *o, u32 mask_operand, int (*body)(warp *, const op *))
{
    const u32 *m = AT(w, mask_operand);
    u32 first = m[__builtin_ctz(w->mask)], other = 0;
    LANES (l)
        other |= w->lane[l] ? m[l] ^ first : 0;
    if (!other) {
        event e = warp_sync(w, o, first);
        if (e != GO)
            return e;
        m = AT(w, mask_operand); // splits may have joined
        w->sites[o->site].requests++;
        w->sites[o->site].lanes += (u32)__builtin_popcount(w->mask);
        return body(w, o);
    }
    u32 all = w->mask;
    for (u32 left = all; left;) {
        u32 members = m[__builtin_ctz(left)], group = 0;
        for (u32 k = left; k; k &= k - 1)
            if (m[__builtin_ctz(k)] == members)
                group |= 1u << __builtin_ctz(k);
        if (members & w->live & ~all) // some are elsewhere: wait for all of them
            return warp_sync(w, o, all | (members & w->live));
        left &= ~group;
    }
    w->sites[o->site].requests++;
    w->sites[o->site].lanes += (u32)__builtin_popcount(all);
    for (u32 left = all; left;) {
        u32 members = m[__builtin_ctz(left)], group = 0;
        for (u32 k = left; k; k &= k - 1)
            if (m[__builtin_ctz(k)] == members)
                group |= 1u << __builtin_ctz(k);
        warp_set_mask(w, group);
        body(w, o);
        left &= ~group;
    }
    warp_set_mask(w, all);
    return GO;
}

#define GROUPED(name, operand)                                                        \
    static int name##_body(warp *w, const op *o);                                     \
    int SIMT_FN(name)(warp * w, const op *o)                                          \
    {                                                                                 \
        return by_group(w, o, operand, name##_body);                                  \
    }                                                                                 \
    static int name##_body(warp *w, const op *o)

// shfl.sync.mode d|p, a, b, c, mask: o->sub 0 up, 1 down, 2 bfly, 3 idx; o->e: p or 0;
// o->imm: the mask's operand.
GROUPED(shfl, (u32)o->imm)
{
    const u32 *a = AT(w, o->a), *b = AT(w, o->b), *c = AT(w, o->c);
    u32 *d = AT(w, o->d), r[32];
    u8 *p = AT(w, o->e);
    s32 from[32], most[32], in[32];
    LANES (l) {
        s32 segment = (s32)(c[l] >> 8 & 31);
        most[l] = (l & segment) | ((s32)c[l] & 31 & ~segment);
    }
    switch (o->sub) {
    case 0:
        LANES (l)
            from[l] = l - (s32)(b[l] & 31);
        break;
    case 1:
        LANES (l)
            from[l] = l + (s32)(b[l] & 31);
        break;
    case 2:
        LANES (l)
            from[l] = l ^ (s32)(b[l] & 31);
        break;
    default:
        LANES (l) {
            s32 segment = (s32)(c[l] >> 8 & 31);
            from[l] = (l & segment) | ((s32)b[l] & 31 & ~segment);
        }
    }
    if (o->sub == 0)
        LANES (l)
            in[l] = from[l] >= most[l] ? -1 : 0;
    else
        LANES (l)
            in[l] = from[l] <= most[l] ? -1 : 0;
    LANES (l)
        from[l] = in[l] ? from[l] : l;
    for (int l = 0; l < 32; l++)
        r[l] = a[from[l]];
    LANES (l)
        d[l] = w->lane[l] ? r[l] : d[l];
    if (o->e)
        LANES (l)
            p[l] = w->lane[l] ? (u8)in[l] : p[l];
    return GO;
}

// vote.sync: o->sub 0 all, 1 any, 2 uni, 3 ballot; o->mode 1: negated predicate.
GROUPED(vote, o->b)
{
    u32 votes = predicate_mask(AT(w, o->a));
    votes = (o->mode ? ~votes : votes) & w->mask;
    if (o->sub == 3) {
        u32 *d = AT(w, o->d);
        LANES (l)
            d[l] = w->lane[l] ? votes : d[l];
        return GO;
    }
    bool all = votes == w->mask, any = votes != 0;
    u8 yes = (o->sub == 0 ? all : o->sub == 1 ? any : all || !any) ? 255 : 0, *d = AT(w, o->d);
    for (int l = 0; l < 32; l++)
        if (ACTIVE(w, l))
            d[l] = yes;
    return GO;
}

int SIMT_FN(activemask)(warp *w, const op *o)
{
    u32 *d = AT(w, o->d);
    LANES (l)
        d[l] = w->lane[l] ? w->mask : d[l];
    return GO;
}

// match.any: the lanes with my value. match.all (o->sub 1): all of them if all agree.
GROUPED(match, o->b)
{
    u32 *d = AT(w, o->d), r[32] = {0};
    u8 *p = AT(w, o->e);
    const char *a = AT(w, o->a);
    for (int l = 0; l < 32; l++)
        for (int k = 0; k < 32; k++)
            if (ACTIVE(w, k) && !memcmp(a + l * o->bytes, a + k * o->bytes, o->bytes))
                r[l] |= 1u << k;
    for (int l = 0; l < 32; l++)
        if (ACTIVE(w, l)) {
            bool all = r[l] == w->mask;
            d[l] = o->sub && !all ? 0 : r[l];
            if (o->e)
                p[l] = all ? 255 : 0;
        }
    return GO;
}

// redux.sync: o->sub 0 add, 1 min, 2 max, 3 and, 4 or, 5 xor.
GROUPED(redux, o->b)
{
    const u32 *a = AT(w, o->a);
    u32 *d = AT(w, o->d), r = a[__builtin_ctz(w->mask)];
    for (u32 m = w->mask & (w->mask - 1); m; m &= m - 1) {
        u32 x = a[__builtin_ctz(m)];
        bool less = o->is_signed ? (s32)x < (s32)r : x < r;
        switch (o->sub) {
        case 0: r += x; break;
        case 1: r = less ? x : r; break;
        case 2: r = less ? r : x; break;
        case 3: r &= x; break;
        case 4: r |= x; break;
        default: r ^= x;
        }
    }
    LANES (l)
        d[l] = w->lane[l] ? r : d[l];
    return GO;
}

// One lane of the mask: the lowest. d: its number, e: a predicate that is true there.
GROUPED(elect, o->b)
{
    u32 *d = AT(w, o->d), leader = (u32)__builtin_ctz(w->mask);
    u8 *p = AT(w, o->e);
    for (int l = 0; l < 32; l++)
        if (ACTIVE(w, l)) {
            d[l] = leader;
            p[l] = (u32)l == leader ? 255 : 0;
        }
    return GO;
}

// A warp's modelled cycles: of the blocks that it has run, and in this one up to here.
// o->sub: %globaltimer, in ns; it goes on from launch to launch.
int SIMT_FN(clock)(warp *w, const op *o)
{
    const simt_device *device = w->worker->launch->device;
    u64 t = w->cycles - w->frame->code->blocks[o->block].cycles + (u64)o->imm;
    if (o->sub)
        t = device->clock + t * 1000000 / (u64)device->gpu->clock_khz;
    for (int l = 0; l < 32; l++)
        if (ACTIVE(w, l)) {
            if (o->width == 8)
                ((u64 *)AT(w, o->d))[l] = t;
            else
                ((u32 *)AT(w, o->d))[l] = (u32)t;
        }
    return GO;
}

int SIMT_FN(nothing)(warp *w, const op *o) // fences, prefetches, hints
{
    (void)w;
    (void)o;
    return GO;
}

// What a loop does that waits for someone else: its lanes give way the sooner.
int SIMT_FN(poll)(warp *w, const op *o)
{
    w->spin += (u32)o->imm;
    return GO;
}
