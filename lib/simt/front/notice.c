// What nobody looked at: calls that failed, and memory that is never freed.
//
// A call that is wrong in itself (a copy over the end, a free of what is not there) is
// told to the device at once. Any other failure is remembered until somebody asks for an
// error; one that is left when the program ends well is told then, and so is the memory
// that is still allocated. A program that ends with a status of its own has noticed.

#include "../simt.h"
#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 128 };

static struct {
    const char *name;
    unsigned count;
} calls[NAMES]; // by name: how often it was called

static unsigned checks;
static const char *call = "", *launched; // the one that runs; the launch's kernel
static dim3 launched_grid, launched_block;
static uint32_t asked_at;        // where that was called: line_of_call
static _Thread_local const void *configured; // the <<< >>> of the launch to come
static unsigned allocations, before; // how many; when the judge's call began
static bool by_calls;            // a judge asks after each
static const void *place_address;
static size_t place_bytes;
static struct {
    const char *call, *kernel;
    unsigned number;
    uint32_t host;
    int code;
} left; // the first failure that nobody has asked for; code 0: none

static int known; // a lost context's error, which somebody has asked for

// Each call repeats it.
static bool is_sticky(int code)
{
    return code >= cudaErrorIllegalAddress && code <= cudaErrorLaunchFailure;
}

static uint32_t host(void)
{
    return asked_at;
}

// At once: a file that is new is told to the device, which must not come between the
// parts of a transfer.
static void called_at(const void *address)
{
    asked_at = checks && !sending_for_judge ? line_of_call(address) : 0;
}

static void tell(simt_fault_kind kind, const void *address, size_t bytes, const char *text,
                 uint32_t where)
{
    wire_command c = {.op = WIRE_FINDING, .device = (uint16_t)here, .host = where};
    c.as.finding = (struct wire_finding){kind, (uintptr_t)address, bytes, 0};
    send_command(c, text, strlen(text));
}

static unsigned *count_of(const char *name)
{
    for (int i = 0; i < NAMES; i++) {
        if (!calls[i].name)
            calls[i].name = name;
        if (calls[i].name == name)
            return &calls[i].count;
    }
    return &calls[NAMES - 1].count;
}

static const char *ordinal(unsigned n)
{
    static char text[24];
    unsigned tens = n / 10 % 10, ones = tens == 1 ? 0 : n % 10;
    snprintf(text, sizeof text, "%u%s", n,
             ones == 1 ? "st" : ones == 2 ? "nd" : ones == 3 ? "rd" : "th");
    return text;
}

// The name that the program has used, without the suffix of a twin.
static int plain(const char *name)
{
    const char *suffix = strstr(name, "_pt");
    return (int)(suffix ? (size_t)(suffix - name) : strlen(name));
}

static bool is(const char *prefix)
{
    return !strncmp(call, prefix, strlen(prefix));
}

void notice_call(const char *name, const void *called_from)
{
    call = name;
    launched = NULL;
    place_address = NULL;
    if (checks)
        ++*count_of(name);
    called_at(called_from);
}

void notice_launch(const char *name, dim3 grid, dim3 block)
{
    launched = name;
    launched_grid = grid;
    launched_block = block;
    if (configured) // else a call of cudaLaunchKernel
        called_at(configured);
    configured = NULL;
}

void notice_configuration(const void *called_from)
{
    configured = called_from;
}

void notice_place(const void *address, size_t bytes)
{
    place_address = address;
    place_bytes = bytes;
}

void memory_noticed(memory *m)
{
    bool asked = is("cudaMalloc") || is("cudaHostAlloc"); // else a variable, say
    m->call = asked ? call : NULL;
    m->number = checks ? *count_of(call) : 0;
    m->order = ++allocations;
    m->host = asked ? host() : 0;
}

static const char *name_of(int code)
{
    int kept = left.code, known_before = known;
    const char *name = cudaGetErrorName((cudaError_t)code);
    left.code = kept; // that was not the program asking
    known = known_before;
    return name;
}

// A judge asks for errors itself, and wants to say which call it was.
static void tell_failed(int code)
{
    char text[600];
    if (!checks || !by_calls || sending_for_judge || is_sticky(code))
        return;
    wire_command c = {.op = WIRE_FAILED, .device = (uint16_t)here, .host = host()};
    c.as.object.id = launched ? strnlen(launched, 400) : 0;
    if (launched)
        snprintf(text, sizeof text, "%.400s<<<(%u,%u,%u), (%u,%u,%u)>>>", launched,
                 launched_grid.x, launched_grid.y, launched_grid.z, launched_block.x,
                 launched_block.y, launched_block.z);
    else
        snprintf(text, sizeof text, "%.*s", plain(call), call);
    send_command(c, text, strlen(text));
}

