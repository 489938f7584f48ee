// Decoders of asynchronous copies and of the barriers that tell of their end.

#include "async.h"
#include "decode.h"

#include <string.h>

static op *emit_plain(decoder *d, handler *run)
{
    op *o = emit(d, "nothing");
    o->run = run;
    return o;
}

static int64_t immediate(decoder *d, int i)
{
    const ptx_operand *o = i < d->inst->operands ? d->inst->operand[i] : NULL;
    d->unsupported |= !o || o->kind != O_IMM || o->value < 0;
    return o ? o->value : 0;
}

static const ptx_operand *operand_at(const decoder *d, int i)
{
    return i < d->inst->operands ? d->inst->operand[i] : NULL;
}

// cp.async.ca.shared.global [to], [from], bytes {, bytes to take | p} {, policy}
static void copy(decoder *d)
{
    async_operands *x = arena_new(&d->module->ptx.memory, sizeof *x);
    place to = memory_operand(d, operand_at(d, 0), S_SHARED);
    place from = memory_operand(d, operand_at(d, 1), S_GLOBAL);
    int64_t bytes = immediate(d, 2);
    int last = d->inst->operands - (has(d, "L2::cache_hint") ? 1 : 0);
    if (last > 3) {
        const ptx_operand *size = operand_at(d, 3);
        x->ignores = size->kind == O_REG && size->symbol->type == T_PRED;
        x->size = source(d, size, x->ignores ? 1 : 4);
        d->unsupported |= size->negated;
    }
    x->to = to.a;
    x->to_imm = to.imm;
    x->to_wide = to.wide;
    op *o = emit_plain(d, control_copy);
    o->a = from.a;
    o->imm = from.imm;
    o->wide = from.wide;
    o->bytes = (uint8_t)bytes;
    o->space = S_GLOBAL;
    o->extra = x;
    bool four = bytes == 4 || bytes == 8;
    d->unsupported |= (!four && bytes != 16) || (four && has(d, "cg")) || last < 3 || last > 4;
}

// cp.async.bulk.TO.FROM.mbarrier::complete_tx::bytes [to], [from], bytes, [barrier] {,
// mask} {, policy}; cp.async.bulk.global.shared::cta.bulk_group [to], [from], bytes
static void bulk(decoder *d)
{
    async_operands *x = arena_new(&d->module->ptx.memory, sizeof *x);
    const char *way[2] = {NULL, NULL};
    for (int i = 0, n = 0; i < d->inst->mods && n < 2; i++)
        if (!strncmp(d->inst->mod[i], "global", 6) || !strncmp(d->inst->mod[i], "shared", 6))
            way[n++] = d->inst->mod[i];
    bool group = has(d, "bulk_group"), many = has(d, "multicast::cluster");
    int operands = group ? 3 : 4 + many;
    if (!way[1] || has(d, "tensor") || has(d, "cp_mask") ||
        d->inst->operands != operands + has(d, "L2::cache_hint")) {
        d->unsupported = true;
        return;
    }
    x->to_global = way[0][0] == 'g';
    x->from_shared = way[1][0] == 's';
    place to = memory_operand(d, operand_at(d, 0), S_SHARED);
    place from = memory_operand(d, operand_at(d, 1), S_GLOBAL);
    x->size = source_at(d, 2, 4);
    if (!group) {
        place barrier = memory_operand(d, operand_at(d, 3), S_SHARED);
        x->barrier = barrier.a;
        x->barrier_imm = barrier.imm;
        x->barrier_wide = barrier.wide;
    }
    if (many)
        x->mask = source_at(d, 4, 2);
    x->to = to.a;
    x->to_imm = to.imm;
    x->to_wide = to.wide;
    op *o = emit_plain(d, control_bulk_copy);
    o->a = from.a;
    o->imm = from.imm;
    o->wide = from.wide;
    o->bytes = 1;
    o->extra = x;
    d->unsupported |= x->to_global != group || (x->to_global && !x->from_shared);
}

DECODER(async_copy)
{
    if (!has(d, "async") || d->inst->base[2]) {
        d->unsupported = true;
    } else if (has(d, "bulk") && has(d, "prefetch") && !has(d, "tensor")) {
        emit(d, "nothing");
    } else if (has(d, "commit_group")) {
        emit_plain(d, has(d, "bulk") ? control_bulk_commit : control_copy_commit);
    } else if (has(d, "wait_group")) {
        int64_t n = immediate(d, 0);
        emit_plain(d, has(d, "bulk") ? control_bulk_wait : control_copy_wait)->imm = n;
    } else if (has(d, "wait_all")) {
        emit_plain(d, control_copy_wait)->imm = -1;
    } else if (has(d, "mbarrier")) {
        ptx_space space = space_of(d);
        place p = memory_operand(d, operand_at(d, 0), space);
        op *o = emit_plain(d, control_copy_arrive);
        o->a = p.a;
        o->imm = p.imm;
        o->wide = p.wide;
        o->space = (uint8_t)space;
        o->mode = has(d, "noinc");
    } else if (has(d, "bulk")) {
        bulk(d);
    } else {
        copy(d);
    }
}

DECODER(mbarrier)
{
    static const char *const kinds[] = {"init", "inval", "expect_tx", "complete_tx", "arrive",
                                        "arrive_drop", "test_wait", "try_wait",
                                        "pending_count", NULL};
    static const uint8_t subs[] = {MB_INIT, MB_INVAL, MB_EXPECT_TX, MB_COMPLETE_TX, MB_ARRIVE,
                                   MB_ARRIVE_DROP, MB_TEST, MB_TEST, MB_PENDING};
    const char *kind = d->inst->mods ? d->inst->mod[0] : "";
    int k = 0;
    while (kinds[k] && strcmp(kinds[k], kind))
        k++;
    if (!kinds[k]) {
        d->unsupported = true;
        return;
    }
    uint8_t sub = subs[k];
    bool arrives = sub == MB_ARRIVE || sub == MB_ARRIVE_DROP, tests = sub == MB_TEST;
    bool parity = tests && has(d, "parity");
    if (sub == MB_PENDING) {
        uint32_t to = result_at(d, 0), a = source_at(d, 1, 8);
        op *o = emit_plain(d, control_mbarrier);
        o->d = to;
        o->a = a;
        o->sub = sub;
        return;
    }
    int at = arrives || tests;
    if (arrives && d->inst->operands && d->inst->operand[0]->kind == O_MEM)
        at = 0; // no state is wanted
    ptx_space space = space_of(d);
    uint32_t to = at ? result_at(d, 0) : 0, b = 0;
    place p = memory_operand(d, operand_at(d, at), space);
    if (at + 1 < d->inst->operands)
        b = source_at(d, at + 1, tests && !parity ? 8 : 4);
    else if (arrives)
        b = constant(d, 1, 4);
    else
        d->unsupported |= sub != MB_INVAL;
    op *o = emit_plain(d, control_mbarrier);
    if (to)
        o->d = to;
    o->a = p.a;
    o->imm = p.imm;
    o->wide = p.wide;
    o->b = b;
    o->space = (uint8_t)space;
    o->sub = parity ? MB_TEST_PARITY : sub;
    o->mode = arrives && has(d, "expect_tx");
    d->unsupported |= space != S_REG && space != S_SHARED;
}
