// Every register-only instruction form, tried on the emulator and on a GPU alike.
//
// A form is one spelling of an instruction (forms.def). Each becomes a PTX entry whose
// thread i reads raw operand bits, executes the instruction once and stores the raw
// result. The inputs depend on nothing but the operands' kinds and i, so two machines
// that agree print the same hash.

#ifndef FORMS_H
#define FORMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t u64;
typedef uint32_t u32;
typedef uint16_t u16;
typedef int64_t s64;
typedef int32_t s32;
typedef unsigned __int128 u128;
typedef __int128 s128;

enum { SOURCES = 4, FEW = 1 << 16, MANY = 1 << 20, BLOCK = 256, MODULE_FORMS = 100 };

// What an operand's bits mean: how inputs are drawn, how a NaN result is recognised.
#define KINDS(K)                                                                      \
    K(NONE, "-", 0, "") K(B16, "b16", 2, "b16") K(B32, "b32", 4, "b32")               \
    K(B64, "b64", 8, "b64") K(F16, "f16", 2, "b16") K(BF16, "bf16", 2, "b16")         \
    K(F16X2, "f16x2", 4, "b32") K(BF16X2, "bf16x2", 4, "b32") K(F32, "f32", 4, "f32") \
    K(F32N, "f32n", 4, "f32") K(F64, "f64", 8, "f64") K(SHIFT, "sh", 4, "b32")        \
    K(FP8X2, "fp8x2", 2, "b16")
typedef enum kind {
#define K(id, name, bytes, reg) KIND_##id,
    KINDS(K)
#undef K
} kind;

int kind_bytes(kind k);
const char *kind_register(kind k);

// Parts of a mnemonic that the oracles ask for.
#define ASKED(P)                                                                      \
    P(NaN) P(abs) P(and) P(b4e) P(cc) P(clamp) P(ecl) P(ecr) P(f4e) P(finite)         \
    P(ftz) P(hi) P(infinite) P(l) P(normal) P(notanumber) P(number) P(or) P(rc16)     \
    P(rc8) P(relu) P(rm) P(rmi) P(rna) P(rni) P(rp) P(rpi) P(rz) P(rzi) P(sat)        \
    P(satfinite) P(shiftamt) P(xor)
enum {
#define P(name) ASK_##name,
    ASKED(P)
#undef P
};
#define HAS(f, name) ((f)->asked >> ASK_##name & 1)
#define IS(op, name) ((op)[0] == (name)[0] && !strcmp(op, name))

enum { PARTS = 12 };
typedef struct form {
    char name[112];        // the instruction, or its mnemonic and what tells it apart
    char code[600];        // from registers a, b, c, e to d
    char text[80];         // the mnemonic, cut at its dots:
    const char *part[PARTS];
    int parts;             // part[0] is the opcode
    u64 asked;             // bit ASK_x: it has part x
    const char *class;
    int target;            // 80, 90: least sm_
    kind d, source[SOURCES];
    int arity;
    const char *bound;     // NULL: exact; "ulp 2", "abs -20.5", "rel -22.9"
    char extra[32];        // what the code's alternatives were
} form;

// table.c: all forms, from forms.def.
const form *forms_all(int *count);

// values.c: operand `slot` of case i.
u64 value_of(kind k, int slot, int arity, u32 i);
u64 canonical(kind k, u64 bits); // all NaNs alike where PTX leaves the payload open

// module.c: PTX of count forms, entries f0, f1, ...; caller frees.
char *module_text(const form *forms, int count);

// reference.c: what PTX says the result is, by exact arithmetic; false: cannot say.
bool reference(const form *f, const u64 *in, u64 *out);
// approximate.c: error of a result as a part of the bound (> 1: beyond it).
double error_of(const form *f, const u64 *in, u64 got);

// Where the forms run.
typedef struct machine {
    const char *name;
    bool (*open)(char *about, size_t bytes);
    bool (*load)(const char *ptx, int count, char *why, size_t bytes);
    void (*unload)(void);
    u64 (*alloc)(size_t bytes);
    void (*write)(u64 to, const void *from, size_t bytes);
    void (*read)(void *to, u64 from, size_t bytes);
    // Entry f<i> of the loaded module; 0, or an error with its words.
    int (*run)(int i, u32 blocks, const u64 *args, int count, char *why, size_t bytes);
} machine;
extern const machine emulator_machine, gpu_machine;

#endif
