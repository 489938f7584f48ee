// The ring's two ends.

#include "ring.h"

#include <string.h>

bool ring_put(ring *r, const wire_command *command)
{
    uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
    if (head - atomic_load_explicit(&r->tail, memory_order_acquire) >= RING_SLOTS)
        return false;
    r->slots[head % RING_SLOTS] = *command;
    atomic_store_explicit(&r->head, head + 1, memory_order_release);
    return true;
}

// The taker keeps its tail privately: what lies in shared memory is for the putter.
int ring_take(ring *r, uint64_t *tail, wire_command *command)
{
    uint64_t head = atomic_load_explicit(&r->head, memory_order_acquire);
    if (head == *tail)
        return 0;
    if (head - *tail > RING_SLOTS)
        return -1;
    const volatile uint64_t *from =
        (const volatile uint64_t *)&r->slots[*tail % RING_SLOTS];
    uint64_t copy[sizeof *command / 8];
    for (size_t i = 0; i < sizeof copy / 8; i++)
        copy[i] = from[i];
    memcpy(command, copy, sizeof copy);
    ++*tail;
    atomic_store_explicit(&r->tail, *tail, memory_order_release);
    return 1;
}
