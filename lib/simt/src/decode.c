// From PTX instructions to operations: operands, constants, and the walk over a body.
//
// Labels start basic blocks and so does whatever follows a branch, a call or a barrier;
// flow.c then orders the blocks.

#include "path.h"
#include "decode.h"
#include "sync.h"
#include "watch.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void flow_build(decoder *d); // flow.c

static const struct {
    const char *name;
    void (*decode)(decoder *);
    enum inst_class class;
} opcodes[] = {
#define OP(opcode, decoder, class, meaning) {#opcode, decode_##decoder, CLASS_##class},
#include "ops.def"
#undef OP
};

// ---- Operations -----------------------------------------------------------------

static op *append(decoder *d)
{
    if (d->count == d->capacity) {
        d->capacity = d->capacity ? d->capacity * 2 : 128;
        d->ops = realloc(d->ops, d->capacity * sizeof *d->ops);
        d->places = realloc(d->places, d->capacity * sizeof *d->places);
        d->classes = realloc(d->classes, d->capacity);
        if (!d->ops || !d->places || !d->classes)
            abort();
    }
    op *o = &d->ops[d->count];
    memset(o, 0, sizeof *o);
    o->d = OPERAND(BANK_SPECIAL, SP_SINK * 128);
    o->vec = 1;
    o->site = d->count;
    d->places[d->count] = (place_of){d->inst->file, d->inst->line, d->inst->caller};
    d->classes[d->count] = CLASS_COUNT;
    d->count++;
    return o;
}

op *emit(decoder *d, const char *format, ...)
{
    char name[64];
    va_list list;
    va_start(list, format);
    vsnprintf(name, sizeof name, format, list);
    va_end(list);
    int i = handler_named(name);
    op *o = append(d);
    if (i < 0)
        d->unsupported = true;
    else
        o->run = d->device->handlers[i];
    d->ends = false;
    return o;
}

op *emit_control(decoder *d, handler *run)
{
    op *o = append(d);
    o->run = run;
    d->ends = true;
    return o;
}

// ---- The walk -------------------------------------------------------------------

static enum inst_class class_of(const decoder *d, enum inst_class class)
{
    if (class != CLASS_INT && class != CLASS_FP32 && class != CLASS_DIVIDE)
        return class;
    ptx_type t = type_at(d, 0);
    if (t == T_F64)
        return CLASS_FP64;
    if (t == T_F32)
        return !strcmp(d->inst->base, "fma") ? CLASS_FMA32 : CLASS_FP32;
    return t == T_F16 || t == T_BF16 || t == T_F16X2 || t == T_BF16X2 ? CLASS_FP16 : class;
}

static void not_supported(decoder *d, uint32_t from)
{
    d->count = from;
    op *o = emit_control(d, control_unsupported);
    o->extra = d->inst->text;
    d->unsupported = false;
}

// Instructions of several operations, or that end a block: guarded by a jump.
static bool is_control(const char *base)
{
    static const char *const names[] = {"exit", "ret", "call", "bar", "barrier", "trap",
                                        "brx", "mma", "wmma", "ldmatrix", "stmatrix",
                                        "movmatrix", NULL};
    for (int i = 0; names[i]; i++)
        if (!strcmp(names[i], base))
            return true;
    return false;
}

static void guard(decoder *d, uint32_t from)
{
    const ptx_inst *i = d->inst;
    for (uint32_t k = from; k < d->count; k++) {
        op *o = &d->ops[k];
        o->inner = o->run;
        o->run = control_guarded;
        o->guard = OPERAND(BANK_FRAME, i->guard->at);
        o->guard_not = i->guard_not;
    }
}

// Reads of global memory that races are not looked for in.
static bool reads_aside(const decoder *d)
{
    const char *base = d->inst->base;
    return !strcmp(base, "tex") || !strcmp(base, "tld4") || !strcmp(base, "suld") ||
           (!strcmp(base, "wmma") && has(d, "load")) || (!strcmp(base, "cp") && has(d, "bulk"));
}

