// The programs print what an H200 prints (programs/*.out), whichever way they reach
// the device; visible.out and prints.out say what only the emulator promises.

#include "device.h"
#include "suite.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name, *argument, *expected;
} programs[] = {
    {"errors", NULL, "errors"},     {"ranges", NULL, "ranges"},
    {"sticky", NULL, "sticky"},     {"works", NULL, "works"},
    {"pending", NULL, "pending"},   {"late", "copy", "late_copy"},
    {"late", "stream", "late_stream"}, {"late", "free", "late_free"},
    {"late", "peek", "late_peek"},  {"visible", NULL, "visible"},
    {"prints", NULL, "prints"},     {"calls", NULL, "calls"},
    {"allocates", NULL, "allocates"}, {"grids", NULL, "grids"},
    {"groups", NULL, "groups"},     {"clusters", NULL, "clusters"},
    {"copies", NULL, "copies"},     {"order", NULL, "order"},
    {"bulk", NULL, "bulk"},         {"linked", NULL, "linked"},
    {"children", NULL, "children"},
    {"capture", NULL, "capture"},
    {"graph", NULL, "graph"},       {"update", NULL, "update"},
    {"boxes", NULL, "boxes"},       {"pools", NULL, "pools"},
    {"hostmem", NULL, "hostmem"},   {"managed", NULL, "managed"},
    {"streams", NULL, "streams"},   {"queries", NULL, "queries"},
    {"twins", NULL, "twins"},       {"pages", NULL, "pages"},
    {"peers", NULL, "peers"},       {"textures", NULL, "textures"},
    {"surfaces", NULL, "surfaces"}, {"objects", NULL, "objects"},
    {"cub", NULL, "cub"},           {"curand", NULL, "curand"},
    {"thrust", NULL, "thrust"},     {"atomics", NULL, "atomics"},
    {"standard", NULL, "standard"}, {"marks", NULL, "marks"},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

static void compare(ended e, const char *expected)
{
    char path[200];
    size_t bytes;
    snprintf(path, sizeof path, "programs/%s.out", expected);
    int fd = open(path, O_RDONLY);
    ck_assert_msg(fd >= 0, "%s is missing", path);
    char *want = read_all(fd, &bytes), *a = want, *b = e.printed;
    close(fd);
    ck_assert_int_eq(e.status, 0);
    while (*a && *a == *b) {
        a++;
        b++;
    }
    while (a > want && a[-1] != '\n') {
        a--;
        b--;
    }
    ck_assert_msg(e.bytes == bytes && !*a, "%s\nwanted: %.*s\ngot:    %.*s", path,
                  (int)strcspn(a, "\n"), a, (int)strcspn(b, "\n"), b);
    free(want);
    free(e.printed);
}

static void have_devices(const char *count)
{
    if (count)
        setenv("SIMT_DEVICES", count, 1);
    else
        unsetenv("SIMT_DEVICES");
}

START_TEST(prints_what_a_gpu_prints_in_one_process)
{
    char name[100];
    have_devices(strcmp(programs[_i].name, "peers") ? NULL : "2");
    snprintf(name, sizeof name, "%s.local", programs[_i].name);
    compare(run_program(name, programs[_i].argument, -1, false), programs[_i].expected);
}
END_TEST

START_TEST(prints_what_a_gpu_prints_across_the_ring)
{
    have_devices(strcmp(programs[_i].name, "peers") ? NULL : "2");
    simt_host *host = start_device("DEVICE");
    ck_assert_ptr_nonnull(host);
    for (int round = 0; round < 2; round++) // the second finds nothing of the first's
        compare(run_remote(host, programs[_i].name, programs[_i].argument),
                programs[_i].expected);
    simt_host_end(host);
}
END_TEST

START_TEST(says_why_there_is_no_device)
{
    ended e = run_program("works.remote", NULL, -1, true);
    ck_assert_ptr_nonnull(strstr(e.printed, "no CUDA-capable device is detected"));
    ck_assert_ptr_nonnull(strstr(e.printed, "SIMT_RING"));
    free(e.printed);
    e = run_program("works.remote", NULL, 0, true); // not a ring
    ck_assert_ptr_nonnull(strstr(e.printed, "no CUDA-capable device is detected"));
    free(e.printed);
}
END_TEST

START_TEST(records_what_the_device_saw)
{
    simt_host *host = start_device("DEVICE");
    ck_assert_ptr_nonnull(host);
    free(run_remote(host, "late", "copy").printed);
    char *record = simt_host_record(host, 5000);
    ck_assert_ptr_nonnull(record);
    ck_assert_ptr_nonnull(strstr(record, "\"kernel\":\"stray\""));
    ck_assert_ptr_nonnull(strstr(record, "late.cu\",\"line\":7"));
    ck_assert_ptr_nonnull(strstr(record, "\"copy_d2h_calls\":0"));
    free(record);
    ck_assert_int_eq(simt_host_reset_record(host), 0);
    record = simt_host_record(host, 5000);
    ck_assert_ptr_null(strstr(record, "stray"));
    free(record);
    simt_host_end(host);
}
END_TEST

// pages.cu says which pages move when.
START_TEST(counts_managed_pages_that_move)
{
    static const char *const counts[] = {
        "\"managed_faults\":17,",
        "\"managed_host_faults\":3,",
        "\"managed_bytes_h2d\":1376256,", // 16 + 1 + 4 pages
        "\"managed_bytes_d2h\":1245184,", // 1 + 16 + 2 pages
        "\"managed_bytes_d2d\":0}",
    };
    simt_host *host = start_device("DEVICE");
    ck_assert_ptr_nonnull(host);
    free(run_remote(host, "pages", NULL).printed);
    char *record = simt_host_record(host, 5000);
    ck_assert_ptr_nonnull(record);
    for (int i = 0; i < 5; i++)
        ck_assert_msg(strstr(record, counts[i]), "%s in %s", counts[i],
                      strstr(record, "\"copies\""));
    free(record);
    simt_host_end(host);
}
END_TEST

// Of the count-th event of that name in a record's timeline, in microseconds.
static bool find_span(const char *record, const char *name, int count, double *start, double *end)
{
    char head[100];
    const char *at = strstr(record, "\"timeline\":");
    snprintf(head, sizeof head, "\"ph\":\"X\",\"name\":\"%s\"", name);
    for (int i = 0; at && i < count; i++)
        at = strstr(at + 1, head);
    const char *ts = at ? strstr(at, "\"ts\":") : NULL, *dur = ts ? strstr(ts, "\"dur\":") : NULL;
    if (!dur)
        return false;
    *start = atof(ts + 5);
    *end = *start + atof(dur + 6);
    return true;
}

// marks.cu: each turn of its loop opens one range in another, and one of a domain that ends
// after them.
START_TEST(puts_nvtx_ranges_on_the_timeline)
{
    static const char *const nested[] = {"inside", "?tape \\\"2\\\""};
    double outer[2], inner[2], all[2], before = 0;
    simt_host *host = start_device("DEVICE");
    ck_assert_ptr_nonnull(host);
    free(run_remote(host, "marks", NULL).printed);
    char *record = simt_host_record(host, 5000);
    ck_assert_ptr_nonnull(record);
    ck_assert(find_span(record, "from start to end", 1, &all[0], &all[1]));
    ck_assert(!find_span(record, "from start to end", 2, &inner[0], &inner[1]));
    ck_assert_ptr_nonnull(strstr(record, "\"host, from start to end\""));
    ck_assert_ptr_nonnull(strstr(record, "\"host, domain 2\"")); // "tests"; the first is "tests.more"
    for (int turn = 1; turn <= 3; turn++) {
        outer[0] = all[0], outer[1] = all[1];
        for (int i = 0; i < 2; i++) {
            ck_assert_msg(find_span(record, nested[i], turn, &inner[0], &inner[1]), "%s %d in %s",
                          nested[i], turn, record);
            ck_assert_double_gt(inner[0], outer[0]);
            ck_assert_double_lt(inner[1], outer[1]);
            outer[0] = inner[0], outer[1] = inner[1];
        }
        ck_assert_double_ge(inner[0], before);
        before = inner[1];
        ck_assert(find_span(record, "scoped", turn, &outer[0], &outer[1]));
        ck_assert_double_lt(outer[0], inner[0]);
        ck_assert_double_gt(outer[1], inner[1]);
        ck_assert(find_span(record, "launched", turn, &inner[0], &inner[1]));
        ck_assert_double_eq(inner[0], inner[1]);
    }
    ck_assert(!find_span(record, "a launch", 4, &inner[0], &inner[1]));
    free(record);
    simt_host_end(host);
}
END_TEST

START_TEST(records_each_device)
{
    have_devices("2");
    simt_host *host = start_device("DEVICE");
    ck_assert_ptr_nonnull(host);
    free(run_remote(host, "peers", NULL).printed);
    char *record = simt_host_record(host, 5000);
    char *others = strstr(record, "\"others\":[");
    ck_assert_ptr_nonnull(others);
    ck_assert_ptr_nonnull(strstr(others, "\"kernel\":\"fetch\""));
    *others = 0;
    ck_assert_ptr_nonnull(strstr(record, "\"kernel\":\"fetch\""));
    ck_assert_ptr_nonnull(strstr(record, "peers.cu"));
    free(record);
    simt_host_end(host);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("programs");
    TCase *tc = tcase_create("programs");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, prints_what_a_gpu_prints_in_one_process, 0, PROGRAMS);
    tcase_add_loop_test(tc, prints_what_a_gpu_prints_across_the_ring, 0, PROGRAMS);
    tcase_add_test(tc, says_why_there_is_no_device);
    tcase_add_test(tc, records_what_the_device_saw);
    tcase_add_test(tc, counts_managed_pages_that_move);
    tcase_add_test(tc, puts_nvtx_ranges_on_the_timeline);
    tcase_add_test(tc, records_each_device);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
