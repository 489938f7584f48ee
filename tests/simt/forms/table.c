// forms.def made into a list: "<add|sub>.<u32|s32>" stands for four mnemonics.

#include "forms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct line {
    const char *class;
    int target;
    const char *mnemonic, *kinds, *code, *bound;
} lines[] = {
#define F(class, target, mnemonic, kinds, code, bound)                                \
    {class, target, mnemonic, kinds, code, bound},
#include "forms.def"
#undef F
};

static const struct {
    const char *name;
    int bytes;
    const char *reg;
} kinds[] = {
#define K(id, name, bytes, reg) {name, bytes, reg},
    KINDS(K)
#undef K
};

int kind_bytes(kind k) { return kinds[k].bytes; }
const char *kind_register(kind k) { return kinds[k].reg; }

static kind kind_named(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, name))
            return (kind)i;
    fprintf(stderr, "forms.def: no kind '%s'\n", name);
    exit(2);
}

static form *list;
static int count, room;

static void add(const struct line *l, const char *text, const char *extra)
{
    if (count == room)
        list = realloc(list, sizeof *list * (size_t)(room = room * 2 + 256));
    form *f = &list[count++];
    memset(f, 0, sizeof *f);
    const char *tab = strchr(text, '\t'), *code = tab + 1;
    snprintf(f->text, sizeof f->text, "%.*s", (int)(tab - text), text);
    char words[64], *save = NULL;
    snprintf(words, sizeof words, "%s", l->kinds);
    f->d = kind_named(strtok_r(words, " ", &save));
    for (char *w; (w = strtok_r(NULL, " ", &save));)
        f->source[f->arity++] = kind_named(w);
    char plain[32] = "d";
    for (int i = 0; i < f->arity; i++)
        sprintf(plain + strlen(plain), ", %c", "abce"[i]);
    if (!*code)
        snprintf(f->code, sizeof f->code, "%s %s;", f->text, plain);
    for (const char *c = code; *c; c++) { // @ stands for the mnemonic
        size_t n = strlen(f->code);
        if (*c == '@')
            snprintf(f->code + n, sizeof f->code - n, "%s", f->text);
        else if (n + 1 < sizeof f->code)
            f->code[n] = *c;
    }
    snprintf(f->extra, sizeof f->extra, "%s", extra);
    snprintf(f->name, sizeof f->name, "%s%s", f->text, f->extra);
    f->class = l->class;
    f->target = l->target;
    f->bound = l->bound;
}

// Expand the first <x|y|...> of text and go on with each; choices made in the code
// (behind the tab) also go into the name.
static void expand(const struct line *l, const char *text, const char *extra)
{
    const char *open = strchr(text, '<');
    if (!open) {
        add(l, text, extra);
        return;
    }
    const char *close = strchr(open, '>');
    bool in_code = memchr(text, '\t', (size_t)(open - text)) != NULL;
    for (const char *at = open + 1; at <= close; at++) {
        size_t n = strcspn(at, "|>");
        char next[800], more[32];
        snprintf(next, sizeof next, "%.*s%.*s%s", (int)(open - text), text, (int)n, at, close + 1);
        if (in_code)
            snprintf(more, sizeof more, "%s %.*s", extra, (int)n, at);
        else
            snprintf(more, sizeof more, "%s", extra);
        expand(l, next, more);
        at += n;
    }
}

static void cut(form *f)
{
    static char pool[1 << 20];
    static size_t used;
    char *copy = pool + used;
    used += strlen(f->text) + 1;
    if (used > sizeof pool)
        abort();
    strcpy(copy, f->text);
    for (char *save = NULL, *w = strtok_r(copy, ".", &save); w && f->parts < PARTS;
         w = strtok_r(NULL, ".", &save))
        f->part[f->parts++] = w;
    static const char *const asked[] = {
#define P(name) #name,
        ASKED(P)
#undef P
    };
    for (int i = 1; i < f->parts; i++)
        for (size_t k = 0; k < sizeof asked / sizeof *asked; k++)
            if (!strcmp(asked[k], f->part[i]))
                f->asked |= (u64)1 << k;
}

const form *forms_all(int *n)
{
    if (!count) {
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
            char text[800];
            snprintf(text, sizeof text, "%s\t%s", lines[i].mnemonic,
                     lines[i].code ? lines[i].code : "");
            expand(&lines[i], text, "");
        }
        for (int i = 0; i < count; i++)
            cut(&list[i]);
    }
    *n = count;
    return list;
}
