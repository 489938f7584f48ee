// A memory access under checks: which lanes touch what, then the checks, then the access.
//
// Most accesses are of a whole warp to words that nobody else has touched since they were
// last ordered: those take a few vector operations a check.

#include "access.h"

#include "check.h"
#include "exec_init.h"
#include "race_quick.h"

enum { INTERRUPTED = 1 << 12 }; // as many backward jumps: others have a turn

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

// ---- The access -----------------------------------------------------------------

// In one space, its addresses those of that space.
static inline void look_at(warp *w, const op *o, const access *x, ptx_space space,
                           access_kind kind)
{
    if (w->worker->launch->device->config.checks & SIMT_CHECK_INIT && space != S_PARAM &&
        space != S_CONST)
        look_fresh(w, o, x, space, kind);
    if (w->block->order && (space == S_SHARED || space == S_GLOBAL))
        look_for_races(w, o, x, space == S_SHARED, kind);
}

static inline void look_at_parts(warp *w, const op *o, const access *x, access_kind kind)
{
    u32 masks[3];
    access part;
    spaces_of(x, masks);
    for (int s = 0; s < 3; s++)
        if (masks[s]) {
            take_part(&part, x, s, masks[s]);
            look_at(w, o, &part, space_of_part(s), kind);
        }
}

static inline int check(warp *w, const op *o, access_kind kind)
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
            look_at_parts(w, o, &x, kind);
        else
            look_at(w, o, &x, (ptx_space)o->space, kind);
    }
    int e = o->inner(w, o);
    if (mask != all)
        warp_set_mask(w, all);
    if (e != GO || !schedule_interrupts(w->worker))
        return e;
    w->spin += INTERRUPTED;
    w->pc = (u32)(o - w->ops) + 1;
    return JUMP;
}

int SIMT_FN(checked_load)(warp *w, const op *o)
{
    return check(w, o, LOAD);
}

int SIMT_FN(checked_store)(warp *w, const op *o)
{
    return check(w, o, STORE);
}

int SIMT_FN(checked_atomic)(warp *w, const op *o)
{
    return check(w, o, ATOMIC);
}
