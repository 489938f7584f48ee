// Decoders of f32 and f64 arithmetic.

#include "decode.h"

#include <string.h>

// How many operands, and what a form needs: whether it has a plain handler (rounds to
// nearest, keeps subnormals) and whether it must say .approx or .full.
static const struct {
    const char *name;
    int operands;
    bool plain, approximate;
} reals[] = {
    {"add", 2, true, false},  {"sub", 2, true, false},   {"mul", 2, true, false},
    {"fma", 3, true, false},  {"mad", 3, true, false},   {"div", 2, true, true},
    {"rcp", 1, true, true},   {"sqrt", 1, true, true},   {"min", 2, true, false},
    {"max", 2, true, false},  {"ex2", 1, false, true},   {"lg2", 1, false, true},
    {"sin", 1, false, true},  {"cos", 1, false, true},   {"rsqrt", 1, false, true},
    {"neg", 1, true, false},  {"abs", 1, true, false},   {"tanh", 1, false, true},
};

void decode_real(decoder *d, ptx_type t)
{
    const char *base = d->inst->base, *type = t == T_F64 ? "f64" : "f32";
    size_t k = 0, n = sizeof reals / sizeof *reals;
    while (k < n && strcmp(reals[k].name, base))
        k++;
    if (k == n) {
        d->unsupported = true;
        return;
    }
    int bytes = ptx_type_bytes(t), count = reals[k].operands;
    operands x = take_operands(d, count, bytes, bytes, bytes, 0);
    uint8_t mode = rounding_mode(d);
    bool xorsign = has(d, "xorsign"), absolute = has(d, "abs");
    bool approximate = reals[k].approximate && (has(d, "approx") || has(d, "full"));
    if (xorsign || absolute) {
        mode |= MODE_ABS;
        d->unsupported |= !xorsign || !absolute || base[0] != 'm' || base[2] == 'l';
    }
    if (mode & (MODE_RELU | MODE_FINITE) || (t == T_F64 && mode & ~MODE_ROUNDING && !approximate))
        d->unsupported = true;
    op *o;
    bool high = t == T_F64 && approximate && mode & MODE_FTZ;
    if (!strcmp(base, "mad"))
        base = "fma";
    if (high && (!strcmp(base, "rcp") || !strcmp(base, "rsqrt")))
        o = emit(d, "%s_high_f64", base);
    else if (mode == MODE_RN && reals[k].plain)
        o = emit(d, "%s_%s", base, type);
    else
        o = emit(d, "%s_any_%s", base, type);
    put(o, x);
    o->mode = mode;
    if (count < 3)
        o->c = x.a;
    if (count < 2)
        o->b = x.a;
}

DECODER(test)
{
    static const char *const kinds[] = {"finite", "infinite",  "number", "notanumber",
                                        "normal", "subnormal", NULL};
    ptx_type t = type_at(d, 0);
    operands x = take_operands(d, 1, ptx_type_bytes(t), 0, 0, 0);
    op *o = emit(d, "testp_%s", t == T_F64 ? "f64" : "f32");
    put(o, x);
    int kind = pick(d, kinds);
    d->unsupported |= kind < 0;
    o->sub = (uint8_t)kind;
}

DECODER(copysign)
{
    ptx_type t = type_at(d, 0);
    int bytes = ptx_type_bytes(t);
    operands x = take_operands(d, 2, bytes, bytes, 0, 0);
    put(emit(d, "copysign_%s", t == T_F64 ? "f64" : "f32"), x);
}
