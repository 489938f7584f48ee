// What the files that carry out commands share.

#ifndef SIMT_EXECUTE_H
#define SIMT_EXECUTE_H

#include "context.h"

enum { INVALID_VALUE = 1, NO_MEMORY = 2, INVALID_DEVICE = 101 };

#define EXECUTE(name)                                                                  \
    int run_##name(wire_context *s, const wire_command *c, wire_reply *r)
#define UNUSED(x) ((void)(x))

typedef int executor(wire_context *s, const wire_command *c, wire_reply *r);
#define COMMAND(name, payload, meaning) executor run_##name;
WIRE_COMMANDS(COMMAND)
#undef COMMAND

// The command's bytes in the staging area, or NULL.
static inline char *staged(const wire_context *s, const wire_command *c)
{
    uint64_t all = s->staging_bytes;
    bool inside = c->offset <= all && c->bytes <= all - c->offset;
    return inside ? s->staging + c->offset : NULL;
}

#endif
