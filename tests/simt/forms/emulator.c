// The forms on the emulator.

#include "forms.h"

#include "simt.h"

#include <stdio.h>
#include <string.h>

static simt_device *device;
static uint32_t module, kernels[MODULE_FORMS];

static bool open(char *about, size_t bytes)
{
    simt_config config = {.gpu = "H200", .memory = (size_t)1 << 34};
    device = simt_open(&config);
    snprintf(about, bytes, "emulator");
    return device != NULL;
}

static bool load(const char *ptx, int count, char *why, size_t bytes)
{
    if (simt_load(device, ptx, strlen(ptx), &module)) {
        snprintf(why, bytes, "%s", simt_load_error(device));
        return false;
    }
    for (int i = 0; i < count; i++) {
        char name[16];
        sprintf(name, "f%d", i);
        if (simt_find_kernel(device, module, name, &kernels[i]))
            return false;
    }
    return true;
}

static void unload(void)
{
    simt_unload(device, module);
}

static u64 alloc(size_t bytes)
{
    u64 at = 0;
    return simt_alloc(device, bytes, &at) ? 0 : at;
}

static void write(u64 to, const void *from, size_t bytes)
{
    simt_write(device, to, from, bytes);
}

static void read(void *to, u64 from, size_t bytes)
{
    simt_read(device, to, from, bytes);
}

static int run(int i, u32 blocks, const u64 *args, int count, char *why, size_t bytes)
{
    simt_launch l = {.kernel = kernels[i], .grid = {blocks, 1, 1}, .block = {BLOCK, 1, 1},
                     .parameters = args, .parameter_bytes = 8 * (size_t)count};
    int error = simt_run(device, &l);
    const simt_fault *fault = error ? simt_fault_at(device, 0) : NULL;
    snprintf(why, bytes, "%s", fault ? fault->detail : "");
    simt_reset_record(device);
    return error;
}

const machine emulator_machine = {"emulator", open, load, unload, alloc, write, read, run};
