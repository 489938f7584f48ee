// Calls: frames come and go, arguments are copied, local memory grows and shrinks.
//
// A function's address is a number in the code window, given when something first asks
// for it (a table's initial value, a mov); a call through a pointer runs the lanes of one
// target at a time, as splits. Functions that the toolkit leaves undefined (vprintf,
// malloc, ...) are the device's own: builtins.def.

#include "init.h"
#include "lanes.h"

#include <stdlib.h>

// ---- Functions as numbers -------------------------------------------------------

uint64_t function_address(simt_device *device, module *m, ptx_function *f)
{
    uint32_t i = 0;
    while (i < device->function_count && device->functions[i].function != f)
        i++;
    if (i == device->function_count) {
        struct kernel_id *more =
            realloc(device->functions, (i + 1) * sizeof *device->functions);
        if (!more)
            abort();
        device->functions = more;
        device->functions[device->function_count++] = (struct kernel_id){m, f};
    }
    return CODE_WINDOW + 16 * (uint64_t)(i + 1);
}

const struct kernel_id *function_at(const simt_device *device, uint64_t address)
{
    uint64_t i = (address - CODE_WINDOW) / 16 - 1;
    return address % 16 == 0 && i < device->function_count && device->functions[i].function
               ? &device->functions[i]
               : NULL;
}

// ---- Calling --------------------------------------------------------------------

static void copy_lanes(const warp *w, frame *to, uint32_t to_at, const frame *from,
                       uint32_t from_at, uint32_t bytes)
{
    if (to_at + bytes > to->argument_bytes || from_at + bytes > from->argument_bytes)
        return;
    for (uint32_t k = w->mask; k; k &= k - 1) {
        size_t l = (size_t)__builtin_ctz(k);
        memcpy(to->arguments + l * to->argument_bytes + to_at,
               from->arguments + l * from->argument_bytes + from_at, bytes);
    }
}

// Where the lanes' free local memory begins.
static uint32_t stack_top(const warp *w)
{
    const frame *f = w->frame;
    uint32_t bytes = (uint32_t)f->code->function->local_bytes;
    uint32_t top = f->local_base + (f->caller && bytes < 16 ? 16 : bytes);
    for (uint32_t k = f->tops ? w->mask : 0; k; k &= k - 1)
        if (f->tops[__builtin_ctz(k)] > top)
            top = f->tops[__builtin_ctz(k)];
    return (top + 15) & ~15u;
}

// A frame's local memory holds nothing when a function begins.
void frame_unwritten(const warp *w, const frame *f, uint32_t lanes)
{
    for (uint32_t m = w->local_written ? lanes : 0; m; m &= m - 1)
        written_set(w->local_written,
                    (size_t)__builtin_ctz(m) * w->worker->launch->local + f->local_base,
                    f->code->function->local_bytes, false);
}

static int enter(warp *w, const op *o, const call_of *c, ptx_function *callee)
{
    event e = warp_limit(w, o); // calls can do without a jump backwards
    if (e)
        return e;
    uint32_t base = stack_top(w);
    if ((size_t)base + callee->local_bytes + 16 > w->worker->launch->local) {
        fault_text(w, "%d calls deep, %u bytes of local memory", w->frame->depth, base);
        return fault_here(w, o, SIMT_STACK, __builtin_ctz(w->mask));
    }
    frame *f = frame_new(w->worker, callee->decoded, w->frame);
    f->local_base = base;
    f->return_to = (uint32_t)(o - w->ops) + 1;
    f->call = c;
    for (int i = 0; i < c->count && i < callee->parameter_count; i++) {
        const ptx_symbol *to = callee->parameters[i];
        uint32_t bytes = c->argument[i].bytes;
        copy_lanes(w, f, (uint32_t)to->at, w->frame, c->argument[i].from,
                   to->bytes < bytes ? (uint32_t)to->bytes : bytes);
    }
    frame_unwritten(w, f, w->mask);
    w->splits[w->current].frame = f; // its hold on the caller passes to f
    frame_enter(w, f);
    return warp_jump(w, 0);
}

