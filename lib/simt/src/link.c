// Several PTX texts become one module: names that one leaves open are found in another.
//
// Each text (a source file of a relocatable program) has a scope of its own, so its
// private names stay its own. What it shows (.visible, .weak) stands in the module's
// scope too; an .extern, and a .weak that came second, are another name for that.

#include "ptx.h"

#include <stdio.h>
#include <string.h>

const ptx_symbol *ptx_definition(const ptx_symbol *s)
{
    while (s && s->definition)
        s = s->definition;
    return s;
}

static bool linkable(const ptx_symbol *s)
{
    return s->space == S_GLOBAL || s->space == S_CONST || s->space == S_FUNC;
}

static bool defined(const ptx_symbol *s)
{
    return s->space == S_FUNC ? s->function && s->function->defined : !s->external;
}

// A second definition of a name: which of the two counts?
static void second(ptx_parser *p, ptx_symbol *known, ptx_symbol *s)
{
    ptx_symbol *first = known->definition;
    bool shown = s->visible || s->weak, first_shown = first->visible || first->weak;
    if (!shown)
        return;
    if (first_shown && !first->weak && !s->weak)
        parse_error(p, "'%s' is defined in two files", s->name);
    bool wins = !first_shown || (first->weak && !s->weak);
    if (wins)
        known->definition = s;
    if (first_shown && wins)
        first->definition = s;
    else if (first_shown)
        s->definition = first;
}

static void show(ptx_parser *p, ptx_symbol *s)
{
    ptx_scope *all = p->module->scope;
    ptx_symbol *known = scope_find(all, s->name);
    if (known) {
        second(p, known, s);
        return;
    }
    known = declare(p, all, s->name, s->space);
    known->definition = s;
}

static void resolve(ptx_parser *p, ptx_symbol *s)
{
    if (!defined(s)) {
        const ptx_symbol *known = scope_find(p->module->scope, s->name);
        if (known && known->space != s->space && (s->space == S_FUNC || known->space == S_FUNC))
            parse_error(p, "'%s' is a function in one file and none in another", s->name);
        s->definition = known ? known->definition : NULL;
        if (s->definition && !(s->definition->visible || s->definition->weak))
            s->definition = NULL; // private to its file
    }
    const ptx_symbol *is = ptx_definition(s);
    if (s->space == S_FUNC)
        s->function = is->function;
}

static void each(ptx_parser *p, void (*what)(ptx_parser *, ptx_symbol *), bool only_defined)
{
    for (ptx_scope *unit = p->units; unit; unit = unit->next)
        for (uint32_t b = 0; b < scope_buckets(unit); b++)
            for (ptx_symbol *s = unit->bucket[b]; s; s = s->next)
                if (linkable(s) && (!only_defined || defined(s)))
                    what(p, s);
}

static void link_units(ptx_parser *p)
{
    ptx_scope *all = scope_new(&p->module->memory, NULL);
    p->module->scope = all;
    each(p, show, true);
    each(p, resolve, false);
    for (uint32_t b = 0; b < scope_buckets(all); b++) // the module's names for functions
        for (ptx_symbol *s = all->bucket[b]; s; s = s->next)
            s->function = ptx_definition(s)->function;
}

// Texts end where the bytes do, or in a NUL. What lies between them is no text.
static bool next_unit(ptx_parser *p, const char **text, const char *end)
{
    while (*text < end && (**text == 0 || **text == '\n'))
        (*text)++;
    if (*text == end)
        return false;
    p->at = *text;
    p->end = memchr(*text, 0, (size_t)(end - *text));
    p->end = p->end ? p->end : end;
    *text = p->end;
    return true;
}

static void parse_all(ptx_parser *p, const char *text, const char *end)
{
    while (next_unit(p, &text, end)) {
        p->row = 1;
        p->file_base = p->file_end;
        memset(p->inlined, 0, sizeof p->inlined);
        ptx_scope *unit = scope_new(&p->module->memory, NULL);
        *(p->last_unit ? &p->last_unit->next : &p->units) = unit;
        p->last_unit = p->scope = p->module->scope = unit;
        next_token(p);
        parse_unit(p);
    }
    if (!p->units)
        p->module->scope = scope_new(&p->module->memory, NULL);
    else if (p->units->next)
        link_units(p);
}

bool ptx_parse(ptx_module *module, const char *text, size_t bytes)
{
    memset(module, 0, sizeof *module);
    ptx_parser parser = {.module = module};
    if (setjmp(parser.fail))
        return false;
    parse_all(&parser, text, text + bytes);
    return true;
}
