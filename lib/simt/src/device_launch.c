// Launches from kernels (dynamic parallelism, second edition): what children a grid has,
// and when they run.
//
// A thread's launch is noted with its arguments; the grid's children run when the grid
// itself has ended, in the order of their launches, each with its own children, and those
// of the tail stream after all others. A grid is not over before they are. That is as late
// as the rules allow: a parent sees nothing that its children do.

#include "heap_bits.h"
#include "lanes.h"

#include <stdlib.h>

enum { MOST_PARAMETERS = 4096, MOST_CHILDREN = 1 << 20, MOST_DEPTH = 24 };
enum { TAIL_STREAM = 3, FIRE_AND_FORGET = 4 };
enum { INVALID_VALUE = 1, NO_MEMORY = 2, TOO_DEEP = 65, TOO_MANY = 69, NOT_SUPPORTED = 801 };

typedef struct child {
    enum { GRID, COPY, FILL } kind;
    simt_launch what;    // GRID: its parameters lie at `buffer`, on the device
    uint64_t buffer;
    uint64_t to, from, bytes, byte;
    bool launched, tail;
} child;

struct children {
    child *list;
    uint32_t count, capacity;
    int depth, last_error;
    uint64_t streams;
};

static struct children *children_of(simt_device *d)
{
    if (!d->children) {
        d->children = calloc(1, sizeof *d->children);
        if (!d->children)
            abort();
    }
    return d->children;
}

void device_children_free(simt_device *d)
{
    if (d->children)
        free(d->children->list);
    free(d->children);
}

static child *add(struct children *all)
{
    if (all->count == all->capacity) {
        all->capacity = all->capacity * 2 + 64;
        all->list = realloc(all->list, all->capacity * sizeof *all->list);
        if (!all->list)
            abort();
    }
    memset(&all->list[all->count], 0, sizeof *all->list);
    return &all->list[all->count++];
}

// ---- What kernels call ----------------------------------------------------------

static void note(struct children *all, int error)
{
    if (error)
        all->last_error = error;
}

static bool write_lane(warp *w, int lane, uint64_t address, const void *from, size_t n)
{
    launch *run = w->worker->launch;
    range r;
    char *to = NULL;
    if (address - LOCAL_WINDOW < WINDOW_SIZE) {
        uint64_t a = address - LOCAL_WINDOW;
        to = n <= run->local && a <= run->local - n ? w->local + (size_t)lane * run->local + a : NULL;
        if (to)
            written_set(w->local_written, (size_t)(to - w->local), n, true);
    } else if (address - MALLOC_WINDOW < WINDOW_SIZE) {
        to = device_heap_find(run->device->malloced, address, n);
    } else if (heap_find(run->device->heap, address, n, &r)) {
        to = r.host + (address - r.low);
    }
    if (to)
        memcpy(to, from, n);
    if (to)
        bits_wrote(run->device, to, n);
    return to;
}

// void *GetParameterBufferV2(function, grid, block, shared): room for the arguments.
static int get_buffer(warp *w, const op *o, const call_of *c)
{
    (void)o;
    simt_device *d = w->worker->launch->device;
    struct children *all = children_of(d);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        const struct kernel_id *f = function_at(d, call_argument(w, c, l, 0));
        uint64_t at = 0;
        uint32_t kernel = 0;
        if (!f || simt_find_kernel(d, f->module->id, f->function->name, &kernel)) {
            note(all, 98);
        } else if (all->count >= MOST_CHILDREN || heap_alloc(d->heap, MOST_PARAMETERS, &at)) {
            note(all, TOO_MANY);
        } else {
            child *x = add(all);
            x->buffer = at;
            x->what = (simt_launch){.kernel = kernel,
                                    .parameter_bytes = f->function->parameter_bytes,
                                    .shared = (uint32_t)call_argument(w, c, l, 3)};
            memcpy(x->what.grid, call_bytes(w, c, l, 1, sizeof x->what.grid), sizeof x->what.grid);
            memcpy(x->what.block, call_bytes(w, c, l, 2, sizeof x->what.block), sizeof x->what.block);
        }
        call_result(w, c, l, at);
    }
    return GO;
}

// LaunchDeviceV2(buffer, stream)
static int launch_device(warp *w, const op *o, const call_of *c)
{
    (void)o;
    simt_device *d = w->worker->launch->device;
    struct children *all = children_of(d);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        int l = __builtin_ctz(m), error = INVALID_VALUE;
        uint64_t buffer = call_argument(w, c, l, 0), stream = call_argument(w, c, l, 1);
        for (uint32_t i = all->count; i-- > 0;) {
            child *x = &all->list[i];
            if (x->buffer != buffer || x->kind != GRID || x->launched)
                continue;
            error = all->depth + 1 >= MOST_DEPTH ? TOO_DEEP : simt_check_launch(d, &x->what);
            x->tail = stream == TAIL_STREAM;
            x->launched = !error;
            if (error) {
                heap_free(d->heap, buffer);
                x->buffer = 0;
            }
            break;
        }
        note(all, error);
        call_result(w, c, l, (uint64_t)error);
    }
    return GO;
}

