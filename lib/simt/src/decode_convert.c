// Decoder of cvt.

#include "decode.h"

#include <string.h>

// Two values in one register: pairs of halves, and bytes of fp8.
static void pair(decoder *d, ptx_type to, ptx_type from)
{
    bool fp8 = ptx_type_kind(to) == 'e', from_fp8 = ptx_type_kind(from) == 'e';
    bool one = from == T_F16X2 || from_fp8, halves = to == T_F16X2 || to == T_BF16X2;
    int bytes = ptx_type_bytes(from);
    operands x = take_operands(d, one ? 1 : 2, bytes, bytes, 0, 0);
    uint8_t mode = rounding_mode(d);
    bool fits = fp8 ? (from == T_F32 || from == T_F16X2) && mode & MODE_FINITE
                    : halves && (from == T_F32 || (from_fp8 && to == T_F16X2));
    if (!fits || mode & ~(MODE_ROUNDING | MODE_RELU | MODE_FINITE) ||
        (mode & MODE_ROUNDING) > MODE_RZ)
        d->unsupported = true;
    op *o = emit(d, fp8 ? "cvt_to_fp8" : from_fp8 ? "cvt_from_fp8" : "cvt_pair");
    put(o, x);
    o->sub = (uint8_t)(from_fp8 ? from : to);
    o->mode = mode;
    o->imm = one;
}

// The handler of a conversion that neither rounds nor clamps specially, or "".
static void plain_name(char *name, ptx_type to, ptx_type from)
{
    char kt = ptx_type_kind(to), kf = ptx_type_kind(from);
    const char *type[2];
    for (int i = 0; i < 2; i++) {
        ptx_type t = i ? from : to;
        type[i] = t == T_F64    ? "f64"
                  : t == T_F32  ? "f32"
                  : t == T_F16  ? "f16"
                  : t == T_BF16 ? "bf16"
                                : sign_name(t);
    }
    if (strchr("usb", kt) && strchr("usb", kf)) {
        // Widening goes by the source's sign; narrowing by neither.
        int wide = ptx_type_bytes(to), narrow = ptx_type_bytes(from);
        if (wide == narrow) {
            strcat(strcpy(name, "mov_"), bit_name(to));
            return;
        }
        bool sign = wide > narrow && kf == 's';
        static const char *const u[] = {"", "u8", "u16", "", "u32", "", "", "", "u64"};
        static const char *const s[] = {"", "s8", "s16", "", "s32", "", "", "", "s64"};
        type[0] = (sign ? s : u)[wide];
        type[1] = (sign ? s : u)[narrow];
    }
    strcat(strcat(strcat(strcpy(name, "cvt_"), type[0]), "_"), type[1]);
}

DECODER(convert)
{
    ptx_type to = type_at(d, 0), from = type_at(d, 1);
    char kt = ptx_type_kind(to), kf = ptx_type_kind(from);
    d->strict = true;
    if (kt == 'h' || kt == 'e' || kf == 'h' || kf == 'e') {
        pair(d, to, from);
        return;
    }
    if (to == T_NONE || from == T_NONE || d->inst->operands != 2 || kt == 'x' || kf == 'x') {
        d->unsupported = true;
        return;
    }
    const ptx_operand *in = d->inst->operand[1];
    int width = register_bytes(d->inst->operand[0]);
    int bytes = in->kind == O_REG ? register_bytes(in) : ptx_type_bytes(from);
    bytes = in->kind == O_SREG ? 4 : bytes < 2 ? 2 : bytes;
    uint32_t r = result_at(d, 0), a = source(d, in, bytes);
    uint8_t mode = rounding_mode(d);
    bool integral = has(d, "rni") || has(d, "rzi") || has(d, "rmi") || has(d, "rpi");
    bool away = has(d, "rna"), real_to = kt == 'f' || kt == 'g', real_from = kf == 'f' || kf == 'g';
    bool exact = width == ptx_type_bytes(to) && bytes == ptx_type_bytes(from) && !away;
    char name[64] = "";
    if (exact && mode == MODE_RN && !(integral && real_to) && kt != 't')
        plain_name(name, to, from);
    // f32 to 32-bit integers has a handler for every rounding.
    if (exact && from == T_F32 && ptx_type_bytes(to) == 4 && !real_to && kt != 't')
        plain_name(name, to, from);
    if (away && to == T_TF32)
        strcpy(name, "cvt_tf32_f32");
    else if (exact && mode == MODE_RN && !integral && to == T_F32 && from == T_F32)
        strcpy(name, "mov_b32");
    op *o;
    if (name[0] && handler_named(name) >= 0) {
        o = emit(d, "%s", name);
    } else {
        o = emit(d, "cvt_general");
        o->sub = (uint8_t)to;
        o->space = (uint8_t)from;
        o->width = (uint8_t)width;
        o->bytes = (uint8_t)bytes;
        o->imm = integral && real_to;
    }
    o->mode = mode;
    o->d = r;
    o->a = a;
    bool fits = width >= ptx_type_bytes(to) && width >= 2 && bytes >= ptx_type_bytes(from);
    if (!fits || (away && (to != T_TF32 || mode)) || (!real_from && kt == 't') || kf == 't' || (mode & MODE_NAN) ||
        (mode & (MODE_RELU | MODE_FINITE) && !(from == T_F32 && (kt == 'g' || kt == 't' || to == T_F16))))
        d->unsupported = true;
}
