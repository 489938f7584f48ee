// PTX as read: a module's symbols and, for each function, its instructions.
//
// The parser (lex.c, parse.c, body.c) makes this tree and knows no semantics beyond
// declarations; decode.c turns a function's instructions into operations of exec.h.
// Everything lives in the module's arena and goes with it.

#ifndef SIMT_PTX_H
#define SIMT_PTX_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- Arena ----------------------------------------------------------------------

typedef struct arena {
    struct arena_chunk *chunks;
} arena;

void *arena_new(arena *a, size_t bytes); // zeroed; aborts only when memory is out
char *arena_text(arena *a, const char *text, size_t length);
void arena_free(arena *a);

// ---- Types ----------------------------------------------------------------------

// One line a fundamental type: name, bytes, letter of its kind.
#define PTX_TYPES(T)                                                                  \
    T(PRED, "pred", 1, 'p')                                                           \
    T(B8, "b8", 1, 'b') T(U8, "u8", 1, 'u') T(S8, "s8", 1, 's')                       \
    T(B16, "b16", 2, 'b') T(U16, "u16", 2, 'u') T(S16, "s16", 2, 's')                 \
    T(F16, "f16", 2, 'f') T(BF16, "bf16", 2, 'g')                                     \
    T(B32, "b32", 4, 'b') T(U32, "u32", 4, 'u') T(S32, "s32", 4, 's')                 \
    T(F32, "f32", 4, 'f') T(F16X2, "f16x2", 4, 'h') T(BF16X2, "bf16x2", 4, 'h')       \
    T(U16X2, "u16x2", 4, 'x') T(S16X2, "s16x2", 4, 'x') T(TF32, "tf32", 4, 't')      \
    T(E4M3X2, "e4m3x2", 2, 'e') T(E5M2X2, "e5m2x2", 2, 'e')                           \
    T(B64, "b64", 8, 'b') T(U64, "u64", 8, 'u') T(S64, "s64", 8, 's')                 \
    T(F64, "f64", 8, 'f') T(B128, "b128", 16, 'b')

typedef enum ptx_type {
    T_NONE,
#define T(id, name, bytes, kind) T_##id,
    PTX_TYPES(T)
#undef T
} ptx_type;

ptx_type ptx_type_named(const char *name); // T_NONE if it is none
int ptx_type_bytes(ptx_type type);
char ptx_type_kind(ptx_type type);

// ---- Symbols --------------------------------------------------------------------

typedef enum ptx_space {
    S_REG, S_GLOBAL, S_CONST, S_SHARED, S_LOCAL, S_PARAM, S_FUNC, S_LABEL,
} ptx_space;

typedef struct ptx_reloc { // an address inside an initialiser
    struct ptx_reloc *next;
    size_t at;
    const char *name;
    const struct ptx_scope *scope; // where the name is looked up
    int64_t addend;
} ptx_reloc;

typedef struct ptx_symbol {
    struct ptx_symbol *next; // in its hash bucket
    const char *name;
    ptx_space space;
    ptx_type type;
    bool external, dynamic; // .extern; an array without a size
    bool visible, weak;     // to other files
    struct ptx_symbol *definition; // in another file, of which this is a name
    size_t bytes, align;
    uint64_t at;            // register: operand offset; variable: address or offset;
                            // label: instruction index
    uint8_t *init;          // initial bytes or NULL
    ptx_reloc *relocs;
    struct ptx_function *function;
    uint32_t reads;         // registers: how often an instruction reads it,
    uint32_t stores;        // and how often a store as its value
} ptx_symbol;

typedef struct ptx_scope {
    struct ptx_scope *outer;
    struct ptx_scope *next; // of files that are linked
    ptx_symbol **bucket;   // PTX_BUCKETS << grown of them
    uint32_t grown, count;
} ptx_scope;

enum { PTX_BUCKETS = 16 };
ptx_scope *scope_new(arena *memory, ptx_scope *outer);
static inline uint32_t scope_buckets(const ptx_scope *s)
{
    return (uint32_t)PTX_BUCKETS << s->grown;
}

ptx_symbol *scope_find(const ptx_scope *scope, const char *name);
ptx_symbol *scope_find_here(const ptx_scope *scope, const char *name); // not in outer ones
const ptx_symbol *ptx_definition(const ptx_symbol *s); // what the name stands for

// ---- Instructions ---------------------------------------------------------------

