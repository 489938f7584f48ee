// Work: what a stream runs when its turn has come, and what a node of a graph does.

#include "memory.h"

#include <stdlib.h>
#include <string.h>

static wire_command command(enum wire_op op, int device)
{
    return (wire_command){.op = (uint16_t)op, .device = (uint16_t)device};
}

static void send_launch(const work *w, int device)
{
    managed_tell(device); // what the host has touched by now
    wire_command c = command(WIRE_LAUNCH, device);
    c.bytes = w->launch.bytes;
    c.as.launch = w->launch.shape;
    send_command(c, w->data, w->launch.bytes);
}

static void call_host(calling c, int device)
{
    if (front_wait(device)) // what came before is done, or the context is lost
        return;
    in_host_function = true; // it may not make calls that could wait for it
    c.function(c.argument);
    in_host_function = false;
}

static void record(event *e, int device, uint64_t number)
{
    wire_command c = command(WIRE_RECORD, device);
    c.as.object.id = e->id;
    send_command(c, NULL, 0);
    e->done = number;
}

static void send_range(enum wire_op op, int device, uint64_t address, uint64_t bytes)
{
    wire_command c = command(op, device);
    c.as.range.address = address;
    c.as.range.bytes = bytes;
    send_command(c, NULL, 0);
}

static void park(uint64_t address, int device, bool parked)
{
    memory *m = memory_based((void *)(uintptr_t)address);
    if (!m || m->parked == parked)
        return;
    m->parked = parked;
    send_range(WIRE_PARK, device, address, parked);
}

static void join(const stream *other, int device)
{
    wire_command c = command(WIRE_JOIN, device);
    c.as.object.id = (uint32_t)other->id;
    send_command(c, NULL, 0);
}

void work_send(const work *w, int device, uint64_t number)
{
    switch (w->kind) {
    case WORK_LAUNCH:
        send_launch(w, device);
        break;
    case WORK_COPY:
        copy_now(&w->copy, device);
        break;
    case WORK_FILL:
        fill_now(&w->fill, device);
        break;
    case WORK_CALL:
        call_host(w->call, device);
        break;
    case WORK_RECORD:
        record(w->event, device, number);
        break;
    case WORK_USE:
    case WORK_PARK:
        park(w->address, device, w->kind == WORK_PARK);
        break;
    case WORK_FREE:
        send_range(WIRE_FREE, device, w->address, 0);
        memory_drop((void *)(uintptr_t)w->address);
        break;
    case WORK_COMMAND:
        managed_tell(device);
        send_command(w->command, NULL, 0);
        break;
    case WORK_TURN:
        join(w->turn.other, device);
        break;
    case WORK_EMPTY:
    case WORK_WAIT:
        break;
    }
}

void work_drop(work *w)
{
    free(w->data);
    w->data = NULL;
}

bool work_copy(work *to, const work *from)
{
    *to = *from;
    if (from->kind != WORK_LAUNCH || !from->data)
        return !from->data;
    to->data = malloc(from->launch.bytes + 1);
    if (to->data)
        memcpy(to->data, from->data, from->launch.bytes);
    return to->data != NULL;
}
