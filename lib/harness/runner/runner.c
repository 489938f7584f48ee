// The runner: the learner's process.
//
// Linked with the learner's object, started by the judge, and asked to call one
// function after another. Whatever the learner's code does to this process, the judge
// sees only answers, a silence or an end.

#include "runner.h"

#include <cuda_runtime_api.h>
#include <stdio.h>

// The emulator's front end looks at what one call leaves allocated; a GPU's runtime has
// no such thing.
extern void __cudaSimtCall(int begins) __attribute__((weak));

static buffers current;
static void *function;
static bool timed; // FETCH means the last timed call

static void prepare_call(uint64_t token, const wire_call *call)
{
    wire_ready ready = {0};
    timed = false;
    function = find_function(call->name);
    if (!function)
        ready.status = WIRE_MISSING;
    else
        ready.status = buffers_make(&current, call, &ready.code);
    if (ready.status == WIRE_OK && !call->real) {
        ready.code = cudaDeviceSynchronize();
        ready.status = ready.code ? WIRE_CUDA : WIRE_OK;
    }
    for (uint32_t i = 0; i < WIRE_ARGUMENTS; i++)
        ready.base[i] = (uint64_t)(uintptr_t)current.base[i];
    channel_send(WIRE_READY, token, &ready, sizeof ready);
}

static void run_call(uint64_t token)
{
    wire_returned returned = {0};
    if (__cudaSimtCall)
        __cudaSimtCall(1);
    if (current.call.real) {
        returned.real = invoke_real(function, &current);
    } else {
        returned.value = invoke(function, &current);
        returned.waited = cudaDeviceSynchronize();
        returned.pending = cudaGetLastError();
    }
    if (__cudaSimtCall)
        __cudaSimtCall(0);
    fflush(NULL);
    channel_send(WIRE_RETURNED, token, &returned, sizeof returned);
}

static void fetch(uint64_t token)
{
    wire_done done = {0};
    done.status =
        timed ? timing_fetch(&done.code) : buffers_fetch(&current, &done.code);
    if (!timed)
        buffers_free(&current);
    channel_send(WIRE_DONE, token, &done, sizeof done);
}

static void prepare_timing(uint64_t token, const wire_call *call)
{
    wire_ready ready = {0};
    timed = true;
    ready.status = timing_prepare(call, &ready);
    channel_send(WIRE_READY, token, &ready, sizeof ready);
}

static void measure(uint64_t token, const wire_batch *batch)
{
    wire_measured measured = {0};
    timing_batch(batch, &measured);
    fflush(NULL);
    channel_send(WIRE_MEASURED, token, &measured, sizeof measured);
}

static void about(uint64_t token)
{
    wire_gpu gpu = {0};
    timing_about(&gpu);
    channel_send(WIRE_GPU, token, &gpu, sizeof gpu);
}

int main(void)
{
    // A whole buffer between flushes: a program that prints much is not slowed by it.
    static char text[64 * 1024];
    setvbuf(stdout, text, _IOFBF, sizeof text);
    dying_listen();
    channel_send(WIRE_HELLO, 0, &(wire_hello){WIRE_VERSION, 0}, sizeof(wire_hello));

    static union {
        wire_call call;
        wire_batch batch;
    } body;
    wire_head head;
    while (channel_receive(&head, &body, sizeof body)) {
        switch (head.type) {
        case WIRE_CALL:
            prepare_call(head.token, &body.call);
            break;
        case WIRE_GO:
            run_call(head.token);
            break;
        case WIRE_FETCH:
            fetch(head.token);
            break;
        case WIRE_PREPARE:
            prepare_timing(head.token, &body.call);
            break;
        case WIRE_BATCH:
            measure(head.token, &body.batch);
            break;
        case WIRE_ABOUT:
            about(head.token);
            break;
        }
    }
    return 0;
}
