// Commands about textures and surfaces, carried out.
//
// The peer is not trusted: what it staged is copied, then simt_texture_new looks at it.

#include "execute.h"

#include <string.h>

EXECUTE(TEXTURE)
{
    const char *from = staged(s, c);
    wire_texture w;
    if (!from || c->bytes != sizeof w)
        return INVALID_VALUE;
    memcpy(&w, from, sizeof w);
    simt_texture t = {
        .levels = w.levels, .width = w.width, .height = w.height, .depth = w.depth,
        .layers = w.layers, .linear = w.linear != 0, .format = w.format,
        .filter = w.filter, .mip_filter = w.mip_filter,
        .normalized_coordinates = w.normalized_coordinates != 0,
        .normalized_float = w.normalized_float != 0, .srgb = w.srgb != 0,
        .level_bias = w.level_bias, .min_level = w.min_level, .max_level = w.max_level,
    };
    memcpy(t.bits, w.bits, sizeof t.bits);
    memcpy(t.address_mode, w.address_mode, sizeof t.address_mode);
    memcpy(t.border, w.border, sizeof t.border);
    for (int i = 0; i < 16; i++) {
        t.level[i].address = w.level[i].address;
        t.level[i].row = w.level[i].row;
        t.level[i].slice = w.level[i].slice;
    }
    return simt_texture_new(s->device, &t, &r->value[0]);
}

EXECUTE(UNTEXTURE)
{
    UNUSED(r);
    return simt_texture_drop(s->device, c->as.object.id);
}