int control_call(warp *w, const op *o)
{
    const call_of *c = o->extra;
    if (!c->builtin)
        return enter(w, o, c, c->function);
    int e = c->builtin->run(w, o, c);
    return e ? e : (int)warp_jump(w, (uint32_t)(o - w->ops) + 1);
}

// The lanes that want what the first one wants go; the others come back here.
int control_call_pointer(warp *w, const op *o)
{
    const call_of *c = o->extra;
    const uint64_t *to = AT(w, o->a);
    int first = __builtin_ctz(w->mask);
    uint64_t address = to[first];
    uint32_t others = 0;
    for (uint32_t k = w->mask; k; k &= k - 1)
        if (to[__builtin_ctz(k)] != address)
            others |= 1u << __builtin_ctz(k);
    const struct kernel_id *f = function_at(w->worker->launch->device, address);
    simt_code *code = f ? f->function->decoded : NULL;
    if (!code || code->launch != w->worker->launch->device->grid_number) {
        fault_text(w, "0x%llx is no function's address", (unsigned long long)address);
        return fault_here(w, o, SIMT_BAD_CALL, first);
    }
    if (c->count != f->function->parameter_count) {
        fault_text(w, "%s takes %d arguments, not %d", f->function->name,
                   f->function->parameter_count, c->count);
        return fault_here(w, o, SIMT_BAD_CALL, first);
    }
    if (others)
        split_off(w, others, (uint32_t)(o - w->ops));
    return enter(w, o, c, f->function);
}

int control_ret(warp *w, const op *o)
{
    frame *f = w->frame, *caller = f->caller;
    if (!caller)
        return control_exit(w, o);
    const ptx_function *from = f->code->function;
    if (from->result && f->call->result_bytes)
        copy_lanes(w, caller, f->call->result_to, f,
                   (uint32_t)((from->parameter_bytes + 15) & ~(size_t)15),
                   f->call->result_bytes < from->result->bytes
                       ? f->call->result_bytes
                       : (uint32_t)from->result->bytes);
    uint32_t to = f->return_to;
    if (--f->references == 0)
        frame_release(w->worker, f); // its hold on the caller passes to the split
    else
        caller->references++;
    w->splits[w->current].frame = caller;
    frame_enter(w, caller);
    return warp_jump(w, to);
}

// ---- Local memory that grows ----------------------------------------------------

static void put_address(warp *w, const op *o, int lane, uint64_t at)
{
    memcpy((char *)AT(w, o->d) + lane * o->width, &at, o->width);
}

// alloca d, size, alignment (o->imm); each lane has a top of its own.
int control_alloca(warp *w, const op *o)
{
    frame *f = w->frame;
    uint32_t base = f->local_base + (uint32_t)f->code->function->local_bytes;
    if (!f->tops) {
        f->tops = malloc(32 * sizeof *f->tops);
        if (!f->tops)
            abort();
        for (int l = 0; l < 32; l++)
            f->tops[l] = base;
    }
    for (uint32_t k = w->mask; k; k &= k - 1) {
        int l = __builtin_ctz(k);
        uint64_t bytes = 0, align = (uint64_t)o->imm;
        memcpy(&bytes, (const char *)AT(w, o->a) + l * o->width, o->width);
        uint64_t at = (f->tops[l] + align - 1) / align * align;
        if (bytes > w->worker->launch->local || at + bytes > w->worker->launch->local) {
            fault_text(w, "alloca of %llu bytes", (unsigned long long)bytes);
            return fault_here(w, o, SIMT_STACK, l);
        }
        f->tops[l] = (uint32_t)(at + bytes);
        written_set(w->local_written, (size_t)l * w->worker->launch->local + at, bytes, false);
        put_address(w, o, l, at);
    }
    return GO;
}

