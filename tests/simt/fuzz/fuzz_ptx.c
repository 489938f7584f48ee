// Any bytes as PTX: read, linked, decoded, and every entry in it run for a short while.

#include "simt.h"

#include <ctype.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum { LIMIT = 2000, MEMORY = 16 << 20, ARRAY = 1 << 16, MOST_ENTRIES = 4 };

// Kernels may ask for more work than there is time for; whoever runs them stops them.
static simt_device *running;

static void stop(int signal)
{
    (void)signal;
    if (running)
        simt_stop(running);
}

static void stop_after(int ms)
{
    struct itimerval t = {.it_value.tv_sec = ms / 1000, .it_value.tv_usec = ms % 1000 * 1000};
    t.it_interval.tv_usec = ms ? 100000 : 0; // and again
    setitimer(ITIMER_VIRTUAL, &t, NULL);
}

static void run_entry(simt_device *d, uint32_t module, const char *name, uint64_t array)
{
    uint32_t kernel;
    simt_kernel_info info;
    size_t at, size;
    if (simt_find_kernel(d, module, name, &kernel) ||
        simt_kernel_info_of(d, kernel, &info) || info.parameter_bytes > 1 << 16)
        return;
    uint64_t *words = calloc(info.parameter_bytes / 8 + 1, 8);
    if (!words)
        return;
    for (size_t i = 0; i <= info.parameter_bytes / 8; i++)
        words[i] = i ? 40 : array;
    for (int i = 0; i < info.parameters && i < 100; i++)
        if (!simt_parameter(d, kernel, i, &at, &size) && size == 8 &&
            at + 8 <= info.parameter_bytes)
            memcpy((char *)words + at, &array, 8);
    uint32_t threads = info.max_threads < 40 ? (uint32_t)info.max_threads : 40;
    simt_launch l = {.kernel = kernel, .grid = {2, 1, 1}, .block = {threads, 1, 1},
                     .shared = 1024, .parameters = words,
                     .parameter_bytes = info.parameter_bytes};
    running = d;
    stop_after(1000);
    simt_run(d, &l);
    stop_after(0);
    running = NULL;
    free(words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static FILE *nowhere;
    if (!nowhere) {
        nowhere = fopen("/dev/null", "w");
        signal(SIGVTALRM, stop);
    }
    simt_config config = {.gpu = "H100", .workers = 1, .instruction_limit = LIMIT,
                          .memory = MEMORY, .checks = bytes & 1 ? SIMT_CHECK_ALL : 0};
    simt_device *d = simt_open(&config);
    char *text = malloc(bytes + 1), printed[256];
    uint32_t module;
    uint64_t array = 0;
    if (!d || !text)
        abort();
    memcpy(text, data, bytes);
    text[bytes] = 0;
    simt_set_limit(d, SIMT_LIMIT_HEAP, 1 << 20);
    simt_alloc(d, ARRAY, &array);
    simt_fill(d, array, 0, ARRAY);
    if (!simt_load(d, text, bytes, &module)) {
        const char *at = text;
        for (int i = 0; i < MOST_ENTRIES && (at = strstr(at, ".entry")); i++) {
            char name[200];
            size_t n = 0;
            for (at += 6; isspace((unsigned char)*at);)
                at++;
            while (n < sizeof name - 1 && *at && !isspace((unsigned char)*at) && *at != '(')
                name[n++] = *at++;
            name[n] = 0;
            run_entry(d, module, name, array);
        }
        simt_take_output(d, printed, sizeof printed);
        if (nowhere)
            simt_write_record(d, nowhere);
        simt_unload(d, module);
        simt_reset_record(d);
    }
    simt_close(d);
    free(text);
    return 0;
}
