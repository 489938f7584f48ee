// What the decoders share: operands, constants, and the parts of a mnemonic.

#include "decode.h"

#include <stdlib.h>
#include <string.h>

// ---- Operands -------------------------------------------------------------------

uint32_t scratch(decoder *d, int bytes)
{
    uint32_t at = d->scratch;
    d->scratch += bytes == 1 ? 64 : 32u * (uint32_t)bytes;
    return OPERAND(BANK_FRAME, at);
}

int register_bytes(const ptx_operand *o)
{
    return o && o->kind == O_REG ? (int)o->symbol->bytes : 0;
}

static uint32_t special_register(decoder *d, const char *name)
{
    static const struct {
        const char *name;
        enum special_slot slot;
    } table[] = {
        {"%tid.x", SP_TID_X}, {"%tid.y", SP_TID_Y}, {"%tid.z", SP_TID_Z},
        {"%ntid.x", SP_NTID_X}, {"%ntid.y", SP_NTID_Y}, {"%ntid.z", SP_NTID_Z},
        {"%ctaid.x", SP_CTAID_X}, {"%ctaid.y", SP_CTAID_Y}, {"%ctaid.z", SP_CTAID_Z},
        {"%nctaid.x", SP_NCTAID_X}, {"%nctaid.y", SP_NCTAID_Y},
        {"%nctaid.z", SP_NCTAID_Z}, {"%laneid", SP_LANE}, {"%warpid", SP_WARP},
        {"%nwarpid", SP_NWARP}, {"%smid", SP_SM}, {"%nsmid", SP_NSM},
        {"%gridid", SP_GRID}, {"%lanemask_eq", SP_MASK_EQ}, {"%lanemask_lt", SP_MASK_LT},
        {"%lanemask_le", SP_MASK_LE}, {"%lanemask_gt", SP_MASK_GT},
        {"%lanemask_ge", SP_MASK_GE}, {"%dynamic_smem_size", SP_DYNAMIC},
        {"%total_smem_size", SP_TOTAL}, {"%envreg1", SP_ENV1}, {"%envreg2", SP_ENV2},
        {"%reserved_smem_offset_begin", SP_RESERVED},
        {"%reserved_smem_offset_end", SP_RESERVED_END},
        {"%reserved_smem_offset_cap", SP_RESERVED_CAP},
        {"%reserved_smem_offset_0", SP_RESERVED}, {"%reserved_smem_offset_1", SP_RESERVED},
        {"%clusterid.x", SP_CLUSTERID_X}, {"%clusterid.y", SP_CLUSTERID_Y},
        {"%clusterid.z", SP_CLUSTERID_Z}, {"%nclusterid.x", SP_NCLUSTERID_X},
        {"%nclusterid.y", SP_NCLUSTERID_Y}, {"%nclusterid.z", SP_NCLUSTERID_Z},
        {"%cluster_ctaid.x", SP_CLUSTER_CTAID_X}, {"%cluster_ctaid.y", SP_CLUSTER_CTAID_Y},
        {"%cluster_ctaid.z", SP_CLUSTER_CTAID_Z},
        {"%cluster_nctaid.x", SP_CLUSTER_NCTAID_X},
        {"%cluster_nctaid.y", SP_CLUSTER_NCTAID_Y},
        {"%cluster_nctaid.z", SP_CLUSTER_NCTAID_Z},
        {"%cluster_ctarank", SP_CLUSTER_CTARANK},
        {"%cluster_nctarank", SP_CLUSTER_NCTARANK},
        {"%is_explicit_cluster", SP_EXPLICIT_CLUSTER},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].name, name))
            return OPERAND(BANK_SPECIAL, table[i].slot * 128);
    d->unsupported = true;
    return 0;
}

static uint32_t symbol_address(decoder *d, const ptx_operand *o, int bytes)
{
    const ptx_symbol *s = ptx_definition(o->symbol);
    uint64_t at = s->at;
    if (bytes != 4 && bytes != 8) { // no register for an address
        d->unsupported = true;
        return 0;
    }
    if (s->space == S_LOCAL) { // its frame's place is known when it runs
        op *a = emit(d, "cvta");
        a->run = control_local_address;
        a->imm = (int64_t)(at + (uint64_t)o->value);
        a->width = (uint8_t)bytes;
        a->d = scratch(d, bytes);
        return a->d;
    }
    if (s->space == S_SHARED) {
        bool of_kernel = at >> 62 & 1;
        at &= ~((uint64_t)1 << 62);
        if (!of_kernel && !s->dynamic) { // of the module: behind the kernel's own
            d->function->uses_module_shared = true;
            if (d->function->entry) {
                at += (d->function->shared_bytes + 127) / 128 * 128;
            } else {
                op *a = emit(d, "cvta");
                a->run = control_module_address;
                a->imm = (int64_t)(at + (uint64_t)o->value);
                a->width = (uint8_t)bytes;
                a->d = scratch(d, bytes);
                return a->d;
            }
        }
        if (s->dynamic) { // behind the static part, 16-byte aligned
            op *a = emit(d, "cvta");
            a->run = control_dynamic_address;
            a->imm = o->value;
            a->width = (uint8_t)bytes;
            a->d = scratch(d, bytes);
            return a->d;
        }
    }
    return constant(d, at + (uint64_t)o->value, bytes);
}

