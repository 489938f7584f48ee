// Decoders of arithmetic, bits and comparison.

#include "decode.h"

#include <string.h>


// emit() may move d->ops, and so may source(); operands therefore come first.
typedef struct operands {
    uint32_t d, a, b, c, e;
} operands;

static operands take_operands(decoder *d, int count, int a, int b, int c, int e)
{
    operands x = {.d = result_at(d, 0)};
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

static void put(op *o, operands x)
{
    o->d = x.d;
    o->a = x.a;
    o->b = x.b;
    o->c = x.c;
    o->e = x.e;
}

// Which operand counts and general numbers (exec_float.c's F_*) the real forms have.
static const struct {
    const char *name;
    int operands;
    int general;
    bool approximate; // .approx and .full say nothing of rounding
} reals[] = {
    {"add", 2, 0, false},  {"sub", 2, 1, false},  {"mul", 2, 2, false},
    {"fma", 3, 3, false},  {"mad", 3, 3, false},  {"div", 2, 4, true},
    {"rcp", 1, 5, true},   {"sqrt", 1, 6, true},  {"min", 2, 7, false},
    {"max", 2, 8, false},  {"ex2", 1, 9, true},   {"lg2", 1, 10, true},
    {"sin", 1, 11, true},  {"cos", 1, 12, true},  {"rsqrt", 1, 13, true},
    {"neg", 1, 14, false}, {"abs", 1, 15, false}, {"tanh", 1, -1, true},
};

static void real(decoder *d, ptx_type t)
{
    const char *base = d->inst->base, *type = t == T_F64 ? "f64" : "f32";
    size_t k = 0, n = sizeof reals / sizeof *reals;
    while (k < n && strcmp(reals[k].name, base))
        k++;
    if (k == n || has(d, "xorsign")) {
        d->unsupported = true;
        return;
    }
    int bytes = ptx_type_bytes(t), count = reals[k].operands;
    operands x = take_operands(d, count, bytes, bytes, bytes, 0);
    uint8_t mode = rounding_mode(d);
    op *o;
    bool high = t == T_F64 && has(d, "approx") && mode & MODE_FTZ;
    if (high && (!strcmp(base, "rcp") || !strcmp(base, "rsqrt")))
        o = emit(d, "%s_high_f64", base);
    else if (mode == MODE_RN || reals[k].general < 0)
        o = emit(d, "%s_%s", strcmp(base, "mad") ? base : "fma", type);
    else
        o = emit(d, "general_%s", type);
    put(o, x);
    o->sub = (uint8_t)reals[k].general;
    o->mode = mode;
    if (count < 3)
        o->c = x.a;
    if (count < 2)
        o->b = x.a;
}

DECODER(arithmetic)
{
    ptx_type t = type_at(d, 0);
    if (t == T_F32 || t == T_F64) {
        real(d, t);
        return;
    }
    if (has(d, "sat") || ptx_type_kind(t) == 'f' || ptx_type_kind(t) == 'g' ||
        ptx_type_kind(t) == 'h') {
        d->unsupported = true; // 16-bit floats; add.sat.s32
        return;
    }
    const char *base = d->inst->base;
    int bytes = ptx_type_bytes(t);
    if (has(d, "cc")) {
        decode_carry(d);
        return;
    }
    bool agnostic = !strcmp(base, "add") || !strcmp(base, "sub");
    bool one = !strcmp(base, "neg") || !strcmp(base, "abs");
    operands x = take_operands(d, one ? 1 : !strcmp(base, "sad") ? 3 : 2, bytes, bytes, bytes, 0);
    static const ptx_type plain[] = {T_NONE, T_U8, T_U16, T_NONE, T_U32,
                                     T_NONE, T_NONE, T_NONE, T_U64};
    if (agnostic)
        t = plain[bytes & 15];
    put(emit(d, "%s_%s", base, sign_name(t)), x);
}

DECODER(multiply)
{
    ptx_type t = type_at(d, 0);
    bool mad = d->inst->base[1] == 'a';
    if (t == T_F32 || t == T_F64) {
        real(d, t);
        return;
    }
    if (has(d, "cc")) {
        decode_carry(d);
        return;
    }
    int bytes = ptx_type_bytes(t);
    bool wide = has(d, "wide"), hi = has(d, "hi"), by24 = strchr(d->inst->base, '4') != NULL;
    if (has(d, "sat") || (by24 && hi)) {
        d->unsupported = true;
        return;
    }
    operands x = take_operands(d, mad ? 3 : 2, bytes, bytes, wide ? 2 * bytes : bytes, 0);
    static const ptx_type plain[] = {T_NONE, T_U8, T_U16, T_NONE, T_U32,
                                     T_NONE, T_NONE, T_NONE, T_U64};
    if (!wide && !hi && !(by24 && !mad))
        t = plain[bytes & 15]; // the low half does not know signs
    put(emit(d, "%s%s%s", d->inst->base, wide ? "_wide_" : hi ? "_hi_" : "_", sign_name(t)), x);
}

DECODER(carry)
{
    const char *b = d->inst->base;
    ptx_type t = type_at(d, 0);
    int bytes = ptx_type_bytes(t);
    bool mad = b[0] == 'm', sub = b[0] == 's', in = b[strlen(b) - 1] == 'c';
    operands x = take_operands(d, mad ? 3 : 2, bytes, bytes, bytes, 0);
    if (bytes != 4 && bytes != 8) {
        d->unsupported = true;
        return;
    }
    op *o = emit(d, "carry_%s", bytes == 8 ? "u64" : "u32");
    put(o, x);
    if (!mad)
        o->c = x.a;
    bool hi = has(d, "hi");
    if (mad && hi && ptx_type_kind(t) == 's')
        d->unsupported = true;
    o->sub = (uint8_t)((in ? 1 : 0) | (has(d, "cc") ? 2 : 0) | (sub ? 4 : 0) |
                       (mad ? hi ? 16 : 8 : 0));
}

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

DECODER(bit_mask)
{
    operands x = take_operands(d, 2, 4, 4, 0, 0);
    op *o = emit(d, "bmsk_b32");
    put(o, x);
    o->sub = has(d, "clamp");
}

DECODER(dot)
{
    operands x = take_operands(d, 3, 4, 4, 4, 0);
    op *o = emit(d, "%s", d->inst->base);
    put(o, x);
    o->sub = (uint8_t)((type_at(d, 0) == T_S32 ? 1 : 0) | (type_at(d, 1) == T_S32 ? 2 : 0) |
                       (has(d, "hi") ? 4 : 0));
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

// ---- Comparison -----------------------------------------------------------------

static const char *const comparisons[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ", "neu",
                                          "ltu", "leu", "gtu", "geu", "num", "nan", NULL};

// Emits the comparison; the caller says where the predicates go.
static op *compare(decoder *d, ptx_type t, int first)
{
    int bytes = ptx_type_bytes(t), how = pick(d, comparisons);
    static const struct {
        const char *name;
        int as;
    } unsigned_names[] = {{"lo", 2}, {"ls", 3}, {"hi", 4}, {"hs", 5}};
    for (int i = 0; how < 0 && i < 4; i++)
        if (has(d, unsigned_names[i].name))
            how = unsigned_names[i].as;
    uint32_t a = source_at(d, first, bytes), b = source_at(d, first + 1, bytes), c = 0;
    const ptx_operand *p = first + 2 < d->inst->operands ? d->inst->operand[first + 2] : NULL;
    if (p)
        c = source(d, p, 1);
    char kind = ptx_type_kind(t);
    op *o = emit(d, "setp_%s", t == T_F32 ? "f32" : t == T_F64 ? "f64" : sign_name(t));
    if (how < 0 || kind == 'g' || kind == 'h' || t == T_F16)
        d->unsupported = true;
    o->a = a;
    o->b = b;
    o->c = c;
    o->sub = (uint8_t)how;
    int combine = has(d, "and") ? 1 : has(d, "or") ? 2 : has(d, "xor") ? 3 : 0;
    o->mode = (uint8_t)(combine + (p && p->negated ? 4 : 0));
    o->imm = t == T_F32 && has(d, "ftz");
    if (combine && !p)
        d->unsupported = true;
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

DECODER(set)
{
    uint32_t to = result_at(d, 0), p = scratch(d, 1);
    ptx_type t = type_at(d, 0);
    op *o = compare(d, type_at(d, 1), 1);
    o->d = p;
    o = emit(d, t == T_F32 ? "set_f32" : ptx_type_bytes(t) == 2 ? "set_b16" : "set_b32");
    o->d = to;
    o->a = p;
}

DECODER(select)
{
    ptx_type t = type_at(d, 0);
    int bytes = ptx_type_bytes(t);
    bool slct = d->inst->base[1] == 'l', real = slct && type_at(d, 1) == T_F32;
    operands x = take_operands(d, 3, bytes, bytes, slct ? 4 : 1, 0);
    if (real && bytes == 8)
        d->unsupported = true;
    put(emit(d, "%s%s_%s", d->inst->base, real ? "_f" : "", bit_name(t)), x);
}

// ---- Logic ----------------------------------------------------------------------

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
    operands x = take_operands(d, 3, 4, 4, 4, 0);
    put(emit(d, "shf_%s_%s", has(d, "l") ? "l" : "r", has(d, "clamp") ? "clamp" : "wrap"), x);
}

DECODER(lop3)
{
    operands x = take_operands(d, 3, 4, 4, 4, 0);
    const ptx_operand *table = d->inst->operands > 4 ? d->inst->operand[4] : NULL;
    if (!table || table->kind != O_IMM) {
        d->unsupported = true;
        return;
    }
    op *o = emit(d, "lop3_b32");
    put(o, x);
    o->imm = table->value;
}

DECODER(permute)
{
    static const char *const modes[] = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16", NULL};
    operands x = take_operands(d, 3, 4, 4, 4, 0);
    op *o = emit(d, "prmt_b32");
    put(o, x);
    o->sub = (uint8_t)(pick(d, modes) + 1);
}

// ---- Conversion -----------------------------------------------------------------

DECODER(convert)
{
    ptx_type to = type_at(d, 0), from = type_at(d, 1);
    if (to == T_F16X2 || to == T_BF16X2) {
        uint32_t r = result_at(d, 0), a = source_at(d, 1, 4), b = source_at(d, 2, 4);
        op *o = emit(d, "cvt_pair");
        o->d = r;
        o->a = a;
        o->b = b;
        o->sub = to == T_F16X2 ? T_F16 : T_BF16;
        o->mode = rounding_mode(d);
        if (from != T_F32 || has(d, "relu"))
            d->unsupported = true;
        return;
    }
    if (to == T_NONE || from == T_NONE || has(d, "relu") || has(d, "satfinite")) {
        d->unsupported = true;
        return;
    }
    const ptx_operand *in = d->inst->operands > 1 ? d->inst->operand[1] : NULL;
    int width = register_bytes(d->inst->operand[0]);
    int bytes = in && in->kind == O_REG ? register_bytes(in) : ptx_type_bytes(from);
    bytes = in && in->kind == O_SREG ? 4 : bytes < 2 ? 2 : bytes;
    uint32_t r = result_at(d, 0), a = source(d, in, bytes);
    bool exact = width == ptx_type_bytes(to) && bytes == ptx_type_bytes(from);
    char kt = ptx_type_kind(to), kf = ptx_type_kind(from);
    uint8_t mode = rounding_mode(d);
    bool integral = has(d, "rni") || has(d, "rzi") || has(d, "rmi") || has(d, "rpi");
    op *o = NULL;
    if (exact && !mode && !integral && kf != 'g' && kt != 'g' && to != T_F16 && from != T_F16) {
        const char *source_name = kf == 'f' ? from == T_F64 ? "f64" : "f32" : sign_name(from);
        const char *result_name = kt == 'f' ? to == T_F64 ? "f64" : "f32"
                                  : kf == 's' && ptx_type_bytes(to) > ptx_type_bytes(from)
                                      ? (ptx_type_bytes(to) == 8 ? "s64" : "s32")
                                      : sign_name(to);
        // Widening goes by the source's sign; narrowing by neither.
        if (kt != 'f' && kf != 'f') {
            if (ptx_type_bytes(to) <= ptx_type_bytes(from)) {
                source_name = bit_name(from);
                result_name = bit_name(to);
            } else if (kf != 's') {
                static const char *const u[] = {"", "", "u16", "", "u32", "", "", "", "u64"};
                result_name = u[ptx_type_bytes(to)];
            }
        }
        char name[64] = "cvt_";
        strcat(strcat(strcat(name, result_name), "_"), source_name);
        for (char *c = name; *c; c++)
            if (*c == 'b')
                *c = 'u';
        if (kt != 'f' && kf != 'f' && ptx_type_bytes(to) == ptx_type_bytes(from))
            o = emit(d, "mov_%s", bit_name(to));
        else if (handler_named(name) >= 0)
            o = emit(d, "%s", name);
    }
    if (!o) {
        o = emit(d, "cvt_general");
        o->sub = (uint8_t)to;
        o->space = (uint8_t)from;
        o->width = (uint8_t)width;
        o->bytes = (uint8_t)bytes;
        o->mode = mode;
        o->imm = integral && (kt == 'f' || kt == 'g');
        if (kt == 'h' || kf == 'h' || width < 2)
            d->unsupported = true;
    }
    o->d = r;
    o->a = a;
}
