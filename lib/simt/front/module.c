// Modules: what nvcc's constructors register, and its way to the device.
//
// Registration runs before main, in any order, so it only notes what it is told. A
// module's PTX goes to the device when one of its kernels or variables is first used;
// then its managed variables, which the host reaches through pointers, get their
// memory.

#include "fatbin.h"
#include "memory.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WRAPPER_MAGIC = 0x466243b1, MOST_PARTS = 4096 };

typedef struct wrapper {
    int magic, version;
    const void *container;    // version 1
    const void *const *parts; // version 2: of each linked file, NULL at the end
} wrapper;

typedef struct module {
    struct module *next;
    const wrapper *image;
    struct module_on { // on one device
        uint32_t *ids; // one a part
        int count;
        bool loaded;
        int error;
    } on[WIRE_DEVICES];
    int target;   // of its PTX: 80 is sm_80
    void *handle; // what the program holds is the address of this
} module;

static module *modules;
static kernel *kernels;
static variable *variables;
static wire_reply reply;

// ---- Loading --------------------------------------------------------------------

typedef struct span {
    uintptr_t at;
    size_t left;
} span;

static int find_segment(struct dl_phdr_info *info, size_t size, void *what)
{
    (void)size;
    span *s = what;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t low = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        uintptr_t high = low + info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && s->at >= low && s->at < high) {
            s->left = high - s->at;
            return 1;
        }
    }
    return 0;
}

// Bytes from an address to the end of the program's segment that holds it.
static size_t bytes_left(const void *at)
{
    span s = {(uintptr_t)at, 0};
    dl_iterate_phdr(find_segment, &s);
    return s.left;
}

typedef struct program { // texts one after the other, each ending in NUL
    char *text;
    size_t bytes;
} program;

static int add_part(program *all, const void *container, bool may_be_empty)
{
    char *ptx;
    size_t bytes;
    int code = fatbin_ptx(container, bytes_left(container),
                          (unsigned)(gpu.major * 10 + gpu.minor), &ptx, &bytes);
    if (code == FATBIN_NO_PTX && may_be_empty)
        return cudaSuccess; // a file without device code
    if (code)
        return code;
    char *more = realloc(all->text, all->bytes + bytes + 1);
    if (more) {
        memcpy(more + all->bytes, ptx, bytes);
        all->text = more;
        all->bytes += bytes;
        all->text[all->bytes++] = 0;
    }
    free(ptx);
    return more ? cudaSuccess : cudaErrorMemoryAllocation;
}

static int load_program(module *m, const program *all, int number)
{
    int code = load_text(number, all->text, all->bytes, &reply);
    if (code) {
        fprintf(stderr, "simt: the program's PTX does not load: %.*s\n",
                (int)reply.bytes, reply.body);
        return code;
    }
    const char *target = strstr(all->text, ".target sm_");
    m->target = target ? atoi(target + strlen(".target sm_")) : 0;
    struct module_on *on = &m->on[number];
    on->ids = malloc(sizeof *on->ids);
    if (!on->ids)
        return cudaErrorMemoryAllocation;
    on->ids[0] = (uint32_t)reply.value[0];
    on->count = 1;
    return cudaSuccess;
}

// Ask the parts for a name, until one has it.
static int ask_parts(enum wire_op op, const module *m, int number, const char *name,
                     uint64_t address, int missing)
{
    int code = missing;
    for (int i = 0; i < m->on[number].count && code; i++) {
        wire_command c = {.op = (uint16_t)op,
                          .device = (uint16_t)number,
                          .as.object = {m->on[number].ids[i], address}};
        code = ask(c, name, strlen(name), &reply);
    }
    return code;
}

static int place_managed(const module *m, int number)
{
    for (variable *v = variables; v; v = v->next) {
        if (v->module != m || !v->slot)
            continue;
        int code = cudaSuccess;
        if (!v->managed)
            code = arena_take(v->bytes, MANAGED, cudaMemAttachGlobal, &v->managed);
        if (code)
            return code;
        memory_based(v->managed)->call = NULL; // nobody's to free
        *v->slot = v->managed;
        code = ask_parts(WIRE_BIND, m, number, v->name, (uintptr_t)v->managed,
                         cudaErrorInvalidSymbol);
        if (code)
            return code;
        v->at[number] = (uintptr_t)v->managed;
    }
    return cudaSuccess;
}

static int load(module *m, int number)
{
    struct module_on *on = &m->on[number];
    if (on->loaded)
        return on->error;
    on->loaded = true;
    const wrapper *w = m->image;
    if (!w || w->magic != WRAPPER_MAGIC || w->version < 1 || w->version > 2)
        return on->error = cudaErrorInvalidKernelImage;
    program all = {0};
    if (w->version == 1)
        on->error = add_part(&all, w->container, false);
    else // relocatable: its files are linked
        for (int i = 0; i < MOST_PARTS && w->parts[i] && !on->error; i++)
            on->error = add_part(&all, w->parts[i], true);
    if (!on->error)
        on->error = load_program(m, &all, number);
    free(all.text);
    if (!on->error)
        on->error = place_managed(m, number);
    return on->error;
}

// ---- Kernels and variables ------------------------------------------------------

kernel *kernel_by_stub(const void *host)
{
    for (kernel *k = kernels; k; k = k->next)
        if (k->host == host)
            return k;
    return NULL;
}

kernel *kernel_of(const void *host)
{
    kernel *k = kernel_by_stub(host);
    for (kernel *other = kernels; other && !k; other = other->next)
        if (other == host)
            k = other;
    return k;
}