static void decode_one(decoder *d)
{
    const ptx_inst *i = d->inst;
    bool around = i->guard && is_control(i->base);
    if (around) { // @p exit: a jump around it that no counter sees
        op *o = emit_control(d, control_bra);
        o->guard = OPERAND(BANK_FRAME, i->guard->at);
        o->guard_not = !i->guard_not;
        o->sub = 1;
        o->target = UINT32_MAX; // the next instruction; flow.c
    }
    size_t n = sizeof opcodes / sizeof *opcodes, k = 0;
    while (k < n && strcmp(opcodes[k].name, i->base))
        k++;
    uint32_t first = d->count;
    d->code->reads_aside |= reads_aside(d);
    d->strict = false;
    *d->asked = 0;
    if (k < n)
        opcodes[k].decode(d);
    else
        d->unsupported = true;
    // A modifier that no decoder looked at would be ignored: better to refuse.
    if (d->unsupported || (d->strict && *d->asked != (1u << i->mods) - 1))
        not_supported(d, first);
    if (i->guard && !around && strcmp(i->base, "bra") && !d->ends)
        guard(d, first);
    if (d->count > first)
        d->classes[d->count - 1] = (uint8_t)(k < n ? class_of(d, opcodes[k].class) : CLASS_CONTROL);
    if (around && !d->ends)
        emit_control(d, control_fall);
}

static void count_read(ptx_symbol *r, bool stored)
{
    if (!r)
        return;
    r->reads++;
    r->stores += stored;
}

static void count_reads(ptx_function *f)
{
    for (uint32_t i = 0; i < f->count; i++) {
        const ptx_inst *in = &f->code[i];
        bool stores = !strcmp(in->base, "st"), writes_first = !stores && strcmp(in->base, "red");
        for (int k = 0; k < in->operands; k++) {
            const ptx_operand *o = in->operand[k];
            bool written = k == 0 && writes_first, stored = k == 1 && stores;
            if (o->kind == O_MEM)
                count_read(o->inner->symbol, false);
            else if (o->kind == O_LIST && !written)
                for (const ptx_operand *e = o->inner; e; e = e->next)
                    count_read(e->symbol, stored);
            else if (o->kind == O_REG && !written)
                count_read(o->symbol, stored);
        }
        count_read(in->guard, false);
    }
}

simt_code *decode(simt_device *device, module *m, ptx_function *f)
{
    if (f->decoded)
        return f->decoded;
    simt_code *code = calloc(1, sizeof *code);
    uint32_t asked = 0;
    decoder d = {.device = device, .module = m, .function = f, .code = code,
                 .scratch = f->register_bytes, .asked = &asked};
    code->function = f;
    source_name(f->name, code->name, sizeof code->name);
    d.op_of = calloc(f->count + 1, sizeof *d.op_of);
    code->block_of = calloc(f->count + 1, sizeof *code->block_of);
    bool *target = calloc(f->count + 1, sizeof *target);
    if (!code || !d.op_of || !code->block_of || !target)
        abort();
    count_reads(f);
    for (uint32_t i = 0; i < f->count; i++)
        for (int k = 0; k < f->code[i].operands; k++) {
            const ptx_operand *o = f->code[i].operand[k];
            if (o->kind != O_NAME || !o->symbol || o->symbol->space != S_LABEL)
                continue;
            if (o->symbol->at < f->count)
                target[o->symbol->at] = true;
            const ptx_operand *list = (const ptx_operand *)o->symbol->init;
            for (const ptx_operand *e = list ? list->inner : NULL; e; e = e->next)
                if (e->symbol && e->symbol->space == S_LABEL && e->symbol->at < f->count)
                    target[e->symbol->at] = true;
        }
    for (uint32_t i = 0; i < f->count; i++) {
        d.inst = &f->code[i];
        if (target[i] && d.count && !d.ends)
            emit_control(&d, control_fall);
        d.op_of[i] = d.count;
        decode_one(&d);
    }
    d.op_of[f->count] = d.count;
    check_wrap(&d);
    code->ops = d.ops;
    code->places = d.places;
    code->count = d.count;
    code->classes = d.classes;
    code->constants = d.constants;
    code->constant_bytes = d.constant_bytes;
    free(d.constant_table);
    free(d.constant_sizes);
    f->register_bytes = d.scratch + BANK_SLACK;
    flow_build(&d);
    for (uint32_t i = 0; i < f->count; i++) { // its last operation's
        uint32_t last = d.op_of[i + 1] > d.op_of[i] ? d.op_of[i + 1] - 1 : d.op_of[i];
        d.op_of[i] = last < code->count ? last : code->count - 1;
        code->block_of[i] = code->ops[d.op_of[i]].block;
    }
    path_clocks(code, d.op_of);
    sync_wrap(device, code);
    free(target);
    free(d.op_of);
    watch_code(device, m, code);
    f->decoded = code;
    return code;
}

void code_free(simt_code *code)
{
    if (!code)
        return;
    free(code->ops);
    free(code->places);
    free(code->classes);
    free(code->blocks);
    free(code->block_of);
    free(code->paths);
    free(code->constants);
    free(code->unwatched);
    free(code);
}
