// Where an instruction stands in the source: .loc and .file.

#include "ptx.h"

// .loc file line column [, function_name label [+ n], inlined_at file line column]
//
// A line inlined from another file counts where it was called: the learner can act on
// kernel.cu:12, not on a line of a toolkit header. Calls nest, one .loc a level, the
// outer one first, so the caller's own place is looked up among those seen.
void parse_loc(ptx_parser *p)
{
    int64_t v[6] = {0};
    for (int i = 0; i < 3; i++, next_token(p))
        v[i] = p->kind == K_NUMBER ? p->number : 0;
    while (take(p, ',')) {
        if (is_name(p, "inlined_at")) {
            next_token(p);
            for (int i = 3; i < 6; i++, next_token(p))
                v[i] = p->kind == K_NUMBER ? p->number : 0;
        } else { // function_name label [+ n]
            next_token(p);
            next_token(p);
            if (take(p, '+'))
                next_token(p);
        }
    }
    v[0] = (v[0] & INT32_MAX) + p->file_base;
    v[3] = (v[3] & INT32_MAX) + p->file_base;
    if (!v[1])
        return; // line 0: no place of its own, stay at the last one
    struct ptx_inlined *own = &p->inlined[((uint64_t)v[0] * 31 + (uint64_t)v[1]) % PTX_INLINED];
    p->file = (uint16_t)(v[0] & 511);
    p->line = (uint32_t)v[1];
    p->caller = 0;
    if (v[4]) {
        struct ptx_inlined *up = &p->inlined[((uint64_t)v[3] * 31 + (uint64_t)v[4]) % PTX_INLINED];
        bool known = up->file == v[3] && up->line == v[4];
        int64_t file = known ? up->to_file : v[3], line = known ? up->to_line : v[4];
        if (file != v[0]) { // a helper of the same file keeps its own line
            p->file = (uint16_t)(file & 511);
            p->line = (uint32_t)line;
            p->caller = known ? (uint32_t)up->to_caller : 0;
        } else {
            p->caller = (uint32_t)line;
        }
    }
    *own = (struct ptx_inlined){v[0], v[1], p->file, p->line, p->caller};
}

// .file n "name" [, time, size]
void parse_file(ptx_parser *p)
{
    int64_t n = p->number;
    next_token(p);
    if (p->kind == K_STRING && n >= 0 && n < 512 - p->file_base) {
        n += p->file_base;
        p->module->file[n] = p->text;
        p->file_end = n >= p->file_end ? n + 1 : p->file_end;
    }
    next_token(p);
    while (take(p, ','))
        next_token(p);
}
