// A PTX module: directives, variables with their initial bytes, functions.

#include "ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The linkage of a declaration outside functions.
static void note_linkage(const ptx_parser *p, ptx_symbol *s)
{
    s->visible |= p->visible;
    s->weak |= p->weak;
}

static void skip_braces(ptx_parser *p)
{
    int depth = 0;
    do {
        if (is_punct(p, '{'))
            depth++;
        else if (is_punct(p, '}'))
            depth--;
        else if (p->kind == K_END)
            parse_error(p, "a '}' is missing");
        next_token(p);
    } while (depth);
}

static void initialise(ptx_parser *p, ptx_symbol *s, size_t *at, int width)
{
    if (take(p, '{')) {
        deeper(p);
        while (!take(p, '}')) {
            initialise(p, s, at, width);
            take(p, ',');
        }
        p->depth--;
        return;
    }
    bool negative = take(p, '-');
    uint64_t value = 0;
    if (p->kind == K_NUMBER) {
        value = negative ? -(uint64_t)p->number : (uint64_t)p->number;
        next_token(p);
    } else if (p->kind == K_NAME) { // name, name+4, generic(name)+4, 0xff(name)
        const char *name = p->text;
        next_token(p);
        if (!strcmp(name, "generic") && take(p, '(')) {
            name = p->text;
            next_token(p);
            expect(p, ')');
        }
        ptx_reloc *r = arena_new(&p->module->memory, sizeof *r);
        *r = (ptx_reloc){.next = s->relocs, .at = *at, .name = name, .scope = p->scope};
        if (take(p, '+')) {
            r->addend = p->number;
            next_token(p);
        }
        s->relocs = r;
    } else {
        parse_error(p, "'%s' has an initialiser that is not understood", s->name);
    }
    if (width > (int64_t)s->bytes || *at > s->bytes - (size_t)width)
        parse_error(p, "'%s' has too many initial values", s->name);
    memcpy(s->init + *at, &value, width > 8 ? 8 : (size_t)width);
    *at += (size_t)width;
}

static size_t array_bounds(ptx_parser *p, bool *dynamic)
{
    size_t count = 1;
    while (take(p, '[')) {
        if (is_punct(p, ']')) {
            *dynamic = true;
        } else {
            if (p->kind != K_NUMBER || p->number < 0)
                parse_error(p, "an array's size is no number");
            if (p->number > (int64_t)1 << 40 ||
                (p->number && count > ((size_t)1 << 40) / (size_t)p->number))
                parse_error(p, "an array is too large");
            count *= (size_t)p->number;
            next_token(p);
        }
        expect(p, ']');
    }
    return count;
}

static size_t round_up(size_t n, size_t to)
{
    return to ? (n + to - 1) / to * to : n;
}

// At the end of a space that has so much in it.
static size_t place_in(ptx_parser *p, const ptx_symbol *s, size_t *used, size_t align,
                       size_t most)
{
    *used = round_up(*used, align);
    if (s->bytes > most || *used > most - s->bytes)
        parse_error(p, "'%s' does not fit: %zu bytes is the most", s->name, most);
    *used += s->bytes;
    return *used - s->bytes;
}

// What the hardware has, or more.
enum { MOST_SHARED = 228 << 10, MOST_LOCAL = 512 << 10, MOST_ARGUMENTS = 64 << 10 };

static void place(ptx_parser *p, ptx_symbol *s)
{
    ptx_module *m = p->module;
    ptx_function *f = p->function;
    if (s->space == S_GLOBAL || s->space == S_CONST) {
        m->variables = realloc(m->variables, sizeof *m->variables * (size_t)(m->variable_count + 1));
        m->variables[m->variable_count++] = s;
    } else if (s->space == S_SHARED && !s->dynamic) {
        size_t *size = f && f->entry ? &f->shared_bytes : &m->shared_bytes;
        s->at = place_in(p, s, size, s->align, MOST_SHARED);
        s->at |= f && f->entry ? (uint64_t)1 << 62 : 0; // bit 62: of the kernel
    } else if (s->space == S_LOCAL && f) {
        s->at = place_in(p, s, &f->local_bytes, s->align, MOST_LOCAL);
    } else if (s->space == S_PARAM && f) { // argument space of a call
        s->at = place_in(p, s, &f->call_bytes, 16, MOST_ARGUMENTS);
    }
}

#define MOST_BYTES ((size_t)1 << 42)
enum { MOST_INITIALISED = 256 << 20 };

