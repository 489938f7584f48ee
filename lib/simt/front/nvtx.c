// NVTX: the ranges that a program marks in its own time go to the timeline.
//
// NVTX is headers alone. They look for a tool to call: first one that the environment
// names, then one that is linked into the program under the name at the end of this file.
// Pushed ranges nest within a thread and a domain, so each domain has a row there; started
// ones end by their number.

#include "front.h"

#if __has_include(<nvtx3/nvToolsExt.h>)

#define NVTX_NO_IMPL // the declarations only
#include <nvtx3/nvToolsExt.h>

#include <stdlib.h>
#include <string.h>

enum {
    NAME = 64, DEEPEST = 64,
    MARK_NS = 50, // a call takes: ranges that open together are told apart
};

typedef struct range {
    struct range *next; // of those that were started
    uint64_t id, row;
    double start; // host_ns
    char name[NAME];
} range;

static _Thread_local range pushed[DEEPEST];
static _Thread_local int depth;
static range *started;
static uint64_t ids;

typedef struct word { // what a handle stands for: a domain, a registered string
    struct word *next;
    uint64_t row; // of a domain
    char text[];
} word;
static word *words;

static void tell(const range *r)
{
    wire_command c = {.op = WIRE_MARK, .device = (uint16_t)here};
    c.as.range.address = (uint64_t)r->start;
    c.as.range.bytes = (uint64_t)host_ns;
    c.as.range.managed = r->row;
    send_command(c, r->name, strlen(r->name));
    host_ns += MARK_NS;
}

// Take the lock; false: there is no device. leave() is due in any case.
static bool enter(void)
{
    return !front_enter_any();
}

static void leave(void)
{
    front_leave(0);
}

// ---- Names ------------------------------------------------------------------------

static void cut(char *to, const char *text)
{
    strncpy(to, text && *text ? text : "?", NAME - 1);
}

static void narrow(char *to, const wchar_t *text)
{
    int n = 0;
    for (; text && text[n] && n < NAME - 1; n++)
        to[n] = text[n] < 127 ? (char)text[n] : '?';
    if (!n)
        *to = '?';
}

static void name_of_event(char *to, const nvtxEventAttributes_t *e)
{
    if (e && e->messageType == NVTX_MESSAGE_TYPE_UNICODE)
        narrow(to, e->message.unicode);
    else if (e && e->messageType == NVTX_MESSAGE_TYPE_REGISTERED)
        cut(to, ((const word *)e->message.registered)->text);
    else
        cut(to, e && e->messageType == NVTX_MESSAGE_TYPE_ASCII ? e->message.ascii : NULL);
}

static void *remember(const char *text, bool domain)
{
    static uint64_t domains = WIRE_ROW_DOMAINS;
    size_t n = text ? strlen(text) + 1 : 1;
    word *w = calloc(1, sizeof *w + n);
    if (!w)
        return NULL;
    memcpy(w->text, text ? text : "", n);
    enter();
    w->row = domain && domains < WIRE_ROWS - 1 ? domains++ : domains; // the rest share one
    w->next = words;
    words = w;
    leave();
    return w;
}

static uint64_t row_of(const void *domain)
{
    return domain ? ((const word *)domain)->row : WIRE_ROW_NESTED;
}

// ---- Ranges -----------------------------------------------------------------------

static void mark(const char *name)
{
    if (enter()) {
        range r = {.row = WIRE_ROW_NESTED, .start = host_ns};
        cut(r.name, name);
        tell(&r);
    }
    leave();
}

static int push(uint64_t row, const char *name)
{
    if (enter() && depth < DEEPEST) {
        range *r = &pushed[depth];
        *r = (range){.row = row, .start = host_ns};
        cut(r->name, name);
        host_ns += MARK_NS;
    }
    leave();
    return depth++;
}

static int pop(uint64_t row)
{
    if (depth > DEEPEST) // one that was too deep to keep
        return --depth;
    int at = depth - 1;
    while (at >= 0 && pushed[at].row != row)
        at--;
    if (at < 0)
        return -1;
    if (enter())
        tell(&pushed[at]);
    leave();
    memmove(&pushed[at], &pushed[at + 1], (size_t)(depth - at - 1) * sizeof *pushed);
    return --depth;
}

static nvtxRangeId_t start(const char *name)
{
    range *r = calloc(1, sizeof *r);
    nvtxRangeId_t id = 0;
    if (enter() && r) {
        cut(r->name, name);
        r->row = WIRE_ROW_STARTED;
        r->start = host_ns;
        r->id = id = ++ids;
        host_ns += MARK_NS;
        r->next = started;
        started = r;
    }
    leave();
    if (!id)
        free(r);
    return id;
}

