// Decoders of the tensor instructions: mma and wmma.mma become one operation; loads and
// stores of matrices become addresses, ordinary accesses and exchanges between lanes, so
// that they are checked and counted as such.

#include "decode.h"
#include "tensor.h"

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

// The modifiers that are tensor types, in order, and the shape.
typedef struct spelling {
    tensor_type type[4];
    int types;
    int m, n, k; // 0: no shape
} spelling;

static spelling spell(decoder *d)
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

// The registers of operand i, at most TENSOR_REGISTERS; how many.
static int parts(decoder *d, int i, bool results, int bytes, uint32_t *to)
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

static void *keep(decoder *d, const void *what, size_t bytes)
{
    return memcpy(arena_new(&d->module->ptx.memory, bytes), what, bytes);
}

static int word_bytes(tensor_type t)
{
    return types[t].bits == 64 ? 8 : 4;
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

// m, n, k and the type of A, as PTX has them; all the others are refused.
static bool has_shape(const tensor *t, bool wmma)
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
        if (shapes[i].wmma == wmma && shapes[i].bits == types[t->a_type].bits &&
            shapes[i].m == t->m && shapes[i].n == t->n && shapes[i].k == t->k)
            return !(is_float8(t->a_type) && (wmma || t->k != 32));
    return false;
}

// How many registers hold a matrix: of A or B with `rows` of k, and as PTX has it.
static int fragment(tensor_type t, int rows, int k)
{
    int width = 4 * (word_bytes(t) * 8 / types[t].bits);
    return rows / 8 * (k / width);
}

static int fragment_ptx(tensor_type t, int rows, int k, bool wmma)
{
    return wmma && t == TENSOR_F16 ? 8 : fragment(t, rows, k);
}

static int accumulators(tensor_type t, int m, int n)
{
    return m * n / 64 * (t == TENSOR_F16 ? 1 : 2);
}

static void multiply(decoder *d, bool wmma)
{
    spelling s = spell(d);
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
    if (!handler || !has_shape(&t, wmma) || popc != bits || (by_xor != bits && !t.by_and) ||
        (t.by_and && !bits) || (t.saturate && (t.d_type != TENSOR_S32 || bits))) {
        d->unsupported = true;
        return;
    }
    int nd = parts(d, 0, true, word_bytes(t.d_type), t.d);
    int na = parts(d, 1, false, word_bytes(t.a_type), t.a);
    int nb = parts(d, 2, false, word_bytes(t.b_type), t.b);
    int nc = parts(d, 3, false, word_bytes(t.c_type), t.c);
    if (na != fragment_ptx(t.a_type, t.m, t.k, wmma) ||
        nb != fragment_ptx(t.b_type, t.n, t.k, wmma) ||
        nc != accumulators(t.c_type, t.m, t.n) || nd != accumulators(t.d_type, t.m, t.n))
        d->unsupported = true;
    emit(d, "converge");
    op *o = emit(d, "%s", handler);
    o->extra = keep(d, &t, sizeof t);
}

DECODER(mma)
{
    multiply(d, false);
}

// ---- Accesses -------------------------------------------------------------------------

typedef struct memory { // [register + imm] or [symbol + imm]
    ptx_space space;
    uint32_t base;
    int64_t imm;
    bool wide;
} memory;

static memory memory_of(decoder *d, int i)
{
    memory m = {.space = S_REG};
    const ptx_operand *o = i < d->inst->operands ? d->inst->operand[i] : NULL;
    if (has(d, "shared") || has(d, "shared::cta"))
        m.space = S_SHARED;
    else if (has(d, "global"))
        m.space = S_GLOBAL;
    if (!o || o->kind != O_MEM || (o->inner->kind != O_REG && o->inner->kind != O_SYM)) {
        d->unsupported = true;
        return m;
    }
    bool in_register = o->inner->kind == O_REG;
    m.base = source(d, o->inner, 8);
    m.wide = !in_register || register_bytes(o->inner) == 8;
    m.imm = in_register ? o->inner->value : 0;
    return m;
}

