// The table of entry points is the whole CUDA runtime: it names all that the toolkit's
// header declares, and its twins; all that it names is in the library; what is refused
// says so.

#include "device.h"
#include "suite.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum state { HERE, REFUSED };
enum twin { NONE, PTDS, PTSZ };

// In this test nothing declares them; their arguments are nobody's.
#define ENTRY(state, twin, name, about)                                               \
    extern int name(void) __attribute__((weak));                                      \
    extern int name##_ptds(void) __attribute__((weak));                               \
    extern int name##_ptsz(void) __attribute__((weak));
#include "front/entries.def"
#undef ENTRY

static const struct entry {
    enum state state;
    enum twin twin;
    const char *name, *about;
    int (*call)(void), (*ptds)(void), (*ptsz)(void);
} entries[] = {
#define ENTRY(state, twin, name, about)                                               \
    {state, twin, #name, about, name, name##_ptds, name##_ptsz},
#include "front/entries.def"
#undef ENTRY
};
enum { ENTRIES = sizeof entries / sizeof *entries };

static const struct entry *entry_of(const char *name, size_t bytes)
{
    for (int i = 0; i < ENTRIES; i++)
        if (strlen(entries[i].name) == bytes && !memcmp(entries[i].name, name, bytes))
            return &entries[i];
    return NULL;
}

static size_t word(const char *at)
{
    size_t n = 0;
    while (isalnum((unsigned char)at[n]) || at[n] == '_')
        n++;
    return n;
}

static char *header(void)
{
    static char *text;
    size_t bytes;
    int fd = open(getenv("HEADER"), O_RDONLY);
    ck_assert_int_ge(fd, 0);
    text = read_all(fd, &bytes);
    close(fd);
    ck_assert_uint_gt(bytes, 100000);
    return text;
}

START_TEST(the_table_names_all_that_the_header_declares)
{
    int declared = 0;
    char *text = header();
    for (char *at = text; (at = strstr(at, " CUDARTAPI ")); at++) {
        const char *name = at + strlen(" CUDARTAPI ");
        size_t bytes = word(name);
        if (strncmp(name, "cuda", 4) || name[bytes] != '(')
            continue;
        const struct entry *e = entry_of(name, bytes);
        ck_assert_msg(e, "%.*s is not in entries.def", (int)bytes, name);
        ck_assert_msg(e->call, "%s is in no library", e->name);
        declared++;
    }
    ck_assert_int_gt(declared, 250);
}
END_TEST

START_TEST(the_table_names_the_header_s_twins)
{
    int twins = 0;
    char *text = header();
    for (char *at = text; (at = strstr(at, "__CUDART_API_PT")); at++) {
        const char *name = strchr(at, '(') + 1;
        size_t bytes = word(name);
        const struct entry *e = entry_of(name, bytes);
        if (strncmp(name, "cuda", 4))
            continue; // the definition of the macro
        enum twin twin = at[strlen("__CUDART_API_PT")] == 'D' ? PTDS : PTSZ;
        ck_assert_msg(e && e->twin == twin, "%.*s has a twin", (int)bytes, name);
        ck_assert_msg(twin == PTDS ? e->ptds : e->ptsz, "%s has no twin", e->name);
        twins++;
    }
    ck_assert_int_gt(twins, 60);
}
END_TEST

START_TEST(an_entry_is_named_once)
{
    for (int i = 0; i < ENTRIES; i++)
        ck_assert_ptr_eq(entry_of(entries[i].name, strlen(entries[i].name)),
                         &entries[i]);
}
END_TEST

START_TEST(the_refused_say_their_name_once)
{
    int ends[2], refused = 0;
    size_t bytes;
    ck_assert_int_eq(pipe(ends), 0);
    int errors = dup(2);
    dup2(ends[1], 2);
    for (int i = 0; i < ENTRIES; i++)
        if (entries[i].state == REFUSED) {
            refused += 1 + (entries[i].twin != NONE);
            for (int round = 0; round < 2; round++) {
                ck_assert_int_eq(entries[i].call(), 801);
                if (entries[i].twin == PTDS)
                    ck_assert_int_eq(entries[i].ptds(), 801);
                if (entries[i].twin == PTSZ)
                    ck_assert_int_eq(entries[i].ptsz(), 801);
            }
        }
    dup2(errors, 2);
    close(ends[1]);
    char *said = read_all(ends[0], &bytes);
    for (int i = 0; i < ENTRIES; i++) {
        char line[200];
        snprintf(line, sizeof line, "simt: %s is not supported", entries[i].name);
        ck_assert_msg(!strstr(said, line) == (entries[i].state == HERE), "%s", line);
    }
    int lines = 0;
    for (const char *at = said; *at; at++)
        lines += *at == '\n';
    ck_assert_int_eq(lines, refused);
}
END_TEST

int main(void)
{
    setenv("SIMT_GPU", "H200", 1);
    Suite *suite = suite_create("entries");
    TCase *tc = tcase_create("entries");
    tcase_add_test(tc, the_table_names_all_that_the_header_declares);
    tcase_add_test(tc, the_table_names_the_header_s_twins);
    tcase_add_test(tc, an_entry_is_named_once);
    tcase_add_test(tc, the_refused_say_their_name_once);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