uint32_t source(decoder *d, const ptx_operand *o, int bytes)
{
    if (!o) {
        d->unsupported = true;
        return 0;
    }
    switch (o->kind) {
    case O_REG:
        d->unsupported |= o->part && !d->parts;
        return OPERAND(BANK_FRAME, o->symbol->at);
    case O_IMM: {
        uint64_t v = (uint64_t)o->value;
        if (o->is_float && o->is_double && bytes == 4) {
            double x;
            memcpy(&x, &v, 8);
            float y = (float)x;
            v = 0;
            memcpy(&v, &y, 4);
        }
        if (bytes == 1)
            v = v ? 255 : 0;
        return constant(d, v, bytes);
    }
    case O_SYM:
        return symbol_address(d, o, bytes);
    case O_SREG:
        return special_register(d, o->name);
    case O_NAME:
        if (o->symbol && o->symbol->space == S_FUNC && o->symbol->function)
            return constant(d, function_address(d->device, d->module, o->symbol->function),
                            bytes);
        d->unsupported = true;
        return 0;
    default:
        d->unsupported = true;
        return 0;
    }
}

uint32_t source_at(decoder *d, int i, int bytes)
{
    return source(d, i < d->inst->operands ? d->inst->operand[i] : NULL, bytes);
}

uint32_t result(decoder *d, const ptx_operand *o)
{
    if (o && o->kind == O_REG) {
        d->unsupported |= o->part && !d->parts;
        return OPERAND(BANK_FRAME, o->symbol->at);
    }
    if (o && o->kind == O_SINK)
        return OPERAND(BANK_SPECIAL, SP_SINK * 128);
    d->unsupported = true;
    return 0;
}

uint32_t result_at(decoder *d, int i)
{
    return result(d, i < d->inst->operands ? d->inst->operand[i] : NULL);
}

// ---- Modifiers ------------------------------------------------------------------

bool has(const decoder *d, const char *mod)
{
    for (int i = 0; i < d->inst->mods; i++)
        if (!strcmp(d->inst->mod[i], mod)) {
            *d->asked |= 1u << i;
            return true;
        }
    return false;
}

ptx_type type_at(const decoder *d, int index)
{
    for (int i = 0; i < d->inst->mods; i++) {
        ptx_type t = ptx_type_named(d->inst->mod[i]);
        if (t != T_NONE && index-- == 0) {
            *d->asked |= 1u << i;
            return t;
        }
    }
    return T_NONE;
}

int pick(const decoder *d, const char *const *names)
{
    for (int i = 0; names[i]; i++)
        if (has(d, names[i]))
            return i;
    return -1;
}

uint8_t rounding_mode(const decoder *d)
{
    uint8_t mode = has(d, "rz") || has(d, "rzi")   ? MODE_RZ
                   : has(d, "rm") || has(d, "rmi") ? MODE_RM
                   : has(d, "rp") || has(d, "rpi") ? MODE_RP
                                                   : MODE_RN;
    (void)(has(d, "rn") || has(d, "rni"));
    return mode | (has(d, "ftz") ? MODE_FTZ : 0) | (has(d, "sat") ? MODE_SAT : 0) |
           (has(d, "NaN") ? MODE_NAN : 0) |
           (has(d, "relu") ? MODE_RELU : 0) | (has(d, "satfinite") ? MODE_FINITE : 0);
}

const char *sign_name(ptx_type t)
{
    static const char *const u[] = {"", "u8", "u16", "", "u32", "", "", "", "u64"};
    static const char *const s[] = {"", "s8", "s16", "", "s32", "", "", "", "s64"};
    return (ptx_type_kind(t) == 's' ? s : u)[ptx_type_bytes(t) & 15];
}

const char *bit_name(ptx_type t)
{
    static const char *const b[] = {"", "b8", "b16", "", "b32", "", "", "", "b64"};
    return t == T_PRED ? "pred" : b[ptx_type_bytes(t) & 15];
}

// ---- Of instructions that only compute -------------------------------------------

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
