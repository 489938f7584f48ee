// A function's body: declarations, labels and instructions with their operands.

#include "ptx.h"

#include <stdlib.h>
#include <string.h>

// A register's place in a warp's frame: 32 lanes side by side, 64-byte aligned.
static void place_register(ptx_parser *p, ptx_symbol *s)
{
    int bytes = s->type == T_PRED ? 1 : ptx_type_bytes(s->type);
    if (bytes == 1 && s->type != T_PRED)
        bytes = 2; // 8-bit types live in 16-bit registers
    s->bytes = (size_t)bytes;
    s->at = p->function->register_bytes;
    p->function->register_bytes += bytes == 1 ? 64u : 32u * (uint32_t)bytes;
    p->function->registers += bytes > 4 ? (uint32_t)bytes / 4 : bytes == 1 ? 0 : 1;
    if (p->function->register_bytes > 1u << 28)
        parse_error(p, "'%s' has too many registers", p->function->name);
}

// %r17 is a member of the family %r<22>: it gets a symbol of its own on first use.
static ptx_symbol *member(ptx_parser *p, const char *name)
{
    size_t stem = strlen(name);
    while (stem && name[stem - 1] >= '0' && name[stem - 1] <= '9')
        stem--;
    if (!name[stem] || !stem)
        return NULL;
    char *text = arena_text(&p->module->memory, name, stem);
    for (ptx_scope *scope = p->scope; scope; scope = scope->outer) {
        ptx_symbol *family = scope_find_here(scope, text);
        if (!family || family->space != S_REG || !family->dynamic)
            continue;
        if (strtoull(name + stem, NULL, 10) >= family->bytes)
            return NULL;
        ptx_symbol *s = declare(p, scope, name, S_REG);
        s->type = family->type;
        place_register(p, s);
        return s;
    }
    return NULL;
}

static ptx_symbol *lookup(ptx_parser *p, const char *name)
{
    ptx_symbol *s = scope_find(p->scope, name);
    if (s && s->space == S_REG && s->dynamic)
        return NULL; // a family is no register
    if (s && s->space == S_REG && !s->bytes)
        place_register(p, s);
    return s ? s : member(p, name);
}

static ptx_operand *new_operand(ptx_parser *p, ptx_operand_kind kind)
{
    ptx_operand *o = arena_new(&p->module->memory, sizeof *o);
    o->kind = kind;
    return o;
}

static ptx_operand *operand(ptx_parser *p);
static ptx_operand *read_operand(ptx_parser *p);

static ptx_operand *list(ptx_parser *p, char close)
{
    ptx_operand *o = new_operand(p, O_LIST), **tail = &o->inner;
    while (!take(p, close)) {
        *tail = operand(p);
        tail = &(*tail)->next;
        if (!take(p, ',') && !is_punct(p, close))
            parse_error(p, "expected ',' or '%c'", close);
    }
    return o;
}

static bool special(const char *name)
{
    static const char *const names[] = {
        "%tid", "%ntid", "%ctaid", "%nctaid", "%laneid", "%warpid", "%nwarpid", "%smid",
        "%nsmid", "%gridid", "%lanemask", "%clock", "%globaltimer", "%envreg",
        "%dynamic_smem", "%total_smem", "%pm", "%cluster", "%nclusterid", "%is_explicit", "%aggr_smem",
        "%reserved_smem", "%current_graph", NULL};
    for (int i = 0; names[i]; i++)
        if (!strncmp(name, names[i], strlen(names[i])))
            return true;
    return false;
}

static int64_t minus_of(int64_t n)
{
    return (int64_t)-(uint64_t)n;
}

