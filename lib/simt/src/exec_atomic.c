// atom and red: lanes in order, each one indivisible to other host threads too.

#include "access.h"

enum { A_ADD, A_MIN, A_MAX, A_INC, A_DEC, A_EXCH, A_CAS, A_AND, A_OR, A_XOR };

static u64 combine(const op *o, u64 old, u64 b, u64 c)
{
    bool wide = o->bytes == 8, is_signed = o->is_signed == 1, real = o->is_signed == 2;
    switch (o->sub) {
    case A_ADD:
        if (real && wide)
            return bits_f64(f64_bits(old) + f64_bits(b));
        if (real)
            return bits_f32(nan_f32(f32_bits((u32)old) + f32_bits((u32)b)));
        return old + b;
    case A_MIN:
    case A_MAX: {
        bool less = !is_signed ? b < old : wide ? (s64)b < (s64)old : (s32)b < (s32)old;
        return less == (o->sub == A_MIN) ? b : old;
    }
    case A_INC: return old >= b ? 0 : old + 1;
    case A_DEC: return old == 0 || old > b ? b : old - 1;
    case A_EXCH: return b;
    case A_CAS: return old == b ? c : old;
    case A_AND: return old & b;
    case A_OR: return old | b;
    default: return old ^ b;
    }
}

// `alone`: no other host thread can reach the memory.
static u64 apply(const op *o, char *at, u64 b, u64 c, bool alone)
{
    if (alone) {
        u64 old = 0, new;
        memcpy(&old, at, o->bytes);
        new = combine(o, old, b, c);
        memcpy(at, &new, o->bytes);
        return old;
    }
    if (o->bytes == 8) {
        u64 old = __atomic_load_n((u64 *)(void *)at, __ATOMIC_SEQ_CST), new;
        do
            new = combine(o, old, b, c);
        while (!__atomic_compare_exchange_n((u64 *)(void *)at, &old, new, false,
                                            __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
        return old;
    }
    if (o->bytes == 2) {
        u16 old = __atomic_load_n((u16 *)(void *)at, __ATOMIC_SEQ_CST), new;
        do
            new = (u16)combine(o, old, b, c);
        while (!__atomic_compare_exchange_n((u16 *)(void *)at, &old, new, false,
                                            __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
        return old;
    }
    u32 old = __atomic_load_n((u32 *)(void *)at, __ATOMIC_SEQ_CST), new;
    do
        new = (u32)combine(o, old, b, c);
    while (!__atomic_compare_exchange_n((u32 *)(void *)at, &old, new, false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    return old;
}

static u64 value(warp *w, const op *o, u32 operand, int l)
{
    const char *p = AT(w, operand);
    u64 v = 0;
    memcpy(&v, p + (size_t)l * o->bytes, o->bytes);
    return v;
}

// The longest run of lanes that want one address: how deep the hardware serialises.
static u32 depth(const access *x)
{
    u64 seen[64]; // open addressing; 0 is no address of ours
    u8 times[64];
    u32 most = 0;
    if (x->uniform)
        return (u32)__builtin_popcount(x->mask);
    memset(seen, 0, sizeof seen);
    for (u32 m = x->mask; m; m &= m - 1) {
        u64 a = x->address[first_lane(m)] + 1;
        u32 at = (u32)(a * 0x9e3779b97f4a7c15ull >> 58);
        while (seen[at] && seen[at] != a)
            at = (at + 1) & 63;
        times[at] = seen[at] ? (u8)(times[at] + 1) : 1;
        seen[at] = a;
        most = times[at] > most ? times[at] : most;
    }
    return most;
}

// The commonest of all, where nobody else can come between: += of 32 bits.
static void add_alone(warp *w, const op *o, const access *x, char *base)
{
    const u32 *b = AT(w, o->b);
    u32 *d = AT(w, o->d);
    for (u32 m = x->mask; m; m &= m - 1) {
        u32 l = first_lane(m), sum;
        memcpy(&sum, base + x->address[l], 4);
        d[l] = sum;
        sum += b[l];
        memcpy(base + x->address[l], &sum, 4);
    }
}

// o->d: old value, or SINK; o->b, o->c: operands; o->space as in loads.
int SIMT_FN(atomic)(warp *w, const op *o)
{
    access x;
    find_addresses(w, o, &x);
    int odd = misaligned_lane(&x);
    if (odd >= 0)
        return fault_access(w, o, odd, x.address[odd], x.size);
    bool shared = o->space == S_SHARED;
    if (o->space == S_REG && x.address[first_lane(x.mask)] - SHARED_WINDOW < WINDOW_SIZE) {
        shared = true;
        for (int l = 0; l < 32; l++)
            x.address[l] -= SHARED_WINDOW;
    }
    if (shared && w->block->shadows) {
        u32 address[32];
        for (int l = 0; l < 32; l++)
            address[l] = (u32)x.address[l];
        race_check(w, o, address, x.size, 2);
    }
    char *d = AT(w, o->d), *base = NULL;
    bool alone = shared || w->worker->launch->worker_count == 1;
    if (alone && o->sub == A_ADD && o->bytes == 4 && o->is_signed != 2)
        base = base_of_all(w, o, &x, shared ? S_SHARED : S_GLOBAL);
    if (base)
        add_alone(w, o, &x, base);
    for (u32 m = base ? 0 : x.mask; m; m &= m - 1) {
        int l = (int)first_lane(m);
        u64 a = x.address[l];
        char *at = shared ? shared_pointer(w, a, x.size)
                          : global_pointer(w, o, a, x.size);
        if (!at)
            return fault_access(w, o, l, a, x.size);
        u64 old = apply(o, at, value(w, o, o->b, l), o->sub == A_CAS ? value(w, o, o->c, l) : 0,
                        alone);
        memcpy(d + (size_t)l * o->bytes, &old, o->bytes);
    }
    site_count *c = &w->sites[o->site];
    c->requests++;
    c->lanes += (u32)__builtin_popcount(x.mask);
    c->extra += depth(&x);
    if (shared) {
        u32 ideal;
        c->sectors += count_wavefronts(&x, &ideal);
        c->ideal += ideal;
    } else {
        c->sectors += count_sectors(&x);
    }
    return GO;
}