static int last_error(warp *w, const call_of *c, bool clear)
{
    struct children *all = children_of(w->worker->launch->device);
    for (uint32_t m = w->mask; m; m &= m - 1)
        call_result(w, c, __builtin_ctz(m), (uint64_t)all->last_error);
    if (clear)
        all->last_error = 0;
    return GO;
}

static int get_last_error(warp *w, const op *o, const call_of *c)
{
    (void)o;
    return last_error(w, c, true);
}

static int peek_last_error(warp *w, const op *o, const call_of *c)
{
    (void)o;
    return last_error(w, c, false);
}

// StreamCreateWithFlags and EventCreateWithFlags(*handle, flags): any number will do.
static int create(warp *w, const op *o, const call_of *c)
{
    (void)o;
    struct children *all = children_of(w->worker->launch->device);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        uint64_t handle = 0x1000 + 16 * all->streams++;
        bool done = write_lane(w, l, call_argument(w, c, l, 0), &handle, sizeof handle);
        call_result(w, c, l, done ? 0 : INVALID_VALUE);
    }
    return GO;
}

// Children run one after the other, so streams and events order nothing more.
static int accept(warp *w, const op *o, const call_of *c)
{
    (void)o;
    for (uint32_t m = w->mask; m; m &= m - 1)
        call_result(w, c, __builtin_ctz(m), 0);
    return GO;
}

// Each lane's copy (to, from, bytes) or fill (to, byte, bytes), put off like a launch.
static int move_later(warp *w, const call_of *c, bool fills)
{
    for (uint32_t m = w->mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        child *x = add(children_of(w->worker->launch->device));
        x->kind = fills ? FILL : COPY;
        x->to = call_argument(w, c, l, 0);
        if (fills)
            x->byte = call_argument(w, c, l, 1);
        else
            x->from = call_argument(w, c, l, 1);
        x->bytes = call_argument(w, c, l, 2);
        x->launched = true;
        call_result(w, c, l, 0);
    }
    return GO;
}

static int copy_later(warp *w, const op *o, const call_of *c)
{
    (void)o;
    return move_later(w, c, false);
}

static int fill_later(warp *w, const op *o, const call_of *c)
{
    (void)o;
    return move_later(w, c, true);
}

static int get_device(warp *w, const op *o, const call_of *c)
{
    (void)o;
    uint32_t number = 0;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        bool done = write_lane(w, l, call_argument(w, c, l, 0), &number, sizeof number);
        call_result(w, c, l, done ? 0 : INVALID_VALUE);
    }
    return GO;
}

int device_runtime(warp *w, const op *o, const call_of *c)
{
    static const struct {
        const char *name;
        int (*run)(warp *, const op *, const call_of *);
    } calls[] = {
#define CALL(name, function) {#name, function},
#include "device_calls.def"
#undef CALL
    };
    const char *name = c->name + strlen(DEVICE_RUNTIME);
    size_t length = strcspn(name, "_"); // _ptsz: a stream of its own
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strlen(calls[i].name) == length && !strncmp(calls[i].name, name, length))
            return calls[i].run(w, o, c);
    fault_text(w, "%s", c->name);
    return fault_here(w, o, SIMT_UNSUPPORTED, __builtin_ctz(w->mask));
}

// ---- Running children -----------------------------------------------------------

static int run_child(simt_device *d, const child *x)
{
    if (x->kind == COPY)
        return simt_copy(d, x->to, x->from, x->bytes) ? 700 : 0;
    if (x->kind == FILL)
        return simt_fill(d, x->to, (int)(x->byte & 255), x->bytes) ? 700 : 0;
    range r;
    if (!heap_find(d->heap, x->buffer, MOST_PARAMETERS, &r))
        return 700;
    simt_launch what = x->what;
    what.parameters = r.host + (x->buffer - r.low);
    int error = simt_run(d, &what);
    heap_free(d->heap, x->buffer);
    return error;
}

// The grid that just ended launched these: run them, and what they launch.
int device_run_children(simt_device *d)
{
    struct children *all = d->children, mine;
    if (!all || !all->count)
        return 0;
    mine = *all;
    all->list = NULL;
    all->count = all->capacity = 0;
    all->depth++;
    int error = 0;
    for (int tail = 0; tail < 2; tail++)
        for (uint32_t i = 0; i < mine.count && !error; i++)
            if (mine.list[i].launched && mine.list[i].tail == tail)
                error = run_child(d, &mine.list[i]);
    all->depth--;
    free(mine.list);
    return error;
}

bool device_has_parent(const simt_device *d)
{
    return d->children && d->children->depth;
}

// A grid that failed takes its children with it.
void device_drop_children(simt_device *d)
{
    if (d->children)
        d->children->count = 0;
}
