// Accesses under checks: what check.c decides when it decodes, and exec_check.c does.

#ifndef SIMT_CHECK_H
#define SIMT_CHECK_H

#include "decode.h"

// Checks that look at single accesses.
enum { CHECK_ACCESSES = SIMT_CHECK_RACE | SIMT_CHECK_INIT };

// op.lanes of a checked operation: which lanes its access is for.
enum { CHECK_ALL_LANES, CHECK_GUARDED, CHECK_ROWS };

#endif
