// Commands about memory, carried out.
//
// The peer is not trusted: every number is checked here or by simt.h.

#include "execute.h"

#include <stdlib.h>

enum { H2D, D2H, D2D, FILLS };
#define MOST_MANAGED ((uint64_t)1 << 38)

// A copy's time before its bytes move, and their rate over the link; pageable memory goes
// through a pinned buffer first (performance of an H200's host: 55.4 and 9.8 GB/s).
static const double copy_ns = 1500, fill_ns = 1500;

static bool in_arena(uint64_t address, uint64_t bytes)
{
    return address >= WIRE_ARENA && bytes <= WIRE_ARENA_BYTES &&
           address - WIRE_ARENA <= WIRE_ARENA_BYTES - bytes;
}

static void count(wire_context *s, const wire_command *c, int what, uint64_t first,
                  uint64_t bytes)
{
    static const char *const names[] = {"copy to device", "copy to host",
                                        "copy on device", "fill"};
    static const engine on[] = {ENGINE_UP, ENGINE_DOWN, ENGINE_KERNELS, ENGINE_KERNELS};
    const simt_gpu *g = simt_gpu_of(s->device);
    bool pinned = c->flags & WIRE_PINNED || c->op == WIRE_COPY;
    double gbs = what == FILLS ? 0.9 * g->dram_gbs
                 : what == D2D ? 0.45 * g->dram_gbs
                 : pinned      ? g->pinned_gbs
                               : g->pageable_gbs;
    double ns = (first ? what == FILLS ? fill_ns : copy_ns : 0) + (double)bytes / gbs;
    s->calls[what] += first != 0;
    s->bytes[what] += bytes;
    timeline_add(&s->time, c, on[what], ns, 0.5, first ? names[what] : "", bytes);
}

// ---- Allocations --------------------------------------------------------------------

EXECUTE(ALLOC)
{
    int error = simt_alloc(s->device, c->as.range.bytes, &r->value[0]);
    if (!error && c->as.range.managed)
        simt_written(s->device, r->value[0], c->as.range.bytes);
    return error;
}

EXECUTE(FREE)
{
    UNUSED(r);
    return simt_free(s->device, c->as.range.address);
}

EXECUTE(FRESH)
{
    UNUSED(r);
    simt_unwritten(s->device, c->as.range.address, c->as.range.bytes);
    return 0;
}

EXECUTE(PARK)
{
    UNUSED(r);
    return simt_park(s->device, c->as.range.address, c->as.range.bytes != 0);
}

EXECUTE(PEER)
{
    UNUSED(r);
    if (c->as.object.id >= (uint64_t)s->machine->count)
        return INVALID_DEVICE;
    return simt_peer(s->device, s->machine->device[c->as.object.id].device,
                     c->as.object.address != 0);
}

// ---- Memory of the host, for all devices ------------------------------------------

static void unshare(wire_machine *m, uint64_t address, int devices)
{
    for (int i = 0; i < devices; i++)
        simt_unshare(m->device[i].device, address);
}

static int share(wire_machine *m, uint64_t address, char *host, uint64_t bytes,
                 simt_pages *pages)
{
    for (int i = 0; i < m->count; i++) {
        int error = simt_share(m->device[i].device, address, host, bytes, pages);
        if (error) {
            unshare(m, address, i);
            return error;
        }
    }
    return 0;
}

// Not where devices have their own memory and windows.
static bool is_shareable(uint64_t address, uint64_t bytes)
{
    return bytes && bytes <= WIRE_ARENA_BYTES && address <= UINT64_MAX - bytes &&
           (address + bytes <= 0x2b0000000000 || address >= 0x400000000000);
}

EXECUTE(SHARE)
{
    UNUSED(r);
    const struct wire_range *x = &c->as.range;
    wire_machine *m = s->machine;
    wire_managed *managed = NULL;
    uint64_t host = x->host ? x->host : x->address;
    if (!is_shareable(x->address, x->bytes) ||
        (x->managed && x->bytes > MOST_MANAGED) ||
        (!s->same_process && !in_arena(host, x->bytes)))
        return INVALID_VALUE;
    bool arena = in_arena(x->address, x->bytes) || in_arena(host, x->bytes);
    if (arena && !m->mapped && !m->map_arena(m->map_with))
        return NO_MEMORY;
    m->mapped |= arena;
    if (x->managed) {
        managed = calloc(1, sizeof *managed);
        if (!managed)
            return NO_MEMORY;
        *managed = (wire_managed){m->managed, x->address, x->bytes,
                                  simt_pages_new(x->address, x->bytes)};
    }
    int error = managed && !managed->pages
                    ? NO_MEMORY
                    : share(m, x->address, (char *)(uintptr_t)host, x->bytes,
                            managed ? managed->pages : NULL);
    if (!error && managed) {
        m->managed = managed;
    } else if (managed) {
        simt_pages_free(managed->pages);
        free(managed);
    }
    return error;
}

static void add(simt_pages_seen *to, simt_pages_seen more)
{
    to->faults += more.faults;
    to->host_faults += more.host_faults;
    to->bytes_h2d += more.bytes_h2d;
    to->bytes_d2h += more.bytes_d2h;
    to->bytes_d2d += more.bytes_d2d;
}

