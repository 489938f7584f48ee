// Loads and stores. One path for every space: find the 32 addresses, check them,
// count what they cost, move the bytes.

#include "access.h"

// Where a lane's bytes are, or NULL.
static inline char *lane_pointer(warp *w, const op *o, ptx_space space, int l, u64 a,
                                 u32 size)
{
    launch *run = w->worker->launch;
    switch (space) {
    case S_SHARED:
        return shared_pointer(w, a, size);
    case S_LOCAL:
        return fits(a, size, run->local) ? w->local + (size_t)l * run->local + a : NULL;
    case S_PARAM:
        if (!w->frame->arguments || w->frame == w->entry) {
            if (o->uniform) // the kernel's own, by name
                return fits(a, size, run->what->parameter_bytes) ? (char *)run->parameters + a : NULL;
        }
        return fits(a, size, w->frame->argument_bytes)
                   ? (char *)w->frame->arguments + (size_t)l * w->frame->argument_bytes + a
                   : NULL;
    default:
        return global_pointer(w, o, a, size);
    }
}

// Where the lanes' bytes lie side by side, as their register's do; NULL: they do not, or
// not all are there.
static inline char *row_pointer(warp *w, const op *o, const access *x, ptx_space space)
{
    if (!x->contiguous || o->width != o->bytes || o->vec != 1)
        return NULL;
    if (space == S_GLOBAL)
        return global_pointer(w, o, x->address[0], 32ull * x->size);
    if (space == S_SHARED && fits(x->address[0], 32ull * x->size, w->worker->launch->shared))
        return w->block->shared + x->address[0];
    return NULL;
}

static void count_shared(warp *w, const access *x, site_count *c)
{
    pattern *p = &w->worker->patterns[c - w->worker->sites];
    u32 differs = 0, low = (u32)x->address[0] & 3;
    if (x->contiguous && !low) {
        u32 groups = x->size <= 4 ? 1 : x->size / 4;
        c->sectors += groups;
        c->ideal += groups;
        return;
    }
    LANES (l)
        differs |= (u32)(x->address[l] - x->address[0]) ^ p->distance[l];
    if (differs || p->mask != x->mask || p->low != low || p->size != x->size || !p->wavefronts) {
        LANES (l)
            p->distance[l] = (u32)(x->address[l] - x->address[0]);
        p->mask = x->mask;
        p->low = low;
        p->size = x->size;
        p->wavefronts = count_wavefronts(x, &p->ideal);
    }
    c->sectors += p->wavefronts;
    c->ideal += p->ideal;
}

static __attribute__((noinline)) u32 local_sectors(const access *x)
{
    access y = *x; // word i of lane l lies beside word i of lane l + 1
    for (int l = 0; l < 32; l++)
        y.address[l] = (x->address[l] / 4 * 32 + (u32)l) * 4;
    keep_lanes(&y, x->mask);
    y.contiguous = y.uniform = false;
    return count_sectors(&y) * (x->size > 4 ? x->size / 4 : 1);
}

static inline void count(warp *w, const op *o, const access *x, ptx_space space, bool writes)
{
    u32 second = o->space == S_REG && space != S_GLOBAL ? w->frame->code->count : 0;
    site_count *c = &w->sites[o->site + second];
    c->requests++;
    c->lanes += (u32)__builtin_popcount(x->mask);
    if (space == S_SHARED) {
        count_shared(w, x, c);
    } else if (space == S_LOCAL) {
        c->sectors += local_sectors(x);
    } else {
        c->sectors += count_sectors(x);
        follow(w, x, writes);
    }
}

static inline u32 destination(const op *o, int i)
{
    return o->vec == 1 ? o->d : ((const u32 *)o->extra)[i];
}

// Put one element into a lane of a register that may be wider.
static inline void put(void *d, int l, const char *from, const op *o)
{
    u64 v = 0;
    if (o->bytes == 16) {
        memcpy((char *)d + (size_t)l * 16, from, 16);
        return;
    }
    memcpy(&v, from, o->bytes);
    if (o->is_signed) {
        int spare = 64 - 8 * o->bytes;
        v = (u64)((s64)(v << spare) >> spare);
    }
    memcpy((char *)d + (size_t)l * o->width, &v, o->width);
}

