// printf and assert of kernels: the format is read from device memory and the text
// kept in the device until someone takes it.

#include "lanes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { PRINT_LIMIT = 1 << 20 };

bool peek(warp *w, int lane, uint64_t address, void *to, size_t n)
{
    launch *run = w->worker->launch;
    if (address - LOCAL_WINDOW < WINDOW_SIZE) {
        uint64_t a = address - LOCAL_WINDOW;
        if (n > run->local || a > run->local - n)
            return false;
        memcpy(to, w->local + (size_t)lane * run->local + a, n);
        return true;
    }
    if (address - SHARED_WINDOW < WINDOW_SIZE) {
        uint64_t a = address - SHARED_WINDOW;
        const char *from = cluster_shared(w, a, n);
        if (from)
            memcpy(to, from, n);
        return from;
    }
    if (address - MALLOC_WINDOW < WINDOW_SIZE) {
        const char *from = device_heap_find(run->device->malloced, address, n);
        if (from)
            memcpy(to, from, n);
        return from;
    }
    range r;
    if (!heap_find(run->device->heap, address, n, &r))
        return false;
    memcpy(to, r.host + (address - r.low), n);
    return true;
}

static void peek_text(warp *w, int lane, uint64_t address, char *to, size_t size)
{
    size_t n = 0;
    while (n < size - 1 && peek(w, lane, address + n, to + n, 1) && to[n])
        n++;
    to[n] = 0;
}

typedef struct buffer {
    char *text;
    size_t used, size;
} buffer;

static void put(buffer *b, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = vsnprintf(b->text + b->used, b->size - b->used, format, list);
    va_end(list);
    if (n > 0)
        b->used = b->used + (size_t)n < b->size ? b->used + (size_t)n : b->size - 1;
}

// One conversion: `spec` is its text up to the length modifier, `kind` its letter. The
// arguments lie in memory at *at, 8-byte aligned when 8 bytes wide.
static void convert(warp *w, int lane, buffer *b, char *spec, char kind, bool wide, uint64_t *at)
{
    bool eight = wide || strchr("fFeEgGaAsp", kind);
    char full[48];
    if (eight)
        *at = (*at + 7) & ~7ull;
    uint64_t raw = 0;
    if (!peek(w, lane, *at, &raw, eight ? 8 : 4))
        return;
    *at += eight ? 8 : 4;
    if (strchr("fFeEgGaA", kind)) {
        snprintf(full, sizeof full, "%s%c", spec, kind);
        put(b, full, f64_bits(raw));
    } else if (kind == 's') {
        char text[1024];
        peek_text(w, lane, raw, text, sizeof text);
        snprintf(full, sizeof full, "%ss", spec);
        put(b, full, text);
    } else if (kind == 'p') {
        put(b, "0x%llx", (unsigned long long)raw);
    } else if (kind == 'c') {
        put(b, "%c", (int)raw);
    } else {
        snprintf(full, sizeof full, "%sll%c", spec, kind);
        bool is_signed = kind == 'd' || kind == 'i';
        long long v = eight ? (long long)raw : is_signed ? (s32)raw : (long long)(u32)raw;
        put(b, full, v);
    }
}

static void format_text(warp *w, int lane, uint64_t format, uint64_t at, buffer *b)
{
    char text[2048];
    peek_text(w, lane, format, text, sizeof text);
    for (const char *s = text; *s; s++) {
        if (*s != '%') {
            put(b, "%c", *s);
            continue;
        }
        char spec[24] = "%";
        size_t n = 1;
        bool wide = false;
        int digits = 0;
        for (s++; *s && strchr("-+ #0123456789.*lhzjt", *s); s++) {
            wide |= *s == 'l' || *s == 'z' || *s == 'j' || *s == 't';
            bool digit = *s >= '0' && *s <= '9';
            digits = digit ? digits + 1 : 0;
            if (*s == '*' && n < 16) {
                int v = 0;
                peek(w, lane, at, &v, 4);
                at += 4;
                n += (size_t)snprintf(spec + n, sizeof spec - n, "%d", v % 1000);
            } else if (!strchr("*lhzjt", *s) && n < 16 && digits < 4) {
                spec[n++] = *s; // of widths three digits count: more would take long
            }
        }
        spec[n] = 0;
        if (*s == '%')
            put(b, "%%");
        else if (*s && strchr("diouxXcsfFeEgGaAp", *s))
            convert(w, lane, b, spec, *s, wide, &at);
        else if (!*s)
            break;
    }
}

static void keep(simt_device *d, const char *text, size_t n)
{
    pthread_mutex_lock(&d->lock);
    if (!d->printed)
        d->printed = malloc(PRINT_LIMIT);
    if (d->printed && n <= PRINT_LIMIT - d->printed_bytes) {
        memcpy(d->printed + d->printed_bytes, text, n);
        d->printed_bytes += n;
    }
    pthread_mutex_unlock(&d->lock);
}

int device_printf(warp *w, const op *o, const call_of *call)
{
    (void)o;
    char text[4096];
    for (u32 m = w->mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        buffer b = {text, 0, sizeof text};
        format_text(w, l, call_argument(w, call, l, 0), call_argument(w, call, l, 1), &b);
        keep(w->worker->launch->device, text, b.used);
        call_result(w, call, l, b.used);
    }
    return GO;
}

// __assertfail(message, file, line, function, char size)
int device_assert(warp *w, const op *o, const call_of *call)
{
    int lane = __builtin_ctz(w->mask);
    char message[100];
    peek_text(w, lane, call_argument(w, call, lane, 0), message, sizeof message);
    fault_text(w, "%s", message);
    return fault_here(w, o, SIMT_ASSERT, lane);
}

size_t simt_take_output(simt_device *d, char *text, size_t bytes)
{
    size_t left = d->printed_bytes - d->printed_taken;
    size_t n = left < bytes ? left : bytes;
    if (n)
        memcpy(text, d->printed + d->printed_taken, n);
    d->printed_taken += n;
    if (d->printed_taken == d->printed_bytes)
        d->printed_taken = d->printed_bytes = 0;
    return n;
}
