// The words a learner reads about faults and errors: what happened, and one next step.
// All of them are here, so that they can be read, and mended, together.

#include "judge.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const fault_words faults[] = {
    {"out_of_bounds", CRASHED, "touched memory outside every buffer",
     "compare the index with the size before the access"},
    {"misaligned", CRASHED, "used an address that is no multiple of the access's size",
     "a wide access (float4, double) needs an address aligned to its own size"},
    {"use_after_free", CRASHED, "touched memory that was freed",
     "free only after every kernel that uses the memory has ended"},
    {"foreign_pointer", CRASHED, "followed a pointer to host memory",
     "a kernel reaches device memory only: cudaMalloc, then cudaMemcpy"},
    {"null_pointer", CRASHED, "followed a NULL pointer",
     "look where this pointer comes from; did a cudaMalloc fail, or never happen?"},
    {"shared_bounds", CRASHED, "left the block's shared memory",
     "compare the index with the array's size; for a dynamic array, with the bytes "
     "given at the launch"},
    {"local_bounds", CRASHED, "left a thread's own array",
     "compare the index with the array's size"},
    {"read_only", CRASHED, "stored to constant memory",
     "only the host writes __constant__ data, with cudaMemcpyToSymbol"},
    {"barrier", CRASHED, "has a barrier that not every thread of the block reaches",
     "let threads without work skip the work, not the barrier: no __syncthreads() in an "
     "if, or loop, that some threads leave, and no return before it"},
    {"deadlock", CRASHED, "stopped with every thread waiting",
     "each barrier must be reached by all the threads that it waits for"},
    {"limit", HUNG, "was still running at its instruction limit",
     "look for a loop that never ends"},
    {"stopped", HUNG, "was still running when its time was over",
     "look for a loop that never ends"},
    {"assert", CRASHED, "failed an assert", "read the assertion; its line is above"},
    {"trap", CRASHED, "executed a trap", "look for __trap() or an unreachable place"},
    {"unsupported", OURS, "uses an instruction that the emulator does not have yet",
     "another way to write it, or a real GPU (DEVICE=gpu)"},
    {"shuffle", CRASHED, "names lanes in a warp operation's mask that never arrive",
     "every lane in the mask must execute the same operation; see __activemask()"},
    {"race", WRONG,
     "has a race: two threads touch the same place, one of them stores, and nothing "
     "orders the two",
     "order the two accesses: a barrier where every thread of the block reaches it, "
     "__syncwarp() within one warp; between blocks a fence, a flag and a fence; an atomic "
     "where several threads add to one place"},
    {"stack", CRASHED, "used up a thread's stack", "look for recursion without an end"},
    {"bad_call", CRASHED, "called a function through a pointer that is none",
     "look where the pointer was set"},
    {"bad_free", CRASHED, "frees what is no live allocation",
     "free the pointer that the allocation gave, once"},
    {"uninitialised", WRONG, "reads memory that nobody has written",
     "write it first: is everything copied or set, and does every element have a thread "
     "that stores it?"},
    {"leak", WRONG, "allocates memory that nobody frees",
     "free it on every way out: cudaFree, or free() in the kernel"},
    {"bad_copy", WRONG, "asks for a copy or fill that leaves its memory",
     "a size is in bytes, elements times sizeof; the kind of copy says its true direction"},
    {"unchecked_error", WRONG, "goes on after an error",
     "look at what each call returns, and at cudaGetLastError() after each launch"},
};
static const fault_words unknown = {"", CRASHED, "stopped with a fault",
                                    "look at the line"};

static const char *text(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value ? value : "";
}

