// The area: one memory file, shared with the runner, that carries every array.
//
// The judge lays out each buffer of a call with all that surrounds it; the runner moves
// the bytes to the device, and after the call moves them back. So guard zones, poison
// and inputs are compared here, by the side that chose them. The file is sealed
// against shrinking, or the learner's code could pull it from under the judge.

#include "judge.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    GUARD = 256, ALIGNMENT = 256, SEEN = 64,
    MOST_ASKED = 1 << 26, // bytes: larger arrays would take too long to look through
};

static int file = -1;
static unsigned char *area;
static size_t area_bytes;
static uint64_t secret; // of this call: guard bytes and poison follow from it

// Arrays of the calls so far, newest last, for messages.
typedef struct seen {
    const void *from;
    void *to;
    size_t bytes;
    uint32_t poison;
    const char *name;
    size_t element;
    uint64_t address; // on the device
} seen;
static seen arrays[SEEN];
static size_t seen_count, placed; // placed: the first of the last call

int area_fd(void)
{
    if (file >= 0)
        return file;
    file = memfd_create("workbook", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0 || fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK) < 0)
        die("memfd_create failed");
    return file;
}

static void grow(size_t bytes)
{
    if (bytes <= area_bytes)
        return;
    struct stat is; // the learner's code may have made it larger, never smaller
    if (fstat(area_fd(), &is) < 0 ||
        ((size_t)is.st_size < bytes && ftruncate(file, (off_t)bytes) < 0))
        fail_as(OURS, "no memory for arrays of %zu bytes", bytes);
    void *to = area ? mremap(area, area_bytes, bytes, MREMAP_MAYMOVE)
                    : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (to == MAP_FAILED)
        fail_as(OURS, "no memory for arrays of %zu bytes", bytes);
    area = to;
    area_bytes = bytes;
}

static unsigned char guard_byte(size_t argument, size_t i)
{
    uint64_t x = (secret ^ (argument << 40)) + i * 0x9e3779b97f4a7c15;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93;
    return (unsigned char)(x >> 56);
}

// A NaN as f64 (in either half), f32, bf16 and f16 alike.
static uint32_t poison_word(size_t argument)
{
    uint32_t r = (uint32_t)(secret >> (argument % 32));
    return (0x7ff8u | (r & 7)) << 16 | 0x7fc0u | (r >> 3 & 0x3f);
}

static void lay_buffer(wire_argument *w, const wb_arg *a, size_t i)
{
    unsigned char *at = area + w->offset;
    uint32_t poison = poison_word(i);
    for (size_t b = 0; b < w->lead; b++)
        at[b] = guard_byte(i, b);
    at += w->lead;
    if (a->from) {
        memcpy(at, a->from, a->bytes);
    } else {
        for (size_t b = 0; b + 4 <= a->bytes; b += 4)
            memcpy(at + b, &poison, 4);
        memcpy(at + a->bytes / 4 * 4, &poison, a->bytes % 4);
    }
    at += a->bytes;
    for (size_t b = 0; b < w->tail; b++)
        at[b] = guard_byte(i, w->lead + b);
    if (seen_count == SEEN)
        memmove(arrays, arrays + 1, sizeof *arrays * --seen_count);
    arrays[seen_count++] = (seen){a->from, a->to, a->bytes, poison, a->name, a->element, 0};
}