int control_stack_save(warp *w, const op *o)
{
    const frame *f = w->frame;
    uint32_t base = f->local_base + (uint32_t)f->code->function->local_bytes;
    for (uint32_t k = w->mask; k; k &= k - 1) {
        int l = __builtin_ctz(k);
        put_address(w, o, l, f->tops ? f->tops[l] : base);
    }
    return GO;
}

int control_stack_restore(warp *w, const op *o)
{
    frame *f = w->frame;
    for (uint32_t k = f->tops ? w->mask : 0; k; k &= k - 1) {
        int l = __builtin_ctz(k);
        uint64_t at = 0;
        memcpy(&at, (const char *)AT(w, o->a) + l * o->width, o->width);
        f->tops[l] = at < f->tops[l] ? (uint32_t)at : f->tops[l];
    }
    return GO;
}

// ---- Addresses that a frame or a launch decides ---------------------------------

static int same_address(warp *w, const op *o, uint64_t at)
{
    for (uint32_t k = w->mask; k; k &= k - 1) {
        int l = __builtin_ctz(k);
        memcpy((char *)AT(w, o->d) + l * o->width, &at, o->width);
    }
    return GO;
}

int control_local_address(warp *w, const op *o)
{
    return same_address(w, o, w->frame->local_base + (uint64_t)o->imm);
}

// Dynamic shared memory begins behind all static parts, the module's behind the kernel's.
int control_dynamic_address(warp *w, const op *o)
{
    launch *run = w->worker->launch;
    return same_address(w, o, run->shared - run->what->shared + (uint64_t)o->imm);
}

int control_module_address(warp *w, const op *o)
{
    size_t own = w->worker->launch->code->function->shared_bytes;
    return same_address(w, o, (own + 127) / 128 * 128 + (uint64_t)o->imm);
}

// ---- The device's own functions -------------------------------------------------

static const builtin builtins[] = {
#define BUILTIN(name, function, ordered, meaning) {#name, function, ordered},
#include "builtins.def"
#undef BUILTIN
};

const builtin *builtin_named(const char *name)
{
    static const builtin runtime = {DEVICE_RUNTIME, device_runtime, true};
    if (!strncmp(name, DEVICE_RUNTIME, strlen(DEVICE_RUNTIME)))
        return &runtime;
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (!strcmp(builtins[i].name, name))
            return &builtins[i];
    return NULL;
}

// A lane's argument bytes, NULL if that many are not there.
static uint8_t *lane_bytes(const warp *w, int lane, uint32_t at, uint32_t bytes)
{
    const frame *f = w->frame;
    return at <= f->argument_bytes && bytes <= f->argument_bytes - at
               ? f->arguments + (size_t)lane * f->argument_bytes + at
               : NULL;
}

uint64_t call_argument(const warp *w, const call_of *c, int lane, int i)
{
    uint64_t v = 0;
    uint32_t bytes = i < c->count ? c->argument[i].bytes : 0;
    bytes = bytes > 8 ? 8 : bytes;
    const uint8_t *from = bytes ? lane_bytes(w, lane, c->argument[i].from, bytes) : NULL;
    if (from)
        memcpy(&v, from, bytes);
    return v;
}

const uint8_t *call_bytes(const warp *w, const call_of *c, int lane, int i, uint32_t bytes)
{
    static const uint8_t none[64];
    const uint8_t *from =
        i < c->count ? lane_bytes(w, lane, c->argument[i].from, bytes) : NULL;
    return from ? from : none;
}

void call_result(warp *w, const call_of *c, int lane, uint64_t v)
{
    uint32_t bytes = c->result_bytes > 8 ? 8 : c->result_bytes;
    uint8_t *to = lane_bytes(w, lane, c->result_to, bytes);
    if (to)
        memcpy(to, &v, bytes);
}
