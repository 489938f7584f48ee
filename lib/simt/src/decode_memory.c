// Decoders of memory, atomics and warp operations.

#include "decode.h"
#include "race.h"

#include <string.h>

// cvta.space d, a: window added; cvta.to.space: taken away. Global addresses are
// generic ones already.
DECODER(address)
{
    static const char *const spaces[] = {"global", "const", "param", "shared", "local", NULL};
    int space = -1;
    for (int i = 0; i < d->inst->mods && space < 0; i++)
        for (int s = 0; spaces[s]; s++)
            if (!strncmp(d->inst->mod[i], spaces[s], strlen(spaces[s])))
                space = s;
    const ptx_operand *from = d->inst->operands > 1 ? d->inst->operand[1] : NULL;
    int width = d->inst->operands ? register_bytes(d->inst->operand[0]) : 0;
    int bytes = register_bytes(from) ? register_bytes(from) : width;
    uint32_t r = result_at(d, 0), a = source(d, from, bytes);
    if (space < 0 || space == 2 || (width != 4 && width != 8) || (bytes != 4 && bytes != 8)) {
        d->unsupported = true;
        return;
    }
    if (space < 2 && width == bytes) {
        op *o = emit(d, width == 8 ? "mov_b64" : "mov_b32");
        o->d = r;
        o->a = a;
        return;
    }
    op *o = emit(d, "cvta");
    o->d = r;
    o->a = a;
    o->imm = space == 3 ? (int64_t)SHARED_WINDOW : space == 4 ? (int64_t)LOCAL_WINDOW : 0;
    o->sub = has(d, "to");
    o->width = (uint8_t)width;
    o->wide = bytes == 8;
}

DECODER(is_space)
{
    uint32_t r = result_at(d, 0), a = source_at(d, 1, 8);
    op *o = emit(d, "isspacep");
    o->d = r;
    o->a = a;
    o->space = has(d, "shared")   ? S_SHARED
               : has(d, "local")  ? S_LOCAL
               : has(d, "global") ? S_GLOBAL
                                  : S_PARAM;
}

// ---- Loads and stores -----------------------------------------------------------

ptx_space space_of(const decoder *d)
{
    for (int i = 0; i < d->inst->mods; i++) {
        const char *m = d->inst->mod[i];
        if (!strncmp(m, "global", 6))
            return S_GLOBAL;
        if (!strncmp(m, "shared", 6))
            return S_SHARED;
        if (!strcmp(m, "local"))
            return S_LOCAL;
        if (!strncmp(m, "const", 5))
            return S_CONST;
        if (!strncmp(m, "param", 5))
            return S_PARAM;
    }
    return S_REG;
}

uint64_t parameter_offset(const ptx_function *f, const ptx_symbol *s, bool *incoming)
{
    uint64_t in = (f->parameter_bytes + 15) & ~(uint64_t)15;
    uint64_t result = f->result ? (f->result->bytes + 15) & ~(uint64_t)15 : 0;
    *incoming = false;
    for (int i = 0; i < f->parameter_count; i++)
        if (f->parameters[i] == s) {
            *incoming = true;
            return s->at;
        }
    return s == f->result ? in : in + result + s->at;
}

place memory_operand(decoder *d, const ptx_operand *m, ptx_space space)
{
    place p = {0};
    if (!m || m->kind != O_MEM) {
        d->unsupported = true;
        return p;
    }
    const ptx_operand *base = m->inner;
    if (base->kind == O_REG) {
        p.a = source(d, base, 8);
        p.wide = register_bytes(base) == 8;
        p.imm = base->value;
        p.kernel_parameter = space == S_PARAM && d->function->entry;
    } else if (base->kind == O_SYM && space == S_PARAM) {
        p.imm = (int64_t)parameter_offset(d->function, base->symbol, &p.incoming) + base->value;
        p.kernel_parameter = p.incoming && d->function->entry;
        p.a = constant(d, 0, 8);
        p.wide = p.uniform = true;
    } else if (base->kind == O_SYM) {
        p.a = source(d, base, 8);
        p.wide = p.uniform = true;
    } else if (base->kind == O_IMM) {
        p.a = constant(d, (uint64_t)base->value, 8);
        p.wide = p.uniform = true;
    } else {
        d->unsupported = true;
    }
    return p;
}

