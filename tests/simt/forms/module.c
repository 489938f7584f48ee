// PTX for a list of forms: entry f<i> loads a, b, c, e of its case, runs the form's code
// and stores d. Threads whose number has a bit of `skip` leave before it.

#include "forms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *module_text(const form *forms, int count)
{
    size_t room = 256 + (size_t)count * 3000, n = 0;
    char *text = malloc(room);
    if (!text)
        abort();
    n += (size_t)sprintf(text, ".version 8.6\n.target sm_%d\n.address_size 64\n", forms->target);
    for (int i = 0; i < count; i++) {
        const form *f = &forms[i];
        n += (size_t)sprintf(
            text + n,
            "// %s\n.visible .entry f%d(.param .u64 D, .param .u64 A, .param .u64 B,\n"
            "    .param .u64 C, .param .u64 E, .param .u64 skip)\n{\n"
            ".reg .b32 i, n, t; .reg .b64 at, s; .reg .pred off; .reg .%s d;\n"
            "mov.u32 i, %%ctaid.x; mov.u32 n, %%tid.x; mad.lo.u32 i, i, %d, n;\n"
            "ld.param.u64 s, [skip]; cvt.u32.u64 t, s; and.b32 t, t, i;\n"
            "setp.ne.u32 off, t, 0; @off bra DONE;\n",
            f->name, i, kind_register(f->d), BLOCK);
        for (int k = 0; k < f->arity; k++) {
            const char *reg = kind_register(f->source[k]);
            n += (size_t)sprintf(text + n,
                                 ".reg .%s %c; ld.param.u64 at, [%c];\n"
                                 "mul.wide.u32 s, i, %d; add.u64 at, at, s; ld.global.%s %c, [at];\n",
                                 reg, "abce"[k], "ABCE"[k], kind_bytes(f->source[k]), reg, "abce"[k]);
        }
        n += (size_t)sprintf(text + n,
                             "%s\nld.param.u64 at, [D]; mul.wide.u32 s, i, %d; add.u64 at, at, s;\n"
                             "st.global.%s [at], d;\nDONE:\nret;\n}\n",
                             f->code, kind_bytes(f->d), kind_register(f->d));
    }
    return text;
}
