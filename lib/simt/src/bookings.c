// Allocations, by the lines of the program that made and freed them: a fault that has an
// allocation tells both.

#include "exec.h"

static struct booking *booking_of(simt_device *d, uint64_t base)
{
    for (uint32_t i = 0; base && i < BOOKINGS; i++)
        if (d->bookings[i].base == base)
            return &d->bookings[i];
    return NULL;
}

static void made(simt_device *d, uint64_t base)
{
    struct booking *b = booking_of(d, base);
    if (!b)
        b = &d->bookings[d->next_booking++ % BOOKINGS];
    *b = (struct booking){.base = base, .made = d->asked};
}

static void freed(simt_device *d, uint64_t base)
{
    struct booking *b = booking_of(d, base);
    if (b)
        b->freed = d->asked;
    d->last_free = d->asked;
}

void memory_told(simt_device *d, simt_fault *f)
{
    const struct booking *b = booking_of(d, f->nearest);
    if (f->kind == SIMT_LEAK) {
        f->freed = d->last_free; // of another
    } else if (b) {
        f->made = b->made;
        f->freed = b->freed;
    }
}

int simt_alloc(simt_device *d, size_t bytes, uint64_t *address)
{
    int error = heap_alloc(d->heap, bytes, address);
    if (!error)
        made(d, *address);
    return error;
}

int simt_free(simt_device *d, uint64_t address)
{
    int error = heap_free(d->heap, address);
    if (!error)
        freed(d, address);
    return error;
}
