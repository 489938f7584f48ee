// cp.async: copies from global to shared memory that happen when someone waits for them.
//
// A copy is checked and counted where it is asked for, and remembered. Its bytes move
// when its thread waits for its group, or when anyone tests the mbarrier that it was told
// to arrive at: as late as a GPU may, so a missing wait shows.

#include "async.h"

#include "access.h"

#include <stdlib.h>

struct async_state *async_of(warp *w)
{
    if (!w->async) {
        w->async = calloc(1, sizeof *w->async);
        if (!w->async)
            abort();
    }
    return w->async;
}

void async_reset(warp *w)
{
    if (!w->async)
        return;
    w->async->count = w->async->bulk_count = 0;
    memset(w->async->groups, 0, sizeof w->async->groups);
    memset(w->async->bulk_groups, 0, sizeof w->async->bulk_groups);
}

void async_free(warp *w)
{
    if (w->async) {
        free(w->async->copies);
        free(w->async->bulk);
    }
    free(w->async);
}

static void *room(void *list, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count < *capacity)
        return list;
    *capacity = *capacity * 2 + 16;
    void *more = realloc(list, *capacity * size);
    if (!more)
        abort();
    return more;
}

void pending_add(warp *w, pending p)
{
    struct pendings **all = &w->block->cluster->pendings;
    if (!*all)
        *all = calloc(1, sizeof **all);
    if (!*all)
        abort();
    (*all)->list = room((*all)->list, (*all)->count, &(*all)->capacity, sizeof p);
    (*all)->list[(*all)->count++] = p;
    (*all)->fruitless = 0;
}

void pendings_reset(cluster *c)
{
    if (c->pendings)
        free(c->pendings->list);
    free(c->pendings);
    c->pendings = NULL;
}

// ---- cp.async -------------------------------------------------------------------

static void count_copy(warp *w, const op *o, const access *from, const access *to, u32 zeros)
{
    site_count *c = &w->sites[o->site];
    c->requests++;
    c->lanes += (u32)__builtin_popcount(from->mask & ~zeros);
    if (from->mask & ~zeros) {
        access read = *from;
        if (zeros & from->mask) {
            keep_lanes(&read, from->mask & ~zeros);
            read.contiguous = read.uniform = false;
        }
        c->sectors += count_sectors(&read);
        follow(w, &read, false);
    }
    c += w->frame->code->count;
    c->requests++;
    u32 ideal;
    c->sectors += count_wavefronts(to, &ideal);
    c->ideal += ideal;
}

// Both places of each lane, or a fault.
static int find_places(warp *w, const op *o, const async_operands *x, async_copy *c)
{
    access from, to;
    op other = *o; // the shared side
    find_addresses(w, o, &from);
    other.a = x->to;
    other.imm = x->to_imm;
    other.wide = x->to_wide;
    other.space = S_SHARED;
    find_addresses(w, &other, &to);
    if (x->to_generic)
        for (int l = 0; l < 32; l++)
            to.address[l] -= SHARED_WINDOW;
    int odd = misaligned_lane(&from);
    if (odd >= 0)
        return fault_access(w, o, odd, from.address[odd], from.size);
    u32 zeros = 0;
    for (u32 m = w->mask; m; m &= m - 1) {
        int l = (int)first_lane(m);
        u32 take = x->size && !x->ignores ? ((const u32 *)AT(w, x->size))[l] : from.size;
        if (x->size && x->ignores && ((const u8 *)AT(w, x->size))[l])
            take = 0;
        take = take < from.size ? take : from.size;
        c->take[l] = take;
        zeros |= take ? 0 : 1u << l;
        c->at[l] = (u32)to.address[l];
        c->to[l] = to.address[l] % to.size ? NULL : shared_pointer(w, to.address[l], to.size);
        c->from[l] = take ? global_pointer(w, o, from.address[l], take) : NULL;
        if (take && !c->from[l])
            return fault_access(w, o, l, from.address[l], take);
        if (!c->to[l]) { // place as the operation's, space as the access's
            event e = fault_access(w, &other, l, to.address[l], to.size);
            fault_place(w, o, l, &w->worker->fault.at);
            strcpy(w->worker->fault.access, "store");
            return e;
        }
    }
    for (u32 m = w->mask; m; m &= m - 1) {
        int l = (int)first_lane(m);
        init_copied(w, o, l, c->to[l], c->from[l], c->take[l], from.size - c->take[l]);
    }
    race_copy_begins(w, o, &from, c->at);
    count_copy(w, o, &from, &to, zeros);
    return GO;
}

