// What nvcc embeds is read in every form, and no damage to it breaks the reader (this
// program is built with the sanitizers).

#include "suite.h"

#include "front/fatbin.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char *const forms[] = {"imageno-compress", "imagecompress-mode=default",
                                    "imagecompress-mode=speed"};
enum { FORMS = 3 };

typedef struct image {
    unsigned char *bytes;
    size_t count;
} image;

static image load(int form)
{
    char path[4096];
    image i = {malloc(1 << 22), 0};
    snprintf(path, sizeof path, "%s/%s.bin", getenv("PROGRAMS"), forms[form]);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s is missing", path);
    i.count = fread(i.bytes, 1, 1 << 22, file);
    fclose(file);
    ck_assert_uint_gt(i.count, 100);
    return i;
}

static char *text_of(int form, size_t *bytes)
{
    char *text;
    image i = load(form);
    ck_assert_int_eq(fatbin_ptx(i.bytes, i.count, 90, &text, bytes), FATBIN_OK);
    free(i.bytes);
    return text;
}

START_TEST(finds_the_same_text_in_every_form)
{
    size_t plain_bytes, bytes;
    char *plain = text_of(0, &plain_bytes), *text = text_of(_i, &bytes);
    ck_assert_uint_eq(bytes, plain_bytes);
    ck_assert_mem_eq(text, plain, bytes);
    text[bytes - 1] = 0;
    ck_assert_ptr_nonnull(strstr(text, ".visible .entry"));
    free(text);
    free(plain);
}
END_TEST

// Any answer will do, as long as it is one of these.
static void survive(const unsigned char *bytes, size_t count)
{
    unsigned char *copy = malloc(count ? count : 1); // its end is guarded
    char *text;
    size_t size;
    if (count)
        memcpy(copy, bytes, count);
    int code = fatbin_ptx(copy, count, 80, &text, &size);
    ck_assert(code == FATBIN_OK || code == FATBIN_DAMAGED || code == FATBIN_NO_PTX ||
              code == FATBIN_NO_MEMORY);
    ck_assert((code == FATBIN_OK) == (text != NULL));
    free(text);
    free(copy);
}

