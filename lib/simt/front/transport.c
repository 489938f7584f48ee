// Sending commands: the staging area and how it is used again.
//
// Bytes are staged one after the other. When there is no room left, one question is
// asked: once it is answered, all before it has run and the area is free.

#include "transport.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const transport *device;
sending now_sending;
bool sending_for_judge;
static uint32_t nowhere(void)
{
    return 0;
}
uint32_t (*sending_host)(void) = nowhere;
double host_ns;
bool device_gone;
static uint64_t staged, queued; // since the last answer

bool device_open(void)
{
    if (device)
        return true;
    const char *ring = getenv("SIMT_RING");
    device = ring ? remote_transport() : local_transport();
    if (!device && ring)
        fprintf(stderr, "simt: the connection in SIMT_RING=%s does not work\n", ring);
    else if (!device)
        fputs("simt: no device: this program has neither SIMT_RING in its environment "
              "nor the device core linked (-u simt_local -lsimt_front -lsimt), or "
              "SIMT_GPU is unknown\n",
              stderr);
    return device != NULL;
}

static void gone(wire_reply *reply)
{
    device_gone = true;
    reply->code = 46; // cudaErrorDevicesUnavailable
    reply->flags = WIRE_STICKY;
    reply->bytes = 0;
}

// Everything before has run; the staging area is free.
static void drain(void)
{
    static wire_reply reply;
    wire_command nothing = {.op = WIRE_NOP, .flags = WIRE_CALL};
    ask(nothing, NULL, 0, &reply);
}

static void put(wire_command *c, const void *data, size_t bytes)
{
    if (bytes > device->staging_bytes - staged)
        drain();
    c->stream = now_sending.stream;
    c->flags |= (now_sending.pinned ? WIRE_PINNED : 0) | (sending_for_judge ? WIRE_JUDGE : 0);
    c->host = c->host ? c->host : now_sending.host ? now_sending.host : sending_host();
    c->issued = now_sending.issued ? now_sending.issued : host_ns;
    c->offset = staged;
    c->bytes = bytes;
    if (bytes > device->staging_bytes)
        c->bytes = 0; // the device will refuse it
    else if (data)
        memcpy(device->staging + staged, data, bytes);
    staged += (c->bytes + 15) / 16 * 16;
    if (staged > device->staging_bytes)
        staged = device->staging_bytes;
    if (++queued + 1 >= device->slots) // keep room for a question
        drain();
    if (!device_gone)
        device->put(c);
}

void send_command(wire_command command, const void *data, size_t bytes)
{
    if (!device_gone)
        put(&command, data, bytes);
}

int ask(wire_command command, const void *data, size_t bytes, wire_reply *reply)
{
    command.flags |= WIRE_CALL;
    if (bytes > device->staging_bytes - staged && command.op != WIRE_NOP)
        drain();
    if (!device_gone && command.op == WIRE_NOP) // a drain: for it there is room
        device->put(&command);
    else if (!device_gone)
        put(&command, data, bytes);
    if (device_gone || !device->answer(reply))
        gone(reply);
    staged = queued = 0;
    if ((command.op == WIRE_WAIT || command.op == WIRE_READ) && reply->ended > host_ns)
        host_ns = reply->ended;
    return reply->code;
}

static size_t piece(size_t bytes)
{
    size_t most = device->staging_bytes / 2;
    return bytes < most ? bytes : most;
}

void send_bytes(int number, uint64_t to, const void *from, size_t bytes, bool first)
{
    for (size_t at = 0, n; at < bytes; at += n) {
        n = piece(bytes - at);
        wire_command c = {.op = WIRE_WRITE,
                          .device = (uint16_t)number,
                          .as.piece = {to + at, first && !at}};
        send_command(c, (const char *)from + at, n);
    }
}

void fetch_bytes(int number, void *to, uint64_t from, size_t bytes, bool first)
{
    static wire_reply reply;
    for (size_t at = 0, n; at < bytes; at += n) {
        n = piece(bytes - at);
        if (n > device->staging_bytes - staged)
            drain();
        const char *lands = device->staging + staged;
        wire_command c = {.op = WIRE_READ,
                          .device = (uint16_t)number,
                          .as.piece = {from + at, first && !at}};
        if (ask(c, NULL, n, &reply))
            return; // the next wait says why
        memcpy((char *)to + at, lands, n);
    }
}

int load_text(int number, const char *ptx, size_t bytes, wire_reply *reply)
{
    for (size_t at = 0, n; at < bytes; at += n) {
        n = piece(bytes - at);
        wire_command c = {
            .op = WIRE_BLOB, .device = (uint16_t)number, .as.piece = {0, !at}};
        if (ask(c, ptx + at, n, reply))
            return reply->code;
    }
    wire_command c = {.op = WIRE_LOAD, .device = (uint16_t)number};
    return ask(c, NULL, 0, reply);
}