int control_copy(warp *w, const op *o)
{
    struct async_state *s = async_of(w);
    s->copies = room(s->copies, s->count, &s->capacity, sizeof *s->copies);
    async_copy *c = &s->copies[s->count];
    c->number = s->next++;
    c->op = o;
    c->mask = w->mask;
    c->bytes = o->bytes;
    memcpy(c->group, s->groups, sizeof c->group);
    int e = find_places(w, o, o->extra, c);
    if (e == GO)
        s->count++;
    return e;
}

// `time`: of the warp when it asked to be told of the end; 0: now.
static void move(warp *w, async_copy *c, u32 lanes, u32 time)
{
    lanes &= c->mask;
    for (u32 m = lanes; m; m &= m - 1) {
        u32 l = first_lane(m);
        if (c->take[l])
            memcpy(c->to[l], c->from[l], c->take[l]);
        memset(c->to[l] + c->take[l], 0, c->bytes - c->take[l]);
    }
    race_copy_ends(w, c, lanes, time);
    c->mask &= ~lanes;
}

static void forget_moved(struct async_state *s)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->count; i++)
        if (s->copies[i].mask) {
            if (kept != i)
                s->copies[kept] = s->copies[i];
            kept++;
        }
    s->count = kept;
}

void async_finish(warp *w, int lane, uint64_t before, uint32_t time)
{
    struct async_state *s = async_of(w);
    for (uint32_t i = 0; i < s->count && s->copies[i].number < before; i++)
        move(w, &s->copies[i], 1u << lane, time);
    forget_moved(s);
}

int control_copy_commit(warp *w, const op *o)
{
    (void)o;
    struct async_state *s = async_of(w);
    LANES (l)
        s->groups[l] += w->lane[l] ? 1 : 0;
    return GO;
}

// cp.async.wait_group N (o->imm), or wait_all: N is -1.
int control_copy_wait(warp *w, const op *o)
{
    struct async_state *s = async_of(w);
    for (uint32_t i = 0; i < s->count; i++) {
        async_copy *c = &s->copies[i];
        u32 lanes = 0;
        for (u32 m = w->mask & c->mask; m; m &= m - 1) {
            u32 l = first_lane(m);
            if (o->imm < 0 || (int64_t)c->group[l] + o->imm < (int64_t)s->groups[l])
                lanes |= 1u << l;
        }
        move(w, c, lanes, 0);
    }
    forget_moved(s);
    return GO;
}

// cp.async.mbarrier.arrive; o->mode 1: .noinc.
int control_copy_arrive(warp *w, const op *o)
{
    struct async_state *s = async_of(w);
    for (u32 m = w->mask; m; m &= m - 1) {
        int l = (int)first_lane(m);
        u64 a = shared_address(w, o, o->a, o->imm, o->wide, o->space == S_REG, l);
        u64 *word = barrier_at(w, o, l, a, true);
        if (!word)
            return FAULTED;
        if (!o->mode)
            *word += 1; // the arrival to come
        uint32_t time = order_time(w);
        order_meeting_arrive(w, word);
        pending_add(w, (pending){.barrier = word, .warp = w, .before = s->next, .lane = l,
                                 .time = time});
    }
    return GO;
}

// ---- cp.async.bulk --------------------------------------------------------------

static char *bulk_place(warp *w, const op *o, int lane, u64 a, u64 bytes, bool shared)
{
    char *at = a % 16 ? NULL
               : shared ? shared_pointer(w, a, bytes)
                        : global_pointer(w, o, a, bytes);
    if (!at) {
        op access = *o;
        access.space = shared ? S_SHARED : S_GLOBAL;
        fault_access(w, &access, lane, a, a % 16 ? 16 : 1);
        fault_place(w, o, lane, &w->worker->fault.at);
        w->worker->fault.bytes = (u32)bytes;
    }
    return at;
}

static u64 lane_address(const warp *w, u32 operand, int64_t imm, bool wide, int lane)
{
    return wide ? ((const u64 *)AT(w, operand))[lane] + (u64)imm
                : ((const u32 *)AT(w, operand))[lane] + (u32)imm;
}