START_TEST(survives_every_flipped_bit_of_its_heads)
{
    image i = load(_i);
    size_t heads = i.count < 400 ? i.count : 400;
    for (size_t bit = 0; bit < heads * 8; bit++) {
        i.bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        survive(i.bytes, i.count);
        i.bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    free(i.bytes);
}
END_TEST

START_TEST(survives_flipped_bytes_anywhere)
{
    image i = load(_i);
    srand(7);
    for (int n = 0; n < 2000; n++) {
        size_t at = (size_t)rand() % i.count;
        unsigned char was = i.bytes[at];
        i.bytes[at] = (unsigned char)rand();
        survive(i.bytes, i.count);
        if (n % 3) // some damage stays
            i.bytes[at] = was;
    }
    free(i.bytes);
}
END_TEST

START_TEST(survives_every_length)
{
    image i = load(_i);
    for (size_t count = 0; count < i.count; count += count < 600 ? 1 : 97)
        survive(i.bytes, count);
    free(i.bytes);
}
END_TEST

START_TEST(prefers_the_newest_that_the_gpu_can_run)
{
    // Two stored entries: for 8.0 and for 9.0.
    struct {
        uint32_t magic;
        uint16_t version, header;
        uint64_t bytes;
        struct {
            uint16_t kind, version;
            uint32_t header;
            uint64_t payload;
            uint32_t packed, options;
            uint16_t minor, major;
            uint32_t target, name, name_bytes;
            uint64_t flags, unused, unpacked;
            char text[8];
        } entry[2];
    } all = {0xba55ed50, 1, 16, 144,
             {{1, 0x101, 64, 8, 0, 0, 0, 9, 80, 0, 0, 0x11, 0, 0, "eight"},
              {1, 0x101, 64, 8, 0, 0, 0, 9, 90, 0, 0, 0x11, 0, 0, "nine"}}};
    static const struct {
        unsigned cc;
        const char *text;
    } wanted[] = {
        {80, "eight"}, {89, "eight"}, {90, "nine"}, {100, "nine"}, {75, "nine"}};
    for (int i = 0; i < 5; i++) {
        char *text;
        size_t bytes;
        ck_assert_int_eq(fatbin_ptx(&all, sizeof all, wanted[i].cc, &text, &bytes), 0);
        ck_assert_uint_eq(bytes, strlen(wanted[i].text));
        ck_assert_mem_eq(text, wanted[i].text, bytes);
        free(text);
    }
    all.entry[0].kind = all.entry[1].kind = 2;
    char *text;
    size_t bytes;
    ck_assert_int_eq(fatbin_ptx(&all, sizeof all, 80, &text, &bytes), FATBIN_NO_PTX);
}
END_TEST

START_TEST(decodes_what_overlaps_and_refuses_what_leaves)
{
    static const unsigned char run[] = {0x1f, 'a', 1, 0, 5, 0x10, 'b'}; // a x 25, b
    static const unsigned char before[] = {0x10, 'a', 2, 0};
    static const unsigned char zero[] = {0x10, 'a', 0, 0};
    static const unsigned char cut[] = {0xf0};
    unsigned char to[32];
    ck_assert_int_eq(lz4_decode(run, sizeof run, to, sizeof to), 26);
    ck_assert_mem_eq(to, "aaaaaaaaaaaaaaaaaaaaaaaaab", 26);
    ck_assert_int_eq(lz4_decode(run, sizeof run, to, 25), -1);
    ck_assert_int_eq(lz4_decode(before, sizeof before, to, sizeof to), -1);
    ck_assert_int_eq(lz4_decode(zero, sizeof zero, to, sizeof to), -1);
    ck_assert_int_eq(lz4_decode(cut, sizeof cut, to, sizeof to), -1);
}
END_TEST

// ptxas itself says (usage.txt) how many registers each kernel has.
START_TEST(reads_what_ptxas_said_of_each_kernel)
{
    char path[4096], line[1000], name[500] = "", *cubin;
    size_t bytes;
    int kernels = 0, registers, frame = -1;
    image i = load(_i);
    ck_assert_int_eq(fatbin_cubin(i.bytes, i.count, 90, &cubin, &bytes), FATBIN_OK);
    snprintf(path, sizeof path, "%s/usage.txt", getenv("PROGRAMS"));
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof line, file)) {
        cubin_needs needs;
        const char *used = strstr(line, "Used ");
        const char *entry = strstr(line, "entry function '");
        const char *stack = strstr(line, "bytes stack frame");
        if (entry)
            sscanf(entry, "entry function '%499[^']", name);
        if (stack)
            sscanf(line, "%d bytes", &frame);
        if (!used || sscanf(used, "Used %d registers", &registers) != 1)
            continue;
        ck_assert_msg(cubin_find(cubin, bytes, name, &needs), "%s", name);
        ck_assert_int_eq(needs.registers, registers);
        ck_assert_int_eq(needs.frame, frame);
        kernels++;
    }
    fclose(file);
    ck_assert_int_gt(kernels, 3);
    cubin_needs none;
    ck_assert(!cubin_find(cubin, bytes, "no_such_kernel", &none));
    free(cubin);
    free(i.bytes);
}
END_TEST

START_TEST(survives_damaged_machine_code)
{
    char *cubin;
    size_t bytes;
    cubin_needs needs;
    image i = load(0);
    ck_assert_int_eq(fatbin_cubin(i.bytes, i.count, 90, &cubin, &bytes), FATBIN_OK);
    srand(1);
    for (int n = 0; n < 20000; n++) {
        char *copy = malloc(bytes); // its end is guarded
        size_t count = n % 2 ? bytes : (size_t)rand() % bytes;
        memcpy(copy, cubin, bytes);
        copy = realloc(copy, count ? count : 1);
        for (int k = 0; k < 4 && count; k++) {
            size_t at = (size_t)rand() % (k ? count : count < 64 ? count : 64);
            copy[at] = (char)rand();
        }
        cubin_find(copy, count, "_Z7globalsv", &needs);
        free(copy);
    }
    free(cubin);
    free(i.bytes);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fatbin");
    TCase *tc = tcase_create("fatbin");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, finds_the_same_text_in_every_form, 0, FORMS);
    tcase_add_loop_test(tc, survives_every_flipped_bit_of_its_heads, 0, FORMS);
    tcase_add_loop_test(tc, survives_flipped_bytes_anywhere, 0, FORMS);
    tcase_add_loop_test(tc, survives_every_length, 0, FORMS);
    tcase_add_test(tc, prefers_the_newest_that_the_gpu_can_run);
    tcase_add_test(tc, decodes_what_overlaps_and_refuses_what_leaves);
    tcase_add_loop_test(tc, reads_what_ptxas_said_of_each_kernel, 0, FORMS);
    tcase_add_test(tc, survives_damaged_machine_code);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
