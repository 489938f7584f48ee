// Speed on a GPU, as a ratio to ceilings measured in the same minute.
//
// The learner's runner and one of our own take turns (A B C, C B A, ...) under one lock
// a GPU. Each turn is a batch of calls of at least 50 ms, timed by events in the
// runner. The runner could lie about those, so the judge's clock has the last word:
// batches of K and of 4 K calls differ by 3 K calls, and in that slope start-up and
// messages cancel.

#include "judge.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { ROUNDS = 4, TURNS = 2 * ROUNDS, CEILINGS = 6 };
static const double batch_seconds = 0.05, agreement = 0.15, floor_margin = 1.05;
static const double patience = 120; // for all of the timing of a step

typedef struct subject {
    link_ *link;
    const char *name;
    wire_call *call;
    uint32_t calls; // a batch
    double turns[TURNS], seconds, spread, slope;
} subject;

static json_t *result;
static link_ processes[CEILINGS]; // one a ceiling

json_t *speed_record(void)
{
    return result;
}

// ---- One GPU, one timing --------------------------------------------------------

static int lock_gpu(void)
{
    const char *which = getenv("CUDA_VISIBLE_DEVICES");
    char path[128] = "/tmp/workbook-gpu-";
    size_t n = strlen(path);
    for (const char *c = which && *which ? which : "0"; *c && *c != ',' && n < 120; c++)
        path[n++] = *c == '/' ? '_' : *c;
    path[n] = 0;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0 || flock(fd, LOCK_EX) < 0)
        fail_as(OURS, "cannot lock the GPU by %s", path);
    return fd;
}

// ---- Measuring ------------------------------------------------------------------

static wire_measured batch(subject *s, uint32_t calls)
{
    wire_measured m;
    wire_batch b = {calls, 0};
    s->link->left = patience;
    exchange(s->link, WIRE_BATCH, &b, sizeof b, WIRE_MEASURED, &m, sizeof m);
    if (m.waited || m.value) {
        link_end(s->link);
        fail_as(s->link->ours ? OURS : WRONG, "a timed call of %s failed: %s", s->name,
                words_for_code(m.waited ? m.waited : m.value));
    }
    return m;
}

static double by_clock(subject *s, uint32_t calls)
{
    double begin = now();
    batch(s, calls);
    return now() - begin;
}

