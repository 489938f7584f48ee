// What a launch asked of the machine, for the time model (duration.c).

#ifndef SIMT_WORK_H
#define SIMT_WORK_H

#include "path.h"

typedef struct links { // of a chain: path.h
    double cycles, globals, shareds, atomics;
} links;

typedef struct work {
    double blocks, warps;        // of the grid
    double pipe[PIPES];          // warp instructions of machine code, estimated: path.h
    links average;               // the chain of an average warp
    links critical;              // that of a block whose warps wait for one of them
    double instructions, longest; // executed by an average warp, and by the busiest
    double l1_requests, l1_lines, wavefronts; // global requests; shared wavefronts
    double l1_reads, l1_hits, l2_reads, l2_writes, dram_reads, dram_writes; // sectors
    double atomic_sectors, slice; // of all slices of L2, of the busiest
    double local_sectors, barriers;
    int blocks_per_sm;
} work;

work work_of(const launch *run, const double *counters);

#endif