static long long number(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

const fault_words *words_of_fault(const json_t *fault)
{
    const char *kind = text(fault, "kind");
    for (size_t i = 0; i < WB_LEN(faults); i++)
        if (strcmp(faults[i].kind, kind) == 0)
            return &faults[i];
    return &unknown;
}

// "chapters/11_reduction/kernel.cu:41", relative where it can be
static const char *place(const json_t *at)
{
    const char *file = text(at, "file");
    char here[4096];
    size_t n = getcwd(here, sizeof here) ? strlen(here) : 0;
    if (n && strncmp(file, here, n) == 0 && file[n] == '/')
        file += n + 1;
    if (!*file || number(at, "line") == 0)
        return "an unknown line (build with -lineinfo)";
    if (number(at, "caller"))
        return data_print("%s:%lld (called at line %lld)", file, number(at, "line"),
                          number(at, "caller"));
    return data_print("%s:%lld", file, number(at, "line"));
}

static const char *triple(const json_t *at, const char *key)
{
    const json_t *v = json_object_get(at, key);
    return data_print("(%lld,%lld,%lld)", json_integer_value(json_array_get(v, 0)),
                      json_integer_value(json_array_get(v, 1)),
                      json_integer_value(json_array_get(v, 2)));
}

static const char *thread(const json_t *at)
{
    return data_print("block %s thread %s", triple(at, "block"), triple(at, "thread"));
}

// The argument whose buffer holds the address, and its name.
static const char *holder(uint64_t address, const wire_ready *ready,
                          const wb_arg *arguments, size_t count)
{
    for (size_t i = 0; ready && i < count; i++)
        if (ready->base[i] && address >= ready->base[i] &&
            address - ready->base[i] < arguments[i].shift + arguments[i].bytes)
            return argument_name(arguments, i);
    return NULL;
}

// "the 1024-byte buffer d_out (argument 2)", told by where it begins
static const char *buffer(uint64_t base, long long size, const wire_ready *ready,
                          const wb_arg *arguments, size_t count)
{
    for (size_t i = 0; ready && i < count; i++)
        if (ready->base[i] == base)
            return data_print("the %zu-byte buffer %s", arguments[i].bytes,
                              argument_name(arguments, i));
    return data_print("the nearest buffer, one of %lld bytes", size);
}

// "a store of 4 bytes at 0x..., 0 bytes past the end of the 1024-byte buffer d_out ..."
static const char *access_of(const json_t *fault, const wire_ready *ready,
                             const wb_arg *arguments, size_t count)
{
    const char *access = text(fault, "access"), *kind = text(fault, "kind");
    const char *space = text(fault, "space"), *name;
    long long bytes = number(fault, "bytes"), size = number(fault, "nearest_bytes");
    uint64_t address = strtoull(text(fault, "address"), NULL, 0);
    uint64_t base = strtoull(text(fault, "nearest"), NULL, 0);
    if (!*access)
        return NULL;
    const char *what = data_print("%s %s of %lld byte%s", *access == 'a' ? "an" : "a",
                                  access, bytes, bytes == 1 ? "" : "s");
    if (strcmp(space, "shared") == 0 || strcmp(space, "local") == 0)
        return data_print(
            "%s at byte %llu of %s memory%s", what, (unsigned long long)address, space,
            size ? data_print(", of which there are %lld bytes", size) : "");
    what = data_print("%s at %#llx", what, (unsigned long long)address);
    if (strcmp(kind, "misaligned") == 0) {
        name = holder(address, ready, arguments, count);
        return data_print("%s, %llu more than a multiple of %lld%s%s", what,
                          (unsigned long long)(bytes ? address % (uint64_t)bytes : 0),
                          bytes, name ? ", in " : "", name ? name : "");
    }
    if (strcmp(kind, "use_after_free") == 0)
        return data_print("%s, %lld bytes into a freed buffer of %lld", what,
                          number(fault, "distance"), size);
    if (base && (strcmp(kind, "race") == 0 || strcmp(kind, "uninitialised") == 0))
        return data_print("%s, byte %llu of %s", what, (unsigned long long)(address - base),
                          buffer(base, size, ready, arguments, count));
    if (!base || strcmp(kind, "out_of_bounds") != 0)
        return what;
    long long distance = number(fault, "distance");
    unsigned long long off = distance < 0 ? 0ull - (unsigned long long)distance
                                          : (unsigned long long)distance;
    return data_print("%s, %llu byte%s %s %s", what, off, off == 1 ? "" : "s",
                      distance < 0 ? "before" : "past the end of",
                      buffer(base, size, ready, arguments, count));
}

char *words_for_fault(json_t *fault, const wire_ready *ready, const wb_arg *arguments,
                      size_t count)
{
    const fault_words *w = words_of_fault(fault);
    const json_t *other = json_object_get(fault, "other");
    const json_t *waiter;
    size_t i;
    const char *what = access_of(fault, ready, arguments, count);
    const char *detail = text(fault, "detail");
    const char *kernel = text(fault, "kernel");
    const json_t *launched = json_object_get(fault, "launched");
    bool known = number(fault, "line") > 0;
    char *all = *kernel ? data_print("%s: kernel %s %s\n  %s", place(fault), kernel, w->says,
                                     thread(fault))
                        : data_print("%s%sthe host's code %s", known ? place(fault) : "",
                                     known ? ": " : "", w->says);
    if (what)
        all = data_print("%s\n  %s", all, what);
    if (other)
        all = data_print(
            "%s\n  %s%s, %s%s%s", all,
            strcmp(w->kind, "race") == 0       ? "earlier: "
            : *text(other, "access")           ? "others left at "
                                               : "waiting: ",
            place(other), thread(other),
            strcmp(w->kind, "race") == 0 ? ", a " : "",
            strcmp(w->kind, "race") == 0 ? text(other, "access") : "");
    if (json_object_get(fault, "beside"))
        all = data_print("%s\n  what lies beside it was stored at %s, %s", all,
                         place(json_object_get(fault, "beside")),
                         thread(json_object_get(fault, "beside")));
    if (*detail)
        all = data_print("%s\n  %s", all, detail);
    json_array_foreach(json_object_get(fault, "waiting"), i, waiter)
        all = data_print("%s\n  block %s: %lld thread%s %s, %s", all, triple(waiter, "block"),
                         number(waiter, "threads"), number(waiter, "threads") == 1 ? "" : "s",
                         text(waiter, "what"), place(waiter));
    if (json_object_get(fault, "allocated"))
        all = data_print("%s\n  allocated at %s", all, place(json_object_get(fault, "allocated")));
    if (json_object_get(fault, "freed"))
        all = data_print("%s\n  %s at %s", all,
                         strcmp(w->kind, "leak") == 0 ? "what was freed last was freed" : "freed",
                         place(json_object_get(fault, "freed")));
    if (launched)
        all = data_print("%s\n  launched at %s, grid %s, blocks of %s", all, place(launched),
                         triple(launched, "grid"), triple(launched, "block"));
    if (launched && strcmp(w->kind, "out_of_bounds") == 0)
        return data_print("%s\nnext: %s; or launch no more threads than have work (line %lld)",
                          all, w->next, number(launched, "line"));
    return data_print("%s\nnext: %s", all, w->next);
}

const char *words_for_place(const json_t *at)
{
    return place(at);
}

const char *words_for_thread(const json_t *at)
{
    return thread(at);
}

char *words_for_launches(const json_t *record)
{
    const json_t *launches = json_object_get(record, "launches"), *last = NULL, *l;
    size_t i, shown = 0, times = 1;
    char *all = NULL;
    json_array_foreach(launches, i, l)
    {
        const json_t *next = json_array_get(launches, i + 1);
        if (!number(l, "line"))
            return NULL;
        if (next && number(next, "line") == number(l, "line") &&
            strcmp(text(next, "kernel"), text(l, "kernel")) == 0) {
            times++;
            continue;
        }
        if (++shown > 4)
            return data_print("%s, ...", all);
        all = data_print("%s%s%s (line %lld%s)", all ? all : "", all ? ", " : "",
                         text(l, "kernel"), number(l, "line"),
                         times > 1 ? data_print(", %zu times", times) : "");
        times = 1;
        last = l;
    }
    return last ? all : NULL;
}

const json_t *storing_line(const json_t *record)
{
    static const char *const stores[] = {"global_bytes_st", "atomics_global"};
    const json_t *launches = json_object_get(record, "launches"), *line, *best = NULL;
    const json_t *last = json_array_get(launches, json_array_size(launches) - 1);
    size_t i;
    json_array_foreach(json_object_get(last, "lines"), i, line)
    {
        double count = 0;
        for (size_t k = 0; k < WB_LEN(stores); k++)
            count += json_number_value(
                json_object_get(json_object_get(line, "counters"), stores[k]));
        if (count > 0 && best)
            return NULL;
        if (count > 0 && number(line, "line"))
            best = line;
    }
    return best;
}

const char *words_for_signal(int number)
{
    switch (number) {
    case SIGSEGV:
        return "segmentation fault";
    case SIGBUS:
        return "bus error";
    case SIGFPE:
        return "integer division by zero (SIGFPE)";
    case SIGILL:
        return "illegal instruction";
    case SIGABRT:
        return "abort() was called, or a failed assert or memory check";
    case SIGKILL:
        return "it was killed (by itself, or for using too much memory)";
    case SIGXCPU:
        return "its processor time was used up";
    case SIGPIPE:
        return "it wrote to a closed pipe";
    default:
        return data_print("signal %d (%s)", number, strsignal(number));
    }
}

// More than CUDA's own words, where learners need it.
static const struct {
    int code;
    const char *says;
} codes[] = {
    {1, "an argument is impossible; for a launch: at most 1024 threads a block, at least "
     "one block and one thread, and no more shared memory than a block may have"},
    {2, "not enough device memory"},
    {9, "an impossible launch: at most 1024 threads a block, at least one block and one "
     "thread, and no more shared memory than a block may have"},
    {17, "a pointer is not the device's"},
    {21, "the kind of copy does not fit its pointers"},
    {46, "the device was lost; was memory overwritten that is not your code's?"},
    {98, "the kernel is not in this program's device code"},
    {100, "there is no GPU"},
    {209, "built for another GPU"},
    {400, "a stream or event that does not exist"},
    {600, "work is not finished yet"},
    {700, "a kernel touched memory outside every buffer"},
    {701, "too many registers for so many threads"},
    {702, "a kernel ran too long"},
    {710, "an assert in a kernel failed"},
    {715, "a kernel executed an illegal instruction"},
    {716, "a kernel used a misaligned address"},
    {717, "a kernel mixed up memory spaces"},
    {719, "a kernel failed"},
    {720, "more blocks than can be live at once"},
    {801, "not supported here"},
    {999, "an unknown error"},
};

static const struct {
    int code;
    const char *name, *says;
} all_codes[] = {
#define ERROR(code, name, says) {code, #name, says},
#include "../simt/front/errors.def"
#undef ERROR
};

char *words_for_code(int code)
{
    for (size_t i = 0; i < WB_LEN(codes); i++)
        if (codes[i].code == code)
            return data_print("%s: %s", wb_error(code), codes[i].says);
    for (size_t i = 0; i < WB_LEN(all_codes); i++)
        if (all_codes[i].code == code)
            return data_print("%s: %s", wb_error(code), all_codes[i].says);
    return data_print("%d", code);
}

const char *wb_error(int code)
{
    for (size_t i = 0; i < WB_LEN(all_codes); i++)
        if (all_codes[i].code == code)
            return data_print("%d (%s)", code, all_codes[i].name);
    return data_print("%d, which is no CUDA error", code);
}