EXECUTE(UNSHARE)
{
    UNUSED(r);
    wire_machine *m = s->machine;
    int error = simt_unshare(s->device, c->as.range.address);
    if (error)
        return error;
    unshare(m, c->as.range.address, m->count); // of this one it is gone already
    for (wire_managed **at = &m->managed; *at; at = &(*at)->next)
        if ((*at)->address == c->as.range.address) {
            wire_managed *gone = *at;
            *at = gone->next;
            add(&m->gone, simt_pages_counts(gone->pages));
            simt_pages_free(gone->pages);
            free(gone);
            break;
        }
    return 0;
}

simt_pages_seen wire_managed_seen(const wire_machine *m)
{
    simt_pages_seen all = m->gone;
    for (const wire_managed *g = m->managed; g; g = g->next)
        add(&all, simt_pages_counts(g->pages));
    return all;
}

static simt_pages *pages_at(const wire_machine *m, uint64_t address)
{
    for (const wire_managed *g = m->managed; g; g = g->next)
        if (address >= g->address && address - g->address < g->bytes)
            return g->pages;
    return NULL;
}

EXECUTE(TOUCHED)
{
    UNUSED(r);
    simt_pages *p = pages_at(s->machine, c->as.range.address);
    if (p)
        simt_pages_host(p, c->as.range.address, c->as.range.bytes);
    return p ? 0 : INVALID_VALUE;
}

EXECUTE(MOVE)
{
    UNUSED(r);
    const struct wire_pages *x = &c->as.pages;
    simt_pages *p = pages_at(s->machine, x->address);
    bool one = x->who && !(x->who & (x->who - 1)) && x->who < 2ull << s->machine->count;
    if (p && one)
        simt_pages_move(p, x->address, x->bytes, (uint32_t)x->who);
    return p && one ? 0 : INVALID_VALUE;
}

EXECUTE(ADVISE)
{
    UNUSED(r);
    const struct wire_pages *x = &c->as.pages;
    simt_pages *p = pages_at(s->machine, x->address);
    if (!p || x->advice > SIMT_ACCESSED_BY)
        return INVALID_VALUE;
    simt_pages_advise(p, x->address, x->bytes, (simt_advice)x->advice,
                      (uint32_t)x->who);
    return 0;
}

// ---- Transfers --------------------------------------------------------------------

// The device that owns an address: this one, unless it is another's.
static simt_device *owner_of(const wire_context *s, uint64_t address)
{
    for (int i = 0; i < s->machine->count; i++) {
        uint64_t base;
        size_t bytes;
        if (!in_arena(address, 0) &&
            !simt_range(s->machine->device[i].device, address, &base, &bytes))
            return s->machine->device[i].device;
    }
    return s->device;
}

EXECUTE(MEMORY)
{
    UNUSED(c);
    size_t available, total;
    int error = simt_memory_info(s->device, &available, &total);
    r->value[0] = available;
    r->value[1] = total;
    return error;
}

EXECUTE(WRITE)
{
    UNUSED(r);
    const char *from = staged(s, c);
    if (!from)
        return INVALID_VALUE;
    count(s, c, H2D, c->as.piece.first, c->bytes);
    return simt_write(owner_of(s, c->as.piece.address), c->as.piece.address, from,
                      c->bytes);
}

EXECUTE(READ)
{
    UNUSED(r);
    char *to = staged(s, c);
    if (!to)
        return INVALID_VALUE;
    count(s, c, D2H, c->as.piece.first, c->bytes);
    if (!(c->flags & WIRE_JUDGE))
        simt_host_reads(owner_of(s, c->as.piece.address), c->as.piece.address, c->bytes);
    return simt_read(owner_of(s, c->as.piece.address), to, c->as.piece.address,
                     c->bytes);
}

static int copy_between(simt_device *to, uint64_t at, simt_device *from, uint64_t what,
                        uint64_t bytes)
{
    char piece[16384];
    int error = 0;
    for (uint64_t done = 0, n; done < bytes && !error; done += n) {
        n = bytes - done < sizeof piece ? bytes - done : sizeof piece;
        error = simt_read(from, piece, what + done, n);
        if (!error)
            error = simt_write(to, at + done, piece, n);
    }
    return error;
}

EXECUTE(COPY)
{
    UNUSED(r);
    const struct wire_copy *x = &c->as.copy;
    bool to_host = in_arena(x->to, 0), from_host = in_arena(x->from, 0);
    count(s, c, to_host == from_host ? D2D : from_host ? H2D : D2H, x->first, x->bytes);
    simt_device *to = owner_of(s, x->to), *from = owner_of(s, x->from);
    if (to_host && !from_host && !(c->flags & WIRE_JUDGE))
        simt_host_reads(from, x->from, x->bytes);
    if (to_host || from_host || to == from)
        return simt_copy(from_host ? to : from, x->to, x->from, x->bytes);
    return copy_between(to, x->to, from, x->from, x->bytes);
}

EXECUTE(FILL)
{
    UNUSED(r);
    const struct wire_fill *x = &c->as.fill;
    simt_device *d = owner_of(s, x->to);
    uint32_t value = (uint32_t)x->value;
    count(s, c, FILLS, x->first, x->bytes);
    if (x->element == 1)
        return simt_fill(d, x->to, (int)(value & 255), x->bytes);
    if ((x->element != 2 && x->element != 4) || x->bytes % x->element)
        return INVALID_VALUE;
    int error = x->bytes ? simt_write(d, x->to, &value, x->element) : 0;
    for (uint64_t done = x->element, n; done < x->bytes && !error; done += n) {
        n = done < x->bytes - done ? done : x->bytes - done; // twice as much each time
        error = simt_copy(d, x->to + done, x->to, n);
    }
    return error;
}
