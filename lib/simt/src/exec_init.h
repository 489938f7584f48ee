// The look of initcheck at an access, before it happens; part of exec_check.c.
//
// Loads and atomics look, stores and atomics write. An element of which some bytes were
// written and others were not is taken for one with padding (a struct that is copied as
// words), so only an element without any written byte is reported; and of a vector that
// was written in part no element that is only stored again. Beyond that registers are not
// followed: a copy of never-written bytes in a kernel is a read of them.

#include "heap_bits.h"

// The bits of one lane's bytes, or NULL: nothing is known of them, or they are not there.
static written *bits_at(warp *w, const op *o, ptx_space space, u32 lane, u64 a, u32 size,
                        size_t *from)
{
    launch *run = w->worker->launch;
    block *b = w->block;
    if (space == S_LOCAL) {
        *from = (size_t)lane * run->local + a;
        return fits(a, size, run->local) ? w->local_written : NULL;
    }
    if (space == S_SHARED) {
        u64 rank = a >> SHARED_RANK;
        if (rank && rank <= b->cluster->size)
            b = &b->cluster->blocks[rank - 1];
        *from = rank ? a & (((u64)1 << SHARED_RANK) - 1) : a;
        return fits(*from, size, run->shared) ? b->shared_written : NULL;
    }
    const char *host = global_pointer(w, o, a, size);
    return host ? bits_of_host(run->device, host, from) : NULL;
}

static void report_fresh(warp *w, const op *o, ptx_space space, u32 lane, u64 a, u32 size,
                         access_kind kind)
{
    simt_fault f = {.kind = SIMT_UNINITIALISED, .address = a, .bytes = size, .other.file = ""};
    static const char *const names[] = {"load", "store", "atomic"};
    f.kernel = w->worker->launch->code->function->name;
    fault_place(w, o, (int)lane, &f.at);
    strcpy(f.access, names[kind]);
    strcpy(f.space, space == S_SHARED ? "shared" : space == S_LOCAL ? "local" : "global");
    range r;
    const simt_device *d = w->worker->launch->device;
    if (space == S_GLOBAL && heap_find(d->heap, a, size, &r)) {
        f.nearest = r.low;
        f.nearest_bytes = r.high - r.low;
        f.distance = (int64_t)(a - r.low);
    }
    int64_t far;
    strcpy(f.detail, "nobody has written these bytes");
    if ((space == S_SHARED && a >> SHARED_RANK == 0 &&
         neighbour_of(w, true, a, NULL, &f.other, &far)) ||
        (space == S_GLOBAL && f.nearest && neighbour_of(w, false, a, &r, &f.other, &far))) {
        strcpy(f.other_access, "neighbour");
        snprintf(f.detail, sizeof f.detail, "nobody has written these bytes; those %lld bytes "
                 "%s were stored", (long long)(far < 0 ? -far : far), far < 0 ? "before" : "behind");
    } else {
        f.other = (simt_place){.file = ""};
    }
    finding_add(w->worker->launch->device, &f);
}

// A word of padding in a struct that is copied as a vector.
static bool is_padding(const op *o, u32 element, access_kind kind, const written *bits,
                       size_t start)
{
    size_t bytes = (size_t)o->vec * o->bytes, first;
    return kind == LOAD && o->e >> element & 1 && o->bytes <= 4 &&
           written_missing(bits, start, bytes, &first) < bytes;
}

// Elements of up to 8 bytes lie in one byte of bits, those of 16 in two.
static inline void look_lane(warp *w, const op *o, ptx_space space, u32 lane, u64 a,
                             written *bits, size_t from, access_kind kind)
{
    size_t start = from;
    for (u32 i = 0; i < o->vec; i++, from += o->bytes) {
        written *at = bits + from / 8;
        u8 mask = o->bytes >= 8 ? 0xff : (u8)(((1u << o->bytes) - 1) << from % 8);
        if (kind != STORE && !(*at & mask) && !(o->bytes == 16 && at[1]) &&
            !is_padding(o, i, kind, bits, start))
            report_fresh(w, o, space, lane, a + (u64)i * o->bytes, o->bytes, kind);
        if (kind == LOAD)
            continue;
        if ((*at & mask) != mask)
            __atomic_fetch_or(at, mask, __ATOMIC_RELAXED);
        if (o->bytes == 16)
            at[1] = 0xff;
    }
}

static inline void look_fresh(warp *w, const op *o, const access *x, ptx_space space,
                              access_kind kind)
{
    if (x->contiguous && o->vec == 1 && space != S_LOCAL) { // 4 to 64 bytes of bits
        size_t from;
        written *bits = bits_at(w, o, space, 0, x->address[0], 32 * x->size, &from);
        if (bits && from % 8 == 0) {
            if (kind == STORE) {
                memset(bits + from / 8, 0xff, 4 * x->size);
                return;
            }
            bool all = true;
            for (u32 i = 0; i < x->size; i++) {
                u32 word;
                memcpy(&word, bits + from / 8 + 4 * i, 4);
                all &= word == UINT32_MAX;
            }
            if (all)
                return;
        }
    }
    for (u32 m = x->mask; m; m &= m - 1) {
        u32 l = first_lane(m);
        size_t from;
        written *bits = bits_at(w, o, space, l, x->address[l], x->size, &from);
        if (bits)
            look_lane(w, o, space, l, x->address[l], bits, from, kind);
    }
}
