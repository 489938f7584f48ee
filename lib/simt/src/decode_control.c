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
    list = list && list->symbol && list->symbol->space == S_LABEL
               ? (const ptx_operand *)list->symbol->init
               : NULL;
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

// call.uni (result), name, (arguments), or a register and a prototype; the argument
// space of the caller's frame is laid out as decode_memory.c says.
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
    if (!name || (name->kind != O_NAME && name->kind != O_REG)) {
        d->unsupported = true;
        return;
    }
    const ptx_function *f = d->function;
    bool incoming;
    call_of *c = arena_new(&d->module->ptx.memory, sizeof *c);
    for (; list; list = list->next) {
        if (list->kind != O_SYM || list->symbol->space != S_PARAM || c->count == 64) {
            d->unsupported = true;
            return;
        }
        c->argument[c->count].from = (uint32_t)parameter_offset(f, list->symbol, &incoming);
        c->argument[c->count].bytes = (uint32_t)list->symbol->bytes;
        c->count++;
    }
    if (to && to->kind == O_SYM && to->symbol->space == S_PARAM) {
        c->result_to = (uint32_t)parameter_offset(f, to->symbol, &incoming);
        c->result_bytes = (uint32_t)to->symbol->bytes;
    }
    if (name->kind == O_REG) {
        uint32_t a = source(d, name, 8);
        op *o = emit_control(d, control_call_pointer);
        o->a = a;
        o->extra = c;
        d->code->calls_pointers = true;
        return;
    }
    ptx_symbol *s = name->symbol ? name->symbol : scope_find(f->scope, name->name);
    ptx_function *callee = s && s->space == S_FUNC ? s->function : NULL;
    c->function = callee && callee->defined ? callee : NULL;
    if (!strncmp(name->name, DEVICE_RUNTIME, strlen(DEVICE_RUNTIME)))
        c->function = NULL; // whatever the toolkit's library says of it
    c->builtin = c->function ? NULL : builtin_named(name->name);
    c->name = name->name;
    if (!c->function && !c->builtin) {
        d->unsupported = true;
        return;
    }
    d->code->ordered |= c->builtin && c->builtin->ordered;
    emit_control(d, control_call)->extra = c;
}

// alloca.u64 d, size{, alignment}; stacksave.u64 d; stackrestore.u64 a.
DECODER(stack)
{
    char kind = d->inst->base[5]; // alloca, stacksave, stackrestore
    int width = ptx_type_bytes(type_at(d, 0));
    uint32_t a = kind == 's' ? 0 : source_at(d, kind == 'r' ? 0 : 1, width);
    uint32_t to = kind == 'r' ? 0 : result_at(d, 0);
    op *o = emit(d, "nothing");
    o->run = kind == 's' ? control_stack_save : kind == 'r' ? control_stack_restore : control_alloca;
    if (kind != 'r')
        o->d = to;
    o->a = a;
    d->code->grows = true;
    o->width = (uint8_t)width;
    o->imm = d->inst->operands > 2 ? d->inst->operand[2]->value : 8;
    d->unsupported |= o->imm <= 0 || (o->imm & (o->imm - 1)) || o->imm > 1 << 20 ||
                      (width != 4 && width != 8);
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
    if (has(d, "cluster")) {
        if (has(d, "wait"))
            emit_control(d, control_cluster_wait);
        else
            emit(d, "nothing")->run = control_cluster_arrive;
        d->unsupported |= !has(d, "wait") && !has(d, "arrive");
        return;
    }
    bool red = has(d, "red");
    int first = red ? 1 : 0, last = i->operands - (red ? 1 : 0);
    uint32_t number = source_at(d, first, 4), threads = 0, p = 0, r = 0;
    if (last < first || (red && last <= first)) {
        d->unsupported = true;
        return;
    }
    bool counted = first + 1 < last;
    if (counted)
        threads = source_at(d, first + 1, 4);
    if (red) {
        p = source_at(d, last, 1);
        r = result_at(d, 0);
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

// mapa{.shared::cluster} d, a, rank; getctarank{.shared::cluster} d, a. Without a space
// the addresses are generic.
DECODER(cluster_address)
{
    bool maps = d->inst->base[0] == 'm';
    int width = maps ? ptx_type_bytes(type_at(d, 0))
                     : register_bytes(d->inst->operands > 1 ? d->inst->operand[1] : NULL);
    width = width ? width : 4;
    d->unsupported |= width != 4 && width != 8;
    uint32_t to = result_at(d, 0), a = source_at(d, 1, width);
    uint32_t rank = maps ? source_at(d, 2, 4) : 0;
    op *o = emit(d, "nothing");
    o->run = maps ? control_mapa : control_get_rank;
    o->d = to;
    o->a = a;
    o->b = rank;
    o->width = (uint8_t)width;
    o->imm = has(d, "shared::cluster") ? 0 : (int64_t)SHARED_WINDOW;
}
