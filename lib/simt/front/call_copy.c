// The calls of copies and fills.

#include "twin.h"

static int rows(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                size_t bytes, size_t count, int kind, stream *s, bool async)
{
    box b = {{to, to_pitch, to_pitch * count},
             {(char *)(uintptr_t)from, from_pitch, from_pitch * count},
             bytes,
             count,
             1};
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (to_pitch < bytes || from_pitch < bytes)
        return cudaErrorInvalidPitchValue;
    return copy_box(b, kind, s, async);
}

static int fill(void *to, size_t pitch, int byte, size_t bytes, size_t count, stream *s,
                bool async)
{
    if (bytes && count && pitch < bytes)
        return s ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    filling f = {{to, pitch, pitch * count}, (unsigned)byte, 1, bytes, count, 1};
    return fill_box(f, s, async);
}

static int fill_3d(struct cudaPitchedPtr p, int byte, struct cudaExtent e, stream *s,
                   bool async)
{
    filling f = {{p.ptr, p.pitch, p.pitch * p.ysize},
                 (unsigned)byte,
                 1,
                 e.width,
                 e.height,
                 e.depth};
    if (e.width && e.height && e.depth &&
        (e.width > p.pitch || (e.depth > 1 && e.height > p.ysize)))
        return cudaErrorInvalidValue;
    return fill_box(f, s, async);
}

static int into(const void *symbol, const void *from, size_t bytes, size_t offset,
                int kind, stream *s, bool async)
{
    char *at;
    int code = symbol_place(symbol, bytes, offset, kind, INTO, &at);
    return code ? code : copy_line(at, from, bytes, kind, s, async);
}

static int out_of(void *to, const void *symbol, size_t bytes, size_t offset, int kind,
                  stream *s, bool async)
{
    char *at;
    int code = symbol_place(symbol, bytes, offset, kind, OUT_OF, &at);
    return code ? code : copy_line(to, at, bytes, kind, s, async);
}

cudaError_t CUDARTAPI cudaMemcpy(void *to, const void *from, size_t bytes,
                                 enum cudaMemcpyKind kind)
{
    return CALL(copy_line(to, from, bytes, (int)kind, own(0), false));
}

cudaError_t CUDARTAPI cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                                      enum cudaMemcpyKind kind, cudaStream_t s)
{
    return CALL(copy_line(to, from, bytes, (int)kind, own(s), true));
}

cudaError_t CUDARTAPI cudaMemcpy2D(void *to, size_t to_pitch, const void *from,
                                   size_t from_pitch, size_t bytes, size_t count,
                                   enum cudaMemcpyKind kind)
{
    return CALL(
        rows(to, to_pitch, from, from_pitch, bytes, count, (int)kind, own(0), false));
}

cudaError_t CUDARTAPI cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                                        size_t from_pitch, size_t bytes, size_t count,
                                        enum cudaMemcpyKind kind, cudaStream_t s)
{
    return CALL(
        rows(to, to_pitch, from, from_pitch, bytes, count, (int)kind, own(s), true));
}

cudaError_t CUDARTAPI cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
    return CALL(copy_3d(p, own(0), false));
}

cudaError_t CUDARTAPI cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p,
                                        cudaStream_t s)
{
    return CALL(copy_3d(p, own(s), true));
}

cudaError_t CUDARTAPI cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p)
{
    return CALL(copy_3d_peer(p, own(0), false));
}

cudaError_t CUDARTAPI cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p,
                                            cudaStream_t s)
{
    return CALL(copy_3d_peer(p, own(s), true));
}

cudaError_t CUDARTAPI cudaMemcpyToSymbol(const void *symbol, const void *from,
                                         size_t bytes, size_t offset,
                                         enum cudaMemcpyKind kind)
{
    return CALL(into(symbol, from, bytes, offset, (int)kind, own(0), false));
}

cudaError_t CUDARTAPI cudaMemcpyToSymbolAsync(const void *symbol, const void *from,
                                              size_t bytes, size_t offset,
                                              enum cudaMemcpyKind kind, cudaStream_t s)
{
    return CALL(into(symbol, from, bytes, offset, (int)kind, own(s), true));
}

cudaError_t CUDARTAPI cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes,
                                           size_t offset, enum cudaMemcpyKind kind)
{
    return CALL(out_of(to, symbol, bytes, offset, (int)kind, own(0), false));
}

cudaError_t CUDARTAPI cudaMemcpyFromSymbolAsync(void *to, const void *symbol,
                                                size_t bytes, size_t offset,
                                                enum cudaMemcpyKind kind,
                                                cudaStream_t s)
{
    return CALL(out_of(to, symbol, bytes, offset, (int)kind, own(s), true));
}

