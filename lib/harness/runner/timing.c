// Timed calls: several sets of the buffers in turn, so that the cache holds none of
// them, between two events. The judge has a clock of its own.

#include "runner.h"

#include <cuda_runtime_api.h>
#include <string.h>

static buffers sets[WIRE_SETS];
static uint32_t set_count, last_set;
static void *function;

int timing_prepare(const wire_call *call, wire_ready *ready)
{
    for (uint32_t i = 0; i < set_count; i++)
        buffers_free(&sets[i]);
    set_count = last_set = 0;
    function = find_function(call->name);
    if (!function)
        return WIRE_MISSING;
    int status = WIRE_OK;
    while (status == WIRE_OK && set_count < call->sets && set_count < WIRE_SETS)
        status = buffers_make(&sets[set_count++], call, &ready->code);
    if (status == WIRE_OK)
        ready->code = cudaDeviceSynchronize();
    return ready->code && status == WIRE_OK ? WIRE_CUDA : status;
}

void timing_batch(const wire_batch *batch, wire_measured *measured)
{
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    for (uint32_t i = 0; i < set_count; i++)
        buffers_poison(&sets[i]);
    cudaDeviceSynchronize();
    cudaEventRecord(begin, 0);
    for (uint32_t i = 0; i < batch->calls && set_count; i++) {
        last_set = (last_set + 1) % set_count;
        int value = invoke(function, &sets[last_set]);
        if (value && !measured->value)
            measured->value = value;
    }
    // The legacy default stream waits for the blocking ones; this waits for all.
    measured->waited = cudaDeviceSynchronize();
    cudaEventRecord(end, 0);
    cudaEventSynchronize(end);
    float milliseconds = 0;
    int code = cudaEventElapsedTime(&milliseconds, begin, end);
    measured->waited = measured->waited ? measured->waited : code;
    measured->seconds = milliseconds / 1e3;
    measured->set = last_set;
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
}

int timing_fetch(int *code)
{
    return set_count ? buffers_fetch(&sets[last_set], code) : WIRE_OK;
}

static int attribute(enum cudaDeviceAttr which)
{
    int value = 0;
    cudaDeviceGetAttribute(&value, which, 0);
    return value;
}

void timing_about(wire_gpu *gpu)
{
    struct cudaDeviceProp properties;
    gpu->code = cudaGetDeviceProperties(&properties, 0);
    gpu->status = gpu->code ? WIRE_CUDA : WIRE_OK;
    if (gpu->code)
        return;
    memcpy(gpu->name, properties.name, sizeof gpu->name - 1);
    gpu->multiprocessors = attribute(cudaDevAttrMultiProcessorCount);
    gpu->l2 = attribute(cudaDevAttrL2CacheSize);
    cudaDriverGetVersion(&gpu->driver);
    // Two transfers a clock.
    gpu->bytes_per_second = 2e3 * attribute(cudaDevAttrMemoryClockRate) *
                            attribute(cudaDevAttrGlobalMemoryBusWidth) / 8;
}
