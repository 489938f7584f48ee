// What the decoders of computing instructions share: operands, types, comparisons.

#include "decode.h"

#include <string.h>

operands take_operands(decoder *d, int count, int a, int b, int c, int e)
{
    operands x = {.d = result_at(d, 0)};
    d->strict = true;
    if (d->inst->operands != count + 1)
        d->unsupported = true;
    if (count > 0)
        x.a = source_at(d, 1, a);
    if (count > 1)
        x.b = source_at(d, 2, b);
    if (count > 2)
        x.c = source_at(d, 3, c);
    if (count > 3)
        x.e = source_at(d, 4, e);
    return x;
}

void put(op *o, operands x)
{
    o->d = x.d;
    o->a = x.a;
    o->b = x.b;
    o->c = x.c;
    o->e = x.e;
}

ptx_type unsigned_of(ptx_type t)
{
    static const ptx_type plain[] = {T_NONE, T_U8, T_U16, T_NONE, T_U32,
                                     T_NONE, T_NONE, T_NONE, T_U64};
    return plain[ptx_type_bytes(t) & 15];
}

bool is_half(ptx_type t)
{
    return t == T_F16 || t == T_F16X2 || t == T_BF16 || t == T_BF16X2;
}

int comparison(decoder *d)
{
    static const char *const names[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ", "neu",
                                        "ltu", "leu", "gtu", "geu", "num", "nan", NULL};
    static const char *const unsigned_names[] = {"lo", "ls", "hi", "hs", NULL};
    int how = pick(d, names), low = how < 0 ? pick(d, unsigned_names) : -1;
    return low < 0 ? how : low + 2;
}