// Elements of a register's own width, from anywhere in one piece of memory.
#define GATHER(T)                                                                     \
    static inline void gather_##T(warp *w, const op *o, const access *x, const char *base) \
    {                                                                                 \
        for (int i = 0; i < o->vec; i++) {                                            \
            T *d = AT(w, destination(o, i));                                          \
            const char *from = base + i * (int)sizeof(T);                             \
            if (x->mask == 0xffffffffu) {                                             \
                for (int l = 0; l < 32; l++)                                          \
                    memcpy(&d[l], from + x->address[l], sizeof(T));                   \
            } else {                                                                  \
                for (u32 m = x->mask; m; m &= m - 1) {                                \
                    u32 l = first_lane(m);                                            \
                    memcpy(&d[l], from + x->address[l], sizeof(T));                   \
                }                                                                     \
            }                                                                         \
        }                                                                             \
    }                                                                                 \
    static inline void scatter_##T(warp *w, const op *o, const access *x, char *base) \
    {                                                                                 \
        for (int i = 0; i < o->vec; i++) {                                            \
            const T *d = AT(w, destination(o, i));                                    \
            char *to = base + i * (int)sizeof(T);                                     \
            for (u32 m = x->mask; m; m &= m - 1) {                                    \
                u32 l = first_lane(m);                                                \
                memcpy(to + x->address[l], &d[l], sizeof(T));                         \
            }                                                                         \
        }                                                                             \
    }
GATHER(u32)
GATHER(u64)

static int load(warp *w, const op *o, access *x, ptx_space space)
{
    int odd = misaligned_lane(x);
    if (odd >= 0 && space != S_PARAM)
        return fault_access(w, o, odd, x->address[odd], x->size);
    char *base, *row = row_pointer(w, o, x, space);
    if (row) {
        void *d = AT(w, o->d);
        if (o->bytes == 4)
            memcpy(d, row, 128);
        else
            memcpy(d, row, 32u * o->bytes);
    } else if (o->width == o->bytes && o->bytes >= 4 && o->bytes <= 8 &&
               (base = base_of_all(w, o, x, space))) {
        if (o->bytes == 4)
            gather_u32(w, o, x, base);
        else
            gather_u64(w, o, x, base);
    } else {
        char *from[32];
        for (u32 m = x->mask; m; m &= m - 1) {
            int l = (int)first_lane(m);
            from[l] = lane_pointer(w, o, space, l, x->address[l], x->size);
            if (!from[l])
                return fault_access(w, o, l, x->address[l], x->size);
        }
        for (int i = 0; i < o->vec; i++) {
            u32 to = destination(o, i);
            void *d = AT(w, to);
            if (o->width == 4 && o->bytes == 4) {
                for (u32 m = x->mask; m; m &= m - 1)
                    memcpy((u32 *)d + first_lane(m), from[first_lane(m)] + 4 * i, 4);
            } else {
                for (u32 m = x->mask; m; m &= m - 1)
                    put(d, (int)first_lane(m), from[first_lane(m)] + o->bytes * i, o);
            }
        }
    }
    if (space != S_PARAM && space != S_CONST)
        count(w, o, x, space, false);
    return GO;
}

static int store(warp *w, const op *o, access *x, ptx_space space)
{
    int odd = misaligned_lane(x);
    if (odd >= 0 && space != S_PARAM)
        return fault_access(w, o, odd, x->address[odd], x->size);
    char *base, *row = row_pointer(w, o, x, space);
    if (row) {
        memcpy(row, AT(w, o->d), 32u * o->bytes);
    } else if (o->width == o->bytes && o->bytes >= 4 && o->bytes <= 8 &&
               (base = base_of_all(w, o, x, space))) {
        if (o->bytes == 4)
            scatter_u32(w, o, x, base);
        else
            scatter_u64(w, o, x, base);
    } else {
        char *to[32];
        for (u32 m = x->mask; m; m &= m - 1) {
            int l = (int)first_lane(m);
            to[l] = lane_pointer(w, o, space, l, x->address[l], x->size);
            if (!to[l])
                return fault_access(w, o, l, x->address[l], x->size);
        }
        for (int i = 0; i < o->vec; i++) {
            const char *d = AT(w, destination(o, i));
            for (u32 m = x->mask; m; m &= m - 1) {
                u32 l = first_lane(m);
                memcpy(to[l] + o->bytes * i, d + l * o->width, o->bytes);
            }
        }
    }
    if (space != S_PARAM)
        count(w, o, x, space, true);
    return GO;
}

