// Decoders of branches, calls and barriers.

#include "decode.h"

#include <string.h>

DECODER(branch)
{
    const ptx_operand *to = d->inst->operands ? d->inst->operand[0] : NULL;
    if (!to || !to->symbol || to->symbol->space != S_LABEL) {
        d->unsupported = true;
        return;
    }
    op *o = emit_control(d, control_bra);
    o->imm = (int64_t)to->symbol->at; // an instruction; flow.c makes it an operation
    if (d->inst->guard) {
        o->guard = OPERAND(BANK_FRAME, d->inst->guard->at);
        o->guard_not = d->inst->guard_not;
    }
}

DECODER(branch_index)
{
    const ptx_operand *list = d->inst->operands > 1 ? d->inst->operand[1] : NULL;
    list = list && list->symbol ? (const ptx_operand *)list->symbol->init : NULL;
    uint32_t a = source_at(d, 0, 4);
    if (!list) {
        d->unsupported = true;
        return;
    }
    int n = 0;
    for (const ptx_operand *e = list->inner; e; e = e->next)
        n++;
    uint32_t *targets = arena_new(&d->module->ptx.memory, sizeof *targets * (size_t)(n + 1));
    targets[0] = (uint32_t)n;
    n = 0;
    for (const ptx_operand *e = list->inner; e; e = e->next) {
        if (!e->symbol || e->symbol->space != S_LABEL) {
            d->unsupported = true;
            return;
        }
        targets[++n] = (uint32_t)e->symbol->at;
    }
    op *o = emit_control(d, control_bra_idx);
    o->a = a;
    o->extra = targets;
}

// call.uni (result), name, (arguments); the argument space of the caller's frame is
// laid out as decode_memory.c says.
DECODER(call)
{
    const ptx_inst *i = d->inst;
    const ptx_operand *to = NULL, *name = NULL, *list = NULL;
    for (int k = 0; k < i->operands; k++) {
        const ptx_operand *o = i->operand[k];
        if (o->kind == O_LIST && !name)
            to = o->inner;
        else if (o->kind == O_LIST)
            list = o->inner;
        else if (!name)
            name = o;
    }
    if (!name || name->kind != O_NAME) { // through a pointer
        d->unsupported = true;
        return;
    }
    const ptx_function *f = d->function;
    uint32_t calls = (uint32_t)(((f->parameter_bytes + 15) & ~(size_t)15) +
                                (f->result ? (f->result->bytes + 15) & ~(size_t)15 : 0));
    call_of *c = arena_new(&d->module->ptx.memory, sizeof *c);
    c->module = d->module;
    c->name = name->name;
    ptx_symbol *s = name->symbol ? name->symbol : scope_find(d->module->ptx.scope, name->name);
    ptx_function *callee = s && s->space == S_FUNC ? s->function : NULL;
    c->function = callee && callee->defined ? callee : NULL;
    for (; list; list = list->next) {
        if (list->kind != O_SYM || c->count == 64 || !callee ||
            c->count >= callee->parameter_count) {
            d->unsupported = true;
            return;
        }
        c->argument[c->count].from = calls + (uint32_t)list->symbol->at;
        c->argument[c->count].to = (uint32_t)callee->parameters[c->count]->at;
        c->argument[c->count].bytes = (uint32_t)list->symbol->bytes;
        c->count++;
    }
    if (to && to->kind == O_SYM) {
        c->result_to = calls + (uint32_t)to->symbol->at;
        c->result_bytes = (uint32_t)to->symbol->bytes;
        if (c->function && c->function->result)
            c->result_from = (uint32_t)((c->function->parameter_bytes + 15) & ~(size_t)15);
    }
    int builtin = !strcmp(c->name, "vprintf")        ? 1
                  : !strcmp(c->name, "__assertfail") ? 2
                                                     : 0;
    if (!c->function && !builtin) {
        d->unsupported = true;
        return;
    }
    if (builtin == 1)
        d->code->ordered = true; // lines come out in the order of the blocks, every time
    op *o = emit_control(d, control_call);
    o->extra = c;
    o->sub = (uint8_t)builtin;
}

DECODER(leave)
{
    emit_control(d, d->inst->base[0] == 'e' ? control_exit : control_ret);
}

DECODER(trap)
{
    emit_control(d, control_trap);
}

// bar.sync a{, b}; bar.arrive a, b; bar.red.op d, a{, b}, p; bar.warp.sync mask.
// o->sub: 0 sync, 1 arrive, 2 red.and, 3 red.or, 4 red.popc; o->mode: 1 aligned.
DECODER(block_barrier)
{
    const ptx_inst *i = d->inst;
    if (has(d, "warp")) {
        uint32_t mask = source_at(d, 0, 4);
        op *o = emit(d, "nothing");
        o->run = control_warp_barrier;
        o->b = mask;
        return;
    }
    bool red = has(d, "red");
    int first = red ? 1 : 0, last = i->operands - (red ? 1 : 0);
    uint32_t number = source_at(d, first, 4), threads = 0, p = 0, r = 0;
    bool counted = first + 1 < last;
    if (counted)
        threads = source_at(d, first + 1, 4);
    if (red) {
        p = source_at(d, last, 1);
        r = result_at(d, 0);
    }
    if (has(d, "cluster")) {
        d->unsupported = true;
        return;
    }
    op *o = emit_control(d, control_bar);
    o->a = number;
    o->b = threads;
    o->c = p;
    if (red)
        o->d = r;
    o->sub = has(d, "arrive") ? 1 : !red ? 0 : has(d, "and") ? 2 : has(d, "or") ? 3 : 4;
    o->mode = i->base[3] == 0; // bar is barrier.aligned
    o->is_signed = red && i->operand[last]->negated;
}
