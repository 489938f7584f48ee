// Inside the front end: a pool, for the two files that know what is in one.

#ifndef SIMT_POOL_H
#define SIMT_POOL_H

#include "memory.h"

typedef struct parcel {
    struct parcel *next;
    void *at;
    size_t bytes; // in units of 512
    bool used;
    const stream *s; // given back there ...
    uint64_t number; // ... by this item
} parcel;

typedef struct pool {
    struct pool *next;
    int device;
    bool own; // a device's own: not to be destroyed
    parcel *parcels;
    uint64_t threshold, used, used_high, reserved, reserved_high;
    int reuse[3];
    unsigned char access[WIRE_DEVICES];
    bool gone; // destroyed, but some memory is in use
} pool;

extern pool *pool_current[WIRE_DEVICES]; // NULL: the device's own
pool *pool_new(int number);
pool *pool_own(int number);
pool *pool_of(cudaMemPool_t handle); // NULL: none
void pool_mark(pool *p);             // the high marks
void pool_trim(pool *p, uint64_t keep);

#endif
