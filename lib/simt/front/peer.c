// Devices and each other's memory.

#include "front.h"

static bool enabled[WIRE_DEVICES][WIRE_DEVICES];

bool peer_enabled(int from, int to)
{
    return enabled[from][to];
}

void peers_forget(int number)
{
    for (int i = 0; i < WIRE_DEVICES; i++) {
        if (!enabled[number][i])
            continue;
        enabled[number][i] = false;
        wire_command c = {
            .op = WIRE_PEER, .device = (uint16_t)number, .as.object.id = (uint64_t)i};
        send_command(c, NULL, 0);
    }
}

static int can_access(int *can, int a, int b)
{
    if (!can)
        return cudaErrorInvalidValue;
    if (!is_device(a) || !is_device(b))
        return cudaErrorInvalidDevice;
    *can = a != b;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaDeviceCanAccessPeer(int *can, int a, int b)
{
    return CALL_ANY(can_access(can, a, b));
}

static int set_access(int other, bool on)
{
    if (!is_device(other))
        return cudaErrorInvalidDevice;
    if (other == here)
        return on ? cudaErrorPeerAccessUnsupported : cudaErrorPeerAccessNotEnabled;
    if (enabled[here][other] == on)
        return on ? cudaErrorPeerAccessAlreadyEnabled : cudaErrorPeerAccessNotEnabled;
    if (!on) { // what was asked for with it still has it
        run_all(here);
        front_wait(here);
    }
    enabled[here][other] = on;
    wire_command c = {
        .op = WIRE_PEER, .device = (uint16_t)here, .as.object = {(uint64_t)other, on}};
    send_command(c, NULL, 0);
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaDeviceEnablePeerAccess(int other, unsigned flags)
{
    return CALL(flags ? cudaErrorInvalidValue : set_access(other, true));
}

cudaError_t CUDARTAPI cudaDeviceDisablePeerAccess(int other)
{
    return CALL(set_access(other, false));
}

static int link_attribute(int *value, enum cudaDeviceP2PAttr what, int a, int b)
{
    if (!value)
        return cudaErrorInvalidValue;
    if (!is_device(a) || !is_device(b) || a == b)
        return cudaErrorInvalidDevice;
    switch ((int)what) {
    case cudaDevP2PAttrPerformanceRank:
        *value = 0;
        return cudaSuccess;
    case cudaDevP2PAttrAccessSupported:
    case cudaDevP2PAttrNativeAtomicSupported:
    case cudaDevP2PAttrCudaArrayAccessSupported:
        *value = 1;
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

cudaError_t CUDARTAPI cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr what,
                                                int a, int b)
{
    return CALL_ANY(link_attribute(value, what, a, b));
}

// ---- Copies ---------------------------------------------------------------------

cudaError_t CUDARTAPI cudaMemcpyPeer(void *to, int to_device, const void *from,
                                     int from_device, size_t bytes)
{
    return CALL(
        copy_peer(to, to_device, from, from_device, bytes, legacy_stream(here), false));
}

cudaError_t CUDARTAPI cudaMemcpyPeerAsync(void *to, int to_device, const void *from,
                                          int from_device, size_t bytes, cudaStream_t s)
{
    return CALL(copy_peer(to, to_device, from, from_device, bytes, stream_of(s), true));
}
