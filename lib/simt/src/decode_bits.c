// Decoders of bits, logic, shifts and selection.

#include "decode.h"

#include <string.h>

DECODER(bits1)
{
    ptx_type t = type_at(d, 0);
    operands x = take_operands(d, 1, ptx_type_bytes(t), 0, 0, 0);
    put(emit(d, "%s_%s", d->inst->base, bit_name(t)), x);
}

DECODER(bit_find)
{
    ptx_type t = type_at(d, 0);
    operands x = take_operands(d, 1, ptx_type_bytes(t), 0, 0, 0);
    op *o = emit(d, "bfind_%s", sign_name(t));
    put(o, x);
    o->sub = has(d, "shiftamt");
}

DECODER(bit_find_nth)
{
    (void)type_at(d, 0);
    operands x = take_operands(d, 3, 4, 4, 4, 0);
    put(emit(d, "fns_b32"), x);
}

DECODER(bit_field)
{
    ptx_type t = type_at(d, 0);
    operands x = take_operands(d, 3, ptx_type_bytes(t), 4, 4, 0);
    put(emit(d, "bfe_%s", sign_name(t)), x);
}

DECODER(bit_insert)
{
    ptx_type t = type_at(d, 0);
    int bytes = ptx_type_bytes(t);
    operands x = take_operands(d, 4, bytes, bytes, 4, 4);
    put(emit(d, "bfi_%s", bit_name(t)), x);
}

DECODER(bit_extend)
{
    ptx_type t = type_at(d, 0);
    operands x = take_operands(d, 2, 4, 4, 0, 0);
    op *o = emit(d, "szext_%s", sign_name(t));
    put(o, x);
    o->sub = has(d, "clamp") && !has(d, "wrap");
    (void)has(d, "wrap");
}

DECODER(bit_mask)
{
    (void)(type_at(d, 0), has(d, "wrap"));
    operands x = take_operands(d, 2, 4, 4, 0, 0);
    op *o = emit(d, "bmsk_b32");
    put(o, x);
    o->sub = has(d, "clamp");
}

DECODER(select)
{
    ptx_type t = type_at(d, 0);
    int bytes = ptx_type_bytes(t);
    bool slct = d->inst->base[1] == 'l', real = slct && type_at(d, 1) == T_F32;
    operands x = take_operands(d, 3, bytes, bytes, slct ? 4 : 1, 0);
    op *o = emit(d, "%s%s_%s", d->inst->base, real ? "_f" : "", bit_name(t));
    put(o, x);
    o->sub = real && has(d, "ftz");
}

DECODER(logic)
{
    ptx_type t = type_at(d, 0);
    int bytes = ptx_type_bytes(t);
    bool one = d->inst->base[0] == 'n' || d->inst->base[0] == 'c';
    operands x = take_operands(d, one ? 1 : 2, bytes, bytes, 0, 0);
    put(emit(d, "%s_%s", d->inst->base, bit_name(t)), x);
}

DECODER(shift)
{
    ptx_type t = type_at(d, 0);
    operands x = take_operands(d, 2, ptx_type_bytes(t), 4, 0, 0);
    bool left = d->inst->base[2] == 'l';
    put(emit(d, "%s_%s", d->inst->base, left ? bit_name(t) : sign_name(t)), x);
}

DECODER(funnel)
{
    (void)(type_at(d, 0), has(d, "wrap"), has(d, "r"));
    operands x = take_operands(d, 3, 4, 4, 4, 0);
    put(emit(d, "shf_%s_%s", has(d, "l") ? "l" : "r", has(d, "clamp") ? "clamp" : "wrap"), x);
}

// lop3{.and, .or}.b32 d{|p}, a, b, c, table{, q}: p is (d != 0) combined with q.
DECODER(lop3)
{
    const ptx_inst *i = d->inst;
    uint32_t to = result_at(d, 0);
    (void)type_at(d, 0);
    d->strict = true;
    int how = has(d, "and") ? 1 : has(d, "or") ? 2 : has(d, "xor") ? 3 : 0;
    const ptx_operand *table = i->operands > 4 ? i->operand[4] : NULL;
    const ptx_operand *pair = i->operands ? i->operand[0]->pair : NULL;
    if (!table || table->kind != O_IMM || i->operands != (how ? 6 : 5) || (how != 0) != (pair != NULL)) {
        d->unsupported = true;
        return;
    }
    uint32_t a = source_at(d, 1, 4), b = source_at(d, 2, 4), c = source_at(d, 3, 4);
    op *o = emit(d, "lop3_b32");
    put(o, (operands){.d = to, .a = a, .b = b, .c = c});
    o->imm = table->value;
    if (!how)
        return;
    uint32_t p = result(d, pair), q = source_at(d, 5, 1), zero = constant(d, 0, 4);
    o = emit(d, "setp_u32");
    put(o, (operands){.d = p, .a = to, .b = zero, .c = q});
    o->sub = 1; // .ne
    o->mode = (uint8_t)(how + (i->operand[5]->negated ? 4 : 0));
}

DECODER(permute)
{
    static const char *const modes[] = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16", NULL};
    (void)type_at(d, 0);
    operands x = take_operands(d, 3, 4, 4, 4, 0);
    op *o = emit(d, "prmt_b32");
    put(o, x);
    o->sub = (uint8_t)(pick(d, modes) + 1);
}
