// The longest chain of each basic block: path.h.
//
// A warp issues in order and waits where an operand is not there yet; ptxas moves loads up
// to where their address is known, but over no store. A load counts by the place it hits,
// which only a run tells: the chain is chosen as if each went to L2.

#include "path.h"

#include <stdlib.h>
#include <string.h>

typedef struct cost {
    const char *base, *kinds;
    double pipe[PIPE_TENSOR], latency;
} cost;

static const cost costs[] = {
#define COST(base, kinds, issue, alu, fma, fp64, xu, lsu, latency)                    \
    {#base, kinds, {issue, alu, fma, fp64, xu, lsu}, latency},
#include "cost.def"
#undef COST
};

static const cost plain = {"", "", {1, 1}, 5};
enum { NOMINAL_GLOBAL = 270, NOMINAL_SHARED = 30 };

static bool has_mod(const ptx_inst *in, const char *mod)
{
    for (int i = 0; i < in->mods; i++)
        if (!strcmp(in->mod[i], mod))
            return true;
    return false;
}

// Letters of cost.def for the instruction's types; a conversion's are those of both.
static void kinds_of(const ptx_inst *in, char *kinds)
{
    const char *first = kinds;
    for (int i = 0; i < in->mods; i++) {
        ptx_type t = ptx_type_named(in->mod[i]);
        if (t == T_NONE)
            continue;
        int bytes = ptx_type_bytes(t);
        char k = t == T_F64 ? 'd' : t == T_F32 ? 'f' : strchr("fgh", ptx_type_kind(t)) ? 'h'
                 : bytes == 8 ? 'l' : 'i';
        *kinds++ = k;
        if (strcmp(in->base, "cvt"))
            break;
    }
    if (has_mod(in, "approx"))
        *kinds++ = 'a';
    if (has_mod(in, "wide") && kinds > first) // IMAD.WIDE: one instruction, whatever its type
        kinds[-1] = 'i';
    *kinds = 0;
}

static bool fits(const cost *c, const char *base, const char *kinds)
{
    if (strcmp(c->base, base))
        return false;
    if (!*c->kinds)
        return true;
    bool approximate = strchr(kinds, 'a');
    if (strchr(c->kinds, 'a') && !approximate)
        return false;
    const char *order = "dflhi"; // of a conversion's two types the dearer one decides
    for (; *order; order++)
        if (strchr(kinds, *order))
            return strchr(c->kinds, *order);
    return false;
}

static const cost *cost_of(const ptx_inst *in)
{
    char kinds[PTX_MODS + 2];
    kinds_of(in, kinds);
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        if (fits(&costs[i], in->base, kinds))
            return &costs[i];
    return &plain;
}

// ---- Chains ---------------------------------------------------------------------

typedef struct chain {
    double time, cycles, globals, shareds, atomics;
} chain;

typedef struct state {
    uint32_t *stamp; // by register: the block that wrote it
    chain *ready;
    uint32_t registers, block;
    chain now;    // when the next instruction can issue
    chain stored; // when the last store did: no load goes before it
    chain longest;
} state;

static const chain *ready_of(const state *s, const ptx_symbol *r)
{
    uint32_t at = r && r->space == S_REG ? (uint32_t)(r->at / 32) : UINT32_MAX;
    return at < s->registers && s->stamp[at] == s->block ? &s->ready[at] : NULL;
}

static void await_one(const state *s, const ptx_symbol *r, chain *c)
{
    const chain *x = ready_of(s, r);
    if (x && x->time > c->time)
        *c = *x;
}

static void await(const state *s, const ptx_operand *o, chain *c)
{
    if (!o)
        return;
    if (o->kind == O_MEM)
        await(s, o->inner, c);
    else if (o->kind == O_LIST)
        for (const ptx_operand *e = o->inner; e; e = e->next)
            await(s, e, c);
    else if (o->kind == O_REG)
        await_one(s, o->symbol, c);
}

static void give(state *s, const ptx_operand *o, const chain *c)
{
    if (!o)
        return;
    if (o->kind == O_LIST)
        for (const ptx_operand *e = o->inner; e; e = e->next)
            give(s, e, c);
    uint32_t at = o->kind == O_REG && o->symbol ? (uint32_t)(o->symbol->at / 32) : UINT32_MAX;
    if (at < s->registers) {
        s->stamp[at] = s->block;
        s->ready[at] = *c;
    }
    if (o->pair)
        give(s, o->pair, c);
}

static void link_memory(const ptx_inst *in, chain *c)
{
    bool shared = has_mod(in, "shared") || has_mod(in, "shared::cta") || !strcmp(in->base, "ldmatrix");
    if (!strcmp(in->base, "atom")) {
        c->atomics++;
        c->time += NOMINAL_GLOBAL;
    } else if (shared) {
        c->shareds++;
        c->time += NOMINAL_SHARED;
    } else if (has_mod(in, "param") || has_mod(in, "const")) {
        c->cycles += 8;
        c->time += 8;
    } else {
        c->globals++;
        c->time += NOMINAL_GLOBAL;
    }
}

static double tensor_work(const ptx_inst *in)
{
    for (int i = 0; i < in->mods; i++) {
        int m, n, k;
        if (sscanf(in->mod[i], "m%dn%dk%d", &m, &n, &k) == 3)
            return !strcmp(in->base, "wmma") && !has_mod(in, "mma") ? 0 : (double)m * n * k;
    }
    return 0;
}

static void add(path *p, state *s, const ptx_inst *in)
{
    bool stores = !strcmp(in->base, "st") || !strcmp(in->base, "red");
    bool reads_all = stores || !strcmp(in->base, "bra");
    bool loads = !strcmp(in->base, "ld") || !strcmp(in->base, "atom") || !strcmp(in->base, "tex") ||
                 !strcmp(in->base, "ldmatrix") || (!strcmp(in->base, "wmma") && has_mod(in, "load"));
    chain c = loads ? s->stored : s->now;
    for (int i = 0; i < in->operands; i++)
        if (i || reads_all)
            await(s, in->operand[i], &c);
    await_one(s, in->guard, &c);
    if (loads && has_mod(in, "param")) { // from the constant bank, as an operand
        give(s, in->operand[0], &c);
        return;
    }
    const cost *k = cost_of(in);
    for (int i = 0; i < PIPE_TENSOR; i++)
        p->pipe[i] += k->pipe[i];
    p->pipe[PIPE_TENSOR] += tensor_work(in);
    if (!loads && k->pipe[PIPE_ISSUE] > 0) {
        s->now = c;
        s->now.time += k->pipe[PIPE_ISSUE];
        s->now.cycles += k->pipe[PIPE_ISSUE];
    }
    if (stores)
        s->stored = c;
    if (loads)
        link_memory(in, &c);
    c.time += k->latency;
    c.cycles += k->latency;
    if (!reads_all)
        give(s, in->operand[0], &c);
    if (c.time > s->longest.time)
        s->longest = c;
}

static bool reads_clock(const ptx_inst *in)
{
    const ptx_operand *o = in->operands > 1 ? in->operand[1] : NULL;
    return o && o->kind == O_SREG && (strstr(o->name, "clock") || strstr(o->name, "globaltimer"));
}

static const path *build(simt_code *code, const uint32_t *last_op)
{
    const ptx_function *f = code->function;
    state s = {.registers = f->register_bytes / 32 + 1};
    s.stamp = calloc(s.registers, sizeof *s.stamp);
    s.ready = malloc(s.registers * sizeof *s.ready);
    code->paths = calloc(code->block_count, sizeof *code->paths);
    for (uint32_t i = 0; s.stamp && s.ready && code->paths && i < f->count; i++) {
        uint32_t b = code->block_of[i];
        if (b + 1 != s.block) {
            s.block = b + 1;
            s.longest = s.now = s.stored = (chain){0};
        }
        path *p = &code->paths[b];
        if (last_op && reads_clock(&f->code[i]))
            code->ops[last_op[i]].imm = (int64_t)s.now.time;
        add(p, &s, &f->code[i]);
        if (last_op)
            code->blocks[b].cycles = (uint32_t)s.longest.time;
        p->cycles = s.longest.cycles;
        p->globals = s.longest.globals;
        p->shareds = s.longest.shareds;
        p->atomics = s.longest.atomics;
    }
    free(s.stamp);
    free(s.ready);
    return code->paths;
}

const path *paths_of(simt_code *code)
{
    return code->paths ? code->paths : build(code, NULL);
}

void path_clocks(simt_code *code, const uint32_t *last_op)
{
    if (code->reads_clock)
        build(code, last_op);
}
