// forms MACHINE [CASES [RECORDED]]: run every form, print a line each.
//
//     name | class | cases | hash of the first 2^16 | hash of all | error
//
// error: "exact" (the oracle agrees), a share of PTX's bound (at most 1 is within it),
// "-" (no oracle), or what went wrong. With RECORDED, lines like these from a GPU, an
// exact form must have its hash. Ends with 1 if a form disagrees with anything.

#include "forms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIP = 5, PARTIAL = 1 << 12, ROUNDS = 8, ARGS = 8 };

static const machine *on;
static u32 cases = MANY;

// ---- Inputs: one array for each kind, slot and arity, kept --------------------------

static struct input {
    kind k;
    int slot, arity;
    u64 at;
    char *host;
} inputs[256];
static int input_count;

static const struct input *input_of(kind k, int slot, int arity)
{
    for (int i = 0; i < input_count; i++)
        if (inputs[i].k == k && inputs[i].slot == slot && inputs[i].arity == arity)
            return &inputs[i];
    struct input *x = &inputs[input_count++];
    size_t width = (size_t)kind_bytes(k);
    *x = (struct input){k, slot, arity, on->alloc(width * cases), malloc(width * cases)};
    for (u32 i = 0; i < cases; i++) {
        u64 v = value_of(k, slot, arity, i);
        memcpy(x->host + width * i, &v, width);
    }
    on->write(x->at, x->host, width * cases);
    return x;
}

static u64 word_at(const char *array, size_t width, u32 i)
{
    u64 v = 0;
    memcpy(&v, array + width * i, width);
    return v;
}

// ---- A form --------------------------------------------------------------------------

typedef struct outcome {
    u64 few, all;    // hashes
    double error;    // of bounded forms: share of the bound
    bool oracle, ran;
    char wrong[240]; // what disagreed, or why it did not run
} outcome;

static u64 out_at;
static char *out;

static void check(const form *f, outcome *r)
{
    size_t width = (size_t)kind_bytes(f->d);
    const struct input *x[SOURCES] = {0};
    for (int k = 0; k < f->arity; k++)
        x[k] = input_of(f->source[k], k, f->arity);
    u32 most = cases < FEW ? cases : FEW;
    for (u32 i = 0; i < most; i++) {
        u64 in[SOURCES] = {0}, want = 0, got = word_at(out, width, i);
        for (int k = 0; k < f->arity; k++)
            in[k] = word_at(x[k]->host, (size_t)kind_bytes(f->source[k]), i);
        if (f->bound) {
            double e = error_of(f, in, got);
            r->oracle = true;
            r->error = e > r->error ? e : r->error;
            if (e <= 1 || r->wrong[0])
                continue;
        } else {
            if (!reference(f, in, &want))
                return;
            r->oracle = true;
            if (canonical(f->d, got) == canonical(f->d, want) || r->wrong[0])
                continue;
        }
        snprintf(r->wrong, sizeof r->wrong, "case %u: a=%llx b=%llx c=%llx e=%llx: got %llx, want %llx",
                 i, (unsigned long long)in[0], (unsigned long long)in[1],
                 (unsigned long long)in[2], (unsigned long long)in[3], (unsigned long long)got,
                 (unsigned long long)want);
    }
}

// Some lanes off: what they store stays away, the others' results stay the same.
static void check_partial(const form *f, int entry, u64 *args, outcome *r)
{
    size_t width = (size_t)kind_bytes(f->d), bytes = width * PARTIAL;
    char *partial = malloc(bytes), why[200];
    memset(partial, 0xee, bytes);
    on->write(out_at, partial, bytes);
    args[5] = SKIP;
    args[6] = PARTIAL / ROUNDS;
    args[7] = PARTIAL;
    int error = on->run(entry, PARTIAL / BLOCK / ROUNDS, args, ARGS, why, sizeof why);
    on->read(partial, out_at, bytes);
    for (u32 i = 0; i < PARTIAL && !error; i++) {
        u64 got = word_at(partial, width, i), all = word_at(out, width, i);
        u64 poison = 0xeeeeeeeeeeeeeeeeu >> (64 - 8 * width);
        if (got != (i & SKIP ? poison : all) && !r->wrong[0])
            snprintf(r->wrong, sizeof r->wrong, "case %u with some lanes off: %llx, not %llx", i,
                     (unsigned long long)got, (unsigned long long)(i & SKIP ? poison : all));
    }
    if (error && !r->wrong[0])
        snprintf(r->wrong, sizeof r->wrong, "error %d: %s", error, why);
    free(partial);
}

static void run(const form *f, int entry, outcome *r)
{
    u64 args[ARGS] = {[0] = out_at, [7] = cases};
    size_t width = (size_t)kind_bytes(f->d);
    for (int k = 0; k < f->arity; k++)
        args[1 + k] = input_of(f->source[k], k, f->arity)->at;
    char why[120];
    args[6] = cases / ROUNDS;
    int error = on->run(entry, cases / BLOCK / ROUNDS, args, ARGS, why, sizeof why);
    if (error) {
        snprintf(r->wrong, sizeof r->wrong, "error %d: %s", error, why);
        return;
    }
    on->read(out, out_at, width * cases);
    r->ran = true;
    u64 h = 0xcbf29ce484222325u;
    for (u32 i = 0; i < cases; i++) {
        h = (h ^ canonical(f->d, word_at(out, width, i))) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
        if (i + 1 == FEW)
            r->few = h;
    }
    r->all = h;
    check(f, r);
    check_partial(f, entry, args, r);
}

