// A managed variable lies in memory that host and device share, not where the module
// was given room for it.

#include "../src/exec.h"

#include <string.h>

int simt_bind_variable(simt_device *d, uint32_t id, const char *name, uint64_t address)
{
    module *m = d->modules;
    while (m && m->id != id)
        m = m->next;
    ptx_symbol *s =
        m ? (ptx_symbol *)(uintptr_t)ptx_definition(scope_find(m->ptx.scope, name)) : NULL;
    range from, to;
    if (!s || (s->space != S_GLOBAL && s->space != S_CONST))
        return 13; // cudaErrorInvalidSymbol
    if (!heap_find(d->heap, address, s->bytes, &to) ||
        !heap_find(d->heap, s->at, s->bytes, &from))
        return 1;
    memmove(to.host + (address - to.low), from.host + (s->at - from.low), s->bytes);
    heap_free(d->heap, s->at);
    s->at = address;
    return 0;
}