static int generic(warp *w, const op *o, access *x, bool writes)
{
    access part;
    u32 masks[3];
    spaces_of(x, masks);
    for (int s = 0; s < 3; s++) {
        if (!masks[s])
            continue;
        take_part(&part, x, s, masks[s]);
        int e = writes ? store(w, o, &part, space_of_part(s)) : load(w, o, &part, space_of_part(s));
        if (e)
            return e;
    }
    return GO;
}

int SIMT_FN(ld_global)(warp *w, const op *o)
{
    access x;
    find_addresses(w, o, &x);
    return load(w, o, &x, S_GLOBAL);
}

int SIMT_FN(st_global)(warp *w, const op *o)
{
    access x;
    find_addresses(w, o, &x);
    return store(w, o, &x, S_GLOBAL);
}

int SIMT_FN(ld_shared)(warp *w, const op *o)
{
    access x;
    find_addresses(w, o, &x);
    return load(w, o, &x, S_SHARED);
}

int SIMT_FN(st_shared)(warp *w, const op *o)
{
    access x;
    find_addresses(w, o, &x);
    return store(w, o, &x, S_SHARED);
}

int SIMT_FN(ld_any)(warp *w, const op *o) // generic, local, const, param
{
    access x;
    find_addresses(w, o, &x);
    return o->space == S_REG ? generic(w, o, &x, false)
                             : load(w, o, &x, (ptx_space)o->space);
}

int SIMT_FN(st_any)(warp *w, const op *o)
{
    access x;
    find_addresses(w, o, &x);
    return o->space == S_REG ? generic(w, o, &x, true)
                             : store(w, o, &x, (ptx_space)o->space);
}

// ld.param of a kernel, by name: one value for all lanes.
int SIMT_FN(ld_param)(warp *w, const op *o)
{
    if (!fits((u64)o->imm, (u64)o->bytes * o->vec, w->worker->launch->what->parameter_bytes))
        return fault_access(w, o, (int)first_lane(w->mask), (u64)o->imm, o->bytes);
    const u8 *from = w->worker->launch->parameters + o->imm;
    for (int i = 0; i < o->vec; i++) {
        u32 narrow[32], to = destination(o, i);
        u64 wide[32];
        put(o->width == 8 ? (void *)wide : (void *)narrow, 0, (const char *)from + o->bytes * i, o);
        if (o->width == 8) {
            u64 *d = AT(w, to);
            LANES (l)
                d[l] = w->lane[l] ? wide[0] : d[l];
        } else if (o->width == 4) {
            u32 *d = AT(w, to);
            LANES (l)
                d[l] = w->lane[l] ? narrow[0] : d[l];
        } else {
            char *d = AT(w, to);
            for (int l = 0; l < 32; l++)
                if (ACTIVE(w, l))
                    memcpy(d + l * o->width, narrow, o->width);
        }
    }
    return GO;
}

// cvta: between a space's own addresses and generic ones. o->imm: the window's base to
// add (or subtract: o->sub); o->wide: the source has 64 bits.
int SIMT_FN(cvta)(warp *w, const op *o)
{
    const u64 *a = AT(w, o->a);
    const u32 *narrow = AT(w, o->a);
    u64 *d = AT(w, o->d);
    u32 *d32 = AT(w, o->d);
    for (int l = 0; l < 32; l++) {
        u64 v = o->wide ? a[l] : narrow[l];
        v = o->sub ? v - (u64)o->imm : v + (u64)o->imm;
        if (!ACTIVE(w, l))
            continue;
        if (o->width == 8)
            d[l] = v;
        else
            d32[l] = (u32)v;
    }
    return GO;
}

int SIMT_FN(isspacep)(warp *w, const op *o)
{
    const u64 *a = AT(w, o->a);
    u8 *d = AT(w, o->d);
    for (int l = 0; l < 32; l++) {
        bool shared = a[l] - SHARED_WINDOW < WINDOW_SIZE;
        bool local = a[l] - LOCAL_WINDOW < WINDOW_SIZE;
        bool is = o->space == S_SHARED   ? shared
                  : o->space == S_LOCAL  ? local
                  : o->space == S_GLOBAL ? !shared && !local
                                         : false;
        if (ACTIVE(w, l))
            d[l] = is ? 255 : 0;
    }
    return GO;
}
