// The device, as the judge asks it: what ran, what was counted, what went wrong.
//
// On the emulator that is another process's record, which the learner's code cannot
// touch. On a GPU there is nobody to ask, and most of this file does nothing.

#include "judge.h"

#include "../simt/wire/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE_MS = 5000 };

static simt_host *host;
static json_t *record;
static pid_t process; // the device's
static long peak_kib;

void device_start(void)
{
    if (!option.emulated || host)
        return;
    simt_host_config config = {
        .gpu = option.gpu, .workers = option.workers, .checks = option.checks,
        .schedule = option.schedule, .watch = option.watch};
    host = simt_host_start(option.simt_device, &config);
    if (!host)
        die("the emulated GPU does not start: %s", option.simt_device);
    spare(process = a_child());
}

// Most memory that it has used so far.
static void note_peak(void)
{
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%d/status", (int)process);
    FILE *in = fopen(path, "re");
    for (long kib; in && fgets(line, sizeof line, in);)
        if (sscanf(line, "VmHWM: %ld", &kib) == 1 && kib > peak_kib)
            peak_kib = kib;
    if (in)
        fclose(in);
}

long device_peak_kib(void)
{
    return peak_kib;
}

void device_forget(void)
{
    json_decref(record);
    record = NULL;
}

void device_end(void)
{
    if (host) {
        note_peak();
        simt_host_end(host);
    }
    host = NULL;
    spare_no_more(process);
    device_forget();
}

int device_new_runner(void)
{
    if (host && simt_host_new_runner(host) == 0)
        return simt_host_runner_fd(host);
    // It may have died of the last runner's program: a new one, once.
    device_end();
    device_start();
    if (simt_host_new_runner(host) != 0)
        fail_as(OURS, "the emulated GPU does not answer");
    return simt_host_runner_fd(host);
}

void device_reset(void)
{
    if (host && simt_host_reset_record(host) != 0)
        fail_as(OURS, "the emulated GPU does not answer");
}

static bool read_record(void)
{
    json_decref(record);
    char *text = simt_host_record(host, PATIENCE_MS);
    record = text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
    free(text);
    return json_is_object(record);
}

json_t *device_record(void)
{
    return record;
}

// The first fault that ended a kernel.
static json_t *fatal_fault(void)
{
    json_t *faults = json_object_get(record, "faults"), *fault;
    size_t i;
    json_array_foreach(faults, i, fault)
    {
        if (json_integer_value(json_object_get(fault, "code")) != 0)
            return fault;
    }
    return NULL;
}

void device_judge(const wire_ready *ready, const wb_arg *arguments, size_t count)
{
    if (!host)
        return;
    if (!read_record()) {
        link_end(&learner);
        device_end();
        fail_as(OURS, "the emulated GPU stopped working while it ran your code");
    }
    json_t *fault = fatal_fault();
    if (!fault) // else a finding, if there is one
        fault = json_array_get(json_object_get(record, "faults"), 0);
    if (!fault)
        return;
    link_end(&learner);
    failed.fault = json_incref(fault);
    fail_as(words_of_fault(fault)->word, "%s",
            words_for_fault(fault, ready, arguments, count));
}

const char *device_failed(void)
{
    json_t *call = json_object_get(record, "failed");
    const char *what = json_string_value(json_object_get(call, "call"));
    if (!what)
        return "";
    if (json_integer_value(json_object_get(call, "line")) == 0)
        return data_print("\n  it was %s", what);
    failed.at = json_incref(call);
    return data_print("\n  it was %s at %s", what, words_for_place(call));
}

static json_t *answer_of(char *text)
{
    json_t *answer = text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
    free(text);
    return answer;
}

json_t *device_writer(uint64_t address)
{
    return host && address ? answer_of(simt_host_writer(host, address)) : NULL;
}

json_t *device_unread(uint64_t address, size_t count, size_t bytes)
{
    return host && address ? answer_of(simt_host_unread(host, address, count, bytes)) : NULL;
}

json_t *device_stop(void)
{
    if (!host)
        return NULL;
    simt_host_stop(host);
    if (read_record())
        return fatal_fault();
    device_end();
    return NULL;
}

static json_t *counter(const char *name)
{
    static const char *const parts[] = {"totals", "copies"};
    for (size_t i = 0; i < WB_LEN(parts); i++) {
        json_t *value = json_object_get(json_object_get(record, parts[i]), name);
        if (value)
            return value;
    }
    return NULL;
}

double wb_counter(const char *name)
{
    if (!host)
        fail_as(OURS, "a test asked for counter %s, which only the emulator has", name);
    if (!record)
        fail_as(OURS, "a test asked for counter %s before its first call", name);
    json_t *value = counter(name);
    if (!value)
        fail_as(OURS, "the emulator has no counter %s", name);
    return json_number_value(value);
}

void gpu_about(wire_gpu *gpu)
{
    link_ *l = ceilings.program ? &ceilings : &learner; // ours, where there is a choice
    if (l->ours)
        l->left = 60;
    if (!l->up)
        link_start(l);
    exchange(l, WIRE_ABOUT, NULL, 0, WIRE_GPU, gpu, sizeof *gpu);
    if (gpu->status != WIRE_OK)
        fail_as(OURS, "the GPU does not answer: %s", words_for_code(gpu->code));
    gpu->name[sizeof gpu->name - 1] = 0;
}

// By the emulator's own table: this asks no process that the learner's code is in.
static const struct {
    const char *key;
    int multiprocessors;
} pretended[] = {
#define GPU(key, name, major, minor, sms, ...) {#key, sms},
#include "../simt/src/gpus.def"
#undef GPU
};

int wb_multiprocessors(void)
{
    for (size_t i = 0; option.emulated && i < WB_LEN(pretended); i++)
        if (strcmp(pretended[i].key, option.gpu) == 0)
            return pretended[i].multiprocessors;
    wire_gpu gpu;
    gpu_about(&gpu);
    return gpu.multiprocessors;
}

bool wb_emulated(void)
{
    return option.emulated;
}