// ---- What a GPU printed ---------------------------------------------------------------

typedef struct recorded {
    char name[112];
    unsigned cases;
    unsigned long long few, all;
    char error[32];
} recorded;
static recorded *records;
static int record_count;

static void read_records(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[512];
    while (file && fgets(line, sizeof line, file)) {
        records = realloc(records, sizeof *records * (size_t)(record_count + 1));
        recorded *r = &records[record_count];
        if (line[0] != '#' &&
            sscanf(line, "%111[^|]| %*[^|]| %u | %llx | %llx | %31s", r->name, &r->cases, &r->few,
                   &r->all, r->error) == 5) {
            for (size_t n = strlen(r->name); n && r->name[n - 1] == ' ';)
                r->name[--n] = 0;
            record_count++;
        }
    }
    if (file)
        fclose(file);
}

static const recorded *record_of(const form *f)
{
    for (int i = 0; i < record_count; i++)
        if (!strcmp(records[i].name, f->name))
            return &records[i];
    return NULL;
}

static bool differs(const form *f)
{
    static const char *const names[] = {
#include "differ.def"
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], f->name))
            return true;
    return false;
}

static bool compare(const form *f, const recorded *g, outcome *r)
{
    if (f->bound || !r->ran)
        return f->bound != NULL;
    if (cases < FEW) // too few to have a hash that was recorded
        return false;
    bool same = cases == g->cases ? r->all == g->all : r->few == g->few;
    bool other = differs(f);
    if (same == other && !r->wrong[0])
        snprintf(r->wrong, sizeof r->wrong, other ? "its hash is the recorded one, yet differ.def names it"
                                                  : "its hash is not the recorded one");
    return same;
}

// ---- All -------------------------------------------------------------------------------

static int covered, refused, wrong;

static void report(const form *f, outcome *r)
{
    const recorded *g = record_of(f);
    bool agrees = g && compare(f, g, r);
    char error[64] = "-";
    if (!r->ran)
        snprintf(error, sizeof error, "refused");
    else if (r->wrong[0])
        snprintf(error, sizeof error, "WRONG");
    else if (f->bound)
        snprintf(error, sizeof error, "%.3f of %s", r->error, f->bound);
    else if (r->oracle)
        snprintf(error, sizeof error, "exact");
    printf("%s | %s | %u | %016llx | %016llx | %s\n", f->name, f->class, cases,
           (unsigned long long)r->few, (unsigned long long)r->all, error);
    if (r->wrong[0])
        fprintf(stderr, "%s: %s\n", f->name, r->wrong);
    else if (!r->oracle && !agrees)
        fprintf(stderr, "%s: uncovered, with neither an oracle nor a record\n", f->name);
    covered += r->ran && !r->wrong[0] && (r->oracle || agrees);
    refused += !r->ran;
    wrong += r->ran && r->wrong[0] != 0;
}

static void run_module(const form *f, int count)
{
    char why[4096] = "", *text = module_text(f, count);
    bool loaded = on->load(text, count, why, sizeof why);
    free(text);
    if (!loaded && count > 1) { // find out which of them it was
        for (int i = 0; i < count; i++)
            run_module(&f[i], 1);
        return;
    }
    for (int i = 0; i < count; i++) {
        outcome r = {0};
        if (loaded)
            run(&f[i], i, &r);
        else
            snprintf(r.wrong, sizeof r.wrong, "%.190s", why);
        report(&f[i], &r);
    }
    if (loaded)
        on->unload();
}

int main(int words, char **word)
{
    int count = 0;
    const form *forms = forms_all(&count);
    if (words > 1 && !strcmp(word[1], "ptx")) { // for ptxas: forms ptx N
        int k = words > 2 ? atoi(word[2]) : 0, n = 0;
        for (int i = 0; i < count; i += n) {
            for (n = 1; n < MODULE_FORMS && i + n < count && forms[i + n].target == forms[i].target;)
                n++;
            if (k-- == 0)
                fputs(module_text(&forms[i], n), stdout);
        }
        return k >= 0;
    }
    const machine *machines[] = {
#ifndef NO_EMULATOR
        &emulator_machine,
#endif
        &gpu_machine};
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        if (words > 1 && !strcmp(word[1], machines[i]->name))
            on = machines[i];
    cases = words > 2 ? (u32)atoi(word[2]) / (BLOCK * ROUNDS) * (BLOCK * ROUNDS) : MANY;
    if (!on || cases < PARTIAL) {
        fprintf(stderr, "usage: forms emulator|gpu [CASES [RECORDED]]\n       forms ptx N\n");
        return 2;
    }
    if (words > 3)
        read_records(word[3]);
    char about[256];
    if (!on->open(about, sizeof about)) {
        fprintf(stderr, "forms: %s: %s\n", on->name, about);
        return 2;
    }
    printf("# %s\n", about);
    out_at = on->alloc(8 * (size_t)cases);
    out = malloc(8 * (size_t)cases);
    for (int i = 0, n; i < count; i += n) {
        for (n = 1; n < MODULE_FORMS && i + n < count && forms[i + n].target == forms[i].target;)
            n++;
        run_module(&forms[i], n);
        fflush(stdout);
    }
    printf("# %d forms covered of %d known, %d refused, %d wrong\n", covered, count, refused, wrong);
    printf("%d passed, %d failed\n", covered, count - covered);
    return refused || wrong || covered < count;
}
