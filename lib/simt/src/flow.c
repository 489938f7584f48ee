// Basic blocks and the order in which splits run.
//
// Splits of a warp run lowest rank first and merge where they meet. Ranks come from a
// weak topological order (F. Bourdoncle, "Efficient chaotic iteration strategies with
// widenings", 1993): a block comes after its predecessors, and a loop's blocks are
// neighbours, before whatever follows the loop. So both arms of an if are done before
// the statement after it, and all lanes leave a loop before any goes on: splits meet at
// the post-dominator without its ever being computed.

#include "decode.h"

#include <stdlib.h>
#include <string.h>

typedef struct walk {
    decoder *d;
    simt_code *code;
    uint32_t *depth;  // depth-first number; UINT32_MAX: placed
    uint32_t *stack, top, number, rank, deep;
    uint64_t visits;
    bool given_up;
} walk;

// Beyond these, blocks run in the order of the text: hostile programs only.
enum { MOST_DEEP = 8192, MOST_VISITS = 64 };

static uint32_t successors(const walk *w, uint32_t b, uint32_t *to)
{
    const basic_block *k = &w->code->blocks[b];
    const op *last = &w->code->ops[k->first + k->count - 1];
    uint32_t n = 0, next = k->first + k->count;
    bool falls = last->run != control_ret && last->run != control_exit &&
                 last->run != control_trap && last->run != control_unsupported;
    if (last->run == control_bra) {
        to[n++] = w->code->ops[last->target].block;
        falls = last->guard != 0;
    }
    if (last->run == control_bra_idx) {
        const uint32_t *list = last->extra;
        for (uint32_t i = 0; i < list[0] && n < 500; i++)
            to[n++] = w->code->ops[list[i + 1]].block;
        falls = false;
    }
    if (falls && next < w->code->count)
        to[n++] = w->code->ops[next].block;
    return n;
}

static uint32_t visit(walk *w, uint32_t b);

static void put_block(walk *w, uint32_t b)
{
    w->code->blocks[b].rank = w->rank--;
}

static void component(walk *w, uint32_t b)
{
    uint32_t *to = malloc(512 * sizeof *to), n = successors(w, b, to);
    for (uint32_t i = 0; i < n; i++)
        if (!w->depth[to[i]])
            visit(w, to[i]);
    free(to);
    put_block(w, b);
}

static uint32_t visit_block(walk *w, uint32_t b)
{
    w->stack[w->top++] = b;
    uint32_t head = w->depth[b] = ++w->number;
    bool loop = false;
    uint32_t *to = malloc(512 * sizeof *to), n = successors(w, b, to);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t least = w->depth[to[i]] ? w->depth[to[i]] : visit(w, to[i]);
        if (least <= head) {
            head = least;
            loop = true;
        }
    }
    free(to);
    if (w->given_up)
        return UINT32_MAX;
    if (head == w->depth[b]) {
        w->depth[b] = UINT32_MAX;
        uint32_t e = w->stack[--w->top];
        if (loop) {
            while (e != b) {
                w->depth[e] = 0;
                e = w->stack[--w->top];
            }
            component(w, b);
        } else {
            put_block(w, b);
        }
    }
    return head;
}

static uint32_t visit(walk *w, uint32_t b)
{
    uint64_t most = MOST_VISITS * ((uint64_t)w->code->block_count + 64);
    w->given_up |= w->deep == MOST_DEEP || w->visits++ == most;
    if (w->given_up)
        return UINT32_MAX;
    w->deep++;
    uint32_t head = visit_block(w, b);
    w->deep--;
    return head;
}

static void find_blocks(decoder *d)
{
    simt_code *c = d->code;
    bool leads = true;
    for (uint32_t i = 0; i < c->count; i++) {
        op *o = &c->ops[i];
        if (leads) {
            if (c->block_count % 64 == 0)
                c->blocks = realloc(c->blocks, (c->block_count + 64) * sizeof *c->blocks);
            if (!c->blocks)
                abort();
            memset(&c->blocks[c->block_count], 0, sizeof *c->blocks);
            c->blocks[c->block_count++].first = i;
        }
        o->leader = leads;
        o->block = c->block_count - 1;
        basic_block *b = &c->blocks[o->block];
        b->count++;
        handler *h = o->run;
        leads = h == control_bra || h == control_bra_idx || h == control_fall ||
                h == control_call || h == control_call_pointer ||
                h == control_ret || h == control_exit ||
                h == control_bar || h == control_cluster_wait || h == control_trap || h == control_unsupported;
    }
}

void flow_build(decoder *d)
{
    simt_code *c = d->code;
    for (uint32_t i = 0; i < c->count; i++) {
        op *o = &c->ops[i];
        if (o->run == control_bra)
            o->target = o->target == UINT32_MAX ? i + 2 : d->op_of[o->imm];
        if (o->run == control_bra_idx) {
            uint32_t *list = (uint32_t *)(uintptr_t)o->extra;
            for (uint32_t k = 1; k <= list[0]; k++)
                list[k] = d->op_of[list[k]];
        }
    }
    find_blocks(d);
    // A guarded call and the like takes one operation or, with operands to prepare, a
    // few: the jump around it goes to the first block behind.
    for (uint32_t i = 0; i < c->count; i++)
        if (c->ops[i].run == control_bra && c->ops[i].sub == 1) {
            uint32_t t = i + 1;
            while (t < c->count && c->ops[t].block == c->ops[i].block + 1)
                t++;
            c->ops[i].target = t < c->count ? t : c->count - 1;
        }
    walk w = {.d = d, .code = c, .rank = c->block_count};
    w.depth = calloc(c->block_count, sizeof *w.depth);
    w.stack = malloc((c->block_count + 1) * sizeof *w.stack);
    if (!w.depth || !w.stack)
        abort();
    visit(&w, 0);
    for (uint32_t b = 0; w.given_up && b < c->block_count; b++)
        c->blocks[b].rank = b;
    free(w.depth);
    free(w.stack);
}
