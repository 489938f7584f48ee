// Decoder of video instructions: vadd.dtype.atype.btype{.sat}{.op2} d{.part}, a{.part},
// b{.part}{, c} and those of two halves or four bytes.

#include "decode.h"
#include "video.h"

#include <string.h>

// A scalar's part: b0 ... b3, h0, h1.
static bool scalar_part(const char *part, int *bits, uint8_t *which)
{
    *bits = 32;
    *which = 0;
    if (!part)
        return true;
    *bits = part[0] == 'b' ? 8 : 16;
    *which = (uint8_t)(part[1] - '0');
    return part[1] && !part[2] && *which < 32 / *bits;
}

// Which elements of b:a the lanes take, the highest lane's first; NULL: its own.
static bool lane_parts(const char *part, int lanes, int own, uint8_t *from)
{
    for (int i = 0; i < lanes; i++)
        from[i] = (uint8_t)(own + i);
    if (!part)
        return true;
    if (part[0] != (lanes == 2 ? 'h' : 'b') || (int)strlen(part) != lanes + 1)
        return false;
    for (int i = 0; i < lanes; i++) {
        from[i] = (uint8_t)(part[lanes - i] - '0');
        if (from[i] >= 2 * lanes)
            return false;
    }
    return true;
}

static bool lane_mask(const char *part, int lanes, unsigned *mask)
{
    *mask = (1u << lanes) - 1;
    if (!part)
        return true;
    if (part[0] != (lanes == 2 ? 'h' : 'b'))
        return false;
    *mask = 0;
    for (const char *p = part + 1; *p; p++) {
        if (*p < '0' || *p >= '0' + lanes)
            return false;
        *mask |= 1u << (*p - '0');
    }
    return *mask != 0;
}

static const char *part_of(const decoder *d, int i)
{
    const ptx_operand *o = i < d->inst->operands ? d->inst->operand[i] : NULL;
    return o && o->kind == O_REG ? o->part : NULL;
}

// The types, of which vset has no first; all of 32 bits.
static void types(decoder *d, video *v)
{
    ptx_type t[3];
    int first = v->kind == VIDEO_SET ? 1 : 0;
    for (int i = first; i < 3; i++) {
        t[i] = type_at(d, i - first);
        d->unsupported |= t[i] != T_U32 && t[i] != T_S32;
    }
    v->d_signed = !first && t[0] == T_S32;
    v->a_signed = t[1] == T_S32;
    v->b_signed = t[2] == T_S32;
}

static void modifiers(decoder *d, video *v)
{
    static const char *const seconds[] = {"add", "min", "max", NULL};
    v->saturates = has(d, "sat");
    v->second = pick(d, seconds) + 1;
    bool shift = v->kind == VIDEO_SHL || v->kind == VIDEO_SHR, mad = v->kind == VIDEO_MAD;
    v->wraps = shift && has(d, "wrap");
    d->unsupported |= shift && !v->wraps && !has(d, "clamp");
    if (mad) {
        v->plus_one = has(d, "po");
        v->scale = has(d, "shr7") ? 7 : has(d, "shr15") ? 15 : 0;
    }
    if (v->kind == VIDEO_SET) {
        v->comparison = comparison(d);
        d->unsupported |= v->comparison < 0 || v->comparison > 5 || v->saturates;
    }
    d->unsupported |= (mad && v->second) || (v->lanes > 1 && v->second > VIDEO_PLUS);
}

DECODER(video)
{
    static const char *const names[] = {"vadd", "vsub", "vabsdiff", "vmin", "vmax", "vavrg",
                                        "vset", "vshl", "vshr", "vmad"};
    const char *base = d->inst->base;
    size_t length = strlen(base);
    int lanes = base[length - 1] == '2' ? 2 : base[length - 1] == '4' ? 4 : 1;
    video v = {.lanes = lanes, .kind = VIDEO_MAD, .mask = 1};
    length -= lanes > 1;
    for (int i = 0; i < 10; i++)
        if (!strncmp(names[i], base, length) && strlen(names[i]) == length)
            v.kind = (video_kind)i;
    types(d, &v);
    modifiers(d, &v);
    int count = d->inst->operands - 1;
    const char *to = part_of(d, 0), *a = part_of(d, 1), *b = part_of(d, 2);
    bool known;
    if (lanes > 1) {
        v.a_bits = v.b_bits = v.d_bits = 32 / lanes;
        known = lane_parts(a, lanes, 0, v.a_from) && lane_parts(b, lanes, lanes, v.b_from) &&
                lane_mask(to, lanes, &v.mask) && count == 3;
        v.keeps = true;
    } else {
        uint8_t at = 0;
        known = scalar_part(a, &v.a_bits, v.a_from) && scalar_part(b, &v.b_bits, v.b_from) &&
                scalar_part(to, &v.d_bits, &at);
        v.d_at = at * v.d_bits;
        v.keeps = to != NULL;
        bool third = to || v.second || v.kind == VIDEO_MAD;
        known &= count == (third ? 3 : 2) && !(to && (v.second || v.kind == VIDEO_MAD));
    }
    for (int i = 1; i <= count && i < 4; i++)
        known &= !d->inst->operand[i]->negated;
    d->parts = true;
    operands x = take_operands(d, count < 2 ? 2 : count > 3 ? 3 : count, 4, 4, 4, 0);
    d->parts = false;
    op *o = emit(d, "video");
    put(o, x);
    if (count < 3)
        o->c = x.a;
    o->extra = memcpy(arena_new(&d->module->ptx.memory, sizeof v), &v, sizeof v);
    d->unsupported |= !known;
}
