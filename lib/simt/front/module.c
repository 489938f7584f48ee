// Modules: what nvcc's constructors register, and its way to the device.
//
// Registration runs before main, in any order, so it only notes what it is told. A
// module's PTX goes to the device when one of its kernels or variables is first used;
// then its managed variables, which the host reaches through pointers, get their
// memory.

#include "fatbin.h"
#include "front.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WRAPPER_MAGIC = 0x466243b1, MOST_PARTS = 4096 };

typedef struct wrapper {
    int magic, version;
    const void *container;   // version 1
    const void *const *parts; // version 2: of each linked file, NULL at the end
} wrapper;

typedef struct module {
    struct module *next;
    const wrapper *image;
    uint32_t *ids; // on the device, one a part
    int count;
    bool loaded;
    int error;
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

static int load_program(module *m, const program *all)
{
    int code = load_text(all->text, all->bytes, &reply);
    if (code) {
        fprintf(stderr, "simt: the program's PTX does not load: %.*s\n",
                (int)reply.bytes, reply.body);
        return code;
    }
    m->ids = malloc(sizeof *m->ids);
    if (!m->ids)
        return cudaErrorMemoryAllocation;
    m->ids[0] = (uint32_t)reply.value[0];
    m->count = 1;
    return cudaSuccess;
}

static int place_managed(const module *m)
{
    for (variable *v = variables; v; v = v->next) {
        if (v->module != m || !v->slot)
            continue;
        int code = arena_take(v->bytes, MANAGED, cudaMemAttachGlobal, &v->managed);
        if (code)
            return code;
        *v->slot = v->managed;
        code = cudaErrorInvalidSymbol;
        for (int i = 0; i < m->count && code; i++) {
            wire_command c = {.op = WIRE_BIND,
                              .as.object = {m->ids[i], (uintptr_t)v->managed}};
            code = ask(c, v->name, strlen(v->name), &reply);
        }
        if (code)
            return code;
        v->at = (uintptr_t)v->managed;
    }
    return cudaSuccess;
}

static int load(module *m)
{
    if (m->loaded)
        return m->error;
    m->loaded = true;
    const wrapper *w = m->image;
    if (!w || w->magic != WRAPPER_MAGIC || w->version < 1 || w->version > 2)
        return m->error = cudaErrorInvalidKernelImage;
    program all = {0};
    if (w->version == 1)
        m->error = add_part(&all, w->container, false);
    else // relocatable: its files are linked
        for (int i = 0; i < MOST_PARTS && w->parts[i] && !m->error; i++)
            m->error = add_part(&all, w->parts[i], true);
    if (!m->error)
        m->error = load_program(m, &all);
    free(all.text);
    if (!m->error)
        m->error = place_managed(m);
    return m->error;
}

// ---- Kernels and variables ------------------------------------------------------

kernel *kernel_by_stub(const void *host)
{
    for (kernel *k = kernels; k; k = k->next)
        if (k->host == host)
            return k;
    return NULL;
}

bool is_kernel(const void *handle)
{
    for (const kernel *k = kernels; k; k = k->next)
        if (k == handle)
            return true;
    return false;
}

int kernel_ready(kernel *k)
{
    if (k->id)
        return cudaSuccess;
    int code = load(k->module);
    if (code)
        return code;
    code = cudaErrorInvalidDeviceFunction;
    for (int i = 0; i < k->module->count && code; i++) {
        wire_command c = {.op = WIRE_KERNEL, .as.object.id = k->module->ids[i]};
        code = ask(c, k->name, strlen(k->name), &reply);
    }
    if (code)
        return code;
    k->about = malloc(reply.bytes);
    if (!k->about)
        return cudaErrorMemoryAllocation;
    memcpy(k->about, reply.body, reply.bytes);
    k->id = (uint32_t)reply.value[0];
    return cudaSuccess;
}

int variable_ready(const void *host, variable **found)
{
    variable *v = variables;
    while (v && v->host != host && !(v->slot && *v->slot == host))
        v = v->next;
    if (!v)
        return cudaErrorInvalidSymbol;
    *found = v;
    int code = load(v->module);
    if (code || v->at)
        return code;
    code = cudaErrorInvalidSymbol;
    for (int i = 0; i < v->module->count && code; i++) {
        wire_command c = {.op = WIRE_VARIABLE, .as.object.id = v->module->ids[i]};
        code = ask(c, v->name, strlen(v->name), &reply);
    }
    if (code)
        return code;
    v->at = reply.value[0];
    if (reply.value[1] < v->bytes)
        v->bytes = reply.value[1];
    return memory_add((memory){.base = v->at, .bytes = v->bytes, .kind = VARIABLE});
}

static void unload(module *m)
{
    for (int i = 0; i < m->count; i++)
        ask((wire_command){.op = WIRE_UNLOAD, .as.object.id = m->ids[i]}, NULL, 0,
            &reply);
    for (variable *v = variables; v; v = v->next)
        if (v->module == m && v->at) {
            memory_drop((void *)(uintptr_t)v->at);
            v->at = 0;
        }
    for (kernel *k = kernels; k; k = k->next)
        if (k->module == m)
            k->id = 0;
    m->count = 0;
    m->loaded = false;
    m->error = cudaSuccess;
}

void modules_forget(void)
{
    for (module *m = modules; m; m = m->next)
        unload(m);
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

void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle; // at exit: the device goes with the process
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
    front_leave(m && !code ? load(m) : code);
    return 1;
}
