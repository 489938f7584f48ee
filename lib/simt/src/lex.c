// PTX tokens, and the arena that the tree grows in.

#include "ptx.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arena_chunk {
    struct arena_chunk *next;
    size_t used, size;
    _Alignas(16) char data[];
};

void *arena_new(arena *a, size_t bytes)
{
    bytes = (bytes + 15) & ~(size_t)15;
    struct arena_chunk *c = a->chunks;
    if (!c || c->size - c->used < bytes) {
        size_t size = bytes > (1 << 16) ? bytes : 1 << 16;
        c = calloc(1, sizeof *c + size);
        if (!c)
            abort();
        c->size = size;
        c->next = a->chunks;
        a->chunks = c;
    }
    void *p = c->data + c->used;
    c->used += bytes;
    return p;
}

char *arena_text(arena *a, const char *text, size_t length)
{
    char *p = arena_new(a, length + 1);
    memcpy(p, text, length);
    return p;
}

void arena_free(arena *a)
{
    while (a->chunks) {
        struct arena_chunk *c = a->chunks;
        a->chunks = c->next;
        free(c);
    }
}

void parse_error(ptx_parser *p, const char *format, ...)
{
    char what[160];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    snprintf(p->module->error, sizeof p->module->error, "PTX line %d: %s", p->row, what);
    longjmp(p->fail, 1);
}

static void skip_space(ptx_parser *p)
{
    while (p->at < p->end) {
        if (*p->at == '\n') {
            p->row++;
            p->at++;
        } else if (isspace((unsigned char)*p->at)) {
            p->at++;
        } else if (p->end - p->at > 1 && p->at[0] == '/' && p->at[1] == '/') {
            while (p->at < p->end && *p->at != '\n')
                p->at++;
        } else if (p->end - p->at > 1 && p->at[0] == '/' && p->at[1] == '*') {
            for (p->at += 2; p->end - p->at > 1 && (p->at[0] != '*' || p->at[1] != '/');)
                p->row += *p->at++ == '\n';
            p->at = p->end - p->at > 1 ? p->at + 2 : p->end;
        } else {
            return;
        }
    }
}

static bool name_start(char c)
{
    return isalpha((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == '.';
}

// Dots belong to a name (ld.global.u32, %tid.x) and so does :: (shared::cta).
static const char *name_end(const ptx_parser *p)
{
    const char *s = p->at + 1;
    while (s < p->end) {
        if (isalnum((unsigned char)*s) || *s == '_' || *s == '$' || *s == '%')
            s++;
        else if (*s == '.' && s + 1 < p->end && (isalnum((unsigned char)s[1]) || s[1] == '_'))
            s++;
        else if (*s == ':' && p->end - s > 2 && s[1] == ':')
            s += 2;
        else
            break;
    }
    return s;
}

// 12, 0x1f, 017, 12U, 0f3F800000, 0d3FF0000000000000, 1.5.
static void number(ptx_parser *p)
{
    char text[40];
    size_t n = 0;
    while (p->at < p->end && isalnum((unsigned char)*p->at) && n < sizeof text - 1)
        text[n++] = *p->at++;
    text[n] = 0;
    p->kind = K_NUMBER;
    p->is_float = p->is_double = false;
    if (p->at < p->end && *p->at == '.') { // 1.0, 2.5e-3: a double
        while (p->at < p->end && n < sizeof text - 1 &&
               (isalnum((unsigned char)*p->at) || *p->at == '.' ||
                ((*p->at == '+' || *p->at == '-') && strchr("eE", text[n - 1]))))
            text[n++] = *p->at++;
        text[n] = 0;
        char *end;
        double x = strtod(text, &end);
        if (*end)
            parse_error(p, "'%s' is no number", text);
        memcpy(&p->number, &x, 8);
        p->is_float = p->is_double = true;
        return;
    }
    char second = n > 1 && text[0] == '0' ? (char)tolower((unsigned char)text[1]) : 0;
    char *rest;
    if (second == 'f' || second == 'd') {
        p->is_float = true;
        p->is_double = second == 'd';
        p->number = (int64_t)strtoull(text + 2, &rest, 16);
    } else if (second == 'b') {
        p->number = (int64_t)strtoull(text + 2, &rest, 2);
    } else {
        p->number = (int64_t)strtoull(text, &rest, 0);
    }
    while (*rest == 'U' || *rest == 'u')
        rest++;
    if (*rest)
        parse_error(p, "'%s' is no number", text);
}

void next_token(ptx_parser *p)
{
    skip_space(p);
    if (p->at >= p->end || *p->at == 0) {
        p->kind = K_END;
        p->text = "the end";
        return;
    }
    char c = *p->at;
    if (name_start(c)) {
        const char *end = name_end(p);
        p->kind = K_NAME;
        p->text = arena_text(&p->module->memory, p->at, (size_t)(end - p->at));
        p->at = end;
    } else if (isdigit((unsigned char)c)) {
        number(p);
    } else if (c == '"') {
        const char *start = ++p->at;
        while (p->at < p->end && *p->at != '"' && *p->at != '\n')
            p->at++;
        p->kind = K_STRING;
        p->text = arena_text(&p->module->memory, start, (size_t)(p->at - start));
        if (p->at < p->end)
            p->at++;
    } else {
        p->kind = K_PUNCT;
        p->punct = c;
        p->at++;
    }
}

bool is_punct(const ptx_parser *p, char c)
{
    return p->kind == K_PUNCT && p->punct == c;
}

bool is_name(const ptx_parser *p, const char *name)
{
    return p->kind == K_NAME && !strcmp(p->text, name);
}

bool take(ptx_parser *p, char c)
{
    if (!is_punct(p, c))
        return false;
    next_token(p);
    return true;
}

// Brackets are read by recursion, so there is an end to them.
void deeper(ptx_parser *p)
{
    if (++p->depth > 200)
        parse_error(p, "brackets are nested too deep");
}

void expect(ptx_parser *p, char c)
{
    if (!take(p, c))
        parse_error(p, "expected '%c'", c);
}
