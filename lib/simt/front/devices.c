// Devices to choose from: each host thread has one of its own, number 0 at first.

#include "front.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned flags[WIRE_DEVICES];

static int number_of(int *number)
{
    if (!number)
        return cudaErrorInvalidValue;
    *number = here;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaGetDevice(int *number)
{
    return CALL_ANY(number_of(number));
}

static int choose(int number)
{
    if (!is_device(number))
        return cudaErrorInvalidDevice;
    here = number;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaSetDevice(int number)
{
    return CALL_ANY(choose(number));
}

// Four ways to wait, and mapped memory, which there always is.
static bool are_flags(unsigned f)
{
    const unsigned known = cudaDeviceScheduleMask | cudaDeviceMapHost |
                           cudaDeviceLmemResizeToMax | 0x80; // cudaDeviceSyncMemops
    unsigned way = f & cudaDeviceScheduleMask;
    return !(f & ~known) && !(way & (way - 1));
}

#if CUDART_VERSION >= 12000
static int init(int number, unsigned f, unsigned set)
{
    if (!is_device(number))
        return cudaErrorInvalidDevice;
    if (set & ~(unsigned)cudaInitDeviceFlagsAreValid ||
        (set & cudaInitDeviceFlagsAreValid && !are_flags(f)))
        return cudaErrorInvalidValue;
    if (set)
        flags[number] = f;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaInitDevice(int number, unsigned f, unsigned set)
{
    return CALL_ANY(init(number, f, set));
}
#endif

static int set_flags(unsigned f)
{
    if (!are_flags(f))
        return cudaErrorInvalidValue;
    flags[here] = f;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaSetDeviceFlags(unsigned f)
{
    return CALL_ANY(set_flags(f));
}

static int get_flags(unsigned *f)
{
    if (!f)
        return cudaErrorInvalidValue;
    *f = flags[here] | cudaDeviceMapHost;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaGetDeviceFlags(unsigned *f)
{
    return CALL_ANY(get_flags(f));
}

// All are alike: the first is as good as any.
static int most_like(int *number, const struct cudaDeviceProp *p)
{
    if (!number || !p)
        return cudaErrorInvalidValue;
    *number = 0;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaChooseDevice(int *number, const struct cudaDeviceProp *p)
{
    return CALL_ANY(most_like(number, p));
}

static int set_valid(const int *list, int count)
{
    if (count < 0 || count > device_count || (count && !list))
        return cudaErrorInvalidValue;
    for (int i = 0; i < count; i++)
        if (!is_device(list[i]))
            return cudaErrorInvalidDevice;
    if (count)
        here = list[0];
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaSetValidDevices(int *list, int count)
{
    return CALL_ANY(set_valid(list, count));
}

cudaError_t CUDARTAPI cudaDeviceReset(void)
{
    return CALL_ANY(front_reset());
}

// Its old name, which the headers lost with 13.
cudaError_t CUDARTAPI cudaThreadExit(void);
cudaError_t CUDARTAPI cudaThreadExit(void)
{
    return CALL_ANY(front_reset());
}

// ---- Names on the bus -----------------------------------------------------------

static int bus_name(char *name, int room, int number)
{
    char text[32];
    if (!name || room <= 0)
        return cudaErrorInvalidValue;
    if (!is_device(number))
        return cudaErrorInvalidDevice;
    snprintf(text, sizeof text, "0000:%02X:00.0", number + 1);
    if ((size_t)room <= strlen(text))
        return cudaErrorInvalidValue;
    strcpy(name, text);
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaDeviceGetPCIBusId(char *name, int room, int number)
{
    return CALL_ANY(bus_name(name, room, number));
}

static int by_bus_name(int *number, const char *name)
{
    unsigned domain = 0, bus, slot, function = 0;
    if (!number || !name)
        return cudaErrorInvalidValue;
    if (sscanf(name, "%x:%x:%x.%x", &domain, &bus, &slot, &function) < 3 &&
        sscanf(name, "%x:%x.%x", &bus, &slot, &function) < 2)
        return cudaErrorInvalidValue;
    if (domain || slot || function || !is_device((int)bus - 1))
        return cudaErrorInvalidDevice;
    *number = (int)bus - 1;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaDeviceGetByPCIBusId(int *number, const char *name)
{
    return CALL_ANY(by_bus_name(number, name));
}

// ---- Versions and the rest ------------------------------------------------------

static int version(int *number)
{
    if (!number)
        return cudaErrorInvalidValue;
    *number = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaDriverGetVersion(int *number)
{
    return (cudaError_t)version(number);
}

cudaError_t CUDARTAPI cudaRuntimeGetVersion(int *number)
{
    return (cudaError_t)version(number);
}

cudaError_t CUDARTAPI cudaProfilerStart(void)
{
    return CALL(cudaSuccess);
}

cudaError_t CUDARTAPI cudaProfilerStop(void)
{
    return CALL(cudaSuccess);
}

// The driver's interface is not here: whatever is asked for is not found.
int entry_point(const char *name, void **function,
                enum cudaDriverEntryPointQueryResult *status)
{
    if (!name || !function)
        return cudaErrorInvalidValue;
    *function = NULL;
    if (!status)
        return cudaErrorSymbolNotFound;
    *status = cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}