int kernel_ready(kernel *k, int number)
{
    kernel_on *on = &k->on[number];
    if (on->id)
        return cudaSuccess;
    int code = load(k->module, number);
    if (!code)
        code = ask_parts(WIRE_KERNEL, k->module, number, k->name, 0,
                         cudaErrorInvalidDeviceFunction);
    if (code)
        return code;
    wire_kernel *about = realloc(on->about, reply.bytes);
    if (!about)
        return cudaErrorMemoryAllocation;
    on->about = about;
    memcpy(on->about, reply.body, reply.bytes);
    on->id = (uint32_t)reply.value[0];
    on->carveout = -1;
    kernel_measure(k, number);
    return cudaSuccess;
}

int kernel_find(const void *host, kernel **k)
{
    *k = kernel_of(host);
    if (!*k)
        return host ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction;
    return kernel_ready(*k, here);
}

int variable_ready(const void *host, variable **found)
{
    variable *v = variables;
    while (v && v->host != host && !(v->slot && *v->slot == host))
        v = v->next;
    if (!v)
        return cudaErrorInvalidSymbol;
    *found = v;
    int code = load(v->module, here);
    if (code || v->at[here])
        return code;
    code =
        ask_parts(WIRE_VARIABLE, v->module, here, v->name, 0, cudaErrorInvalidSymbol);
    if (code)
        return code;
    v->at[here] = reply.value[0];
    if (reply.value[1] < v->bytes)
        v->bytes = reply.value[1];
    return memory_add((memory){
        .base = v->at[here], .bytes = v->bytes, .kind = VARIABLE, .device = here});
}

static void unload(module *m, int number)
{
    struct module_on *on = &m->on[number];
    for (int i = 0; i < on->count; i++) {
        wire_command c = {
            .op = WIRE_UNLOAD, .device = (uint16_t)number, .as.object.id = on->ids[i]};
        ask(c, NULL, 0, &reply);
    }
    for (variable *v = variables; v; v = v->next)
        if (v->module == m && v->at[number]) {
            const memory *mine = memory_based((void *)(uintptr_t)v->at[number]);
            if (mine && mine->kind == VARIABLE)
                memory_drop((void *)(uintptr_t)v->at[number]);
            v->at[number] = 0;
            v->managed = memory_based(v->managed) ? v->managed : NULL;
        }
    for (kernel *k = kernels; k; k = k->next)
        if (k->module == m) {
            wire_kernel *about = k->on[number].about;
            k->on[number] = (kernel_on){.about = about};
        }
    on->count = 0;
    on->loaded = false;
    on->error = cudaSuccess;
}

void modules_forget(int number)
{
    for (module *m = modules; m; m = m->next)
        unload(m, number);
}

int module_target(const kernel *k)
{
    return k->module->target;
}

const void *module_container(const kernel *k, int i)
{
    const wrapper *w = k->module->image;
    if (!w || w->magic != WRAPPER_MAGIC)
        return NULL;
    if (w->version == 1)
        return i ? NULL : w->container;
    return w->version == 2 && i < MOST_PARTS ? w->parts[i] : NULL;
}

size_t module_bytes_left(const void *at)
{
    return bytes_left(at);
}

// ---- Registration ---------------------------------------------------------------

static void *room(size_t bytes)
{
    void *p = calloc(1, bytes);
    if (!p)
        abort(); // before main, with nobody to tell
    return p;
}

void **__cudaRegisterFatBinary(void *image)
{
    module *m = room(sizeof *m);
    m->image = image;
    m->next = modules;
    modules = m;
    return &m->handle;
}

static module *module_of(void **handle)
{
    for (module *m = modules; m; m = m->next)
        if (&m->handle == handle)
            return m;
    return NULL;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

// At exit. The device goes with the process; its record may not. (notice.c comes last.)
void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle;
    if (device && !front_enter()) {
        managed_end();
        front_leave(cudaSuccess);
    }
}

void __cudaRegisterFunction(void **handle, const char *host, char *unused,
                            const char *name, int limit, uint3 *tid, uint3 *bid,
                            dim3 *block, dim3 *grid, int *warp)
{
    (void)unused, (void)limit, (void)tid, (void)bid, (void)block, (void)grid,
        (void)warp;
    kernel *k = room(sizeof *k);
    k->module = module_of(handle);
    k->host = host;
    k->name = name;
    k->next = kernels;
    kernels = k;
}

static variable *register_variable(void **handle, const void *host, const char *name,
                                   size_t bytes)
{
    variable *v = room(sizeof *v);
    v->module = module_of(handle);
    v->host = host;
    v->name = name;
    v->bytes = bytes;
    v->next = variables;
    variables = v;
    return v;
}

void __cudaRegisterVar(void **handle, char *host, char *unused, const char *name,
                       int external, size_t bytes, int constant, int global)
{
    (void)unused, (void)external, (void)constant, (void)global;
    register_variable(handle, host, name, bytes);
}

void __cudaRegisterManagedVar(void **handle, void **slot, char *unused,
                              const char *name, int external, size_t bytes,
                              int constant, int global)
{
    (void)unused, (void)external, (void)constant, (void)global;
    variable *v = register_variable(handle, slot, name, bytes);
    v->slot = slot;
}

// The program is about to touch a managed variable, perhaps before any other call.
char __cudaInitModule(void **handle)
{
    module *m = module_of(handle);
    int code = front_enter();
    front_leave(m && !code ? load(m, here) : code);
    return 1;
}
