// A memory access under checks: which lanes touch what, then the checks, then the access.

#include "access.h"

#include "check.h"
#include "exec_init.h"

static u32 lanes_of(const warp *w, const op *o)
{
    if (o->lanes == CHECK_GUARDED) {
        u32 p = predicate_mask(AT(w, o->guard));
        return w->mask & (o->guard_not ? ~p : p);
    }
    if (o->lanes == CHECK_ROWS && o->sub < 32)
        return w->mask & ((1u << o->sub) - 1);
    return w->mask;
}

// The access in one space, its addresses those of that space.
static void look(warp *w, const op *o, const access *x, ptx_space space)
{
    if (space != S_PARAM && space != S_CONST && space != S_REG &&
        w->worker->launch->device->config.checks & SIMT_CHECK_INIT)
        look_fresh(w, o, x, space);
    if (space == S_SHARED && w->block->shadows) {
        u32 address[32], keep = w->mask;
        for (int l = 0; l < 32; l++)
            address[l] = (u32)x->address[l];
        w->mask = x->mask;
        race_check(w, o, address, x->size, op_kind(w, o));
        w->mask = keep;
    }
}

static void look_at_parts(warp *w, const op *o, const access *x)
{
    u32 masks[3];
    access part;
    spaces_of(x, masks);
    for (int s = 0; s < 3; s++)
        if (masks[s]) {
            take_part(&part, x, s, masks[s]);
            look(w, o, &part, space_of_part(s));
        }
}

int SIMT_FN(checked)(warp *w, const op *o)
{
    u32 all = w->mask, mask = lanes_of(w, o);
    if (!mask)
        return GO;
    if (mask != all)
        warp_set_mask(w, mask);
    access x;
    find_addresses(w, o, &x);
    if (misaligned_lane(&x) < 0) {
        if (o->space == S_REG)
            look_at_parts(w, o, &x);
        else
            look(w, o, &x, (ptx_space)o->space);
    }
    int e = o->inner(w, o);
    if (mask != all)
        warp_set_mask(w, all);
    return e;
}
