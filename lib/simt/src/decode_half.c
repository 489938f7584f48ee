// Decoders of 16-bit float arithmetic, single or in pairs: exec_half.c's handlers take
// both and every modifier; here the modifiers that PTX does not have are refused.

#include "decode.h"

#include <string.h>

static const struct {
    const char *name;
    int operands;
    uint8_t modes, bf16_modes; // what may be said
} halves[] = {
    {"add", 2, MODE_FTZ | MODE_SAT, 0},
    {"sub", 2, MODE_FTZ | MODE_SAT, 0},
    {"mul", 2, MODE_FTZ | MODE_SAT, 0},
    {"fma", 3, MODE_FTZ | MODE_SAT | MODE_RELU, MODE_RELU},
    {"min", 2, MODE_FTZ | MODE_NAN | MODE_ABS, MODE_NAN | MODE_ABS},
    {"max", 2, MODE_FTZ | MODE_NAN | MODE_ABS, MODE_NAN | MODE_ABS},
    {"neg", 1, MODE_FTZ, 0},
    {"abs", 1, MODE_FTZ, 0},
    {"ex2", 1, MODE_FTZ, MODE_FTZ},
    {"tanh", 1, 0, 0},
};

void decode_half(decoder *d, ptx_type t)
{
    const char *base = d->inst->base;
    bool bf16 = t == T_BF16 || t == T_BF16X2;
    int bytes = ptx_type_bytes(t);
    size_t k = 0, n = sizeof halves / sizeof *halves;
    while (k < n && strcmp(halves[k].name, base))
        k++;
    if (k == n) {
        d->unsupported = true;
        return;
    }
    operands x = take_operands(d, halves[k].operands, bytes, bytes, bytes, 0);
    uint8_t mode = rounding_mode(d);
    if (base[0] == 'e' || base[0] == 't')
        (void)has(d, "approx");
    else if (has(d, "xorsign") && has(d, "abs"))
        mode |= MODE_ABS;
    if (mode & ~(bf16 ? halves[k].bf16_modes : halves[k].modes))
        d->unsupported = true;
    op *o = emit(d, "half_%s%s", base, bf16 && base[0] == 'f' ? "_bf16" : "");
    put(o, x);
    o->sub = bf16;
    o->mode = mode;
    o->width = (uint8_t)bytes;
}
