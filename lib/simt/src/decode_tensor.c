// Decoders of matrix products: mma and wmma.mma become one operation.

#include "decode_tensor.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int bits;
} types[] = {
#define T(id, name, bits) {name, bits},
    TENSOR_TYPES(T)
#undef T
};

spelling tensor_spell(decoder *d)
{
    spelling s = {{TENSOR_NONE, TENSOR_NONE, TENSOR_NONE, TENSOR_NONE}, 0, 0, 0, 0};
    for (int i = 0; i < d->inst->mods; i++) {
        const char *mod = d->inst->mod[i];
        int end = 0;
        if (sscanf(mod, "m%dn%dk%d%n", &s.m, &s.n, &s.k, &end) == 3 && !mod[end])
            *d->asked |= 1u << i;
        for (int t = 0; t < TENSOR_NONE; t++)
            if (!strcmp(types[t].name, mod) && s.types < 4) {
                s.type[s.types++] = (tensor_type)t;
                *d->asked |= 1u << i;
            }
    }
    (void)(has(d, "sync"), has(d, "aligned"));
    d->strict = true;
    return s;
}

static int elements(const ptx_operand *o)
{
    int n = 0;
    if (!o || o->kind != O_LIST)
        return o != NULL;
    for (const ptx_operand *e = o->inner; e; e = e->next)
        n++;
    return n;
}

int tensor_registers(decoder *d, int i, bool results, int bytes, uint32_t *to)
{
    const ptx_operand *o = i < d->inst->operands ? d->inst->operand[i] : NULL;
    int n = elements(o);
    if (!n || n > TENSOR_REGISTERS) {
        d->unsupported = true;
        return 0;
    }
    const ptx_operand *e = o->kind == O_LIST ? o->inner : o;
    for (int k = 0; k < n; k++, e = e->next) {
        to[k] = results ? result(d, e) : source(d, e, bytes);
        if (e->kind == O_REG && register_bytes(e) != bytes)
            d->unsupported = true;
    }
    return n;
}

void *tensor_keep(decoder *d, const void *what, size_t bytes)
{
    return memcpy(arena_new(&d->module->ptx.memory, bytes), what, bytes);
}

int tensor_bits(tensor_type t)
{
    return types[t].bits;
}

int tensor_word_bytes(tensor_type t)
{
    return tensor_bits(t) == 64 ? 8 : 4;
}

// ---- Products -------------------------------------------------------------------------

static bool is_float8(tensor_type t)
{
    return t == TENSOR_E4M3 || t == TENSOR_E5M2;
}

// The handler for these types, or NULL.
static const char *product(const tensor *t)
{
    tensor_type a = t->a_type, b = t->b_type, c = t->c_type;
    bool integer = (a == TENSOR_S8 || a == TENSOR_U8) && (b == TENSOR_S8 || b == TENSOR_U8);
    bool nibble = (a == TENSOR_S4 || a == TENSOR_U4) && (b == TENSOR_S4 || b == TENSOR_U4);
    bool halves = (c == TENSOR_F16 || c == TENSOR_F32) &&
                  (t->d_type == TENSOR_F16 || t->d_type == TENSOR_F32);
    if (c == TENSOR_S32 && t->d_type == c)
        return integer || nibble ? "mma_s32" : a == TENSOR_B1 && b == a ? "mma_b1" : NULL;
    if (c == TENSOR_F64)
        return a == c && b == c && t->d_type == c ? "mma_f64" : NULL;
    if ((a == TENSOR_F16 && b == a) || (is_float8(a) && is_float8(b)))
        return halves ? "mma_f32" : NULL;
    return (a == TENSOR_BF16 || a == TENSOR_TF32) && b == a && c == TENSOR_F32 && t->d_type == c
               ? "mma_f32"
               : NULL;
}