void notice_left(int code)
{
    tell_failed(code);
    if (!(checks & SIMT_CHECK_ERROR) || (is_sticky(code) && code == known))
        return;
    char text[160];
    bool wrong = code == cudaErrorInvalidValue || code == cudaErrorInvalidMemcpyDirection ||
                 code == cudaErrorInvalidDevicePointer;
    snprintf(text, sizeof text, "the %s %.*s of the program, %s", ordinal(*count_of(call)),
             plain(call), call, name_of(code));
    if (wrong && (is("cudaMemcpy") || is("cudaMemset")))
        tell(SIMT_BAD_COPY, place_address, place_bytes, text, host());
    else if (wrong && is("cudaFree"))
        tell(SIMT_BAD_FREE, place_address, 0, text, host());
    else if (!left.code) {
        left.call = call;
        left.kernel = launched;
        left.number = *count_of(call);
        left.host = host();
        left.code = code;
    }
}

void notice_looked(int code)
{
    left.code = 0;
    if (is_sticky(code))
        known = code;
}

// ---- The end ------------------------------------------------------------------------

static void tell_left(void)
{
    char text[512];
    if (!left.code)
        return;
    wire_command c = {.op = WIRE_FINDING, .device = (uint16_t)here, .host = left.host};
    c.as.finding = (struct wire_finding){.kind = SIMT_UNCHECKED_ERROR};
    if (left.kernel) { // its name comes first
        c.as.finding.symbol = strnlen(left.kernel, 400);
        snprintf(text, sizeof text, "%.400s%s", left.kernel, name_of(left.code));
    } else {
        snprintf(text, sizeof text, "the %s %.*s failed: %s", ordinal(left.number),
                 plain(left.call), left.call, name_of(left.code));
    }
    send_command(c, text, strlen(text));
}

static void tell_leaks(unsigned since)
{
    char text[160];
    for (const memory *m = memory_after(NULL); m; m = memory_after(m)) {
        if (!m->call || m->order <= since || m->freed || m->parked || m->graphed)
            continue;
        snprintf(text, sizeof text, "%zu bytes of the %s %.*s", m->bytes,
                 ordinal(m->number), plain(m->call), m->call);
        tell(SIMT_LEAK, (const void *)(uintptr_t)m->base, m->bytes, text, m->host);
    }
}

static void drain(void) // until the device has heard it all
{
    static wire_reply reply;
    ask((wire_command){.op = WIRE_NOP}, NULL, 0, &reply);
}

static void tell_memory(unsigned since)
{
    if (!(checks & SIMT_CHECK_LEAK))
        return;
    tell_leaks(since);
    for (int i = 0; i < device_count; i++)
        send_command((wire_command){.op = WIRE_END, .device = (uint16_t)i}, NULL, 0);
    drain();
}

// A judge's runner calls one function after another: leaks are then a call's own. (What
// errors it left, the judge asks itself.)
void __cudaSimtCall(int begins);
void __cudaSimtCall(int begins)
{
    int code = front_enter();
    by_calls = true;
    asked_at = 0;
    sending_for_judge = !begins;
    if (begins)
        before = allocations;
    else if (!code && !device_gone)
        tell_memory(before);
    front_leave(cudaSuccess);
}

// A judge's answers hold poison when the call begins, which is nobody's value.
void __cudaSimtFresh(const void *at, size_t bytes);
void __cudaSimtFresh(const void *at, size_t bytes)
{
    int code = front_enter();
    wire_command c = {.op = WIRE_FRESH, .device = (uint16_t)here};
    c.as.range.address = (uint64_t)(uintptr_t)at;
    c.as.range.bytes = bytes;
    if (!code && !device_gone)
        send_command(c, NULL, 0);
    front_leave(cudaSuccess);
}

// Memory of a lost device cannot be freed, so it is no leak.
static void end(int status, void *unused)
{
    (void)unused;
    int code = front_enter();
    asked_at = 0;
    if (device && !device_gone && !status && !by_calls) {
        if (checks & SIMT_CHECK_ERROR)
            tell_left();
        if (!code)
            tell_memory(0);
        drain();
    }
    if (device && device->end)
        device->end(status);
    front_leave(cudaSuccess);
}

void notice_start(void)
{
    checks = gpu.checks;
    sending_host = host;
    sending_for_judge = !device->same_process; // only judges have a device elsewhere
    if (checks || device->end)
        on_exit(end, NULL);
}
