// Matrices between memory and registers: where each lane's word lies, and the exchange
// between rows as ldmatrix loads them and fragments. The loads and stores themselves are
// those of exec_memory.c.

#include "lanes.h"
#include "tensor.h"

// All lanes of the warp must be here (.aligned).
int SIMT_FN(converge)(warp *w, const op *o)
{
    return w->full ? GO : (int)warp_sync(w, o, 0xffffffffu);
}

// d: addresses; a: base (o->wide: of 64 bits), o->imm more; b: the stride.
int SIMT_FN(tile_address)(warp *w, const op *o)
{
    const tile *t = o->extra;
    const u64 *wide = AT(w, o->a);
    const u32 *narrow = AT(w, o->a), *stride = AT(w, o->b);
    u64 *d = AT(w, o->d);
    u64 at[32];
    LANES (l)
        at[l] = (((u64)t->major[l] * stride[l] + t->minor[l]) << t->shift >> 3) + (u64)o->imm;
    if (o->wide)
        LANES (l)
            d[l] = wide[l] + at[l];
    else
        LANES (l)
            d[l] = narrow[l] + at[l];
    return GO;
}

// The inner access for the lanes that give rows' addresses: the first o->sub.
int SIMT_FN(row_lanes)(warp *w, const op *o)
{
    u32 all = w->mask, rows = o->sub == 32 ? all : all & ((1u << o->sub) - 1);
    if (!rows)
        return GO;
    warp_set_mask(w, rows);
    int e = o->inner(w, o);
    warp_set_mask(w, all);
    return e;
}

// Four registers of rows (lane 8 i + g: row g of matrix i, a word each) to the fragment
// of matrix o->sub; o->mode: transposed, halves at a time.
int SIMT_FN(tile_take)(warp *w, const op *o)
{
    const uint32_t *from = o->extra;
    u32 *d = AT(w, o->d), r[32];
    int first = 8 * o->sub;
    if (!o->mode) {
        for (int t = 0; t < 4; t++) {
            const u32 *word = AT(w, from[t]);
            for (int g = 0; g < 8; g++)
                r[4 * g + t] = word[first + g];
        }
    } else {
        for (int g = 0; g < 8; g++) {
            const u16 *column = AT(w, from[g / 2]);
            for (int t = 0; t < 4; t++)
                r[4 * g + t] = column[2 * (first + 2 * t) + g % 2] |
                               (u32)column[2 * (first + 2 * t + 1) + g % 2] << 16;
        }
    }
    LANES (l)
        d[l] = w->lane[l] ? r[l] : d[l];
    return GO;
}

// The way back: word o->sub of each row from up to four fragments (o->vec).
int SIMT_FN(tile_give)(warp *w, const op *o)
{
    const uint32_t *from = o->extra;
    u32 *d = AT(w, o->d);
    for (int i = 0; i < o->vec; i++) {
        const u32 *word = AT(w, from[i]);
        const u16 *half = AT(w, from[i]);
        for (int g = 0; g < 8; g++) {
            int t = o->sub;
            // Transposed, element (g, c) of a row is (c, g) of the fragment.
            u32 low = half[2 * (4 * (2 * t) + g / 2) + g % 2];
            u32 high = half[2 * (4 * (2 * t + 1) + g / 2) + g % 2];
            d[8 * i + g] = o->mode ? low | high << 16 : word[4 * g + t];
        }
    }
    return GO;
}

// movmatrix: the fragment of a matrix to that of its transpose.
int SIMT_FN(tile_transpose)(warp *w, const op *o)
{
    const u16 *a = AT(w, o->a);
    u32 *d = AT(w, o->d), r[32];
    for (int g = 0; g < 8; g++)
        for (int t = 0; t < 4; t++)
            r[4 * g + t] = a[2 * (4 * (2 * t) + g / 2) + g % 2] |
                           (u32)a[2 * (4 * (2 * t + 1) + g / 2) + g % 2] << 16;
    LANES (l)
        d[l] = w->lane[l] ? r[l] : d[l];
    return GO;
}

// o->vec elements of o->bytes, each in a 16-bit register, into one word.
int SIMT_FN(tile_pack)(warp *w, const op *o)
{
    const uint32_t *from = o->extra;
    u32 *d = AT(w, o->d), r[32] = {0};
    for (int i = 0; i < o->vec; i++) {
        const u16 *part = AT(w, from[i]);
        u32 mask = o->bytes == 1 ? 0xff : 0xffff;
        LANES (l)
            r[l] |= (part[l] & mask) << 8 * o->bytes * i;
    }
    LANES (l)
        d[l] = w->lane[l] ? r[l] : d[l];
    return GO;
}