// An ordinary load or store of `vec` elements of `bytes` a lane.
static op *access_at(decoder *d, bool stores, const memory *m, int bytes, int vec, int width,
                     const uint32_t *list)
{
    static const char *const names[3][2] = {
        {"ld_any", "st_any"}, {"ld_global", "st_global"}, {"ld_shared", "st_shared"}};
    op *o = emit(d, "%s", names[m->space == S_GLOBAL ? 1 : m->space == S_SHARED ? 2 : 0][stores]);
    o->a = m->base;
    o->imm = m->imm;
    o->wide = m->wide;
    o->space = (uint8_t)m->space;
    o->bytes = (uint8_t)bytes;
    o->vec = (uint8_t)vec;
    o->width = (uint8_t)width;
    o->d = list[0];
    o->extra = keep(d, list, sizeof *list * (size_t)vec);
    return o;
}

// ldmatrix, stmatrix: lane 8 i + g has the address of row g of matrix i.
static void rows(decoder *d, bool stores)
{
    static const char *const counts[] = {"x1", "x2", "x4", NULL};
    int which = pick(d, counts), n = which < 0 ? 0 : 1 << which;
    bool transposed = has(d, "trans");
    uint32_t matrix[TENSOR_REGISTERS], word[4];
    (void)(has(d, "sync"), has(d, "aligned"), has(d, "m8n8"), type_at(d, 0));
    d->strict = true;
    memory m = memory_of(d, stores ? 0 : 1);
    if (!n || parts(d, stores ? 1 : 0, !stores, 4, matrix) != n || type_at(d, 0) != T_B16 ||
        !has(d, "m8n8") || m.space == S_GLOBAL) {
        d->unsupported = true;
        return;
    }
    const uint32_t *list;
    for (int i = 0; i < 4; i++)
        word[i] = scratch(d, 4);
    emit(d, "converge");
    list = keep(d, stores ? matrix : word, sizeof *list * 4);
    for (int i = 0; stores && i < 4; i++) {
        op *o = emit(d, "tile_give");
        o->d = word[i];
        o->extra = list;
        o->sub = (uint8_t)i;
        o->vec = (uint8_t)n;
        o->mode = transposed;
    }
    op *o = access_at(d, stores, &m, 4, 4, 4, word);
    if (n < 4) {
        handler *access = o->run;
        op *r = emit(d, "row_lanes"); // its handler, in the access's place
        o = r - 1;
        o->inner = access;
        o->run = r->run;
        o->sub = (uint8_t)(8 * n);
        d->count--;
    }
    for (int i = 0; !stores && i < n; i++) {
        o = emit(d, "tile_take");
        o->d = matrix[i];
        o->extra = list;
        o->sub = (uint8_t)i;
        o->mode = transposed;
    }
}

DECODER(load_matrix)
{
    rows(d, false);
}

DECODER(store_matrix)
{
    rows(d, true);
}

DECODER(move_matrix)
{
    (void)(has(d, "sync"), has(d, "aligned"), has(d, "m8n8"), has(d, "trans"), type_at(d, 0));
    operands x = take_operands(d, 1, 4, 0, 0, 0);
    emit(d, "converge");
    put(emit(d, "tile_transpose"), x);
}

// ---- wmma.load, wmma.store --------------------------------------------------------------

typedef struct matrix { // in memory, while it is moved
    decoder *d;
    bool stores;
    memory at;
    uint32_t stride;
    int bits;
} matrix;

// Lane 4 g + t's place: row or column by g and t, from (major, minor) on.
static void addresses(matrix *x, memory *to, int major, int minor, int major_g, int major_t,
                      int minor_g, int minor_t)
{
    tile t = {.bits = x->bits};
    for (int l = 0; l < 32; l++) {
        t.major[l] = (uint16_t)(major + major_g * (l / 4) + major_t * (l % 4));
        t.minor[l] = (uint16_t)(minor + minor_g * (l / 4) + minor_t * (l % 4));
    }
    uint32_t a = scratch(x->d, 8);
    op *o = emit(x->d, "tile_address");
    o->d = a;
    o->a = x->at.base;
    o->imm = x->at.imm;
    o->wide = x->at.wide;
    o->b = x->stride;
    o->extra = keep(x->d, &t, sizeof t);
    *to = (memory){x->at.space, a, 0, true};
}

