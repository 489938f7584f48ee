// The entry points that are refused: they exist, so every program links; each says its
// name once and returns cudaErrorNotSupported.
//
// They take no arguments here, whatever the caller passes, and so need no header.

#include <stdatomic.h>

int front_refuse(const char *name, atomic_flag *said, const void *from);

#define DEFINE(name)                                                                   \
    int name(void);                                                                    \
    int name(void)                                                                     \
    {                                                                                  \
        static atomic_flag said = ATOMIC_FLAG_INIT;                                    \
        return front_refuse(#name, &said, __builtin_return_address(0));                \
    }

#define HERE(twin, name)
#define REFUSED(twin, name) DEFINE(name) twin(name)
#define NONE(name)
#define PTDS(name) DEFINE(name##_ptds)
#define PTSZ(name) DEFINE(name##_ptsz)

#define ENTRY(state, twin, name, about) state(twin, name)
#include "entries.def"
