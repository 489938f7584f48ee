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
            "    .param .u64 C, .param .u64 E, .param .u64 skip, .param .u64 step, .param .u64 end)\n"
            "{\n.reg .b32 i, t, step_, end_; .reg .b64 s, D_; .reg .pred off; .reg .%s d;\n"
            "mov.u32 i, %%ctaid.x; mov.u32 t, %%tid.x; mad.lo.u32 i, i, %d, t;\n"
            "ld.param.u32 t, [skip]; and.b32 t, t, i; setp.ne.u32 off, t, 0; @off bra DONE;\n"
            "ld.param.u32 step_, [step]; ld.param.u32 end_, [end]; ld.param.u64 D_, [D];\n",
            f->name, i, kind_register(f->d), BLOCK);
        for (int k = 0; k < f->arity; k++)
            n += (size_t)sprintf(text + n, ".reg .%s %c; .reg .b64 %c_; ld.param.u64 %c_, [%c];\n",
                                 kind_register(f->source[k]), "abce"[k], "ABCE"[k], "ABCE"[k],
                                 "ABCE"[k]);
        n += (size_t)sprintf(text + n, "NEXT:\n");
        for (int k = 0; k < f->arity; k++)
            n += (size_t)sprintf(text + n, "mad.wide.u32 s, i, %d, %c_; ld.global.%s %c, [s];\n",
                                 kind_bytes(f->source[k]), "ABCE"[k], kind_register(f->source[k]),
                                 "abce"[k]);
        n += (size_t)sprintf(text + n,
                             "%s\nmad.wide.u32 s, i, %d, D_; st.global.%s [s], d;\n"
                             "add.u32 i, i, step_; setp.lt.u32 off, i, end_; @off bra NEXT;\n"
                             "DONE:\nret;\n}\n",
                             f->code, kind_bytes(f->d), kind_register(f->d));
    }
    return text;
}
