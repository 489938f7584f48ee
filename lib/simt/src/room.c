// Rooms: the zeroed memory that a launch works in, kept for the next launch.
//
// A program may launch a million small kernels, and a launch needs a dozen pieces of
// memory. Rooms come in powers of two; those given back wait in a list a size, large
// ones go back to the host.

#include "exec.h"

#include <stdlib.h>
#include <string.h>

enum { SMALLEST = 9, LARGEST = 20, HEAD = 64 }; // HEAD keeps the contents aligned

typedef union room {
    struct {
        union room *next;
        int size; // its power of two, or 0: too large to keep
    };
    char head[HEAD];
} room;

struct rooms {
    pthread_mutex_t lock;
    room *kept[LARGEST + 1];
};

struct rooms *rooms_open(void)
{
    struct rooms *all = calloc(1, sizeof *all);
    if (all)
        pthread_mutex_init(&all->lock, NULL);
    return all;
}

void rooms_close(struct rooms *all)
{
    if (!all)
        return;
    for (int i = 0; i <= LARGEST; i++)
        while (all->kept[i]) {
            room *r = all->kept[i];
            all->kept[i] = r->next;
            free(r);
        }
    pthread_mutex_destroy(&all->lock);
    free(all);
}

void *room_take(simt_device *device, size_t bytes)
{
    struct rooms *all = device->rooms;
    int size = SMALLEST;
    while (size <= LARGEST && (size_t)1 << size < bytes + HEAD)
        size++;
    room *r = NULL;
    if (size > LARGEST) {
        size = 0;
    } else {
        pthread_mutex_lock(&all->lock);
        r = all->kept[size];
        if (r)
            all->kept[size] = r->next;
        pthread_mutex_unlock(&all->lock);
    }
    if (!r)
        r = aligned_alloc(64, size ? (size_t)1 << size : (bytes + HEAD + 63) / 64 * 64);
    if (!r)
        abort();
    r->size = size;
    memset(r + 1, 0, bytes);
    return r + 1;
}

void room_give(simt_device *device, void *at)
{
    struct rooms *all = device->rooms;
    room *r = at ? (room *)at - 1 : NULL;
    if (!r)
        return;
    if (!r->size) {
        free(r);
        return;
    }
    pthread_mutex_lock(&all->lock);
    r->next = all->kept[r->size];
    all->kept[r->size] = r;
    pthread_mutex_unlock(&all->lock);
}
