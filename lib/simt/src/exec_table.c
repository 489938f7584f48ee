// The handlers of one instruction set, in the order of handlers.def.

#include "lanes.h"

#define H(name) handler SIMT_FN(name);
#include "handlers.def"
#undef H

#define TABLE SIMT_JOIN(handlers, SIMT_ISA)
handler *const TABLE[] = {
#define H(name) SIMT_FN(name),
#include "handlers.def"
#undef H
};