typedef enum ptx_operand_kind {
    O_NONE,
    O_REG,    // symbol; also predicates, negated or not
    O_IMM,    // value (integer or float bits)
    O_SYM,    // symbol + value
    O_SREG,   // special register, name
    O_MEM,    // [inner + value]
    O_LIST,   // {a, b} or (a, b)
    O_NAME,   // a name that is no symbol yet (a label, a function)
    O_SINK,   // _
} ptx_operand_kind;

typedef struct ptx_operand {
    struct ptx_operand *next;  // in a list
    ptx_operand_kind kind;
    ptx_symbol *symbol;
    const char *name;
    int64_t value;
    bool negated;              // !p or -x
    bool is_float;             // 0f or 0d
    bool is_double;
    struct ptx_operand *inner; // O_MEM: the base; O_LIST: the first
    struct ptx_operand *pair;  // p|q: the second
    const char *part;          // r.b0: the part's name, NULL for all of it
} ptx_operand;

enum { PTX_MODS = 12, PTX_OPERANDS = 8 };

typedef struct ptx_inst {
    const char *text;          // whole mnemonic
    const char *base;          // before the first dot
    const char *mod[PTX_MODS]; // the parts between the dots
    int mods;
    ptx_symbol *guard;
    bool guard_not;
    ptx_operand *operand[PTX_OPERANDS];
    int operands;
    uint16_t file;
    uint32_t line, caller; // caller: the line of the same file that it was inlined at
} ptx_inst;

typedef struct ptx_function {
    struct ptx_function *next;
    const char *name;
    bool entry, defined;
    ptx_scope *scope;          // parameters, registers, locals, labels
    ptx_symbol **parameters;
    int parameter_count;
    size_t parameter_bytes;
    ptx_symbol *result;        // .func (.param result) or NULL
    size_t local_bytes, shared_bytes;
    uint32_t register_bytes;   // of a warp's frame
    uint32_t registers;        // 32-bit registers a thread, an upper estimate
    size_t call_bytes;         // .param space for calls made
    ptx_inst *code;
    uint32_t count, capacity;
    int max_threads, required_threads;
    bool bounded;                  // the kernel says max_threads
    int min_blocks, max_registers; // of a multiprocessor, of a thread; 0: not said
    uint32_t cluster[3];       // .reqnctapercluster; 0: none
    bool uses_module_shared;
    struct simt_code *decoded;
} ptx_function;

typedef struct ptx_module {
    arena memory;
    ptx_scope *scope;
    ptx_function *functions;
    const char *file[512];     // .file numbers
    size_t shared_bytes;       // module-level static shared
    ptx_symbol **variables;    // .global and .const, in order
    int variable_count;
    char error[256];
} ptx_module;

// Fills *module from text (bytes long, no NUL needed). Several texts, each ending in NUL,
// are linked: link.c. False: module->error says why.
bool ptx_parse(ptx_module *module, const char *text, size_t bytes);

// ---- The parser's own -----------------------------------------------------------

typedef enum { K_END, K_NAME, K_NUMBER, K_STRING, K_PUNCT } token_kind;

enum { PTX_INLINED = 256 }; // places of inlined calls that are remembered

typedef struct ptx_parser {
    ptx_module *module;
    const char *at, *end;
    int row, depth;             // depth: of brackets and blocks
    token_kind kind;           // current token
    const char *text;          // name or string, in the arena
    char punct;
    int64_t number;
    bool is_float, is_double;
    ptx_function *function;
    ptx_scope *scope;
    uint16_t file;
    uint32_t line, caller;
    bool visible, weak;        // of the declaration that is read
    ptx_scope *units, *last_unit; // of each text
    int64_t file_base, file_end; // what is added to .file's numbers; the next text's
    struct ptx_inlined {
        int64_t file, line, to_file, to_line, to_caller;
    } inlined[PTX_INLINED];
    jmp_buf fail;
} ptx_parser;

void next_token(ptx_parser *p);
bool is_punct(const ptx_parser *p, char c);
bool is_name(const ptx_parser *p, const char *name);
bool take(ptx_parser *p, char c);  // if it is c, move on
void expect(ptx_parser *p, char c);
void deeper(ptx_parser *p);        // one bracket more is open; p->depth-- when it closes
_Noreturn void parse_error(ptx_parser *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
ptx_symbol *declare(ptx_parser *p, ptx_scope *scope, const char *name, ptx_space space);
void parse_body(ptx_parser *p, ptx_function *f);
// After .reg/.shared/...: type, alignment, names; adds the symbols to scope.
void parse_variable(ptx_parser *p, ptx_scope *scope, ptx_space space, bool external);
void parse_loc(ptx_parser *p);
void parse_file(ptx_parser *p);
void parse_unit(ptx_parser *p); // one text, to its end

#endif
