// Decoder of atom and red.

#include "decode.h"
#include "race.h"

#include <string.h>

enum { CAS = 6, EXCH = 5, ADD = 0, LAST_FLOAT = 2 };

static int number_kind(ptx_type t)
{
    switch (t) {
    case T_F16: return ATOM_F16;
    case T_BF16: return ATOM_BF16;
    case T_F16X2: return ATOM_F16X2;
    case T_BF16X2: return ATOM_BF16X2;
    case T_F32:
    case T_F64: return ATOM_REAL;
    default: return ptx_type_kind(t) == 's' ? ATOM_SIGNED : ATOM_UNSIGNED;
    }
}

// The forms that PTX has: op, type and vector must go together.
static bool exists(int kind, ptx_type t, int bytes, int vec, int number, ptx_space space)
{
    bool real = number >= ATOM_REAL, half = number >= ATOM_F16;
    if ((kind == 3 || kind == 4) && t != T_U32) // inc, dec
        return false;
    if (vec > 1 && (!real || t == T_F64 || bytes * vec > 16 || space == S_SHARED))
        return false;
    if (real && (half || vec > 1) && kind > LAST_FLOAT)
        return false;
    if (real && !half && kind != ADD)
        return kind == EXCH || kind == CAS; // of old PTX
    if (half && vec == 1 && kind != ADD)
        return false;
    if (bytes == 16)
        return kind == CAS || kind == EXCH;
    return bytes == 4 || bytes == 8 || half || (bytes == 2 && kind == CAS);
}

DECODER(atomic)
{
    static const char *const kinds[] = {"add", "min", "max", "inc", "dec", "exch",
                                        "cas", "and", "or",  "xor", NULL};
    const ptx_inst *i = d->inst;
    bool red = i->base[0] == 'r';
    ptx_type t = type_at(d, 0);
    int kind = pick(d, kinds), bytes = ptx_type_bytes(t), vec = vector_of(d);
    int number = number_kind(t), first = red ? 0 : 1, width = bytes;
    ptx_space space = space_of(d);
    bool acquires = has(d, "acquire") || has(d, "acq_rel");
    if (kind < 0 || has(d, "async") || (red && acquires) || !exists(kind, t, bytes, vec, number, space) ||
        i->operands < first + 2 + (kind == CAS)) {
        d->unsupported = true;
        return;
    }
    if (kind == EXCH || kind == CAS)
        number = ATOM_UNSIGNED;
    else if (t == T_F32)
        number = ATOM_FLUSHED;
    place p = memory_operand(d, i->operand[first], space);
    uint32_t b = 0, c = 0;
    uint32_t *lists = NULL;
    const ptx_operand *to = red ? NULL : i->operand[0];
    bool used = to && ((to->kind == O_REG && to->symbol->reads) || to->kind == O_LIST);
    uint32_t r = used && vec == 1 ? result(d, to) : OPERAND(BANK_SPECIAL, SP_SINK * 128);
    if (vec > 1) {
        lists = arena_new(&d->module->ptx.memory, 16 * sizeof *lists);
        const uint32_t *from = registers(d, i->operand[first + 1], vec, true, bytes, &width);
        const uint32_t *old = used ? registers(d, to, vec, false, bytes, &width) : NULL;
        for (int k = 0; k < vec; k++) {
            lists[k] = old ? old[k] : r;
            lists[k + 8] = from[k];
        }
    } else {
        b = source_at(d, first + 1, bytes);
        c = kind == CAS ? source_at(d, first + 2, bytes) : 0;
    }
    op *o = emit(d, "atomic");
    o->d = r;
    o->a = p.a;
    o->b = b;
    o->c = c;
    o->extra = lists;
    o->imm = p.imm;
    o->wide = p.wide;
    o->space = (uint8_t)space;
    o->bytes = (uint8_t)bytes;
    o->vec = (uint8_t)vec;
    o->sub = (uint8_t)kind;
    o->is_signed = (uint8_t)number;
    o->order = (order_of(d) | STRONG) & ~ORDER_CACHED & 63;
    o->mode = !used; // a reduction: nobody reads the old value
    // An order that shows: the old value is used, or rounding depends on it.
    bool shows = used || number >= ATOM_REAL || kind == EXCH || vec > 1 || bytes == 16;
    d->code->ordered |= space != S_SHARED && shows && !within_cluster(d);
}
