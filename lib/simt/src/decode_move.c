// Decoder of mov: copies, addresses, special registers, and registers cut into parts or
// made of them.

#include "decode.h"

#include <string.h>

static op *copy(decoder *d, const char *handler, uint32_t to, uint32_t a, uint32_t b)
{
    op *o = emit(d, "%s", handler);
    o->d = to;
    o->a = a;
    o->b = b;
    return o;
}

// The elements of {a, b} or {a, b, c, e}; 0 if it is neither.
static int elements(const ptx_operand *list, const ptx_operand *part[4])
{
    int n = 0;
    for (const ptx_operand *e = list->inner; e; e = e->next, n++)
        if (n < 4)
            part[n] = e;
    return n == 2 || n == 4 ? n : 0;
}

static void halve(decoder *d, const ptx_operand *low, const ptx_operand *high, uint32_t from,
                  int bytes)
{
    static const char *const names[2][2] = {{"low_b32", "high_b32"}, {"low_b64", "high_b64"}};
    const ptx_operand *part[] = {low, high};
    for (int i = 0; i < 2; i++) {
        if (part[i]->kind == O_SINK)
            continue;
        uint32_t to = result(d, part[i]);
        if (bytes == 16)
            copy(d, "half_b128", to, from, 0)->sub = (uint8_t)i;
        else
            copy(d, names[bytes == 8][i], to, from, 0);
    }
}

// mov.b64 {a, b}, d. A source that is also one of the parts is copied first.
static void unpack(decoder *d, const ptx_operand *list, const ptx_operand *from, int bytes)
{
    const ptx_operand *part[4];
    int n = elements(list, part);
    bool wide = register_bytes(from) == 16;
    bytes = wide ? 16 : bytes;
    if (!n || (bytes != 4 && bytes != 8 && !wide) || (n == 4 && bytes != 8)) {
        d->unsupported = true;
        return;
    }
    uint32_t whole = source(d, from, bytes);
    for (int i = 0; i < n; i++)
        if (from->kind == O_REG && part[i]->symbol == from->symbol) {
            uint32_t to = scratch(d, bytes);
            copy(d, bytes == 16 ? "mov_b128" : bytes == 8 ? "mov_b64" : "mov_b32", to, whole, 0);
            whole = to;
        }
    if (n == 2) {
        halve(d, part[0], part[1], whole, bytes);
        return;
    }
    uint32_t low = scratch(d, 4), high = scratch(d, 4);
    copy(d, "low_b64", low, whole, 0);
    copy(d, "high_b64", high, whole, 0);
    halve(d, part[0], part[1], low, 4);
    halve(d, part[2], part[3], high, 4);
}

static void pack(decoder *d, uint32_t to, const ptx_operand *list, int bytes)
{
    const ptx_operand *part[4];
    int n = elements(list, part);
    bool wide = bytes == 16;
    if (!n || (bytes != 4 && bytes != 8 && !wide) || (n == 4 && bytes != 8)) {
        d->unsupported = true;
        return;
    }
    uint32_t s[4];
    for (int i = 0; i < n; i++)
        s[i] = source(d, part[i], bytes / n);
    if (n == 2) {
        copy(d, wide ? "pack_b128" : bytes == 8 ? "pack_b64" : "pack_b32", to, s[0], s[1]);
        return;
    }
    uint32_t low = scratch(d, 4), high = scratch(d, 4);
    copy(d, "pack_b32", low, s[0], s[1]);
    copy(d, "pack_b32", high, s[2], s[3]);
    copy(d, "pack_b64", to, low, high);
}

DECODER(move)
{
    const ptx_inst *i = d->inst;
    ptx_type t = type_at(d, 0);
    int bytes = ptx_type_bytes(t);
    if (i->operands != 2) {
        d->unsupported = true;
        return;
    }
    const ptx_operand *to = i->operand[0], *from = i->operand[1];
    if (to->kind == O_LIST) {
        unpack(d, to, from, bytes);
        return;
    }
    uint32_t r = result(d, to);
    if (from->kind == O_LIST) {
        pack(d, r, from, bytes);
        return;
    }
    if (from->kind == O_SREG && (strstr(from->name, "clock") || strstr(from->name, "globaltimer"))) {
        op *o = emit(d, "clock");
        d->code->reads_clock = true;
        o->d = r;
        o->width = (uint8_t)register_bytes(to);
        d->unsupported |= o->width != 4 && o->width != 8;
        o->sub = strstr(from->name, "globaltimer") != NULL;
        return;
    }
    uint32_t a = source(d, from, bytes);
    bool wide_special = from->kind == O_SREG && bytes == 8;
    op *o = wide_special  ? emit(d, "cvt_u64_u32")
            : bytes == 16 ? emit(d, "mov_b128")
                          : emit(d, "mov_%s", bit_name(t));
    d->unsupported |= bytes == 16 && from->kind != O_REG;
    o->d = r;
    o->a = a;
}
