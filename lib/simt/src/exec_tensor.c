// mma: a warp's matrices multiplied. tensor.h says how they lie in registers.
//
// A and B are unpacked into rows of A by rows of B transposed, so that the inner loop
// runs over eight neighbouring columns. Sums are taken in one order, k rising, from C:
// f32 for the products of 16-bit, tf32 and 8-bit floats, which are exact in f32; f64 with
// one rounding a step; integers exactly.

#include "half.h"
#include "tensor.h"

static const int bits_of[] = {
#define T(id, name, bits) bits,
    TENSOR_TYPES(T)
#undef T
};

// A word's elements as floats, for all lanes of a register: 8 rows of 4 P elements.
static inline void widen_block(f32 *restrict to, const void *from, tensor_type type)
{
    const u16 *h = from;
    const u32 *b = from;
    const u8 *q = from;
    switch (type) {
    case TENSOR_F16: widen_f16(to, h, 64); break;
    case TENSOR_BF16:
        for (int i = 0; i < 64; i++)
            to[i] = f32_bits((u32)h[i] << 16);
        break;
    case TENSOR_TF32:
        for (int i = 0; i < 32; i++)
            to[i] = f32_bits(b[i] & 0xffffe000u);
        break;
    case TENSOR_E5M2:
        for (int i = 0; i < 128; i++)
            to[i] = f32_of_f16((u16)(q[i] << 8));
        break;
    default: // e4m3: no infinities, one NaN
        for (int i = 0; i < 128; i++) {
            f32 v = (q[i] & 0x7f) == 0x7f ? NAN : f32_bits((u32)(q[i] & 0x7f) << 20) * 0x1p120f;
            to[i] = q[i] & 0x80 ? -v : v;
        }
    }
}

// The integers of a word, or of b1 the word itself.
static inline void widen_integers(s32 *restrict to, const void *from, tensor_type type)
{
    const u8 *q = from;
    const s8 *s = from;
    for (int i = 0; i < 128; i++) {
        switch (type) {
        case TENSOR_S8: to[i] = s[i]; break;
        case TENSOR_U8: to[i] = q[i]; break;
        case TENSOR_S4:
            to[2 * i] = (s8)(q[i] << 4) >> 4;
            to[2 * i + 1] = s[i] >> 4;
            break;
        default:
            to[2 * i] = q[i] & 15;
            to[2 * i + 1] = q[i] >> 4;
        }
    }
}

// Blocks of 8 rows by `width` put into place: rows side by side, or (B) as columns.
#define PLACE(T)                                                                      \
    static inline void place_rows_##T(T *restrict to, const T *restrict block, int row, \
                                      int column, int width, int k)                   \
    {                                                                                 \
        for (int g = 0; g < 8; g++)                                                   \
            memcpy(to + (row + g) * k + column, block + g * width, sizeof(T) * (size_t)width); \
    }                                                                                 \
    static inline void place_columns_##T(T *restrict to, const T *restrict block, int row, \
                                         int column, int width, int n)                \
    {                                                                                 \
        for (int c = 0; c < width; c++)                                               \
            for (int g = 0; g < 8; g++)                                               \
                to[(column + c) * n + row + g] = block[g * width + c];                \
    }
PLACE(f32)
PLACE(f64)
PLACE(s32)

// d (m x n) += a (m x k) b (k x n), eight rows by eight columns at a time.
#define MULTIPLY(T, V)                                                                \
    typedef V V##8 __attribute__((vector_size(8 * sizeof(V)), may_alias));            \
    static inline void multiply_##T(T *restrict d, const T *restrict a,               \
                                    const T *restrict b, int m, int n, int k)         \
    {                                                                                 \
        for (int j = 0; j < n; j += 8)                                                \
            for (int i = 0; i < m; i += 8) {                                          \
                const T *at = a + i * k;                                              \
                V##8 sum[8], row;                                                     \
                for (int r = 0; r < 8; r++)                                           \
                    memcpy(&sum[r], d + (i + r) * n + j, sizeof row);                 \
                for (int x = 0; x < k; x++) {                                         \
                    memcpy(&row, b + x * n + j, sizeof row);                          \
                    for (int r = 0; r < 8; r++)                                       \
                        sum[r] += row * (V)at[r * k + x];                             \
                }                                                                     \
                for (int r = 0; r < 8; r++)                                           \
                    memcpy(d + (i + r) * n + j, &sum[r], sizeof row);                 \
            }                                                                         \
    }
MULTIPLY(f32, f32)
MULTIPLY(s32, u32)

