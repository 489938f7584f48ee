// tex, tld4, suld and sust: geometry, coordinates and where the result goes.

#include "decode.h"
#include "texture.h"

#include <string.h>

static const char *const shapes[] = {"1d", "2d", "3d", "cube", "a1d", "a2d", NULL, "acube"};

// The element's n-th operand; a missing one makes the form unsupported.
static const ptx_operand *nth(const ptx_operand *list, int n)
{
    const ptx_operand *e = list && list->kind == O_LIST ? list->inner : n ? NULL : list;
    while (e && n--)
        e = e->next;
    return e;
}

static bool shape_of(decoder *d, texture_op *t)
{
    for (int i = 0; i < 8; i++)
        if (shapes[i] && has(d, shapes[i])) {
            t->shape = (enum texture_shape)(i & 3);
            t->layered = i >= 4;
            t->sides = t->shape == SHAPE_1D ? 1 : t->shape == SHAPE_2D ? 2 : 3;
            return true;
        }
    return false;
}

// [object, {layer, x, y, z}]
static void coordinates(decoder *d, const ptx_operand *o, texture_op *t)
{
    if (!o || o->kind != O_MEM || !o->inner->next) {
        d->unsupported = true;
        return;
    }
    const ptx_operand *list = o->inner->next;
    t->object = source(d, o->inner, 8);
    if (t->layered)
        t->layer = source(d, nth(list, 0), 4);
    for (int k = 0; k < t->sides; k++)
        t->at[k] = source(d, nth(list, k + t->layered), 4);
}

static void registers_of(decoder *d, const ptx_operand *o, texture_op *t, bool stores)
{
    t->results = has(d, "v4") ? 4 : has(d, "v2") ? 2 : 1;
    for (int i = 0; i < t->results; i++) {
        const ptx_operand *e = nth(o, i);
        int bytes = register_bytes(e);
        t->width = bytes ? (uint32_t)bytes : t->width;
        t->result[i] = stores ? source(d, e, bytes ? bytes : 4) : result(d, e);
    }
    if (o && o->pair)
        t->resident = result(d, o->pair);
}

DECODER(texture)
{
    const ptx_inst *i = d->inst;
    texture_op *t = arena_new(&d->module->ptx.memory, sizeof *t);
    bool tld4 = !strcmp(i->base, "tld4");
    static const char *const channels[] = {"r", "g", "b", "a", NULL};
    ptx_type to = type_at(d, 0), from = type_at(d, 1);
    t->gather = tld4 ? pick(d, channels) : -1;
    bool ours = shape_of(d, t) && i->operands >= 2 &&
                (to == T_F32 || to == T_U32 || to == T_S32) &&
                (from == T_F32 || from == T_S32) && (!tld4 || t->shape == SHAPE_2D) &&
                (has(d, "v4") || has(d, "v2"));
    if (!ours) {
        d->unsupported = true;
        return;
    }
    t->floats = to == T_F32;
    t->whole = from == T_S32;
    registers_of(d, i->operand[0], t, false);
    coordinates(d, i->operand[1], t);
    int next = 2;
    if (has(d, "level")) {
        t->lod = source_at(d, next++, 4);
    } else if (has(d, "grad")) {
        t->gradients = true;
        for (int k = 0; k < t->sides; k++) {
            t->dx[k] = source(d, nth(next < i->operands ? i->operand[next] : NULL, k), 4);
            t->dy[k] = source(d, nth(next + 1 < i->operands ? i->operand[next + 1] : NULL, k), 4);
        }
        next += 2;
    }
    if (i->operands > next) // offsets, depth comparison
        d->unsupported = true;
    op *o = emit(d, "tex");
    o->space = S_GLOBAL;
    o->extra = t;
}

DECODER(surface)
{
    const ptx_inst *i = d->inst;
    texture_op *t = arena_new(&d->module->ptx.memory, sizeof *t);
    bool stores = !strcmp(i->base, "sust");
    static const char *const outside[] = {"trap", "clamp", "zero", NULL};
    t->outside = pick(d, outside);
    t->bytes = (uint32_t)ptx_type_bytes(type_at(d, 0));
    t->gather = -1;
    if (!has(d, "b") || !shape_of(d, t) || i->operands != 2 || t->outside < 0 || !t->bytes ||
        t->shape == SHAPE_CUBE) {
        d->unsupported = true;
        return;
    }
    registers_of(d, i->operand[stores ? 1 : 0], t, stores);
    coordinates(d, i->operand[stores ? 0 : 1], t);
    op *o = emit(d, stores ? "sust" : "suld");
    o->space = S_GLOBAL;
    o->extra = t;
}
