// Symbols: copies to and from a program's __device__, __constant__ and __managed__
// variables, which are named by the address of their host shadow.

#include "front.h"

static int place(const void *symbol, size_t bytes, size_t offset, char **at)
{
    variable *v;
    int code = variable_ready(symbol, &v);
    if (code)
        return code;
    if (offset > v->bytes || bytes > v->bytes - offset)
        return cudaErrorInvalidValue;
    *at = (char *)(uintptr_t)v->at + offset;
    return cudaSuccess;
}

static int into(const void *symbol, const void *from, size_t bytes, size_t offset,
                int kind, cudaStream_t s, bool async)
{
    char *at;
    if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    int code = place(symbol, bytes, offset, &at);
    rows r = {at, from, bytes, bytes, bytes, 1};
    return code ? code : copy_rows(r, kind, stream_of(s), async);
}

static int out_of(void *to, const void *symbol, size_t bytes, size_t offset, int kind,
                  cudaStream_t s, bool async)
{
    char *at;
    if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    int code = place(symbol, bytes, offset, &at);
    rows r = {to, at, bytes, bytes, bytes, 1};
    return code ? code : copy_rows(r, kind, stream_of(s), async);
}

static int address_of(void **at, const void *symbol)
{
    char *found;
    if (!at)
        return cudaErrorInvalidValue;
    int code = place(symbol, 0, 0, &found);
    if (!code)
        *at = found;
    return code;
}

static int size_of(size_t *bytes, const void *symbol)
{
    variable *v;
    int code = bytes ? variable_ready(symbol, &v) : cudaErrorInvalidValue;
    if (!code)
        *bytes = v->bytes;
    return code;
}

// ---- The calls ------------------------------------------------------------------

cudaError_t CUDARTAPI cudaMemcpyToSymbol(const void *symbol, const void *from,
                                         size_t bytes, size_t offset,
                                         enum cudaMemcpyKind kind)
{
    return CALL(into(symbol, from, bytes, offset, (int)kind, 0, false));
}

cudaError_t CUDARTAPI cudaMemcpyToSymbolAsync(const void *symbol, const void *from,
                                              size_t bytes, size_t offset,
                                              enum cudaMemcpyKind kind, cudaStream_t s)
{
    return CALL(into(symbol, from, bytes, offset, (int)kind, s, true));
}

cudaError_t CUDARTAPI cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes,
                                           size_t offset, enum cudaMemcpyKind kind)
{
    return CALL(out_of(to, symbol, bytes, offset, (int)kind, 0, false));
}

cudaError_t CUDARTAPI cudaMemcpyFromSymbolAsync(void *to, const void *symbol,
                                                size_t bytes, size_t offset,
                                                enum cudaMemcpyKind kind,
                                                cudaStream_t s)
{
    return CALL(out_of(to, symbol, bytes, offset, (int)kind, s, true));
}

cudaError_t CUDARTAPI cudaGetSymbolAddress(void **at, const void *symbol)
{
    return CALL(address_of(at, symbol));
}

cudaError_t CUDARTAPI cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
    return CALL(size_of(bytes, symbol));
}
