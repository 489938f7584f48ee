// Entering and leaving the front end, and what went wrong on the way.
//
// One lock around every call. A kernel's fault makes its device's context sticky: each
// call that needs the context repeats it, until the process ends. (After a device reset
// a real runtime answers "unavailable" instead, and so does this.)

#include "graph.h"
#include "memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Thread_local int last;
_Thread_local bool in_host_function;
static int sticky[WIRE_DEVICES];
_Thread_local int here;
wire_gpu gpu;
int device_count;

static void make_lock(void)
{
    pthread_mutexattr_t kind; // host functions and stubs may call back in
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &kind);
    pthread_mutexattr_destroy(&kind);
}

static int open_once(void)
{
    static int result = -1;
    if (result >= 0)
        return result;
    result = cudaErrorNoDevice;
    if (!device_open())
        return result;
    static wire_reply reply;
    int error = ask((wire_command){.op = WIRE_GPU}, NULL, 0, &reply);
    if (error || reply.bytes != sizeof gpu)
        return result;
    memcpy(&gpu, reply.body, sizeof gpu);
    gpu.name[sizeof gpu.name - 1] = 0;
    device_count = (int)reply.value[0];
    notice_start();
    return result = cudaSuccess;
}

int front_enter_any(void)
{
    pthread_once(&once, make_lock);
    pthread_mutex_lock(&lock);
    return open_once();
}

int front_enter(void)
{
    int code = front_enter_any();
    if (!code && in_host_function)
        return cudaErrorNotPermitted;
    return code ? code : sticky[here];
}

int front_enter_unsafe(void)
{
    int code = front_enter();
    return code ? code : capture_allows();
}

bool is_device(int number)
{
    return number >= 0 && number < device_count;
}

cudaError_t front_leave(int code)
{
    if (code && code != cudaErrorNotReady) {
        last = code;
        notice_left(code);
    }
    pthread_mutex_unlock(&lock);
    return (cudaError_t)code;
}

// See refused.c.
int front_refuse(const char *name, atomic_flag *said, const void *from);
int front_refuse(const char *name, atomic_flag *said, const void *from)
{
    front_enter_any();
    if (!atomic_flag_test_and_set(said)) {
        uint32_t line = device_count ? line_of_call(from) : 0;
        const char *file = line_file(line);
        if (file)
            fprintf(stderr, "simt: %s is not supported (%s:%u)\n", name, file,
                    line_number(line));
        else
            fprintf(stderr, "simt: %s is not supported\n", name);
    }
    return front_leave(cudaErrorNotSupported);
}

int last_error(bool clear)
{
    int code = last;
    notice_looked(code);
    if (clear)
        last = cudaSuccess;
    return code;
}

int front_wait(int number)
{
    static wire_reply reply;
    bool printed = false;
    do {
        ask((wire_command){.op = WIRE_WAIT, .device = (uint16_t)number}, NULL, 0,
            &reply);
        if (reply.bytes && reply.bytes <= sizeof reply.body)
            printed |= fwrite(reply.body, 1, reply.bytes, stdout) > 0;
    } while (reply.flags & WIRE_MORE);
    int code = reply.code;
    if (printed)
        fflush(stdout);
    if (reply.flags & WIRE_STICKY)
        sticky[number] = code;
    return code;
}

int front_reset(void)
{
    if (sticky[here]) { // as a real device that has lost its context
        sticky[here] = cudaErrorDevicesUnavailable;
        last = cudaSuccess;
        return cudaSuccess;
    }
    run_all(here);
    int code = front_wait(here);
    if (!code) {
        queues_forget(here);
        textures_forget(here);
        pools_forget(here);
        memory_forget(here);
        modules_forget(here);
        limits_forget(here);
        peers_forget(here);
    }
    return code;
}

// ---- The calls ------------------------------------------------------------------

cudaError_t CUDARTAPI cudaGetLastError(void)
{
    return (cudaError_t)last_error(true);
}

cudaError_t CUDARTAPI cudaPeekAtLastError(void)
{
    return (cudaError_t)last_error(false);
}

typedef struct error_text {
    int number;
    const char *name, *text;
} error_text;

static const error_text *text_of(int code)
{
    static const error_text texts[] = {
#define ERROR(number, name, text) {number, #name, text},
#include "errors.def"
#undef ERROR
    };
    static const error_text unknown = {-1, "unrecognized error code",
                                       "unrecognized error code"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].number == code)
            return &texts[i];
    return &unknown;
}

const char *CUDARTAPI cudaGetErrorName(cudaError_t error)
{
    if (error)
        notice_looked((int)error);
    return text_of((int)error)->name;
}

const char *CUDARTAPI cudaGetErrorString(cudaError_t error)
{
    if (error)
        notice_looked((int)error);
    return text_of((int)error)->text;
}
