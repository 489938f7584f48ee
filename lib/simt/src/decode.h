// What the decoders of decode_*.c share: building operations from instructions.

#ifndef SIMT_DECODE_H
#define SIMT_DECODE_H

#include "exec.h"

typedef struct decoder {
    simt_device *device;
    module *module;
    ptx_function *function;
    simt_code *code;
    const ptx_inst *inst;   // being decoded
    op *ops;
    place_of *places;
    uint8_t *classes;       // by operation; CLASS_COUNT: not counted
    uint32_t count, capacity;
    uint32_t scratch;       // end of the frame's registers
    uint8_t *constants;
    size_t constant_bytes, constant_capacity;
    uint32_t *constant_table, constant_slots, constant_count; // where each is, by its hash
    uint32_t *constant_sizes; // of each: where, and how many bytes
    uint32_t *op_of;        // first operation of an instruction
    bool unsupported;       // this instruction is
    bool parts;             // parts of registers are understood
    bool strict;            // it is if one of its modifiers was never asked for
    uint32_t *asked;        // which were: bits
    bool ends;              // the last operation ends its basic block
} decoder;

// A new operation with a handler by name; NULL handler: this form is not supported.
op *emit(decoder *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
op *emit_control(decoder *d, handler *run);

// Operands. A constant is spread over 32 lanes of `bytes` bytes.
uint32_t source(decoder *d, const ptx_operand *o, int bytes);
uint32_t source_at(decoder *d, int i, int bytes); // operand i of the instruction
uint32_t result(decoder *d, const ptx_operand *o);
uint32_t result_at(decoder *d, int i);
uint32_t constant(decoder *d, uint64_t value, int bytes);
uint32_t scratch(decoder *d, int bytes);
int register_bytes(const ptx_operand *o); // 0 if it is no register

// The result and up to four sources of an instruction that only computes, the sources'
// widths in bytes. emit() and source() may move d->ops, so operands come first.
typedef struct operands {
    uint32_t d, a, b, c, e;
} operands;
operands take_operands(decoder *d, int count, int a, int b, int c, int e);
void put(op *o, operands x);

// The instruction's modifiers.
bool has(const decoder *d, const char *mod);
ptx_type type_at(const decoder *d, int i); // i-th modifier that is a type, T_NONE
int pick(const decoder *d, const char *const *names); // index of the first present, -1
uint8_t rounding_mode(const decoder *d);
ptx_type unsigned_of(ptx_type t); // the unsigned integer as wide
bool is_half(ptx_type t);         // f16, bf16 or a pair of them
int comparison(decoder *d);       // exec_compare.c's C_*, -1

// Decoders that others call.
void decode_real(decoder *d, ptx_type t);
void decode_half(decoder *d, ptx_type t);

// Memory operands (decode_memory.c).
typedef struct place {
    uint32_t a;
    int64_t imm;
    bool wide, uniform, incoming, kernel_parameter;
} place;
// Where a .param symbol lies in a frame's argument bytes: incoming, result, calls.
uint64_t parameter_offset(const ptx_function *f, const ptx_symbol *s, bool *incoming);
place memory_operand(decoder *d, const ptx_operand *m, ptx_space space);
ptx_space space_of(const decoder *d);
int vector_of(const decoder *d);
// The registers of a {..} or single operand, kept in the module's memory.
const uint32_t *registers(decoder *d, const ptx_operand *o, int n, bool from, int bytes,
                          int *width);
uint8_t order_of(const decoder *d); // op.order of an access or a fence
bool within_cluster(const decoder *d); // its scope

// Handlers touch up to 16 bytes a lane: room behind a bank's last register.
enum { BANK_SLACK = 512 };

enum { POLLED = 256 }; // backward jumps that a look at another's flag counts for

// "u32", "f64", ...: types as the handlers' names have them.
const char *sign_name(ptx_type t); // s32 for signed, u32 for all else
const char *bit_name(ptx_type t);  // b32

#define DECODER(name) void decode_##name(decoder *d)
#define OP(opcode, decoder, class, meaning) DECODER(decoder);
#include "ops.def"
#undef OP

#endif