static ptx_operand *name_operand(ptx_parser *p)
{
    const char *name = p->text;
    next_token(p);
    ptx_operand *o = new_operand(p, O_NAME);
    o->name = name;
    if (!strcmp(name, "_")) {
        o->kind = O_SINK;
        if (take(p, '|')) // _|p
            o->pair = operand(p);
        return o;
    }
    o->symbol = lookup(p, name);
    const char *dot = o->symbol ? NULL : strrchr(name, '.');
    if (dot && (dot[1] == 'b' || dot[1] == 'h')) { // %r1.b0: a part of a register
        ptx_symbol *whole = lookup(p, arena_text(&p->module->memory, name, (size_t)(dot - name)));
        if (whole && whole->space == S_REG) {
            o->symbol = whole;
            o->part = dot + 1;
        }
    }
    if (!o->symbol) {
        if (name[0] == '%' && special(name))
            o->kind = O_SREG;
        else if (!strcmp(name, "WARP_SZ")) {
            o->kind = O_IMM;
            o->value = 32;
        }
        return o; // a label or function defined later stays O_NAME
    }
    o->kind = o->symbol->space == S_REG                                     ? O_REG
              : o->symbol->space == S_LABEL || o->symbol->space == S_FUNC ? O_NAME
                                                                            : O_SYM;
    if (o->kind == O_REG && take(p, '|')) {
        o->pair = operand(p);
    } else if (is_punct(p, '+') || is_punct(p, '-')) {
        bool minus = is_punct(p, '-');
        next_token(p);
        bool also_minus = take(p, '-');
        if (p->kind != K_NUMBER)
            parse_error(p, "expected a number after '%s'", name);
        o->value = minus != also_minus ? minus_of(p->number) : p->number;
        next_token(p);
    }
    return o;
}

static ptx_operand *operand(ptx_parser *p)
{
    deeper(p);
    ptx_operand *o = read_operand(p);
    p->depth--;
    return o;
}

static ptx_operand *read_operand(ptx_parser *p)
{
    if (take(p, '{')) {
        ptx_operand *o = list(p, '}');
        if (take(p, '|'))
            o->pair = operand(p);
        return o;
    }
    if (take(p, '('))
        return list(p, ')');
    if (take(p, '[')) {
        ptx_operand *o = new_operand(p, O_MEM);
        o->inner = operand(p);
        o->value = o->inner->value;
        if (take(p, ',')) // [object, {x, y}]: textures
            o->inner->next = operand(p);
        expect(p, ']');
        return o;
    }
    bool negated = take(p, '!'), minus = take(p, '-');
    if (p->kind == K_NUMBER) {
        ptx_operand *o = new_operand(p, O_IMM);
        o->value = minus ? minus_of(p->number) : p->number;
        o->is_float = p->is_float;
        o->is_double = p->is_double;
        next_token(p);
        return o;
    }
    if (p->kind != K_NAME)
        parse_error(p, "an operand that is not understood");
    ptx_operand *o = name_operand(p);
    o->negated = negated || minus;
    return o;
}

static ptx_inst *new_inst(ptx_parser *p, ptx_function *f)
{
    if (f->count == f->capacity) {
        uint32_t capacity = f->capacity ? f->capacity * 2 : 64;
        ptx_inst *code = arena_new(&p->module->memory, sizeof *code * capacity);
        if (f->count)
            memcpy(code, f->code, sizeof *code * f->count);
        f->code = code;
        f->capacity = capacity;
    }
    ptx_inst *i = &f->code[f->count++];
    i->file = p->file;
    i->line = p->line;
    i->caller = p->caller;
    return i;
}

static void split_mnemonic(ptx_parser *p, ptx_inst *i, const char *text)
{
    i->text = text;
    char *copy = arena_text(&p->module->memory, text, strlen(text));
    i->base = copy;
    for (char *dot = strchr(copy, '.'); dot; dot = strchr(dot, '.')) {
        *dot++ = 0;
        if (i->mods == PTX_MODS)
            parse_error(p, "'%s' has too many parts", text);
        i->mod[i->mods++] = dot;
    }
}

static void instruction(ptx_parser *p, ptx_function *f)
{
    ptx_symbol *guard = NULL;
    bool guard_not = false;
    if (take(p, '@')) {
        guard_not = take(p, '!');
        guard = p->kind == K_NAME ? lookup(p, p->text) : NULL;
        if (!guard || guard->space != S_REG || guard->type != T_PRED)
            parse_error(p, "a guard that is no predicate");
        next_token(p);
    }
    if (p->kind != K_NAME)
        parse_error(p, "expected an instruction");
    const char *text = p->text;
    ptx_operand *operands[PTX_OPERANDS];
    int count = 0;
    next_token(p);
    while (!take(p, ';')) {
        if (count == PTX_OPERANDS)
            parse_error(p, "'%s' has too many operands", text);
        operands[count++] = operand(p);
        if (!take(p, ',') && !is_punct(p, ';'))
            parse_error(p, "'%s': expected ',' or ';'", text);
    }
    ptx_inst *i = new_inst(p, f);
    split_mnemonic(p, i, text);
    i->guard = guard;
    i->guard_not = guard_not;
    i->operands = count;
    memcpy(i->operand, operands, sizeof *operands * (size_t)count);
}

