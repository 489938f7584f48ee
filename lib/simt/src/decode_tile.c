// Decoders of matrices in memory: loads and stores become addresses, ordinary accesses
// and exchanges between lanes, so that they are checked and counted as such.

#include "decode_tensor.h"

#include <string.h>

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
    o->extra = tensor_keep(d, list, sizeof *list * (size_t)vec);
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
    if (!n || tensor_registers(d, stores ? 1 : 0, !stores, 4, matrix) != n ||
        type_at(d, 0) != T_B16 || !has(d, "m8n8") || m.space == S_GLOBAL) {
        d->unsupported = true;
        return;
    }
    const uint32_t *list;
    for (int i = 0; i < 4; i++)
        word[i] = scratch(d, 4);
    emit(d, "converge");
    list = tensor_keep(d, stores ? matrix : word, sizeof *list * 4);
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
    tile t = {.shift = __builtin_ctz((unsigned)x->bits)};
    for (int l = 0; l < 32; l++) {
        t.major[l] = (uint32_t)(major + major_g * (l / 4) + major_t * (l % 4));
        t.minor[l] = (uint32_t)(minor + minor_g * (l / 4) + minor_t * (l % 4));
    }
    uint32_t a = scratch(x->d, 8);
    op *o = emit(x->d, "tile_address");
    o->d = a;
    o->a = x->at.base;
    o->imm = x->at.imm;
    o->wide = x->at.wide;
    o->b = x->stride;
    o->extra = tensor_keep(x->d, &t, sizeof t);
    *to = (memory){x->at.space, a, 0, true};
}

// Eight rows of A, or columns of B, from r0 on: `words` words a lane (1 or 2), neighbours
// along k. wmma's order of k is thus its own, the same for A and B.
static void operand_rows(matrix *x, const uint32_t *to, int r0, int per, int words, bool along)
{
    memory m;
    int bytes = x->bits == 64 ? 8 : 4;
    if (along) {
        addresses(x, &m, r0, 0, 1, 0, 0, per * words);
        access_at(x->d, false, &m, bytes, words, bytes, to);
        return;
    }
    for (int i = 0; i < words; i++) {
        uint32_t part[4];
        for (int j = 0; j < per; j++) {
            part[j] = per == 1 ? to[i] : scratch(x->d, 2);
            addresses(x, &m, i * per + j, r0, 0, per * words, 1, 0);
            access_at(x->d, false, &m, x->bits / 8, 1, per == 1 ? bytes : 2, &part[j]);
        }
        if (per == 1)
            continue;
        op *o = emit(x->d, "tile_pack");
        o->d = to[i];
        o->vec = (uint8_t)per;
        o->bytes = (uint8_t)(x->bits / 8);
        o->extra = tensor_keep(x->d, part, sizeof part);
    }
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
        o->extra = tensor_keep(x->d, part, sizeof part);
    }
}

static void move_fragment(decoder *d, bool stores)
{
    static const char *const names[] = {"a", "b", "c", "d", NULL};
    spelling s = tensor_spell(d);
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
    x.bits = tensor_bits(type);
    int have = tensor_registers(d, stores ? 1 : 0, !stores, tensor_word_bytes(type), list);
    bool along = which == 0 ? row : which == 1 ? column : row;
    int across = which == 0 ? (row ? k : m) : which == 1 ? (row ? n : k) : row ? n : m;
    x.stride = d->inst->operands == 3 ? source_at(d, 2, 4) : constant(d, (uint64_t)across, 4);
    emit(d, "converge");
    if (which < 2) {
        if (!tensor_has_shape(&shape, true)) {
            d->unsupported = true;
            return;
        }
        int rows = which ? n : m, per = tensor_word_bytes(type) * 8 / x.bits;
        int count = tensor_fragment(type, rows, k), blocks = rows / 8, words = count / blocks;
        if (have != tensor_fragment_ptx(type, rows, k, true) || (x.bits < 8 && !along)) {
            d->unsupported = true;
            return;
        }
        for (int i = 0; i < blocks; i++) {
            uint32_t word[2] = {list[i], list[words == 2 ? i + blocks : i]};
            operand_rows(&x, word, 8 * i, per, words, along);
        }
        for (int i = count; i < have; i++) { // what PTX has beyond it repeats it
            op *o = emit(d, "mov_b32");
            o->d = list[i];
            o->a = list[i % count];
        }
        return;
    }
    if (m < 8 || n < 8 || m > 32 || n > 32 || m % 8 || n % 8 ||
        have != tensor_accumulators(type, m, n) || tensor_bits(type) < 16 || type == TENSOR_BF16 ||
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
        tensor_multiply(d, true);
        return;
    }
    bool load = has(d, "load"), store = has(d, "store");
    d->unsupported |= load == store;
    move_fragment(d, store);
}