int vector_of(const decoder *d)
{
    return has(d, "v2") ? 2 : has(d, "v4") ? 4 : has(d, "v8") ? 8 : 1;
}

// The registers of a {..} or single operand, kept in the module's memory.
const uint32_t *registers(decoder *d, const ptx_operand *o, int n, bool from, int bytes,
                                 int *width)
{
    uint32_t *r = arena_new(&d->module->ptx.memory, sizeof *r * 8);
    const ptx_operand *e = o && o->kind == O_LIST ? o->inner : o;
    for (int i = 0; i < n; i++, e = e ? e->next : NULL) {
        int w = register_bytes(e);
        if (w)
            *width = w;
        r[i] = from ? source(d, e, w ? w : bytes) : result(d, e);
    }
    return r;
}

// Only threads that one worker runs are meant.
bool within_cluster(const decoder *d)
{
    return has(d, "cta") || has(d, "cluster");
}

// What an access means to other threads. Without a word it is for its own thread alone.
uint8_t order_of(const decoder *d)
{
    unsigned order = has(d, "volatile") ? VOLATILE : PLAIN;
    if (has(d, "relaxed") || has(d, "acquire") || has(d, "release") || has(d, "acq_rel") ||
        has(d, "mmio"))
        order = STRONG;
    if (has(d, "acquire") || has(d, "acq_rel"))
        order |= ORDER_ACQUIRE;
    if (has(d, "release") || has(d, "acq_rel"))
        order |= ORDER_RELEASE;
    if (has(d, "nc"))
        order |= ORDER_CACHED;
    return (uint8_t)(order | (has(d, "cta") ? 0 : ORDER_WIDE));
}

// Elements that are only stored again, as bits.
static uint32_t copied_elements(const ptx_operand *to)
{
    uint32_t bits = 0, bit = 1;
    for (const ptx_operand *e = to->kind == O_LIST ? to->inner : to; e; e = e->next, bit <<= 1)
        if (e->symbol && e->symbol->stores && e->symbol->reads == e->symbol->stores)
            bits |= bit;
    return bits;
}

static void access_operation(decoder *d, bool stores)
{
    const ptx_inst *i = d->inst;
    ptx_type t = type_at(d, 0);
    ptx_space space = space_of(d);
    int vec = vector_of(d), bytes = ptx_type_bytes(t), width = bytes < 2 ? 2 : bytes;
    bool hint = has(d, "L2::cache_hint"); // a policy as the last operand
    if (t == T_NONE || i->operands != 2 + hint || (t == T_B128 && vec != 1)) {
        d->unsupported = true;
        return;
    }
    place p = memory_operand(d, i->operand[stores ? 0 : 1], space);
    const uint32_t *list = registers(d, i->operand[stores ? 1 : 0], vec, stores, width, &width);
    // A flag that another block polls: blocks must then take turns.
    if (!stores && (space == S_GLOBAL || space == S_REG) &&
        (has(d, "volatile") || has(d, "acquire") || has(d, "relaxed") || has(d, "mmio"))) {
        d->code->ordered |= !within_cluster(d);
        emit(d, "poll")->imm = POLLED;
    }
    op *o;
    if (!stores && space == S_PARAM && p.kernel_parameter && p.uniform)
        o = emit(d, "ld_param");
    else if (space == S_GLOBAL)
        o = emit(d, stores ? "st_global" : "ld_global");
    else if (space == S_SHARED)
        o = emit(d, stores ? "st_shared" : "ld_shared");
    else
        o = emit(d, stores ? "st_any" : "ld_any");
    o->a = p.a;
    o->imm = p.imm;
    o->wide = p.wide;
    o->uniform = p.kernel_parameter;
    o->space = (uint8_t)space;
    o->bytes = (uint8_t)bytes;
    o->vec = (uint8_t)vec;
    o->width = (uint8_t)width;
    o->is_signed = ptx_type_kind(t) == 's';
    o->order = order_of(d);
    o->d = list[0];
    o->e = stores ? 0 : copied_elements(i->operand[0]);
    o->extra = list;
    if (stores && space == S_CONST)
        d->unsupported = true;
}

DECODER(load)
{
    access_operation(d, false);
}