cudaError_t CUDARTAPI cudaMemset(void *to, int byte, size_t bytes)
{
    return CALL(fill(to, bytes, byte, bytes, 1, own(0), false));
}

cudaError_t CUDARTAPI cudaMemsetAsync(void *to, int byte, size_t bytes, cudaStream_t s)
{
    return CALL(fill(to, bytes, byte, bytes, 1, own(s), true));
}

cudaError_t CUDARTAPI cudaMemset2D(void *to, size_t pitch, int byte, size_t bytes,
                                   size_t count)
{
    return CALL(fill(to, pitch, byte, bytes, count, own(0), false));
}

cudaError_t CUDARTAPI cudaMemset2DAsync(void *to, size_t pitch, int byte, size_t bytes,
                                        size_t count, cudaStream_t s)
{
    return CALL(fill(to, pitch, byte, bytes, count, own(s), true));
}

cudaError_t CUDARTAPI cudaMemset3D(struct cudaPitchedPtr p, int byte,
                                   struct cudaExtent e)
{
    return CALL(fill_3d(p, byte, e, own(0), false));
}

cudaError_t CUDARTAPI cudaMemset3DAsync(struct cudaPitchedPtr p, int byte,
                                        struct cudaExtent e, cudaStream_t s)
{
    return CALL(fill_3d(p, byte, e, own(s), true));
}

// ---- Arrays ---------------------------------------------------------------------

cudaError_t CUDARTAPI cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y,
                                          const void *from, size_t pitch, size_t bytes,
                                          size_t count, enum cudaMemcpyKind kind)
{
    return CALL(
        copy_to_array(to, x, y, from, pitch, bytes, count, (int)kind, own(0), false));
}

cudaError_t CUDARTAPI cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y,
                                               const void *from, size_t pitch,
                                               size_t bytes, size_t count,
                                               enum cudaMemcpyKind kind, cudaStream_t s)
{
    return CALL(
        copy_to_array(to, x, y, from, pitch, bytes, count, (int)kind, own(s), true));
}

cudaError_t CUDARTAPI cudaMemcpy2DFromArray(void *to, size_t pitch,
                                            cudaArray_const_t from, size_t x, size_t y,
                                            size_t bytes, size_t count,
                                            enum cudaMemcpyKind kind)
{
    return CALL(
        copy_from_array(to, pitch, from, x, y, bytes, count, (int)kind, own(0), false));
}

cudaError_t CUDARTAPI cudaMemcpy2DFromArrayAsync(void *to, size_t pitch,
                                                 cudaArray_const_t from, size_t x,
                                                 size_t y, size_t bytes, size_t count,
                                                 enum cudaMemcpyKind kind,
                                                 cudaStream_t s)
{
    return CALL(
        copy_from_array(to, pitch, from, x, y, bytes, count, (int)kind, own(s), true));
}

cudaError_t CUDARTAPI cudaMemcpy2DArrayToArray(cudaArray_t to, size_t tx, size_t ty,
                                               cudaArray_const_t from, size_t fx,
                                               size_t fy, size_t bytes, size_t count,
                                               enum cudaMemcpyKind kind)
{
    return CALL(copy_arrays(to, tx, ty, from, fx, fy, bytes, count, (int)kind, own(0)));
}

// Bytes that do not go beyond a row; longer ones are refused by their extent.
cudaError_t CUDARTAPI cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y,
                                        const void *from, size_t bytes,
                                        enum cudaMemcpyKind kind)
{
    return CALL(
        copy_to_array(to, x, y, from, bytes, bytes, 1, (int)kind, own(0), false));
}

cudaError_t CUDARTAPI cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y,
                                             const void *from, size_t bytes,
                                             enum cudaMemcpyKind kind, cudaStream_t s)
{
    return CALL(
        copy_to_array(to, x, y, from, bytes, bytes, 1, (int)kind, own(s), true));
}

cudaError_t CUDARTAPI cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x,
                                          size_t y, size_t bytes,
                                          enum cudaMemcpyKind kind)
{
    return CALL(
        copy_from_array(to, bytes, from, x, y, bytes, 1, (int)kind, own(0), false));
}

cudaError_t CUDARTAPI cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from,
                                               size_t x, size_t y, size_t bytes,
                                               enum cudaMemcpyKind kind, cudaStream_t s)
{
    return CALL(
        copy_from_array(to, bytes, from, x, y, bytes, 1, (int)kind, own(s), true));
}

cudaError_t CUDARTAPI cudaMemcpyArrayToArray(cudaArray_t to, size_t tx, size_t ty,
                                             cudaArray_const_t from, size_t fx,
                                             size_t fy, size_t bytes,
                                             enum cudaMemcpyKind kind)
{
    return CALL(copy_arrays(to, tx, ty, from, fx, fy, bytes, 1, (int)kind, own(0)));
}
