// Which addresses the lanes of a chosen access touch; watch.c.

#ifndef SIMT_WATCH_H
#define SIMT_WATCH_H

#include "exec.h"

enum { WATCH_FIRST = 4, WATCH_MOST = 256 }; // executions of an operation; in a record

typedef struct watch { // what to look at: any line, block or warp where it is not said
    char file[64];
    uint32_t line;
    uint64_t block;
    uint32_t warp;
    bool any_line, any_block, any_warp;
} watch;

// One warp-wide access that was seen. What it costs: sectors, or wavefronts if shared.
typedef struct sighting {
    uint64_t linear;        // the block's place in the grid
    uint32_t block[3], warp;
    uint64_t address[32];   // local: interleaved, as it lies in memory
    uint32_t mask, bytes;   // bytes of a lane
    uint32_t cost, ideal;
    ptx_space space;
} sighting;

typedef struct sightings { // of one operation
    sighting seen[WATCH_FIRST];
    uint32_t count;
} sightings;

typedef struct access_record { // one that is kept
    sighting at;
    char kernel[96];
    const char *file, *verb;
    uint32_t line;
    size_t launch;          // which of the record's
} access_record;

struct watch *watch_new(const char *what); // NULL: "FILE:LINE:BLOCK:WARP" it is not
// Have the watched operations of freshly decoded code run through control_watched.
void watch_code(const simt_device *device, const module *m, simt_code *code);
handler control_watched;
// Put what all workers saw into the record; launch: the number of its launch.
void watch_gather(launch *run, size_t number);
void watch_json(FILE *out, const access_record *list, size_t count);

#endif
