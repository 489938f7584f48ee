// The layout of an argument. A test.c makes arguments with the functions of workbook.h
// and never looks inside.

#ifndef WORKBOOK_ARG_H
#define WORKBOOK_ARG_H

#include <stddef.h>
#include <stdint.h>

typedef enum wb_kind {
    WB_DEVICE, // a buffer in device memory
    WB_HOST,   // a buffer in the learner's process
    WB_SAME,   // the pointer of an earlier argument
    WB_NULL,
    WB_SIZE,
    WB_I32,
    WB_U32,
    WB_I64,
    WB_F32,
    WB_F64,
    WB_KINDS,
} wb_kind;

struct wb_arg {
    wb_kind kind;
    const void *from; // what the buffer starts with; NULL: poison
    void *to;         // where the answer goes; NULL: must come back as it was
    size_t bytes;
    size_t shift;     // of the data from 256-byte alignment
    uint64_t value;   // a scalar's bits; WB_SAME: which argument
    const char *name; // NULL unless wb_named
    size_t element;   // its bytes; 0 unless WB_IN, WB_OUT or WB_INOUT
};

#endif
