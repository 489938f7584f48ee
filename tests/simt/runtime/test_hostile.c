// A runner that means harm: the device outlives it, serves the next one, and its judge
// never waits long. The device here is built with the sanitizers.

#include "device.h"
#include "suite.h"

#include "wire/pass.h"
#include "wire/ring.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static simt_host *host;
static int link_fd, file;
static ring *commands;
static char *staging;

static void connect_to_ring(void)
{
    ring_hello hello;
    ck_assert_int_eq(simt_host_new_runner(host), 0);
    link_fd = simt_host_runner_fd(host);
    ck_assert(pass_receive(link_fd, &hello, sizeof hello, &file) && file >= 0);
    char *memory =
        mmap(NULL, ARENA_OFFSET, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ck_assert_ptr_ne(memory, MAP_FAILED);
    commands = (ring *)(void *)memory;
    staging = memory + RING_BYTES;
}

static void set_up(void)
{
    host = start_device("SANE_DEVICE");
    ck_assert_ptr_nonnull(host);
    connect_to_ring();
}

static void tear_down(void)
{
    simt_host_end(host);
}

static void ring_bell(void)
{
    char bell = 1;
    send(link_fd, &bell, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static bool hear(wire_reply *reply)
{
    struct pollfd p = {link_fd, POLLIN, 0};
    return poll(&p, 1, 30000) == 1 && recv(link_fd, reply, sizeof *reply, 0) > 0;
}

static int ask(wire_command c, wire_reply *reply)
{
    c.flags |= WIRE_CALL;
    ck_assert(ring_put(commands, &c));
    ring_bell();
    ck_assert(hear(reply));
    return reply->code;
}

// After whatever has happened: the judge gets its record, and an honest program runs.
static void still_serves(void)
{
    char *record = simt_host_record(host, 10000);
    ck_assert_ptr_nonnull(record);
    free(record);
    ended e = run_remote(host, "late", "copy");
    ck_assert_int_eq(e.status, 0);
    ck_assert_ptr_nonnull(strstr(e.printed, "cudaErrorIllegalAddress"));
    free(e.printed);
}

static uint64_t random_word(void)
{
    static const uint64_t edges[] = {0, 1, UINT64_MAX, 1ull << 63, RING_STAGING,
                                     0x300000000000, WIRE_ARENA, 4096, UINT32_MAX};
    uint64_t word = (uint64_t)rand() << 42 ^ (uint64_t)rand() << 21 ^ (uint64_t)rand();
    return rand() % 2 ? edges[(size_t)rand() % (sizeof edges / sizeof *edges)]
           : rand() % 2 ? word : word % 1000;
}

START_TEST(outlives_random_commands)
{
    wire_reply reply;
    srand((unsigned)_i);
    for (size_t i = 0; i < RING_STAGING; i += 8)
        memcpy(staging + i, &(uint64_t){random_word()}, 8);
    for (int n = 0; n < 3000; n++) {
        wire_command c = {.op = (uint32_t)rand() % (WIRE_OPS + 2),
                          .flags = (uint32_t)rand() % 4, .offset = random_word(),
                          .bytes = random_word()};
        if (c.op == WIRE_ALLOC && rand() % 2)
            c.as.words[1] = 256;
        for (int w = 0; w < 6; w++)
            c.as.words[w] = random_word();
        ring_put(commands, &c);
        if (c.flags & WIRE_CALL) {
            ring_bell();
            ck_assert(hear(&reply));
        }
    }
    ask((wire_command){.op = WIRE_WAIT}, &reply);
    still_serves();
}
END_TEST

START_TEST(refuses_a_ring_that_makes_no_sense)
{
    wire_reply reply;
    atomic_store(&commands->head, UINT64_MAX - (uint64_t)_i);
    ring_bell();
    ck_assert(!hear(&reply)); // it hangs up
    still_serves();
}
END_TEST

START_TEST(does_not_wait_for_a_reader)
{
    for (int n = 0; n < 200000; n++) {
        wire_command c = {.op = WIRE_GPU, .flags = WIRE_CALL};
        ring_put(commands, &c);
        if (n % 100 == 0)
            ring_bell();
    }
    still_serves();
}
END_TEST

START_TEST(keeps_its_memory_file_whole)
{
    wire_reply reply;
    ck_assert_int_ne(ftruncate(file, 4096), 0);
    madvise(staging, RING_STAGING, MADV_REMOVE); // holes are only zeros
    ck_assert_int_eq(ask((wire_command){.op = WIRE_NOP}, &reply), 0);
    still_serves();
}
END_TEST

START_TEST(refuses_memory_that_is_not_of_the_arena)
{
    wire_reply reply;
    static const uint64_t ranges[][2] = {
        {0x400000, 4096}, {0x7ffff0000000, 4096}, {WIRE_ARENA - 4096, 8192},
        {WIRE_ARENA + WIRE_ARENA_BYTES - 4096, 8192}, {WIRE_ARENA, UINT64_MAX},
        {WIRE_ARENA, 0}, {0x300000000000, 4096}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        wire_command c = {.op = WIRE_SHARE, .as.range = {ranges[i][0], ranges[i][1]}};
        ck_assert_int_eq(ask(c, &reply), 1);
    }
    still_serves();
}
END_TEST

START_TEST(outlives_damaged_programs)
{
    static const char ptx[] =
        ".version 9.0\n.target sm_80\n.address_size 64\n"
        ".visible .entry f(.param .u64 p)\n{\n.reg .b64 %rd<3>;\n.reg .b32 %r<3>;\n"
        "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nst.global.u32 [%rd1], %r1;\n"
        "ret;\n}\n";
    wire_reply reply;
    srand((unsigned)_i);
    for (int n = 0; n < 300; n++) {
        memcpy(staging, ptx, sizeof ptx);
        for (int k = rand() % 4; k >= 0; k--)
            staging[(size_t)rand() % sizeof ptx] = (char)(rand() % 256);
        wire_command blob = {.op = WIRE_BLOB, .bytes = sizeof ptx, .as.piece.first = 1};
        ck_assert_int_eq(ask(blob, &reply), 0);
        if (ask((wire_command){.op = WIRE_LOAD}, &reply))
            continue;
        uint64_t module = reply.value[0];
        staging[0] = 'f';
        wire_command find = {.op = WIRE_KERNEL, .bytes = 1, .as.object.id = module};
        if (ask(find, &reply) == 0) {
            wire_command run = {.op = WIRE_LAUNCH, .bytes = 8};
            run.as.launch = (struct wire_launch){(uint32_t)reply.value[0], {1, 1, 1},
                                                 {32, 1, 1}, 0, 0, {0}, 0, 0, 0};
            ask(run, &reply);
        }
        wire_command drop = {.op = WIRE_UNLOAD, .as.object.id = module};
        if (reply.flags & WIRE_STICKY) {
            munmap(commands, ARENA_OFFSET);
            close(file);
            connect_to_ring();
        } else {
            ask(drop, &reply);
        }
    }
    still_serves();
}
END_TEST

// A descriptor of which only what random_texture leaves alone makes sense.
static wire_texture random_texture(void)
{
    wire_texture t = {.levels = 1, .width = 8, .height = 8, .bits = {32}, .format = 1,
                      .filter = rand() % 2, .normalized_coordinates = rand() % 2};
    for (int i = 0; i < 16; i++)
        t.level[i].address = 0x300000000000;
    for (int n = rand() % 4; n >= 0; n--) {
        uint64_t word = random_word();
        size_t at = (size_t)rand() % (sizeof t / 4);
        memcpy((char *)&t + (rand() % 2 ? at * 4 : 384 + at % 20 * 4), &word, 4);
    }
    if (rand() % 4 == 0)
        t.level[0].address = random_word();
    return t;
}

START_TEST(outlives_random_textures)
{
    static const char ptx[] =
        ".version 9.0\n.target sm_80\n.address_size 64\n"
        ".visible .entry f(.param .u64 t, .param .u64 x)\n{\n.reg .b64 %rd<3>;\n"
        ".reg .b32 %r<9>;\n.reg .f32 %f<9>;\n"
        "ld.param.u64 %rd1, [t];\nld.param.f32 %f1, [x];\nld.param.f32 %f2, [x+4];\n"
        "ld.param.u32 %r1, [x];\nld.param.u32 %r2, [x+4];\n"
        "tex.2d.v4.u32.f32 {%r3, %r4, %r5, %r6}, [%rd1, {%f1, %f2}];\n"
        "tex.a1d.v4.u32.f32 {%r3, %r4, %r5, %r6}, [%rd1, {%r1, %f2}];\n"
        "tex.level.3d.v4.f32.f32 {%f5, %f6, %f7, %f8}, [%rd1, {%f1, %f2, %f1, %f1}], %f2;\n"
        "tex.acube.v4.f32.f32 {%f5, %f6, %f7, %f8}, [%rd1, {%r1, %f1, %f2, %f1}];\n"
        "suld.b.2d.v4.b32.zero {%r3, %r4, %r5, %r6}, [%rd1, {%r1, %r2}];\n"
        "sust.b.a2d.b32.clamp [%rd1, {%r1, %r2, %r1, %r1}], %r1;\nret;\n}\n";
    wire_reply reply;
    int made = 0;
    srand((unsigned)_i);
    for (int n = 0; n < 300; n++) {
        memcpy(staging, ptx, sizeof ptx);
        wire_command blob = {.op = WIRE_BLOB, .bytes = sizeof ptx, .as.piece.first = 1};
        ck_assert_int_eq(ask(blob, &reply), 0);
        ck_assert_int_eq(ask((wire_command){.op = WIRE_LOAD}, &reply), 0);
        staging[0] = 'f';
        wire_command find = {.op = WIRE_KERNEL, .bytes = 1, .as.object.id = reply.value[0]};
        ck_assert_int_eq(ask(find, &reply), 0);
        uint32_t kernel = (uint32_t)reply.value[0];
        ask((wire_command){.op = WIRE_ALLOC, .as.range.bytes = 4096}, &reply);
        wire_texture t = random_texture();
        if (reply.value[0] && t.level[0].address == 0x300000000000)
            t.level[0].address = reply.value[0];
        memcpy(staging, &t, sizeof t);
        wire_command make = {.op = WIRE_TEXTURE, .bytes = sizeof t};
        uint64_t arguments[2] = {1, random_word()};
        if (ask(make, &reply) == 0)
            made++, arguments[0] = reply.value[0];
        memcpy(staging, arguments, sizeof arguments);
        wire_command run = {.op = WIRE_LAUNCH, .bytes = sizeof arguments};
        run.as.launch =
            (struct wire_launch){kernel, {1, 1, 1}, {32, 1, 1}, 0, 0, {0}, 0, 0, 0};
        ask(run, &reply);
        ask((wire_command){.op = WIRE_UNTEXTURE, .as.object.id = arguments[0]}, &reply);
        if (reply.flags & WIRE_STICKY) {
            munmap(commands, ARENA_OFFSET);
            close(file);
            connect_to_ring();
        }
    }
    ck_assert_int_gt(made, 30);
    still_serves();
}
END_TEST

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

// A program whose kernel does not end; returns its process.
static pid_t start_loop(void)
{
    simt_host_config config = {.limit = UINT64_MAX / 4};
    simt_host_end(host);
    host = simt_host_start(getenv("DEVICE"), &config);
    ck_assert_ptr_nonnull(host);
    ck_assert_int_eq(simt_host_new_runner(host), 0);
    pid_t pid = fork();
    if (pid == 0)
        _exit(
            run_program("loops.remote", NULL, simt_host_runner_fd(host), false).status);
    usleep(500000);
    return pid;
}

START_TEST(stops_a_launch_that_does_not_end)
{
    int status;
    pid_t pid = start_loop();
    double start = seconds();
    ck_assert_ptr_null(simt_host_record(host, 100)); // busy
    simt_host_stop(host);
    char *record = simt_host_record(host, 5000);
    ck_assert_ptr_nonnull(record);
    ck_assert_ptr_nonnull(strstr(record, "\"kind\":\"stopped\""));
    ck_assert_ptr_nonnull(strstr(record, "loops.cu\",\"line\":7"));
    free(record);
    waitpid(pid, &status, 0); // it was told, and went on
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    ck_assert(seconds() - start < 5);
}
END_TEST

START_TEST(takes_the_next_runner_while_a_launch_does_not_end)
{
    pid_t pid = start_loop();
    double start = seconds();
    ended e = run_remote(host, "late", "copy");
    ck_assert_ptr_nonnull(strstr(e.printed, "cudaErrorIllegalAddress"));
    ck_assert(seconds() - start < 5);
    free(e.printed);
    waitpid(pid, NULL, 0);
}
END_TEST

START_TEST(tells_the_program_when_the_device_ends)
{
    int status;
    pid_t pid = start_loop();
    simt_host_end(host);
    waitpid(pid, &status, 0);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    host = start_device("DEVICE");
}
END_TEST

START_TEST(says_so_when_the_device_does_not_start)
{
    simt_host_config config = {.gpu = "no such GPU"};
    ck_assert_ptr_null(simt_host_start(getenv("DEVICE"), &config));
    config.gpu = "A100";
    ck_assert_ptr_null(simt_host_start("/nowhere/simt-device", &config));
    ck_assert_ptr_null(simt_host_start("/bin/true", &config));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("hostile");
    TCase *tc = tcase_create("hostile");
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_loop_test(tc, outlives_random_commands, 0, 5);
    tcase_add_loop_test(tc, refuses_a_ring_that_makes_no_sense, 0, 2);
    tcase_add_test(tc, does_not_wait_for_a_reader);
    tcase_add_test(tc, keeps_its_memory_file_whole);
    tcase_add_test(tc, refuses_memory_that_is_not_of_the_arena);
    tcase_add_loop_test(tc, outlives_damaged_programs, 0, 3);
    tcase_add_loop_test(tc, outlives_random_textures, 0, 3);
    tcase_add_test(tc, stops_a_launch_that_does_not_end);
    tcase_add_test(tc, takes_the_next_runner_while_a_launch_does_not_end);
    tcase_add_test(tc, tells_the_program_when_the_device_ends);
    tcase_add_test(tc, says_so_when_the_device_does_not_start);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
