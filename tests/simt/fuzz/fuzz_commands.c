// Any commands from a front end, with any bytes in the staging area, to two devices.
//
// A word of a command is a tag and what follows: a byte, four or eight bytes, what an
// earlier reply said plus a little, a place in the arena. Uniform 64-bit numbers would
// meet nothing but the first check. An op that is none writes a word to the staging area.

#include "wire/context.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum { STAGING = 1 << 16, MEMORY = 16 << 20, REPLIES = 8, MOST_COMMANDS = 64 };
enum { POKE = 200 };
enum { MOST_SHARED = 1 << 20, MOST_BLOCKS = 16 };

// What is in the staging area at first, so that a command can name it.
static const char staged[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .global .align 4 .u32 v[4];\n"
    ".visible .entry k(.param .u64 p)\n{\n.reg .b64 %d<3>;\n.reg .b32 %r<3>;\n"
    "ld.param.u64 %d1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d2, %r1, 4;\n"
    "add.u64 %d1, %d1, %d2;\nld.global.u32 %r2, [%d1];\nadd.u32 %r2, %r2, 1;\n"
    "st.global.u32 [%d1], %r2;\nret;\n}\n"
    ".visible .entry t(.param .u64 p, .param .u64 q)\n{\n.reg .b64 %d<3>;\n"
    ".reg .f32 %f<7>;\n.reg .b32 %r<5>;\nld.param.u64 %d1, [p];\nld.param.u64 %d2, [q];\n"
    "mov.u32 %r1, %tid.x;\ncvt.rn.f32.u32 %f1, %r1;\nmov.f32 %f2, 0f3F000000;\n"
    "tex.level.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d1, {%f1, %f2}], %f2;\n"
    "sust.b.2d.b32.clamp [%d1, {%r1, %r1}], %r1;\n"
    "st.global.f32 [%d2], %f3;\nret;\n}\n";
enum { TEXTURE_AT = 4096, NAMES_AT = 3072, INPUT_AT = 8192 };

typedef struct input {
    const uint8_t *at, *end;
} input;

static uint64_t take(input *in, size_t n)
{
    uint64_t x = 0;
    if (n > (size_t)(in->end - in->at))
        n = (size_t)(in->end - in->at);
    memcpy(&x, in->at, n);
    in->at += n;
    return x;
}

static uint64_t word(input *in, const uint64_t *replies)
{
    uint64_t tag = take(in, 1);
    switch (tag & 7) {
    case 0: return 0;
    case 1: return take(in, 1);
    case 2: return take(in, 4);
    case 3: return take(in, 8);
    case 4: return WIRE_ARENA + take(in, 3);
    case 5: return replies[tag >> 3 & (REPLIES - 1)] + (uint64_t)(int8_t)take(in, 1);
    case 6: return replies[tag >> 3 & (REPLIES - 1)];
    default: return (uint64_t)1 << (tag >> 3) << take(in, 1) % 33;
    }
}

static bool map_arena(void *with)
{
    (void)with;
    static bool mapped;
    mapped = mapped || mmap((void *)(uintptr_t)WIRE_ARENA, 32 << 20, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
                            0) != MAP_FAILED;
    return mapped;
}

// What the host bounds by other means: memory and time.
static bool is_small(const wire_command *c)
{
    const struct wire_launch *l = &c->as.launch;
    const struct wire_range *r = &c->as.range;
    if (c->op == WIRE_SHARE)
        return r->bytes <= MOST_SHARED && (r->host ? r->host : r->address) <
                                              WIRE_ARENA + (31 << 20);
    return c->op != WIRE_LAUNCH ||
           (uint64_t)l->grid[0] * l->grid[1] <= MOST_BLOCKS / (l->grid[2] ? l->grid[2] : 1);
}

static void command(wire_machine *m, input *in, uint64_t *replies, int number)
{
    static wire_reply reply;
    wire_command c = {.op = (uint16_t)take(in, 1), .device = (uint16_t)take(in, 1)};
    c.flags = c.device >> 7;
    c.device &= 127;
    c.offset = word(in, replies);
    c.bytes = word(in, replies);
    if (c.op == WIRE_LAUNCH || c.op == WIRE_CHECK) {
        uint32_t *at = (uint32_t *)&c.as.launch;
        for (size_t i = 0; i < sizeof c.as.launch / 4; i++)
            at[i] = (uint32_t)word(in, replies);
    } else {
        for (int i = 0; i < 5; i++)
            c.as.words[i] = word(in, replies);
    }
    if (c.op >= POKE) {
        uint64_t at = c.offset < STAGING - 8 ? c.offset : c.offset % (STAGING - 8);
        memcpy(m->device[0].staging + at, &c.bytes, 8);
        return;
    }
    if (!is_small(&c))
        return;
    wire_execute(m, &c, &reply);
    if (reply.bytes > sizeof reply.body)
        abort();
    replies[number % REPLIES] = reply.value[0];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static wire_machine m;
    static FILE *nowhere;
    static char *staging;
    uint64_t replies[REPLIES] = {0};
    input in = {data, data + bytes};
    if (!nowhere) {
        setenv("SIMT_DEVICES", "2", 1);
        nowhere = fopen("/dev/null", "w");
        staging = malloc(STAGING); // its end is guarded
    }
    simt_config config = {.gpu = "H100", .workers = 1, .instruction_limit = 2000,
                          .memory = MEMORY};
    if (!nowhere || !staging || !wire_machine_open(&m, config))
        abort();
    m.map_arena = map_arena;
    wire_machine_stage(&m, staging, STAGING);
    memset(staging, 0, STAGING);
    memcpy(staging, staged, sizeof staged);
    size_t more = (size_t)take(&in, 1) * 16; // of the input, behind it
    if (more > (size_t)(in.end - in.at))
        more = (size_t)(in.end - in.at);
    memcpy(staging + NAMES_AT, "k\0t\0v", 6);
    memcpy(staging + INPUT_AT, in.at, more);
    in.at += more;
    // A program and an array are there from the start; commands can make more.
    wire_command load[] = {
        {.op = WIRE_BLOB, .bytes = sizeof staged - 1, .as.piece.first = 1},
        {.op = WIRE_LOAD},
        {.op = WIRE_ALLOC, .as.range.bytes = 4096},
    };
    static wire_reply reply;
    for (size_t i = 0; i < sizeof load / sizeof *load; i++) {
        wire_execute(&m, &load[i], &reply);
        replies[i] = reply.value[0];
    }
    wire_texture shape = {.levels = 1, .width = 16, .height = 16, .bits = {8, 8, 8, 8},
                          .format = 1, .level[0] = {replies[2], 64, 1024}};
    memcpy(staging + TEXTURE_AT, &shape, sizeof shape);
    for (int i = 3; i < MOST_COMMANDS && in.at < in.end; i++)
        command(&m, &in, replies, i);
    wire_write_record(&m, nowhere);
    wire_reset_record(&m);
    wire_machine_close(&m);
    return 0;
}