void parse_variable(ptx_parser *p, ptx_scope *scope, ptx_space space, bool external)
{
    size_t align = 0;
    int vector = 1;
    ptx_type type = T_NONE;
    for (; p->kind == K_NAME && p->text[0] == '.'; next_token(p)) {
        if (is_name(p, ".align")) {
            next_token(p);
            align = (size_t)p->number;
            if (!align || align > 4096 || (align & (align - 1)))
                parse_error(p, ".align is no power of two");
        } else if (is_name(p, ".v2") || is_name(p, ".v4")) {
            vector = p->text[2] - '0';
        } else if (is_name(p, ".attribute") || is_name(p, ".ptr")) {
            next_token(p);
            while (p->kind != K_END && !is_punct(p, ')'))
                next_token(p);
        } else {
            ptx_type t = ptx_type_named(p->text + 1);
            type = t != T_NONE ? t : type;
        }
    }
    if (type == T_NONE)
        parse_error(p, "a declaration without a type");
    do {
        if (p->kind != K_NAME)
            parse_error(p, "a declaration without a name");
        ptx_symbol *s = declare(p, scope, p->text, space);
        next_token(p);
        if (take(p, '<')) { // %r<22>: a family, kept as one symbol
            s->bytes = (size_t)p->number;
            s->dynamic = true;
            next_token(p);
            expect(p, '>');
            s->type = type;
            continue;
        }
        bool dynamic = false;
        size_t count = array_bounds(p, &dynamic);
        size_t width = (size_t)ptx_type_bytes(type) * (size_t)vector;
        bool again = s->type != T_NONE && space != S_REG;
        bool sized = again && !s->dynamic && s->bytes;
        size_t bytes = dynamic && space == S_SHARED ? 0 : count * width;
        if (bytes > MOST_BYTES || (sized && s->bytes != bytes) || (again && s->init))
            parse_error(p, "'%s' is too large, or declared in two ways", s->name);
        s->type = type;
        s->align = align ? align : width;
        s->external = external && !again;
        if (!p->function)
            note_linkage(p, s);
        s->dynamic = dynamic && space == S_SHARED;
        s->bytes = space == S_REG ? 0 : bytes; // registers: on use
        if (take(p, '=')) {
            if (dynamic)
                parse_error(p, "'%s' is initialised and has no size", s->name);
            if (bytes > MOST_INITIALISED)
                parse_error(p, "'%s' is too large to be initialised", s->name);
            s->init = arena_new(&p->module->memory, s->bytes + 1);
            size_t at = 0;
            initialise(p, s, &at, (int)width);
        }
        if (space != S_REG && !again)
            place(p, s);
    } while ((space != S_PARAM || p->function) && take(p, ','));
}

static void parameters(ptx_parser *p, ptx_function *f)
{
    expect(p, '(');
    while (!take(p, ')')) {
        if (is_name(p, ".param")) {
            next_token(p);
            ptx_function *keep = p->function;
            p->function = NULL; // place() leaves them to us
            parse_variable(p, f->scope, S_PARAM, false);
            p->function = keep;
        } else if (is_name(p, ".reg")) {
            parse_error(p, "'%s' has .reg parameters", f->name);
        } else {
            parse_error(p, "a parameter list that is not understood");
        }
        take(p, ',');
    }
}

// Parameters in order of declaration: the scope holds them by name, so the names are
// read off the text between the parentheses first.
static void ordered_parameters(ptx_parser *p, ptx_function *f, bool results)
{
    static _Thread_local ptx_parser ahead; // too large for the stack
    ahead = *p;
    const char *names[512];
    int count = 0, depth = 0;
    do {
        if (is_punct(&ahead, '('))
            depth++;
        else if (is_punct(&ahead, ')'))
            depth--;
        else if (ahead.kind == K_NAME && ahead.text[0] != '.' && depth == 1 && count < 512)
            names[count++] = ahead.text;
        else if (ahead.kind == K_END)
            parse_error(p, "a ')' is missing");
        next_token(&ahead);
    } while (depth);
    parameters(p, f);
    size_t at = 0;
    if (!results)
        f->parameters = arena_new(&p->module->memory, sizeof *f->parameters * (size_t)(count + 1));
    for (int i = 0; i < count; i++) {
        ptx_symbol *s = scope_find(f->scope, names[i]);
        if (!s || s->space != S_PARAM)
            continue;
        s->at = place_in(p, s, &at, s->align, MOST_ARGUMENTS);
        if (results)
            f->result = s;
        else
            f->parameters[f->parameter_count++] = s;
    }
    if (!results)
        f->parameter_bytes = at;
}

