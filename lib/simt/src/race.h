// A word of shared memory's history since the last barrier of its block.

#ifndef SIMT_RACE_H
#define SIMT_RACE_H

#include "exec.h"

typedef struct touch {
    uint32_t epoch;      // block barriers passed; 0: never
    uint32_t warp_epoch; // warp barriers passed, of its warp
    uint16_t thread;
    uint8_t bytes;       // which of the word's four
    uint8_t how;         // 0 load, 1 store, 2 atomic
    uint32_t place;      // file << 20 | line
} touch;

struct shadow {
    touch write, read;
    touch other_read;    // the one before it, by another lane of the same warp
    touch foreign_read;  // the last one by another warp
};

#endif