// How many calls fill a batch, by the judge's clock.
static void calibrate(subject *s)
{
    by_clock(s, 2); // first calls load modules
    for (s->calls = 1; s->calls < 1u << 20; s->calls *= 2)
        if (by_clock(s, s->calls) >= batch_seconds)
            return;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void summarise(subject *s)
{
    qsort(s->turns, TURNS, sizeof *s->turns, by_value);
    s->seconds = (s->turns[TURNS / 2 - 1] + s->turns[TURNS / 2]) / 2;
    s->spread = (s->turns[TURNS * 3 / 4] - s->turns[TURNS / 4]) / s->seconds;
}

static void take_turns(subject *subjects, size_t n)
{
    for (size_t t = 0; t < TURNS; t++)
        for (size_t k = 0; k < n; k++) {
            subject *s = &subjects[t % 2 ? n - 1 - k : k];
            s->turns[t] = batch(s, s->calls).seconds / s->calls;
        }
    for (size_t k = 0; k < n; k++) {
        subject *s = &subjects[k];
        double once = by_clock(s, s->calls);
        s->slope = (by_clock(s, 4 * s->calls) - once) / (3.0 * s->calls);
        summarise(s);
    }
}

// ---- Preparing ------------------------------------------------------------------

static void prepare(subject *s, size_t set_bytes, int l2)
{
    // Together more than four times the cache, so that no call finds its data there.
    size_t sets = set_bytes ? 4 * (size_t)l2 / set_bytes + 1 : 1;
    wire_ready ready;
    s->call->sets = (uint32_t)(sets < WIRE_SETS ? sets : WIRE_SETS);
    s->link->left = patience;
    if (!s->link->up)
        link_start(s->link);
    exchange(s->link, WIRE_PREPARE, s->call, sizeof *s->call, WIRE_READY, &ready,
             sizeof ready);
    if (s->link->ours && ready.status == WIRE_MISSING)
        fail_as(OURS, "there is no ceiling named %s", s->name);
    call_started(&ready, s->name);
}

// ceiling_memcpy(in, out, bytes that the learner's call must move)
static void fill_ceiling(subject *s, const char *name, double bytes, link_ *process)
{
    *process = (link_){.program = option.ceilings, .ours = true};
    s->link = process;
    s->name = name;
    s->call = wb_new(sizeof *s->call);
    snprintf(s->call->name, sizeof s->call->name, "ceiling_%s", name);
    s->call->count = 3;
    s->call->area = 256;
    uint64_t half = strcmp(name, "memcpy") == 0 ? 2 : 1;
    uint64_t in = (uint64_t)bytes / half, out = half == 2 ? in : 256;
    s->call->arguments[0] = (wire_argument){.kind = WB_DEVICE, .empty = 1, .bytes = in};
    s->call->arguments[1] =
        (wire_argument){.kind = WB_DEVICE, .empty = 1, .bytes = out};
    s->call->arguments[2] = (wire_argument){.kind = WB_SIZE, .value = in};
}

// ---- The verdict ----------------------------------------------------------------

static json_t *ratio_to(const subject *s, double bytes, double seconds)
{
    return json_pack("{s:f, s:f, s:f, s:f}", "seconds", s->seconds, "gbs",
                     bytes / s->seconds / 1e9, "ratio", s->seconds / seconds, "spread",
                     s->spread);
}

// The kernel module says it to everybody; else what CUDA calls the driver's version.
static json_t *driver(const wire_gpu *gpu)
{
    char line[256] = "", version[32];
    FILE *in = fopen("/proc/driver/nvidia/version", "re");
    const char *at = in && fgets(line, sizeof line, in) ? strstr(line, "  ") : NULL;
    while (at && *at && sscanf(at, " %31[0-9.]", version) != 1)
        at += strcspn(at, " ") + strspn(at + strcspn(at, " "), " ");
    if (in)
        fclose(in);
    if (at && *at)
        return json_string(version);
    return json_sprintf("CUDA %d.%d", gpu->driver / 1000, gpu->driver % 1000 / 10);
}

static void write_result(const subject *subjects, size_t n, double bytes,
                         const wire_gpu *gpu)
{
    const subject *s = &subjects[0];
    bool agrees = fabs(s->seconds - s->slope) <= agreement * s->slope;
    double seconds = agrees ? s->seconds : s->slope;
    json_t *all = json_object();
    for (size_t k = 1; k < n; k++)
        json_object_set_new(all, subjects[k].name,
                            ratio_to(&subjects[k], bytes, seconds));
    json_decref(result);
    result = json_pack(
        "{s:s, s:s, s:s, s:s, s:f, s:f, s:f, s:f, s:o, s:b, s:f, s:o, s:o}", "record",
        "speed", "step", option.step, "outcome", "measured", "message", "", "seconds",
        seconds, "bytes", bytes, "gbs", bytes / seconds / 1e9, "spread", s->spread,
        "ceilings", all, "clock_agrees", agrees, "clock_seconds", s->slope, "device",
        text_of(gpu->name, strlen(gpu->name), sizeof gpu->name), "driver", driver(gpu));
    if (seconds * gpu->bytes_per_second * floor_margin < bytes)
        fail_as(REFUSED,
                "%s took %.3g s for %.3g bytes, which this GPU's memory cannot move in "
                "less than %.3g s: the work is not done in every call",
                s->name, seconds, bytes, bytes / gpu->bytes_per_second);
}

static size_t device_bytes(const wb_arg *arguments, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += arguments[i].kind == WB_DEVICE ? arguments[i].bytes : 0;
    return bytes;
}

void wb_speed_(double bytes, const char *const *names, const char *name,
               const wb_arg *arguments, size_t count)
{
    subject subjects[1 + CEILINGS] = {{.link = &learner, .name = name}};
    size_t n = 1;
    wire_gpu gpu;
    wire_done done;
    if (option.emulated)
        fail_as(OURS, "a test asked for speed on the emulator");
    int lock = lock_gpu();
    gpu_about(&gpu);
    subjects[0].call = wb_new(sizeof(wire_call));
    call_fill(subjects[0].call, name, arguments, count);
    prepare(&subjects[0], device_bytes(arguments, count), gpu.l2);
    for (; names && names[n - 1] && n <= CEILINGS; n++) {
        fill_ceiling(&subjects[n], names[n - 1], bytes, &processes[n - 1]);
        prepare(&subjects[n], (size_t)bytes, gpu.l2);
    }
    for (size_t k = 0; k < n; k++)
        calibrate(&subjects[k]);
    take_turns(subjects, n);

    // The answer of a last batch, whose length nobody could foresee.
    batch(&subjects[0], 1 + (uint32_t)(data_secret() % 7));
    exchange(&learner, WIRE_FETCH, NULL, 0, WIRE_DONE, &done, sizeof done);
    for (size_t k = 1; k < n; k++)
        link_end(subjects[k].link);
    close(lock);
    if (done.status != WIRE_OK)
        fail_as(CRASHED, "%s: the answer could not be copied back: %s", name,
                words_for_code(done.code));
    area_check(subjects[0].call, arguments);
    area_take(subjects[0].call, arguments);
    write_result(subjects, n, bytes, &gpu);
}