static void function(ptx_parser *p, bool entry)
{
    ptx_function *f = arena_new(&p->module->memory, sizeof *f);
    f->entry = entry;
    f->scope = scope_new(&p->module->memory, p->module->scope);
    f->name = "?";
    f->max_threads = 1024;
    f->register_bytes = 64; // offset 0 is no operand
    if (is_punct(p, '('))
        ordered_parameters(p, f, true);
    if (p->kind != K_NAME)
        parse_error(p, "a function without a name");
    f->name = p->text;
    next_token(p);
    if (is_punct(p, '('))
        ordered_parameters(p, f, false);
    while (p->kind == K_NAME && p->text[0] == '.') { // .maxntid 256, 1, 1 and the like
        bool required = is_name(p, ".reqntid"), most = is_name(p, ".maxntid");
        bool cluster = is_name(p, ".reqnctapercluster");
        bool blocks = is_name(p, ".minnctapersm"), registers = is_name(p, ".maxnreg");
        next_token(p);
        uint64_t product = 1;
        for (int d = 0; p->kind == K_NUMBER; d++) {
            uint64_t n = (uint64_t)p->number;
            product = n && product <= 1 << 20 && n <= 1 << 20 ? product * n : 0;
            if (cluster && d < 3)
                f->cluster[d] = (uint32_t)n;
            if (cluster && (!n || n > 1 << 20))
                parse_error(p, "a cluster of %llu blocks", (unsigned long long)n);
            next_token(p);
            if (!take(p, ','))
                break;
        }
        if (required || most)
            f->max_threads = product && product < 1024 ? (int)product : 1024;
        if (required)
            f->required_threads = product <= 1024 ? (int)product : 1025; // never
        f->bounded |= required || most;
        if (blocks)
            f->min_blocks = product && product < 32 ? (int)product : 32;
        if (registers)
            f->max_registers = product && product < 255 ? (int)product : 255;
    }
    ptx_symbol *s = declare(p, p->module->scope, f->name, S_FUNC);
    note_linkage(p, s);
    if (is_punct(p, ';')) {
        next_token(p);
        if (!s->function)
            s->function = f;
        return;
    }
    f->defined = true;
    s->function = f;
    f->next = p->module->functions;
    p->module->functions = f;
    p->function = f;
    p->scope = f->scope;
    parse_body(p, f);
    p->function = NULL;
    p->scope = p->module->scope;
}

void parse_unit(ptx_parser *p)
{
    bool external = false;
    for (;;) {
        if (p->kind == K_END)
            return;
        if (p->kind != K_NAME)
            parse_error(p, "expected a directive");
        const char *d = p->text;
        next_token(p);
        if (!strcmp(d, ".version") || !strcmp(d, ".target") || !strcmp(d, ".address_size")) {
            do { // 9.0 | sm_80, texmode_independent | 64
                next_token(p);
                if (p->kind == K_NAME && p->text[0] == '.' && p->text[1] >= '0' && p->text[1] <= '9')
                    next_token(p);
            } while (take(p, ','));
        } else if (!strcmp(d, ".visible") || !strcmp(d, ".weak") || !strcmp(d, ".common")) {
            p->visible |= d[1] == 'v';
            p->weak |= d[1] != 'v';
            continue;
        } else if (!strcmp(d, ".extern")) {
            external = true;
            continue;
        } else if (!strcmp(d, ".entry") || !strcmp(d, ".func")) {
            function(p, d[1] == 'e');
        } else if (!strcmp(d, ".global") || !strcmp(d, ".const") || !strcmp(d, ".shared")) {
            parse_variable(p, p->module->scope,
                           d[1] == 'g' ? S_GLOBAL : d[1] == 'c' ? S_CONST : S_SHARED, external);
            expect(p, ';');
        } else if (!strcmp(d, ".file")) {
            parse_file(p);
        } else if (!strcmp(d, ".section")) {
            next_token(p);
            skip_braces(p);
        } else if (!strcmp(d, ".loc")) {
            parse_loc(p);
        } else if (!strcmp(d, ".alias") || !strcmp(d, ".pragma")) {
            while (p->kind != K_END && !take(p, ';'))
                next_token(p);
        } else {
            parse_error(p, "the directive '%s' is not supported", d);
        }
        external = p->visible = p->weak = false;
    }
}