DECODER(store)
{
    access_operation(d, true);
}

// ---- Warp -----------------------------------------------------------------------

static uint32_t full_mask(decoder *d, int i)
{
    return i < d->inst->operands ? source_at(d, i, 4) : constant(d, 0xffffffffu, 4);
}

// The q of p|q as the result, or 0.
static uint32_t second_result(decoder *d)
{
    const ptx_operand *to = d->inst->operands ? d->inst->operand[0] : NULL;
    return to && to->pair ? result(d, to->pair) : 0;
}

DECODER(shuffle)
{
    static const char *const modes[] = {"up", "down", "bfly", "idx", NULL};
    uint32_t r = result_at(d, 0), p = second_result(d);
    uint32_t a = source_at(d, 1, 4), b = source_at(d, 2, 4), c = source_at(d, 3, 4);
    uint32_t mask = full_mask(d, 4);
    op *o = emit(d, "shfl");
    o->d = r;
    o->e = p;
    o->a = a;
    o->b = b;
    o->c = c;
    o->imm = mask;
    int mode = pick(d, modes);
    d->unsupported |= mode < 0;
    o->sub = (uint8_t)mode;
}

DECODER(vote)
{
    static const char *const modes[] = {"all", "any", "uni", "ballot", NULL};
    uint32_t r = result_at(d, 0), a = source_at(d, 1, 1), mask = full_mask(d, 2);
    op *o = emit(d, "vote");
    o->d = r;
    o->a = a;
    o->b = mask;
    int mode = pick(d, modes);
    d->unsupported |= mode < 0;
    o->sub = (uint8_t)mode;
    o->mode = d->inst->operands > 1 && d->inst->operand[1]->negated;
}

DECODER(match)
{
    int bytes = ptx_type_bytes(type_at(d, 0));
    uint32_t r = result_at(d, 0), p = second_result(d);
    d->unsupported |= bytes != 4 && bytes != 8;
    uint32_t a = source_at(d, 1, bytes), mask = full_mask(d, 2);
    op *o = emit(d, "match");
    o->d = r;
    o->e = p;
    o->a = a;
    o->b = mask;
    o->bytes = (uint8_t)bytes;
    o->sub = has(d, "all");
}

DECODER(activemask)
{
    uint32_t r = result_at(d, 0);
    emit(d, "activemask")->d = r;
}

DECODER(redux)
{
    static const char *const kinds[] = {"add", "min", "max", "and", "or", "xor", NULL};
    uint32_t r = result_at(d, 0), a = source_at(d, 1, 4), mask = full_mask(d, 2);
    op *o = emit(d, "redux");
    o->d = r;
    o->a = a;
    o->b = mask;
    int kind = pick(d, kinds);
    d->unsupported |= kind < 0 || type_at(d, 0) == T_F32;
    o->sub = (uint8_t)kind;
    o->is_signed = type_at(d, 0) == T_S32;
}

DECODER(elect)
{
    uint32_t r = result_at(d, 0), p = second_result(d);
    uint32_t mask = full_mask(d, 1);
    op *o = emit(d, "elect");
    o->d = r;
    o->e = p;
    o->b = mask;
    d->unsupported |= !p;
}

DECODER(nothing)
{
    bool sleeps = !strcmp(d->inst->base, "nanosleep");
    op *o = emit(d, sleeps ? "poll" : "nothing");
    o->imm = sleeps ? POLLED : 0;
    if (!strcmp(d->inst->base, "membar") || !strcmp(d->inst->base, "fence")) {
        o->order = order_of(d);
        if (d->device->config.checks & SIMT_CHECK_RACE && !has(d, "proxy"))
            o->run = control_fence;
    }
    // Blocks that order their accesses for each other must take turns.
    if (d->inst->base[0] == 'f' || d->inst->base[0] == 'm')
        if (has(d, "gl") || has(d, "sys") || has(d, "gpu"))
            d->code->ordered = true;
}

// createpolicy d, ...: how caches should treat an access, which changes no result.
DECODER(policy)
{
    uint32_t to = result_at(d, 0), a = constant(d, 0x10f0000000000000, 8);
    op *o = emit(d, "mov_b64");
    o->d = to;
    o->a = a;
}
