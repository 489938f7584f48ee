// Decoders of integer arithmetic, and the doors to that of floats: add, mul, ... read
// their type here.

#include "decode.h"

#include <string.h>

// The same opcodes serve floats, halves and chains with a carry.
static bool no_plain_integer(decoder *d, ptx_type t)
{
    if (is_half(t))
        decode_half(d, t);
    else if (t == T_F32 || t == T_F64)
        decode_real(d, t);
    else if (has(d, "cc"))
        decode_carry(d);
    else
        return false;
    return true;
}

DECODER(arithmetic)
{
    ptx_type t = type_at(d, 0);
    if (no_plain_integer(d, t))
        return;
    const char *base = d->inst->base;
    int bytes = ptx_type_bytes(t);
    bool pair = t == T_U16X2 || t == T_S16X2, sum = !strcmp(base, "add") || !strcmp(base, "sub");
    bool one = !strcmp(base, "neg") || !strcmp(base, "abs");
    bool sat = has(d, "sat"), relu = has(d, "relu");
    operands x = take_operands(d, one ? 1 : !strcmp(base, "sad") ? 3 : 2, bytes, bytes, bytes, 0);
    if (sat && (t != T_S32 || !sum))
        d->unsupported = true;
    if (relu && ((t != T_S32 && t != T_S16X2) || base[0] != 'm'))
        d->unsupported = true;
    const char *type = pair ? (t == T_S16X2 && !sum ? "s16x2" : "u16x2")
                            : sign_name(sum && !sat ? unsigned_of(t) : t);
    put(emit(d, "%s%s_%s", base, sat ? "_sat" : relu ? "_relu" : "", type), x);
}

DECODER(multiply)
{
    ptx_type t = type_at(d, 0);
    bool mad = d->inst->base[1] == 'a';
    if (no_plain_integer(d, t))
        return;
    int bytes = ptx_type_bytes(t);
    bool wide = has(d, "wide"), hi = has(d, "hi"), by24 = strchr(d->inst->base, '4') != NULL;
    bool sat = has(d, "sat"), lo = has(d, "lo");
    operands x = take_operands(d, mad ? 3 : 2, bytes, bytes, wide ? 2 * bytes : bytes, 0);
    if ((sat && (!mad || !hi || t != T_S32)) || wide + hi + lo != 1)
        d->unsupported = true;
    if (!wide && !hi && !by24)
        t = unsigned_of(t); // the low half does not know signs
    put(emit(d, "%s%s%s%s", d->inst->base, wide ? "_wide_" : hi ? "_hi_" : "_", sat ? "sat_" : "",
             sign_name(t)), x);
}

DECODER(carry)
{
    const char *b = d->inst->base;
    ptx_type t = type_at(d, 0);
    int bytes = ptx_type_bytes(t);
    bool mad = b[0] == 'm', sub = b[0] == 's', in = b[strlen(b) - 1] == 'c';
    operands x = take_operands(d, mad ? 3 : 2, bytes, bytes, bytes, 0);
    bool hi = has(d, "hi"), lo = has(d, "lo");
    if ((bytes != 4 && bytes != 8) || hi + lo != mad) {
        d->unsupported = true;
        return;
    }
    op *o = emit(d, "carry_%s", bytes == 8 ? "u64" : "u32");
    put(o, x);
    if (!mad)
        o->c = x.a;
    o->is_signed = ptx_type_kind(t) == 's';
    o->sub = (uint8_t)((in ? 1 : 0) | (has(d, "cc") ? 2 : 0) | (sub ? 4 : 0) |
                       (mad ? hi ? 16 : 8 : 0));
}

DECODER(dot)
{
    bool two = d->inst->base[2] == '2', hi = has(d, "hi"), lo = has(d, "lo");
    operands x = take_operands(d, 3, 4, 4, 4, 0);
    d->unsupported |= hi + lo != two;
    op *o = emit(d, "%s", d->inst->base);
    put(o, x);
    o->sub = (uint8_t)((type_at(d, 0) == T_S32 ? 1 : 0) | (type_at(d, 1) == T_S32 ? 2 : 0) |
                       (hi ? 4 : 0));
}
