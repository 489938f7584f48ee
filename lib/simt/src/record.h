// What a device has seen since the last reset.

#ifndef SIMT_RECORD_H
#define SIMT_RECORD_H

#include "../wire/occupancy.h"
#include "exec.h"
#include "duration.h"

enum { RECORD_FAULTS = 64, RECORD_LAUNCHES = 256 };

// Counters by name. Names of Nsight Compute where ptxas cannot change the count; plain
// names, ending in _source or _ptx, where it can.
#define COUNTERS(C)                                                                   \
    C(INST, "inst_executed_ptx")                                                      \
    C(THREAD_INST, "thread_inst_executed_ptx")                                        \
    C(LD_REQUESTS, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum")                 \
    C(LD_SECTORS, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum")                   \
    C(LD_BYTES, "global_bytes_ld")                                                    \
    C(ST_REQUESTS, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum")                 \
    C(ST_SECTORS, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum")                   \
    C(ST_BYTES, "global_bytes_st")                                                    \
    C(ATOM_REQUESTS, "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum")             \
    C(ATOM_SECTORS, "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum")               \
    C(RED_REQUESTS, "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum")               \
    C(RED_SECTORS, "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum")                 \
    C(ATOMS_GLOBAL, "atomics_global")                                                 \
    C(ATOMS_SHARED, "atomics_shared")                                                 \
    C(ATOM_DEPTH, "atomic_serialization")                                             \
    C(SHARED_LD, "shared_requests_ld")                                                \
    C(SHARED_LD_WAVES, "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum") \
    C(SHARED_LD_CONFLICTS, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum") \
    C(SHARED_ST, "shared_requests_st")                                                \
    C(SHARED_ST_WAVES, "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum") \
    C(SHARED_ST_CONFLICTS, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum") \
    C(SHARED_ATOM, "shared_requests_atom")                                            \
    C(SHARED_ATOM_WAVES, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum")    \
    C(SHARED_ATOM_CONFLICTS, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum") \
    C(LOCAL_LD, "local_requests_ld")                                                  \
    C(LOCAL_LD_SECTORS, "local_sectors_ld")                                           \
    C(LOCAL_ST, "local_requests_st")                                                  \
    C(LOCAL_ST_SECTORS, "local_sectors_st")                                           \
    C(TEX_REQUESTS, "texture_requests")                                               \
    C(TEX_SECTORS, "texture_sectors")                                                 \
    C(SURFACE_REQUESTS, "surface_requests")                                           \
    C(SURFACE_SECTORS, "surface_sectors")                                             \
    C(BRANCHES, "branches_source")                                                    \
    C(DIVERGENT, "divergent_branches_source")                                         \
    C(BARRIERS, "barriers")                                                           \
    C(WARP_BARRIERS, "warp_barriers")                                                 \
    C(SHUFFLES, "shuffles")                                                           \
    C(VOTES, "votes")                                                                 \
    C(BLOCKS, "blocks")                                                               \
    C(THREADS, "threads")                                                             \
    C(LAUNCHES, "launches")

enum counter {
#define C(id, name) COUNT_##id,
    COUNTERS(C)
#undef C
    COUNT_CLASSES, // instruction classes follow: inst_int_ptx, ...
    COUNT_ALL = COUNT_CLASSES + CLASS_COUNT
};

typedef struct line_record {
    uint16_t file;
    uint32_t line;
    double counters[COUNT_ALL];
} line_record;

typedef struct launch_record {
    char name[96];        // in the source
    const char *symbol;
    char gpu[16];
    simt_asked asked;     // where the program launched it
    uint32_t grid[3], block[3];
    size_t shared;
    int registers;        // a thread
    block_limits limits;  // of blocks on a multiprocessor
    double occupancy;     // theoretical: percent of the warps that it could hold
    double waves;         // of blocks, until all have run
    work work;
    modelled modelled;    // its time on the device's GPU
    int status;
    double counters[COUNT_ALL];
    line_record *lines;
    size_t line_count;
    const char **files;   // the module's, by number
} launch_record;

typedef struct counted { // the handlers whose sites mean more than executions
    handler *ld, *st, *ld_shared, *st_shared, *ld_any, *st_any, *atomic, *shfl, *vote;
    handler *tex, *suld, *sust;
} counted;

typedef struct record {
    counted counted;
    launch_record launches[RECORD_LAUNCHES];
    size_t launch_count, dropped;
    double totals[COUNT_ALL];
    simt_modelled last;
    double ns;                      // of all launches, since the device was opened
    simt_fault faults[RECORD_FAULTS];
    size_t fault_count;
    struct access_record *accesses; // watched ones: watch.h
    size_t access_count;
} record;

void json_triple(FILE *out, const char *name, const uint32_t *v); // record_fault.c
void place_json(FILE *out, const simt_place *p);
void fault_json(FILE *out, const simt_fault *f);

#endif