// One word of A or B: `per` neighbours along k from k0 on, row or column r0 + g.
static void operand_word(matrix *x, uint32_t to, int r0, int k0, int per, bool along)
{
    memory m;
    int bytes = x->bits == 64 ? 8 : 4;
    if (along || per == 1) {
        if (along)
            addresses(x, &m, r0, k0, 1, 0, 0, per);
        else
            addresses(x, &m, k0, r0, 0, 1, 1, 0);
        access_at(x->d, false, &m, bytes, 1, bytes, &to);
        return;
    }
    uint32_t part[4];
    for (int j = 0; j < per; j++) {
        part[j] = scratch(x->d, 2);
        addresses(x, &m, k0 + j, r0, 0, per, 1, 0);
        access_at(x->d, false, &m, x->bits / 8, 1, 2, &part[j]);
    }
    op *o = emit(x->d, "tile_pack");
    o->d = to;
    o->vec = (uint8_t)per;
    o->bytes = (uint8_t)(x->bits / 8);
    o->extra = keep(x->d, part, sizeof part);
}

// A block of C or D at (row, column): one register of f16 pairs or two of wider ones.
static void accumulator_block(matrix *x, const uint32_t *list, int row, int column, bool along)
{
    memory m;
    int bytes = x->bits / 8;
    if (along) {
        addresses(x, &m, row, column, 1, 0, 0, 2);
        access_at(x->d, x->stores, &m, bytes == 2 ? 4 : bytes, bytes == 2 ? 1 : 2,
                  bytes == 2 ? 4 : bytes, list);
        return;
    }
    uint32_t part[4] = {list[0], list[1]};
    for (int j = 0; j < 2; j++) {
        if (bytes == 2)
            part[j] = scratch(x->d, 2);
        if (bytes == 2 && x->stores) {
            op *o = emit(x->d, j ? "high_b32" : "low_b32");
            o->d = part[j];
            o->a = list[0];
        }
        addresses(x, &m, column + j, row, 0, 2, 1, 0);
        access_at(x->d, x->stores, &m, bytes, 1, bytes, &part[j]);
    }
    if (bytes == 2 && !x->stores) {
        op *o = emit(x->d, "tile_pack");
        o->d = list[0];
        o->vec = 2;
        o->bytes = 2;
        o->extra = keep(x->d, part, sizeof part);
    }
}

static void move_fragment(decoder *d, bool stores)
{
    static const char *const names[] = {"a", "b", "c", "d", NULL};
    spelling s = spell(d);
    int which = pick(d, names), m = s.m, n = s.n, k = s.k;
    bool row = has(d, "row"), column = has(d, "col");
    tensor_type type = s.type[0];
    tensor shape = {.m = m, .n = n, .k = k, .a_type = type};
    uint32_t list[TENSOR_REGISTERS + 1] = {0};
    matrix x = {.d = d, .stores = stores, .at = memory_of(d, stores ? 0 : 1)};
    if (which < 0 || s.types != 1 || row == column || d->inst->operands < 2 ||
        d->inst->operands > 3 || (which > 1) != (stores || which == 2) || !m) {
        d->unsupported = true;
        return;
    }
    x.bits = types[type].bits;
    int have = parts(d, stores ? 1 : 0, !stores, word_bytes(type), list);
    bool along = which == 0 ? row : which == 1 ? column : row;
    int across = which == 0 ? (row ? k : m) : which == 1 ? (row ? n : k) : row ? n : m;
    x.stride = d->inst->operands == 3 ? source_at(d, 2, 4) : constant(d, (uint64_t)across, 4);
    emit(d, "converge");
    if (which < 2) {
        int rows = which ? n : m, per = word_bytes(type) * 8 / x.bits, width = 4 * per;
        int count = fragment(type, rows, k);
        if (!has_shape(&shape, true) || have != fragment_ptx(type, rows, k, true) ||
            (x.bits < 8 && !along)) {
            d->unsupported = true;
            return;
        }
        for (int i = 0; i < count; i++)
            operand_word(&x, list[i], i % (rows / 8) * 8, i / (rows / 8) * width, per, along);
        for (int i = count; i < have; i++) { // what PTX has beyond it repeats it
            op *o = emit(d, "mov_b32");
            o->d = list[i];
            o->a = list[i % count];
        }
        return;
    }
    if (have != accumulators(type, m, n) || types[type].bits < 16 || type == TENSOR_BF16 ||
        type == TENSOR_TF32) {
        d->unsupported = true;
        return;
    }
    for (int i = 0; i < m * n / 64; i++)
        accumulator_block(&x, list + i * (type == TENSOR_F16 ? 1 : 2), i % (m / 8) * 8,
                          i / (m / 8) * 8, along);
}

DECODER(wmma)
{
    if (has(d, "mma")) {
        multiply(d, true);
        return;
    }
    bool load = has(d, "load"), store = has(d, "store");
    d->unsupported |= load == store;
    move_fragment(d, store);
}
