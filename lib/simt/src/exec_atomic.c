// atom and red: lanes in order, each one indivisible to other host threads too. Vectors
// and 128 bits are so only among threads of one worker; decode.c keeps them on one.

#include "access.h"

#include "half.h"

enum { A_ADD, A_MIN, A_MAX, A_INC, A_DEC, A_EXCH, A_CAS, A_AND, A_OR, A_XOR };

static f32 real_f32(int sub, f32 a, f32 b)
{
    if (sub == A_ADD)
        return nan_f32(a + b);
    if (a != a || b != b)
        return nan_f32(a != a ? b : a);
    if (a == b) // -0 is less than +0
        return (sub == A_MIN) == (signbit(a) != 0) ? a : b;
    return (a < b) == (sub == A_MIN) ? a : b;
}

static f64 real_f64(int sub, f64 a, f64 b)
{
    if (sub == A_ADD)
        return a + b;
    if (a != a || b != b)
        return a != a ? b : a;
    if (a == b)
        return (sub == A_MIN) == (signbit(a) != 0) ? a : b;
    return (a < b) == (sub == A_MIN) ? a : b;
}

// One 16-bit float; two of them are added exactly before they are rounded.
static u16 real_16(const op *o, u16 a, u16 b)
{
    bool bf = o->is_signed == ATOM_BF16 || o->is_signed == ATOM_BF16X2;
    if (bf)
        return bf16_of_f32(real_f32(o->sub, f32_bits((u32)a << 16), f32_bits((u32)b << 16)));
    return f16_of_f32(real_f32(o->sub, f32_of_f16(a), f32_of_f16(b)));
}

