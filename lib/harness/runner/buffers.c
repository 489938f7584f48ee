// The buffers of a call: made from the area, and read back into it.
//
// The judge laid out every byte of them, guard zones and poison included; this side
// only moves them between the area and the device.

#include "runner.h"

#include "../arg.h"

#include <cuda_runtime_api.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static unsigned char *area;
static size_t area_bytes;

int area_open(uint64_t bytes, int *code)
{
    if (bytes <= area_bytes)
        return WIRE_OK;
    if (area)
        munmap(area, area_bytes);
    area_bytes = 0;
    area = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, WIRE_AREA_FD, 0);
    if (area == MAP_FAILED) {
        area = NULL;
        *code = errno;
        return WIRE_SYSTEM;
    }
    area_bytes = bytes;
    return WIRE_OK;
}

static size_t total(const wire_argument *a)
{
    return a->lead + a->bytes + a->tail;
}

// The emulator's runtime has these, a GPU's does not.
extern void __cudaSimtFresh(const void *at, size_t bytes) __attribute__((weak));

static int device_buffer(const wire_argument *a, unsigned char **base, int *code)
{
    *code = cudaMalloc((void **)base, total(a));
    if (*code == 0 && a->empty)
        *code = cudaMemset(*base, 0x11, total(a));
    else if (*code == 0)
        *code = cudaMemcpy(*base, area + a->offset, total(a), cudaMemcpyHostToDevice);
    if (*code == 0 && a->value && __cudaSimtFresh) // a pure answer starts with poison
        __cudaSimtFresh(*base + a->lead, a->bytes);
    return *code ? WIRE_CUDA : WIRE_OK;
}

static int host_buffer(const wire_argument *a, unsigned char **base, int *code)
{
    *base = aligned_alloc(256, (total(a) + 255) / 256 * 256);
    if (!*base) {
        *code = errno;
        return WIRE_SYSTEM;
    }
    memcpy(*base, area + a->offset, total(a));
    return WIRE_OK;
}

int buffers_make(buffers *b, const wire_call *call, int *code)
{
    *b = (buffers){.call = *call};
    int status = area_open(call->area, code);
    for (uint32_t i = 0; i < call->count && status == WIRE_OK; i++) {
        const wire_argument *a = &call->arguments[i];
        b->values[i] = a->value;
        if (a->kind == WB_DEVICE)
            status = device_buffer(a, &b->base[i], code);
        else if (a->kind == WB_HOST)
            status = host_buffer(a, &b->base[i], code);
        else if (a->kind == WB_SAME)
            b->values[i] = b->values[a->value];
        if (b->base[i])
            b->values[i] = (uint64_t)(uintptr_t)(b->base[i] + a->lead);
    }
    return status;
}

int buffers_fetch(const buffers *b, int *code)
{
    for (uint32_t i = 0; i < b->call.count; i++) {
        const wire_argument *a = &b->call.arguments[i];
        if (!b->base[i] || a->empty)
            continue;
        if (a->kind == WB_HOST)
            memcpy(area + a->offset, b->base[i], total(a));
        else
            *code = cudaMemcpy(area + a->offset, b->base[i], total(a),
                               cudaMemcpyDeviceToHost);
        if (*code)
            return WIRE_CUDA;
    }
    return WIRE_OK;
}

void buffers_poison(const buffers *b)
{
    for (uint32_t i = 0; i < b->call.count; i++) {
        const wire_argument *a = &b->call.arguments[i];
        // Only a pure answer: value says so. All ones is a NaN of every width.
        if (b->base[i] && a->kind == WB_DEVICE && a->value)
            cudaMemset(b->base[i] + a->lead, 0xff, a->bytes);
    }
}

void buffers_free(buffers *b)
{
    for (uint32_t i = 0; i < b->call.count; i++) {
        if (!b->base[i])
            continue;
        if (b->call.arguments[i].kind == WB_HOST)
            free(b->base[i]);
        else
            cudaFree(b->base[i]);
        b->base[i] = NULL;
    }
}
