// Calling a learner's function, from the arguments to the checked answer.

#include "judge.h"

#include <stdio.h>
#include <string.h>

static wb_arg buffer(wb_kind kind, const void *from, void *to, size_t bytes)
{
    return (wb_arg){.kind = kind, .from = from, .to = to, .bytes = bytes};
}

static wb_arg scalar(wb_kind kind, const void *value, size_t bytes)
{
    wb_arg a = {.kind = kind};
    memcpy(&a.value, value, bytes);
    return a;
}

wb_arg wb_in(const void *data, size_t n)
{
    return buffer(WB_DEVICE, data, NULL, n);
}
wb_arg wb_out(void *data, size_t n)
{
    return buffer(WB_DEVICE, NULL, data, n);
}
wb_arg wb_inout(void *data, size_t n)
{
    return buffer(WB_DEVICE, data, data, n);
}
wb_arg wb_host_in(const void *data, size_t n)
{
    return buffer(WB_HOST, data, NULL, n);
}
wb_arg wb_host_out(void *data, size_t n)
{
    return buffer(WB_HOST, NULL, data, n);
}
wb_arg wb_host_inout(void *data, size_t n)
{
    return buffer(WB_HOST, data, data, n);
}
wb_arg wb_null(void)
{
    return (wb_arg){.kind = WB_NULL};
}
wb_arg wb_size(size_t v)
{
    return scalar(WB_SIZE, &v, sizeof v);
}
wb_arg wb_i32(int32_t v)
{
    return scalar(WB_I32, &v, sizeof v);
}
wb_arg wb_u32(uint32_t v)
{
    return scalar(WB_U32, &v, sizeof v);
}
wb_arg wb_i64(int64_t v)
{
    return scalar(WB_I64, &v, sizeof v);
}
wb_arg wb_f32(float v)
{
    return scalar(WB_F32, &v, sizeof v);
}
wb_arg wb_f64(double v)
{
    return scalar(WB_F64, &v, sizeof v);
}

wb_arg wb_shifted(wb_arg pointer, size_t bytes)
{
    pointer.shift = bytes;
    return pointer;
}

wb_arg wb_same_as(int argument)
{
    return (wb_arg){.kind = WB_SAME, .value = (uint64_t)argument};
}

wb_arg wb_named(wb_arg argument, const char *name)
{
    argument.name = name;
    return argument;
}

wb_arg wb_array(wb_arg argument, const char *name, size_t element)
{
    argument.element = element;
    return wb_named(argument, name);
}

void call_fill(wire_call *call, const char *name, const wb_arg *arguments, size_t count)
{
    *call = (wire_call){.count = (uint32_t)count};
    if (count > WIRE_ARGUMENTS || strlen(name) >= WIRE_NAME)
        fail_as(OURS, "%s: too many arguments, or too long a name", name);
    strcpy(call->name, name);
    for (size_t i = 0; i < count; i++) {
        call->arguments[i].kind = arguments[i].kind;
        call->arguments[i].value = arguments[i].value;
        if (arguments[i].kind == WB_SAME && arguments[i].value >= i)
            fail_as(OURS, "%s: argument %zu is the same as a later one", name, i + 1);
    }
    area_lay(call, arguments, count);
}

void exchange(link_ *l, uint32_t ask, const void *body, uint32_t bytes, uint32_t hear,
              void *answer, uint32_t answer_bytes)
{
    const wire_call *call = body;
    static char doing[WIRE_NAME];
    if (ask == WIRE_CALL || ask == WIRE_PREPARE)
        memcpy(doing, call->name, sizeof doing);
    heard how = link_ask(l, ask, body, bytes);
    if (how == HEARD)
        how = link_hear(l, hear, answer, answer_bytes);
    if (how != HEARD)
        gone(l, how, doing);
}

void call_started(const wire_ready *ready, const char *name)
{
    if (ready->status == WIRE_OK)
        return;
    if (ready->status == WIRE_MISSING)
        fail_as(WRONG,
                "kernel.cu does not define %s\n"
                "next: it must be declared as in kernel.h, extern \"C\" included",
                name);
    link_end(&learner);
    if (ready->status == WIRE_CUDA)
        fail_as(OURS, "the arrays of a call of %s could not be made: %s", name,
                words_for_code(ready->code));
    fail_as(OURS, "no memory in the learner's process for the arrays of %s", name);
}

static void check_device(const wire_returned *r, const char *name, bool strict)
{
    if (r->waited) {
        link_end(&learner);
        fail_as(CRASHED, "%s: the device stopped with error %s%s", name,
                words_for_code(r->waited),
                option.emulated
                    ? ""
                    : "\nnext: DEVICE=emulator names the line and the thread");
    }
    if (strict && r->value)
        fail_as(WRONG, "%s returned %s%s", name, words_for_code(r->value), device_failed());
    if (strict && r->pending)
        fail_as(WRONG,
                "%s returned 0, but a CUDA call or launch in it failed with error %s%s\n"
                "next: return cudaGetLastError() after the launch",
                name, words_for_code(r->pending), device_failed());
}

typedef enum { STRICT, LENIENT, FAULTING } manner;

static wire_returned call(const char *name, const wb_arg *arguments, size_t count,
                          manner how, bool real)
{
    wire_call *call = wb_new(sizeof *call);
    wire_ready *ready = wb_new(sizeof *ready);
    wire_returned returned;
    wire_done done;
    call_fill(call, name, arguments, count);
    call->real = real;
    if (!learner.up)
        link_start(&learner);

    exchange(&learner, WIRE_CALL, call, sizeof *call, WIRE_READY, ready, sizeof *ready);
    call_started(ready, name);
    area_placed(call, ready);
    device_reset();
    exchange(&learner, WIRE_GO, NULL, 0, WIRE_RETURNED, &returned, sizeof returned);
    if (!real && how != FAULTING) {
        device_judge(ready, arguments, count);
        check_device(&returned, name, how == STRICT);
    }
    exchange(&learner, WIRE_FETCH, NULL, 0, WIRE_DONE, &done, sizeof done);
    if (done.status != WIRE_OK) {
        link_end(&learner);
        fail_as(CRASHED, "%s: the answer could not be copied back: %s", name,
                words_for_code(done.code));
    }
    area_check(call, arguments);
    area_take(call, arguments);
    return returned;
}

void wb_call_(const char *name, const wb_arg *arguments, size_t count)
{
    call(name, arguments, count, STRICT, false);
}

int wb_try_(const char *name, const wb_arg *arguments, size_t count)
{
    return call(name, arguments, count, LENIENT, false).value;
}

int wb_fault_(const char *name, const wb_arg *arguments, size_t count)
{
    int value = call(name, arguments, count, FAULTING, false).value;
    link_end(&learner); // its device answers nothing but the fault's code from now on
    return value;
}

double wb_double_(const char *name, const wb_arg *arguments, size_t count)
{
    return call(name, arguments, count, LENIENT, true).real;
}

void wb_fresh(void)
{
    link_end(&learner);
}

const char *wb_printed(void)
{
    if (learner.up)
        link_drain(&learner);
    learner.printed[learner.printed_bytes] = 0;
    return learner.printed;
}