static inline void multiply_f64(f64 *restrict d, const f64 *restrict a, const f64 *restrict b,
                                int m, int n, int k)
{
    for (int i = 0; i < m; i++)
        for (int x = 0; x < k; x++)
            for (int j = 0; j < n; j++)
                d[i * n + j] = __builtin_fma(a[i * k + x], b[x * n + j], d[i * n + j]);
}

// Registers 2 i and 2 i + 1 to a block of C, and back.
#define ACCUMULATOR(T)                                                                \
    static inline void take_##T(warp *w, T *restrict to, const tensor *t, int m, int n) \
    {                                                                                 \
        for (int i = 0; i < m * n / 64; i++) {                                        \
            const T *even = AT(w, t->c[2 * i]), *odd = AT(w, t->c[2 * i + 1]);        \
            T *row = to + i % (m / 8) * 8 * n + i / (m / 8) * 8;                      \
            for (int l = 0; l < 32; l += 4, row += n)                                 \
                for (int x = 0; x < 4; x++) {                                         \
                    row[2 * x] = even[l + x];                                         \
                    row[2 * x + 1] = odd[l + x];                                      \
                }                                                                     \
        }                                                                             \
    }                                                                                 \
    static inline void give_##T(warp *w, const T *restrict from, const tensor *t, int m, int n) \
    {                                                                                 \
        for (int i = 0; i < m * n / 64; i++) {                                        \
            T *even = AT(w, t->d[2 * i]), *odd = AT(w, t->d[2 * i + 1]), x[32], y[32]; \
            const T *row = from + i % (m / 8) * 8 * n + i / (m / 8) * 8;              \
            for (int l = 0; l < 32; l += 4, row += n)                                 \
                for (int k = 0; k < 4; k++) {                                         \
                    x[l + k] = row[2 * k];                                            \
                    y[l + k] = row[2 * k + 1];                                        \
                }                                                                     \
            LANES (l) {                                                               \
                even[l] = w->lane[l] ? x[l] : even[l];                                \
                odd[l] = w->lane[l] ? y[l] : odd[l];                                  \
            }                                                                         \
        }                                                                             \
    }
ACCUMULATOR(f32)
ACCUMULATOR(f64)
ACCUMULATOR(s32)

// Of f16 a block is one register, its elements in pairs.
static inline void take_f16(warp *w, f32 *restrict to, const tensor *t, int m, int n)
{
    for (int i = 0; i < m * n / 64; i++) {
        f32 block[64];
        widen_f16(block, AT(w, t->c[i]), 64);
        place_rows_f32(to, block, i % (m / 8) * 8, i / (m / 8) * 8, 8, n);
    }
}

static inline void give_f16(warp *w, const f32 *restrict from, const tensor *t, int m, int n)
{
    for (int i = 0; i < m * n / 64; i++) {
        const f32 *at = from + i % (m / 8) * 8 * n + i / (m / 8) * 8;
        f32 block[64];
        u16 halves[64];
        for (int g = 0; g < 8; g++)
            memcpy(block + 8 * g, at + g * n, 8 * sizeof *at);
        narrow_f16(halves, block, 64);
        u32 *d = AT(w, t->d[i]), pair[32];
        memcpy(pair, halves, sizeof pair);
        LANES (l)
            d[l] = w->lane[l] ? pair[l] : d[l];
    }
}