bool tensor_has_shape(const tensor *t, bool wmma)
{
    static const struct {
        short bits, m, n, k;
        bool wmma;
    } shapes[] = {
        {16, 16, 8, 8, false},  {16, 16, 8, 16, false}, {32, 16, 8, 4, false},
        {32, 16, 8, 8, false},  {64, 8, 8, 4, false},   {64, 16, 8, 4, false},
        {64, 16, 8, 8, false},  {64, 16, 8, 16, false}, {8, 8, 8, 16, false},
        {8, 16, 8, 16, false},  {8, 16, 8, 32, false},  {4, 8, 8, 32, false},
        {4, 16, 8, 32, false},  {4, 16, 8, 64, false},  {1, 8, 8, 128, false},
        {1, 16, 8, 128, false}, {1, 16, 8, 256, false}, {16, 16, 16, 16, true},
        {16, 32, 8, 16, true},  {16, 8, 32, 16, true},  {8, 16, 16, 16, true},
        {8, 32, 8, 16, true},   {8, 8, 32, 16, true},   {32, 16, 16, 8, true},
        {64, 8, 8, 4, true},    {4, 8, 8, 32, true},    {1, 8, 8, 128, true}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (shapes[i].wmma == wmma && shapes[i].bits == tensor_bits(t->a_type) &&
            shapes[i].m == t->m && shapes[i].n == t->n && shapes[i].k == t->k)
            return !(is_float8(t->a_type) && (wmma || t->k != 32));
    return false;
}

int tensor_fragment(tensor_type t, int rows, int k)
{
    int width = 4 * (tensor_word_bytes(t) * 8 / tensor_bits(t));
    return rows / 8 * (k / width);
}

int tensor_fragment_ptx(tensor_type t, int rows, int k, bool wmma)
{
    return wmma && t == TENSOR_F16 ? 8 : tensor_fragment(t, rows, k);
}

int tensor_accumulators(tensor_type t, int m, int n)
{
    return m * n / 64 * (t == TENSOR_F16 ? 1 : 2);
}

void tensor_multiply(decoder *d, bool wmma)
{
    spelling s = tensor_spell(d);
    tensor t = {.m = s.m, .n = s.n, .k = s.k};
    if (s.types == 2) { // wmma.mma of f16: d, c
        t.a_type = t.b_type = TENSOR_F16;
        t.c_type = s.type[1];
    } else {
        t.a_type = s.type[1];
        t.b_type = s.type[2];
        t.c_type = s.type[3];
    }
    t.d_type = s.type[0];
    bool row = has(d, "row"), column = has(d, "col"), popc = has(d, "popc");
    bool by_xor = has(d, "xor");
    t.by_and = has(d, "and");
    t.saturate = has(d, "satfinite");
    (void)has(d, "rn");
    if (wmma)
        for (int i = 0; i < d->inst->mods; i++)
            *d->asked |= !strcmp(d->inst->mod[i], "mma") || !strcmp(d->inst->mod[i], "row") ||
                                 !strcmp(d->inst->mod[i], "col")
                             ? 1u << i
                             : 0;
    if ((s.types != 4 && !(wmma && s.types == 2)) || d->inst->operands != 4 ||
        (!wmma && (!row || !column))) {
        d->unsupported = true;
        return;
    }
    const char *handler = product(&t);
    bool bits = t.a_type == TENSOR_B1;
    if (!handler || !tensor_has_shape(&t, wmma) || popc != bits || (by_xor != bits && !t.by_and) ||
        (t.by_and && !bits) || (t.saturate && (t.d_type != TENSOR_S32 || bits))) {
        d->unsupported = true;
        return;
    }
    int nd = tensor_registers(d, 0, true, tensor_word_bytes(t.d_type), t.d);
    int na = tensor_registers(d, 1, false, tensor_word_bytes(t.a_type), t.a);
    int nb = tensor_registers(d, 2, false, tensor_word_bytes(t.b_type), t.b);
    int nc = tensor_registers(d, 3, false, tensor_word_bytes(t.c_type), t.c);
    if (na != tensor_fragment_ptx(t.a_type, t.m, t.k, wmma) ||
        nb != tensor_fragment_ptx(t.b_type, t.n, t.k, wmma) ||
        nc != tensor_accumulators(t.c_type, t.m, t.n) ||
        nd != tensor_accumulators(t.d_type, t.m, t.n))
        d->unsupported = true;
    emit(d, "converge");
    op *o = emit(d, "%s", handler);
    o->extra = tensor_keep(d, &t, sizeof t);
}

DECODER(mma)
{
    tensor_multiply(d, false);
}
