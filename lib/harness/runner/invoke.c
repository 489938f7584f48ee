// Calling a function by its name, with typed arguments.

#include "runner.h"

#include "../arg.h"

#include <dlfcn.h>
#include <ffi.h>

void *find_function(const char *name)
{
    return dlsym(RTLD_DEFAULT, name);
}

static ffi_type *type_of(uint32_t kind)
{
    switch (kind) {
    case WB_SIZE:
        return &ffi_type_uint64;
    case WB_I32:
        return &ffi_type_sint32;
    case WB_U32:
        return &ffi_type_uint32;
    case WB_I64:
        return &ffi_type_sint64;
    case WB_F32:
        return &ffi_type_float;
    case WB_F64:
        return &ffi_type_double;
    default:
        return &ffi_type_pointer;
    }
}

static void invoke_as(ffi_type *result_type, void *result, void *function,
                      const buffers *b)
{
    ffi_type *types[WIRE_ARGUMENTS];
    void *values[WIRE_ARGUMENTS];
    for (uint32_t i = 0; i < b->call.count; i++) {
        types[i] = type_of(b->call.arguments[i].kind);
        values[i] = (void *)&b->values[i]; // little-endian: narrow values lie first
    }
    ffi_cif cif;
    if (ffi_prep_cif(&cif, FFI_DEFAULT_ABI, b->call.count, result_type, types) ==
        FFI_OK)
        ffi_call(&cif, FFI_FN(function), result, values);
}

int invoke(void *function, const buffers *b)
{
    ffi_arg result = 0; // libffi widens small results
    invoke_as(&ffi_type_sint, &result, function, b);
    return (int)result;
}

double invoke_real(void *function, const buffers *b)
{
    double result = 0;
    invoke_as(&ffi_type_double, &result, function, b);
    return result;
}