// On the emulator a device buffer has no slack: the first stray byte is a fault with
// its line. An empty one points just past a few bytes, so that it is not NULL.
void area_lay(wire_call *call, const wb_arg *arguments, size_t count)
{
    size_t end = 0;
    secret = data_secret();
    for (size_t i = 0; i < count; i++) {
        const wb_arg *a = &arguments[i];
        wire_argument *w = &call->arguments[i];
        if (a->kind != WB_DEVICE && a->kind != WB_HOST)
            continue;
        size_t guard = a->kind == WB_HOST || !option.emulated ? GUARD : 0;
        w->bytes = a->bytes;
        w->lead = guard + a->shift;
        w->tail = guard;
        if (w->lead + w->bytes == 0)
            w->lead = GUARD;
        w->offset = end;
        w->value = a->to && !a->from;
        end += (w->lead + w->bytes + w->tail + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    call->area = end ? end : ALIGNMENT;
    grow(call->area);
    for (size_t i = 0; i < count; i++)
        if (arguments[i].kind == WB_DEVICE || arguments[i].kind == WB_HOST)
            lay_buffer(&call->arguments[i], &arguments[i], i);
}

void area_placed(const wire_call *call, const wire_ready *ready)
{
    size_t at = seen_count;
    for (size_t i = call->count; i-- > 0 && at > 0;) {
        const wire_argument *w = &call->arguments[i];
        if (w->kind != WB_DEVICE && w->kind != WB_HOST)
            continue;
        arrays[--at].address = w->kind == WB_DEVICE ? ready->base[i] + w->lead : 0;
    }
    placed = at;
}

uint64_t area_address(const void *at, const char *name, size_t offset)
{
    for (size_t i = seen_count; i-- > 0;) {
        const seen *s = &arrays[i];
        size_t within = (size_t)((uintptr_t)at - (uintptr_t)s->to);
        if (s->to && s->address && within < s->bytes)
            return s->address + within;
    }
    for (size_t i = seen_count; i-- > 0;) {
        const seen *s = &arrays[i];
        if (s->to && s->address && s->name && strcmp(s->name, name) == 0)
            return offset < s->bytes ? s->address + offset : 0;
    }
    return 0;
}

const char *argument_name(const wb_arg *arguments, size_t i)
{
    if (arguments[i].name)
        return data_print("%s (argument %zu)", arguments[i].name, i + 1);
    return data_print("number %zu of the arguments", i + 1);
}

// Damage leaves the runner's memory in an unknown state: it ends here.
static void check_guard(const wire_argument *w, const wb_arg *arguments, size_t i)
{
    const unsigned char *at = area + w->offset, *tail = at + w->lead + w->bytes;
    size_t before = 0, after = 0, farthest = 0, first = 0;
    for (size_t b = 0; b < w->lead; b++)
        if (at[b] != guard_byte(i, b))
            farthest = before++ ? farthest : w->lead - b;
    for (size_t b = w->tail; b-- > 0;)
        if (tail[b] != guard_byte(i, w->lead + b))
            after++, first = b;
    if (!before && !after)
        return;
    link_end(&learner);
    const char *name = argument_name(arguments, i);
    if (after)
        fail_as(WRONG,
                "your code wrote outside the buffer %s of %zu bytes: %zu of the bytes "
                "behind it changed, the first %zu bytes past its end\n"
                "next: compare the index with the size before the store",
                name, (size_t)w->bytes, after, first);
    fail_as(WRONG,
            "your code wrote outside the buffer %s of %zu bytes: %zu of the bytes in "
            "front of it changed, the first %zu bytes before its start\n"
            "next: look for an index that can be negative",
            name, (size_t)w->bytes, before, farthest);
}

static void check_input(const wire_argument *w, const wb_arg *arguments, size_t i)
{
    const wb_arg *a = &arguments[i];
    const unsigned char *now = area + w->offset + w->lead, *was = a->from;
    if (!a->from || a->to || memcmp(now, was, a->bytes) == 0)
        return;
    size_t first = 0, changed = 0;
    for (size_t b = a->bytes; b-- > 0;)
        if (now[b] != was[b])
            changed++, first = b;
    fail_as(
        WRONG,
        "your code changed its input %s, which must stay as it was: %zu of %zu bytes "
        "differ, the first at byte %zu\n"
        "next: look for a store through that pointer, or through one that overlaps it",
        argument_name(arguments, i), changed, a->bytes, first);
}

void area_check(const wire_call *call, const wb_arg *arguments)
{
    for (size_t i = 0; i < call->count; i++)
        if (arguments[i].kind == WB_DEVICE || arguments[i].kind == WB_HOST)
            check_guard(&call->arguments[i], arguments, i);
    for (size_t i = 0; i < call->count; i++)
        if (arguments[i].kind == WB_DEVICE || arguments[i].kind == WB_HOST)
            check_input(&call->arguments[i], arguments, i);
}

void area_take(const wire_call *call, const wb_arg *arguments)
{
    for (size_t i = 0; i < call->count; i++) {
        const wire_argument *w = &call->arguments[i];
        const wb_arg *a = &arguments[i];
        if ((a->kind == WB_DEVICE || a->kind == WB_HOST) && a->to && !w->empty)
            memcpy(a->to, area + w->offset + w->lead, a->bytes);
    }
}

bool never_written(const void *at, size_t bytes)
{
    for (size_t i = seen_count; i-- > 0;) {
        const seen *s = &arrays[i];
        size_t offset = (size_t)((uintptr_t)at - (uintptr_t)s->to);
        if (!s->to || (uintptr_t)at < (uintptr_t)s->to || offset + bytes > s->bytes)
            continue;
        if (s->from)
            return false;
        for (size_t b = 0; b < bytes; b++)
            if (((const unsigned char *)at)[b] !=
                (unsigned char)(s->poison >> 8 * ((offset + b) % 4)))
                return false;
        return true;
    }
    return false;
}

const void *input_like(size_t bytes, size_t *after, const char **name)
{
    while (*after < seen_count) {
        const seen *s = &arrays[(*after)++];
        *name = s->name ? s->name : "an input";
        if (s->from && !s->to && s->bytes == bytes)
            return s->from;
    }
    return NULL;
}

// "d_in[7]", "d_in[7] to d_in[9]", "the first d_in[1], the last d_in[9]"
static const char *elements(const seen *s, const json_t *left, size_t count)
{
    size_t first = (size_t)json_integer_value(json_object_get(left, "first"));
    size_t last = (size_t)json_integer_value(json_object_get(left, "last"));
    if (first == last)
        return data_print("%s[%zu]", s->name, first);
    return data_print(last - first + 1 == count ? "%s[%zu] to %s[%zu]"
                                                : "the first %s[%zu], the last %s[%zu]",
                      s->name, first, s->name, last);
}

const char *area_unread(void)
{
    const char *said = "";
    for (size_t i = placed; i < seen_count && !*said; i++) {
        const seen *s = &arrays[i];
        bool input = s->from && !s->to && s->name && s->element >= 4;
        size_t all = input && s->bytes < MOST_ASKED ? s->bytes / s->element : 0;
        json_t *left = all ? device_unread(s->address, all, s->element) : NULL;
        if (!left)
            continue;
        size_t count = (size_t)json_integer_value(json_object_get(left, "unread"));
        const char *near = json_object_get(left, "line")
                               ? data_print("; %s reads others", words_for_place(left)) : "";
        if (count == all)
            said = data_print("\nno kernel read any element of %s", s->name);
        else
            said = data_print("\nno kernel read %zu of the %zu elements of %s: %s%s", count, all,
                              s->name, elements(s, left, count), near);
        json_decref(left);
    }
    return said;
}

void area_forget(void)
{
    seen_count = placed = 0;
    // Give big pages back; the file keeps its size.
    if (area_bytes > 16 << 20)
        madvise(area, area_bytes, MADV_REMOVE);
}