static void count_bulk(warp *w, const op *o, const async_operands *x, u64 from, u64 bytes)
{
    site_count *c = &w->sites[o->site + (x->from_shared ? w->frame->code->count : 0)];
    c->requests++;
    c->lanes += bytes;
    c->sectors += (from + bytes + 31) / 32 - from / 32;
}

// One lane's copy to shared memory: the barrier is told of the bytes. A multicast goes to
// the same places of each block that its mask names.
static int bulk_to_shared(warp *w, const op *o, int l, u64 to, u64 from, u64 bytes)
{
    const async_operands *x = o->extra;
    u64 barrier = shared_address(w, o, x->barrier, x->barrier_imm, x->barrier_wide,
                                 x->barrier_generic, l);
    u32 mask = x->mask ? ((const u16 *)AT(w, x->mask))[l] : 0;
    const char *source = bulk_place(w, o, l, from, bytes, x->from_shared);
    if (!source)
        return FAULTED;
    for (u32 rank = 0, m = mask ? mask : 1; m; rank++, m >>= 1) {
        if (!(m & 1))
            continue;
        u64 where = (u64)(rank + 1) << SHARED_RANK, low = ((u64)1 << SHARED_RANK) - 1;
        char *at = bulk_place(w, o, l, mask ? where | (to & low) : to, bytes, true);
        u64 *word = at ? barrier_at(w, o, l, mask ? where | (barrier & low) : barrier, true)
                       : NULL;
        if (!word)
            return FAULTED;
        init_copied(w, o, l, at, source, bytes, 0);
        uint32_t time = order_time(w);
        race_bulk_begins(w, o, l, at, bytes);
        order_meeting_arrive(w, word);
        pending_add(w, (pending){.barrier = word, .to = at, .from = (char *)(uintptr_t)source,
                                 .bytes = bytes, .issuer = w, .op = o, .lane = l, .time = time});
    }
    return GO;
}

int control_bulk_copy(warp *w, const op *o)
{
    const async_operands *x = o->extra;
    struct async_state *s = async_of(w);
    for (u32 m = w->mask; m; m &= m - 1) {
        int l = (int)first_lane(m);
        u64 bytes = ((const u32 *)AT(w, x->size))[l];
        u64 to = lane_address(w, x->to, x->to_imm, x->to_wide, l);
        u64 from = lane_address(w, o->a, o->imm, o->wide, l);
        to -= x->to_generic ? SHARED_WINDOW : 0;
        from -= x->from_generic ? SHARED_WINDOW : 0;
        if (bytes % 16) {
            fault_text(w, "a bulk copy of %llu bytes, no multiple of 16", (unsigned long long)bytes);
            return fault_here(w, o, SIMT_MISALIGNED, l);
        }
        if (!bytes)
            continue;
        count_bulk(w, o, x, from, bytes);
        if (!x->to_global) {
            int e = bulk_to_shared(w, o, l, to, from, bytes);
            if (e)
                return e;
            continue;
        }
        bulk_copy c = {.lane = (u32)l, .group = s->bulk_groups[l], .bytes = bytes};
        c.from = bulk_place(w, o, l, from, bytes, true);
        c.to = c.from ? bulk_place(w, o, l, to, bytes, false) : NULL;
        if (!c.to)
            return FAULTED;
        init_copied(w, o, l, c.to, c.from, bytes, 0);
        s->bulk = room(s->bulk, s->bulk_count, &s->bulk_capacity, sizeof c);
        s->bulk[s->bulk_count++] = c;
    }
    return GO;
}

int control_bulk_commit(warp *w, const op *o)
{
    (void)o;
    struct async_state *s = async_of(w);
    for (u32 m = w->mask; m; m &= m - 1)
        s->bulk_groups[first_lane(m)]++;
    return GO;
}

int control_bulk_wait(warp *w, const op *o)
{
    struct async_state *s = async_of(w);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->bulk_count; i++) {
        const bulk_copy c = s->bulk[i];
        if (w->mask >> c.lane & 1 &&
            (int64_t)c.group + o->imm < (int64_t)s->bulk_groups[c.lane])
            memcpy(c.to, c.from, c.bytes);
        else
            s->bulk[kept++] = c;
    }
    s->bulk_count = kept;
    return GO;
}