static u64 combine(const op *o, u64 old, u64 b, u64 c)
{
    bool wide = o->bytes == 8, is_signed = o->is_signed == ATOM_SIGNED;
    if (o->is_signed >= ATOM_F16X2)
        return (u64)real_16(o, (u16)(old >> 16), (u16)(b >> 16)) << 16 |
               real_16(o, (u16)old, (u16)b);
    if (o->is_signed >= ATOM_F16)
        return real_16(o, (u16)old, (u16)b);
    if (o->is_signed == ATOM_FLUSHED)
        return bits_f32(flush_f32(
            real_f32(o->sub, flush_f32(f32_bits((u32)old)), flush_f32(f32_bits((u32)b)))));
    if (o->is_signed == ATOM_REAL)
        return wide ? bits_f64(real_f64(o->sub, f64_bits(old), f64_bits(b)))
                    : bits_f32(real_f32(o->sub, f32_bits((u32)old), f32_bits((u32)b)));
    switch (o->sub) {
    case A_ADD: return old + b;
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

// One lane of a vector, or of 128 bits. The registers of o->extra: old values, then new.
static void apply_wide(warp *w, const op *o, char *at, int l)
{
    if (o->bytes == 16) {
        char old[16];
        size_t lane = (size_t)l * 16;
        memcpy(old, at, 16);
        if (o->sub == A_EXCH)
            memcpy(at, (char *)AT(w, o->b) + lane, 16);
        else if (!memcmp(old, (char *)AT(w, o->b) + lane, 16))
            memcpy(at, (char *)AT(w, o->c) + lane, 16);
        memcpy((char *)AT(w, o->d) + lane, old, 16);
        return;
    }
    const u32 *to = o->extra, *from = to + 8;
    for (int i = 0; i < o->vec; i++) {
        char *d = AT(w, to[i]);
        u64 b = value(w, o, from[i], l), old = 0, new;
        memcpy(&old, at + i * o->bytes, o->bytes);
        new = combine(o, old, b, 0);
        memcpy(at + i * o->bytes, &new, o->bytes);
        memcpy(d + (size_t)l * o->bytes, &old, o->bytes);
    }
}

static int change(warp *w, const op *o, access *x, bool shared)
{
    op other = *o;
    if (shared && o->is_signed == ATOM_FLUSHED) { // shared memory keeps subnormals
        other.is_signed = ATOM_REAL;
        o = &other;
    }
    char *d = AT(w, o->d), *base = NULL;
    bool alone = shared || w->worker->launch->worker_count == 1;
    if (alone && o->sub == A_ADD && o->bytes == 4 && o->is_signed <= ATOM_SIGNED && o->vec == 1)
        base = base_of_all(w, o, x, shared ? S_SHARED : S_GLOBAL);
    if (base)
        add_alone(w, o, x, base);
    for (u32 m = base ? 0 : x->mask; m; m &= m - 1) {
        int l = (int)first_lane(m);
        u64 a = x->address[l];
        char *at = shared ? shared_pointer(w, a, x->size) : global_pointer(w, o, a, x->size);
        if (!at)
            return fault_access(w, o, l, a, x->size);
        if (o->vec > 1 || o->bytes == 16) {
            apply_wide(w, o, at, l);
            continue;
        }
        u64 old = apply(o, at, value(w, o, o->b, l),
                        o->sub == A_CAS ? value(w, o, o->c, l) : 0, alone);
        memcpy(d + (size_t)l * o->bytes, &old, o->bytes);
    }
    site_count *c = &w->sites[o->site];
    c->requests++;
    c->lanes += (u32)__builtin_popcount(x->mask);
    c->extra += depth(x);
    if (shared) {
        u32 ideal;
        c->sectors += count_wavefronts(x, &ideal);
        c->ideal += ideal;
    } else {
        c->sectors += count_sectors(x);
        follow_atomic(w, x);
    }
    return GO;
}

// o->d: old value, or SINK; o->b, o->c: operands; o->space as in loads.
int SIMT_FN(atomic)(warp *w, const op *o)
{
    access x;
    find_addresses(w, o, &x);
    int odd = misaligned_lane(&x);
    if (odd >= 0)
        return fault_access(w, o, odd, x.address[odd], x.size);
    if (o->space != S_REG)
        return change(w, o, &x, o->space == S_SHARED);
    u32 in_shared = 0;
    for (u32 m = x.mask; m; m &= m - 1)
        if (x.address[first_lane(m)] - SHARED_WINDOW < WINDOW_SIZE)
            in_shared |= 1u << first_lane(m);
    access part = x;
    if (x.mask & ~in_shared) {
        if (in_shared) {
            keep_lanes(&part, x.mask & ~in_shared);
            part.contiguous = part.uniform = false;
        }
        int e = change(w, o, &part, false);
        if (e || !in_shared)
            return e;
        part = x;
        part.contiguous = part.uniform = false;
    }
    keep_lanes(&part, in_shared);
    for (int l = 0; l < 32; l++)
        part.address[l] -= SHARED_WINDOW;
    return change(w, o, &part, true);
}

// ---- 128-bit registers ----------------------------------------------------------

int SIMT_FN(mov_b128)(warp *w, const op *o)
{
    for (u32 m = w->mask; m; m &= m - 1)
        memmove((char *)AT(w, o->d) + first_lane(m) * 16,
                (const char *)AT(w, o->a) + first_lane(m) * 16, 16);
    return GO;
}

int SIMT_FN(pack_b128)(warp *w, const op *o)
{
    for (u32 m = w->mask; m; m &= m - 1) {
        u32 l = first_lane(m);
        u64 v[2] = {((const u64 *)AT(w, o->a))[l], ((const u64 *)AT(w, o->b))[l]};
        memcpy((char *)AT(w, o->d) + l * 16, v, 16);
    }
    return GO;
}

// o->sub: which half.
int SIMT_FN(half_b128)(warp *w, const op *o)
{
    for (u32 m = w->mask; m; m &= m - 1) {
        u32 l = first_lane(m);
        memcpy((u64 *)AT(w, o->d) + l, (const char *)AT(w, o->a) + l * 16 + o->sub * 8, 8);
    }
    return GO;
}