// 64 floats, 8 by 8, to their place in b as columns.
static inline void transpose(f32 *restrict to, const f32 *restrict block, int n)
{
    typedef f32 v8 __attribute__((vector_size(32)));
    v8 r[8], s[8];
    memcpy(r, block, sizeof r);
    for (int i = 0; i < 8; i += 2) {
        s[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        s[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int i = 0; i < 8; i += 4)
        for (int k = 0; k < 2; k++) {
            r[i + 2 * k] = __builtin_shufflevector(s[i + k], s[i + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            r[i + 2 * k + 1] = __builtin_shufflevector(s[i + k], s[i + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int i = 0; i < 4; i++) {
        v8 low = __builtin_shufflevector(r[i], r[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        v8 high = __builtin_shufflevector(r[i], r[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
        memcpy(to + i * n, &low, sizeof low);
        memcpy(to + (i + 4) * n, &high, sizeof high);
    }
}

static inline __attribute__((always_inline)) int product_f32(warp *w, const tensor *t, int m,
                                                             int n, int k, int width)
{
    _Alignas(32) f32 a[TENSOR_SIDE * TENSOR_SIDE], b[TENSOR_SIDE * TENSOR_SIDE];
    _Alignas(32) f32 d[TENSOR_SIDE * TENSOR_SIDE], block[128];
    for (int i = 0; i < m / 8 * (k / width); i++) {
        widen_block(block, AT(w, t->a[i]), t->a_type);
        place_rows_f32(a, block, i % (m / 8) * 8, i / (m / 8) * width, width, k);
    }
    for (int i = 0; i < n / 8 * (k / width); i++) {
        int row = i % (n / 8) * 8, column = i / (n / 8) * width;
        widen_block(block, AT(w, t->b[i]), t->b_type);
        if (width == 8)
            transpose(b + column * n + row, block, n);
        else
            place_columns_f32(b, block, row, column, width, n);
    }
    if (t->c_type == TENSOR_F16)
        take_f16(w, d, t, m, n);
    else
        take_f32(w, d, t, m, n);
    multiply_f32(d, a, b, m, n, k);
    for (int i = 0; i < m * n; i++)
        d[i] = nan_f32(d[i]);
    if (t->d_type == TENSOR_F16)
        give_f16(w, d, t, m, n);
    else
        give_f32(w, d, t, m, n);
    return GO;
}

int SIMT_FN(mma_f32)(warp *w, const op *o)
{
    const tensor *t = o->extra;
    int width = 4 * 32 / bits_of[t->a_type];
    if (width == 8 && t->m == 16 && t->k == 16) { // the commonest, known to the compiler
        if (t->n == 16)
            return product_f32(w, t, 16, 16, 16, 8);
        return product_f32(w, t, 16, 8, 16, 8);
    }
    return product_f32(w, t, t->m, t->n, t->k, width);
}

int SIMT_FN(mma_f64)(warp *w, const op *o)
{
    const tensor *t = o->extra;
    f64 a[16 * 16], b[16 * 8], d[16 * 8];
    for (int i = 0; i < t->m / 8 * (t->k / 4); i++)
        place_rows_f64(a, AT(w, t->a[i]), i % (t->m / 8) * 8, i / (t->m / 8) * 4, 4, t->k);
    for (int i = 0; i < t->k / 4; i++)
        place_columns_f64(b, AT(w, t->b[i]), 0, i * 4, 4, 8);
    take_f64(w, d, t, t->m, 8);
    multiply_f64(d, a, b, t->m, 8, t->k);
    give_f64(w, d, t, t->m, 8);
    return GO;
}

// .satfinite: the exact sum, as near as 32 bits go. Products are small enough for that.
static void multiply_clamped(s32 *d, const s32 *a, const s32 *b, int m, int n, int k)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            s64 sum = d[i * n + j];
            for (int x = 0; x < k; x++)
                sum += (s64)a[i * k + x] * b[x * n + j];
            d[i * n + j] = (s32)(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
        }
}

int SIMT_FN(mma_s32)(warp *w, const op *o)
{
    const tensor *t = o->extra;
    _Alignas(32) s32 a[16 * 64 + 512], b[64 * 32], d[TENSOR_SIDE * TENSOR_SIDE], block[256];
    int width = 4 * 32 / bits_of[t->a_type], m = t->m, n = t->n, k = t->k;
    for (int i = 0; i < m / 8 * (k / width); i++) {
        widen_integers(block, AT(w, t->a[i]), t->a_type);
        place_rows_s32(a, block, i % (m / 8) * 8, i / (m / 8) * width, width, k);
    }
    for (int i = 0; i < n / 8 * (k / width); i++) {
        widen_integers(block, AT(w, t->b[i]), t->b_type);
        place_columns_s32(b, block, i % (n / 8) * 8, i / (n / 8) * width, width, n);
    }
    take_s32(w, d, t, m, n);
    if (t->saturate)
        multiply_clamped(d, a, b, m, n, k);
    else
        multiply_s32(d, a, b, m, n, k);
    give_s32(w, d, t, m, n);
    return GO;
}

// Bits: a word is 32 elements; their products are counted.
int SIMT_FN(mma_b1)(warp *w, const op *o)
{
    const tensor *t = o->extra;
    s32 a[16 * 8], b[8 * 8], d[16 * 8];
    int words = t->k / 32, m = t->m;
    for (int i = 0; i < m / 8 * (words / 4); i++)
        place_rows_s32(a, AT(w, t->a[i]), i % (m / 8) * 8, i / (m / 8) * 4, 4, words);
    for (int i = 0; i < words / 4; i++)
        place_rows_s32(b, AT(w, t->b[i]), 0, i * 4, 4, words);
    take_s32(w, d, t, m, 8);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < 8; j++)
            for (int x = 0; x < words; x++) {
                u32 p = (u32)a[i * words + x], q = (u32)b[j * words + x];
                d[i * 8 + j] += __builtin_popcount(t->by_and ? p & q : p ^ q);
            }
    give_s32(w, d, t, m, 8);
    return GO;
}