static void directive(ptx_parser *p)
{
    const char *d = p->text;
    next_token(p);
    if (!strcmp(d, ".loc")) {
        parse_loc(p);
    } else if (!strcmp(d, ".reg")) {
        parse_variable(p, p->scope, S_REG, false);
        expect(p, ';');
    } else if (!strcmp(d, ".shared") || !strcmp(d, ".local") || !strcmp(d, ".param") ||
               !strcmp(d, ".global") || !strcmp(d, ".const")) {
        ptx_space space = d[1] == 's'   ? S_SHARED
                          : d[1] == 'l' ? S_LOCAL
                          : d[1] == 'p' ? S_PARAM
                          : d[1] == 'g' ? S_GLOBAL
                                        : S_CONST;
        parse_variable(p, p->scope, space, false);
        expect(p, ';');
    } else { // .pragma, .file, .branchtargets, .callprototype, ...
        while (p->kind != K_END && !take(p, ';'))
            next_token(p);
    }
}

static void label(ptx_parser *p, ptx_function *f, const char *name)
{
    ptx_symbol *s = declare(p, p->scope, name, S_LABEL);
    s->at = f->count;
    if (is_name(p, ".branchtargets")) { // ts: .branchtargets L1, L2; a list for brx.idx
        ptx_operand *o = new_operand(p, O_LIST), **tail = &o->inner;
        next_token(p);
        do {
            *tail = operand(p);
            tail = &(*tail)->next;
        } while (take(p, ','));
        expect(p, ';');
        s->init = (uint8_t *)o;
    } else if (is_name(p, ".callprototype")) {
        while (p->kind != K_END && !take(p, ';'))
            next_token(p);
    }
}

// Labels of an inner scope must be found from decode.c, which knows only the
// instruction, so every O_NAME is bound to its symbol when its scope closes.
static void bind_names(ptx_parser *p, ptx_function *f, uint32_t from)
{
    for (uint32_t i = from; i < f->count; i++)
        for (int k = 0; k < f->code[i].operands; k++) {
            ptx_operand *o = f->code[i].operand[k];
            if (o->kind == O_NAME && !o->symbol)
                o->symbol = scope_find(p->scope, o->name);
            ptx_operand *list = o->kind == O_LIST ? o : NULL;
            if (o->kind == O_NAME && o->symbol && o->symbol->space == S_LABEL)
                list = (ptx_operand *)o->symbol->init; // .branchtargets
            for (ptx_operand *e = list ? list->inner : NULL; e; e = e->next)
                if (e->kind == O_NAME && !e->symbol)
                    e->symbol = scope_find(p->scope, e->name);
        }
}

static void block(ptx_parser *p, ptx_function *f)
{
    uint32_t from = f->count;
    while (!is_punct(p, '}')) {
        if (p->kind == K_END)
            parse_error(p, "'%s' does not end", f->name);
        if (is_punct(p, '{')) {
            next_token(p);
            p->scope = scope_new(&p->module->memory, p->scope);
            deeper(p);
            block(p, f);
            p->depth--;
            p->scope = p->scope->outer;
        } else if (take(p, ';')) {
            continue;
        } else if (p->kind == K_NAME && p->text[0] == '.') {
            directive(p);
        } else if (p->kind == K_NAME) {
            const char *name = p->text, *after = p->at;
            int row = p->row;
            next_token(p);
            if (take(p, ':')) {
                label(p, f, name);
                continue;
            }
            p->kind = K_NAME; // no label: read it again as an instruction
            p->text = name;
            p->at = after;
            p->row = row;
            instruction(p, f);
        } else {
            instruction(p, f);
        }
    }
    next_token(p);
    bind_names(p, f, from);
}

void parse_body(ptx_parser *p, ptx_function *f)
{
    expect(p, '{');
    block(p, f);
    ptx_inst *end = new_inst(p, f); // running off the end returns
    end->text = end->base = "ret";
}
