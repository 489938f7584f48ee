// Types and names of PTX: a scope is a hash table that grows.

#include "ptx.h"

#include <string.h>

static const struct {
    const char *name;
    int bytes;
    char kind;
} types[] = {
    {"", 0, 0},
#define T(id, name, bytes, kind) {name, bytes, kind},
    PTX_TYPES(T)
#undef T
};

ptx_type ptx_type_named(const char *name)
{
    for (size_t i = 1; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].name, name))
            return (ptx_type)i;
    return T_NONE;
}

int ptx_type_bytes(ptx_type type)
{
    return types[type].bytes;
}

char ptx_type_kind(ptx_type type)
{
    return types[type].kind;
}

static unsigned hash(const char *s)
{
    unsigned h = 2166136261u;
    while (*s)
        h = (h ^ (unsigned char)*s++) * 16777619u;
    return h ^ h >> 16;
}

ptx_scope *scope_new(arena *memory, ptx_scope *outer)
{
    ptx_scope *s = arena_new(memory, sizeof *s);
    s->outer = outer;
    s->bucket = arena_new(memory, PTX_BUCKETS * sizeof *s->bucket);
    return s;
}

static ptx_symbol *in_scope(const ptx_scope *scope, unsigned h, const char *name)
{
    ptx_symbol *s = scope->bucket[h % scope_buckets(scope)];
    while (s && strcmp(s->name, name))
        s = s->next;
    return s;
}

ptx_symbol *scope_find_here(const ptx_scope *scope, const char *name)
{
    return in_scope(scope, hash(name), name);
}

ptx_symbol *scope_find(const ptx_scope *scope, const char *name)
{
    ptx_symbol *s = NULL;
    for (unsigned h = hash(name); scope && !s; scope = scope->outer)
        s = in_scope(scope, h, name);
    return s;
}

// Each bucket becomes two, in which the order stays.
static void grow(arena *memory, ptx_scope *scope)
{
    uint32_t n = scope_buckets(scope);
    ptx_symbol **old = scope->bucket;
    scope->bucket = arena_new(memory, 2 * n * sizeof *old);
    scope->grown++;
    for (uint32_t b = 0; b < n; b++) {
        ptx_symbol **to[] = {&scope->bucket[b], &scope->bucket[b + n]};
        for (ptx_symbol *s = old[b]; s; s = s->next) {
            bool high = hash(s->name) & n;
            *to[high] = s;
            to[high] = &s->next;
        }
        *to[0] = *to[1] = NULL;
    }
}

// A second declaration of a name in one scope (a prototype, an .extern) is the first.
ptx_symbol *declare(ptx_parser *p, ptx_scope *scope, const char *name, ptx_space space)
{
    unsigned h = hash(name);
    for (ptx_symbol *s = scope->bucket[h % scope_buckets(scope)]; s && space != S_REG; s = s->next)
        if (s->space == space && !strcmp(s->name, name))
            return s;
    if (scope->count++ == 2 * scope_buckets(scope))
        grow(&p->module->memory, scope);
    ptx_symbol *s = arena_new(&p->module->memory, sizeof *s), **at;
    at = &scope->bucket[h % scope_buckets(scope)];
    *s = (ptx_symbol){.name = name, .space = space, .next = *at};
    *at = s;
    return s;
}
