// Symbols: a program's __device__, __constant__ and __managed__ variables, which are
// named by the address of their host shadow.

#include "front.h"

static int find(const void *symbol, size_t bytes, size_t offset, char **at)
{
    variable *v;
    int code = variable_ready(symbol, &v);
    if (code)
        return code;
    if (offset > v->bytes || bytes > v->bytes - offset)
        return cudaErrorInvalidValue;
    *at = (char *)(uintptr_t)v->at[here] + offset;
    return cudaSuccess;
}

int symbol_place(const void *symbol, size_t bytes, size_t offset, int kind,
                 enum direction d, char **at)
{
    int way = d == INTO ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    if (kind != way && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    return find(symbol, bytes, offset, at);
}

static int address_of(void **at, const void *symbol)
{
    char *found;
    if (!at)
        return cudaErrorInvalidValue;
    int code = find(symbol, 0, 0, &found);
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

cudaError_t CUDARTAPI cudaGetSymbolAddress(void **at, const void *symbol)
{
    return CALL(address_of(at, symbol));
}

cudaError_t CUDARTAPI cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
    return CALL(size_of(bytes, symbol));
}
