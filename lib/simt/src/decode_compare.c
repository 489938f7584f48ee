// Decoders of set and setp.

#include "decode.h"

#include <string.h>

// The comparison itself; the caller says where the result goes.
static op *compare(decoder *d, ptx_type t, int first)
{
    int bytes = ptx_type_bytes(t), how = comparison(d);
    uint32_t a = source_at(d, first, bytes), b = source_at(d, first + 1, bytes), c = 0;
    const ptx_operand *p = first + 2 < d->inst->operands ? d->inst->operand[first + 2] : NULL;
    if (p)
        c = source(d, p, 1);
    const char *type = is_half(t) ? "half" : t == T_F32 ? "f32" : t == T_F64 ? "f64" : sign_name(t);
    op *o = emit(d, "setp_%s", type);
    o->a = a;
    o->b = b;
    o->c = c;
    o->sub = (uint8_t)how;
    int combine = has(d, "and") ? 1 : has(d, "or") ? 2 : has(d, "xor") ? 3 : 0;
    o->mode = (uint8_t)(combine + (p && p->negated ? 4 : 0));
    o->imm = has(d, "ftz");
    o->bytes = t == T_BF16 || t == T_BF16X2; // of halves: which
    o->width = (uint8_t)bytes;
    d->strict = true;
    d->unsupported |= how < 0 || (combine != 0) != (p != NULL) || d->inst->operands > first + 3;
    if (ptx_type_kind(t) == 'u' || ptx_type_kind(t) == 's' || ptx_type_kind(t) == 'b')
        d->unsupported |= how > 5 || o->imm;
    return o;
}

DECODER(setp)
{
    uint32_t p = result_at(d, 0);
    const ptx_operand *pair = d->inst->operands ? d->inst->operand[0]->pair : NULL;
    uint32_t q = pair ? result(d, pair) : 0;
    op *o = compare(d, type_at(d, 0), 1);
    o->d = p;
    o->e = q;
}

// set compares into scratch predicates, then writes ones or a 1.0.
DECODER(set)
{
    ptx_type t = type_at(d, 0), from = type_at(d, 1);
    bool pair = from == T_F16X2 || from == T_BF16X2;
    uint32_t to = result_at(d, 0), p = scratch(d, 1), q = pair ? scratch(d, 1) : 0;
    op *o = compare(d, from, 1);
    o->d = p;
    o->e = q;
    o = emit(d, pair ? "set_pair" : ptx_type_bytes(t) == 2 ? "set_b16" : "set_b32");
    o->d = to;
    o->a = p;
    o->b = q;
    o->imm = t == T_F32                      ? 0x3f800000
             : t == T_F16 || t == T_F16X2    ? 0x3c00
             : t == T_BF16 || t == T_BF16X2 ? 0x3f80
             : pair || ptx_type_bytes(t) == 2 ? 0xffff
                                              : 0xffffffff;
}
