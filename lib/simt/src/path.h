// What a basic block asks of a multiprocessor: instructions by pipe, and how long one
// warp takes for it alone. For the time model; worked out once, from the PTX.

#ifndef SIMT_PATH_H
#define SIMT_PATH_H

#include "exec.h"

enum pipe { PIPE_ISSUE, PIPE_ALU, PIPE_FMA, PIPE_FP64, PIPE_XU, PIPE_LSU, PIPE_TENSOR, PIPES };

// The longest chain of instructions that wait for each other: cycles of arithmetic, and
// how many of its links are memory accesses, whose time depends on where they hit.
typedef struct path {
    double pipe[PIPES]; // warp instructions; PIPE_TENSOR: multiply-adds
    double cycles;
    double globals, shareds, atomics;
} path;

// One for each basic block of the code. NULL: no memory.
const path *paths_of(simt_code *code);

// Where a function reads a clock: its blocks get their cycles, and the reading operations
// (imm) how far into their block they are. last_op: of each instruction.
void path_clocks(simt_code *code, const uint32_t *last_op);

#endif