static void end(nvtxRangeId_t id)
{
    bool on = enter();
    range **at = &started;
    while (*at && (*at)->id != id)
        at = &(*at)->next;
    range *r = *at;
    if (r) {
        *at = r->next;
        if (on)
            tell(r);
        free(r);
    }
    leave();
}

// ---- NVTX's names for these: Ex with attributes, A in bytes, W in wide characters ---

#define NAMED(from, text, does)                                                        \
    {                                                                                  \
        char name[NAME] = "";                                                          \
        from(name, text);                                                              \
        does;                                                                          \
    }
typedef const nvtxEventAttributes_t attributes;
typedef nvtxDomainHandle_t domain;
typedef nvtxStringHandle_t string;

static void mark_ex(attributes *e) NAMED(name_of_event, e, mark(name))
static void mark_w(const wchar_t *s) NAMED(narrow, s, mark(name))
static nvtxRangeId_t start_ex(attributes *e) NAMED(name_of_event, e, return start(name))
static nvtxRangeId_t start_w(const wchar_t *s) NAMED(narrow, s, return start(name))
static int push_in(domain d, attributes *e) NAMED(name_of_event, e, return push(row_of(d), name))
static int push_ex(attributes *e) NAMED(name_of_event, e, return push(WIRE_ROW_NESTED, name))
static int push_w(const wchar_t *s) NAMED(narrow, s, return push(WIRE_ROW_NESTED, name))
static domain domain_w(const wchar_t *s) NAMED(narrow, s, return remember(name, true))

static int push_a(const char *s)
{
    return push(WIRE_ROW_NESTED, s);
}

static int pop_any(void)
{
    return pop(WIRE_ROW_NESTED);
}

static int pop_in(domain d)
{
    return pop(row_of(d));
}

static domain domain_a(const char *s)
{
    return remember(s, true);
}

// What belongs to no thread's stack is the same in all domains.
static void mark_in(domain d, attributes *e)
{
    (void)d;
    mark_ex(e);
}

static nvtxRangeId_t start_in(domain d, attributes *e)
{
    (void)d;
    return start_ex(e);
}

static void end_in(domain d, nvtxRangeId_t id)
{
    (void)d;
    end(id);
}

static string string_a(domain d, const char *s)
{
    (void)d;
    return remember(s, false);
}

static string string_w(domain d, const wchar_t *s)
{
    (void)d;
    NAMED(narrow, s, return remember(name, false))
}

// ---- The tool ----------------------------------------------------------------------

typedef void function(void);
typedef struct callbacks { // NvtxExportTableCallbacks of nvtxTypes.h
    size_t bytes;
    int (*table)(int module, function ****of, unsigned *size);
} callbacks;
enum { CALLBACKS = 1, CORE = 1, CORE2 = 5 };

static void fill(const callbacks *tool, int module, function *const *with, unsigned count)
{
    function ***table;
    unsigned size;
    if (!tool->table(module, &table, &size))
        return;
    for (unsigned i = 1; i < count && i < size; i++)
        if (with[i] && table[i])
            *table[i] = with[i];
}

#define F(name) (function *)name
static int begin(const void *(*get)(uint32_t id))
{
    // By number: NVTX_CBID_CORE_*, NVTX_CBID_CORE2_*.
    static function *const core[] = {
        [1] = F(mark_ex), F(mark), F(mark_w), F(start_ex), F(start), F(start_w),
        F(end), F(push_ex), F(push_a), F(push_w), F(pop_any)};
    static function *const core2[] = {
        [1] = F(mark_in), F(start_in), F(end_in), F(push_in), F(pop_in),
        [10] = F(string_a), F(string_w), F(domain_a), F(domain_w)};
    const callbacks *tool = get(CALLBACKS);
    if (!tool || tool->bytes < sizeof *tool)
        return 0;
    fill(tool, CORE, core, sizeof core / sizeof *core);
    fill(tool, CORE2, core2, sizeof core2 / sizeof *core2);
    return 1;
}

// Weak and NULL in a program that includes the headers.
extern int (*InitializeInjectionNvtx2_fnptr)(const void *(*get)(uint32_t id));
int (*InitializeInjectionNvtx2_fnptr)(const void *(*get)(uint32_t id)) = begin;

#endif
