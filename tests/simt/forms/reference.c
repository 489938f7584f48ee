// What PTX says an integer, bit, comparison or move form gives: wide integers and loops
// over bits. Floats go to reference_real.c.

#include "forms.h"

#include <stdlib.h>
#include <string.h>

bool reference_real(const form *f, const u64 *in, u64 *out);
bool reference_video(const form *f, const u64 *in, u64 *out);

// The opcode's own type: the last part that is one.
static const char *type_of(const form *f)
{
    static const form *last;
    static const char *type;
    if (last == f)
        return type;
    last = f;
    type = "";
    for (int i = f->parts - 1; i > 0; i--)
        if (strchr("usb", f->part[i][0]) && f->part[i][1] >= '1' && f->part[i][1] <= '8')
            return type = f->part[i];
    return type;
}

static s128 value(u64 bits, int width, bool is_signed)
{
    int n = 64 - width;
    return is_signed ? (s128)((s64)(bits << n) >> n) : (s128)(bits << n >> n);
}

static s128 clamp(s128 v, s128 low, s128 high)
{
    return v < low ? low : v > high ? high : v;
}

// Which comparison a form makes: 0 to 5 as in names, 6 num, 7 nan; + 8 if it is true of
// what cannot be compared. Looked up once for the form's many cases.
static int comparison(const form *f)
{
    static const char *const names[] = {"eq", "ne", "lt", "le", "gt", "ge", "num", "nan"};
    static const char *const same[] = {"", "", "lo", "ls", "hi", "hs", "", ""};
    static const form *last;
    static int how;
    if (last == f)
        return how;
    last = f;
    for (int i = 0; i < 8; i++) {
        char u[8] = {names[i][0], names[i][1], 'u'};
        if (!strcmp(f->part[1], names[i]) || !strcmp(f->part[1], same[i]))
            how = i + (i == 7 ? 8 : 0);
        else if (!strcmp(f->part[1], u))
            how = i + 8;
    }
    return how;
}

// c: how a compares to b. The result of setp as p + 2 q, of set as it is stored.
bool reference_compare(const form *f, int c, bool unordered, bool third, u64 *out)
{
    int how = comparison(f);
    bool r[] = {c == 0, c != 0, c < 0, c <= 0, c > 0, c >= 0, true, false};
    bool p = unordered ? how > 7 : r[how & 7];
    bool q = !p, z = f->extra[1] == '!' ? !third : third;
    if (HAS(f, and))
        p &= z, q &= z;
    else if (HAS(f, or))
        p |= z, q |= z;
    else if (HAS(f, xor))
        p ^= z, q ^= z;
    if (f->part[0][3]) { // setp
        bool one = f->source[0] == KIND_F16 || f->source[0] == KIND_BF16; // has no q
        *out = (u64)p | (u64)(q && !one) << 1;
        return true;
    }
    const char *to = f->part[f->parts - 2];
    u64 one = to[0] == 'f'   ? (!strcmp(to, "f32") ? 0x3f800000u : 0x3c00)
              : to[0] == 'b' ? 0x3f80
                             : ~0ull >> (64 - 8 * kind_bytes(f->d));
    *out = p ? one : 0;
    return true;
}

static bool compare(const form *f, const u64 *in, u64 *out)
{
    const char *t = type_of(f);
    int width = 8 * kind_bytes(f->source[0]);
    s128 x = value(in[0], width, t[0] == 's'), y = value(in[1], width, t[0] == 's');
    return reference_compare(f, x < y ? -1 : x > y, false, (s32)in[2] < 0, out);
}

static u64 low(u64 v, int width)
{
    return width == 64 ? v : v & (((u64)1 << width) - 1);
}

static bool extended(const form *f, const u64 *in, u64 *out)
{
    const char *op = f->part[0];
    int w = 8 * kind_bytes(f->d);
    bool is_signed = type_of(f)[0] == 's', takes = op[strlen(op) - 1] == 'c';
    u128 one = (u128)1, a = in[0], b = in[1], r, carry = in[3] != 0, flow;
    if (op[0] == 's') { // borrow
        u128 take = b + (takes ? carry : 0);
        flow = HAS(f, cc) ? a < take : carry;
        r = a - take;
        // subc 0, 0: all ones if a borrow is pending
        *out = low((u64)r + (u64)(flow ? -(u64)0x1fffffe3 : 0), w);
        return true;
    }
    if (op[0] == 'm') {
        s128 x = value(in[0], w, is_signed), y = value(in[1], w, is_signed);
        u128 p = w == 64 && !is_signed ? a * b : (u128)(x * y);
        a = low((u64)(HAS(f, hi) ? p >> w : p), w);
        b = in[2];
    }
    r = a + b + (takes ? carry : 0);
    flow = HAS(f, cc) ? (r & one << w) != 0 : carry;
    *out = low((u64)r + (u64)flow * 0x1fffffe3u, w);
    return true;
}

static s128 dot(const form *f, const u64 *in)
{
    bool sa = f->part[f->parts - 2][0] == 's', sb = f->part[f->parts - 1][0] == 's';
    bool two = f->part[0][2] == '2';
    s128 sum = value(in[2], 32, sa || sb);
    for (int i = 0; i < (two ? 2 : 4); i++) {
        int at = 8 * i + (two && HAS(f, hi) ? 16 : 0);
        sum += two ? value(in[0] >> 16 * i & 0xffff, 16, sa) * value(in[1] >> at & 255, 8, sb)
                   : value(in[0] >> 8 * i & 255, 8, sa) * value(in[1] >> 8 * i & 255, 8, sb);
    }
    return sum;
}

static bool integer(const form *f, const u64 *in, u64 *out)
{
    const char *op = f->part[0], *t = type_of(f);
    int w = 8 * kind_bytes(f->source[0]), wd = 8 * kind_bytes(f->d);
    bool is_signed = t[0] == 's', hi = HAS(f, hi), sat = HAS(f, sat);
    s128 a = value(in[0], w, is_signed), b = value(in[1], w, is_signed), r;
    s128 c = value(in[2], f->arity > 2 ? 8 * kind_bytes(f->source[2]) : 64, is_signed);
    s128 most = ((s128)1 << (wd - 1)) - 1;
    if (strstr(op, "24")) {
        a = value(in[0] & 0xffffff, 24, is_signed);
        b = value(in[1] & 0xffffff, 24, is_signed);
    }
    u128 product = w == 64 && !is_signed ? (u128)in[0] * in[1] : (u128)(a * b);
    s128 half = !hi               ? (s128)product
                : strstr(op, "24") ? (s128)product >> 16
                : w == 64          ? (is_signed ? (s128)product >> 64 : (s128)(product >> 64))
                                   : (s128)product >> w;
    if (IS(op, "add"))
        r = a + b;
    else if (IS(op, "sub"))
        r = a - b;
    else if (IS(op, "mul") || IS(op, "mul24"))
        r = half;
    else if (IS(op, "mad") || IS(op, "mad24"))
        r = sat ? value((u64)half, 32, true) + c : (s128)((u64)half + (u64)c);
    else if (IS(op, "div"))
        r = b ? a / b : -1;
    else if (IS(op, "rem"))
        r = b ? a % b : -1;
    else if (IS(op, "min"))
        r = a < b ? a : b;
    else if (IS(op, "max"))
        r = a > b ? a : b;
    else if (IS(op, "sad"))
        r = (a > b ? a - b : b - a) + c;
    else if (IS(op, "abs"))
        r = a < 0 ? -a : a;
    else if (IS(op, "neg"))
        r = -a;
    else
        return false;
    if (sat)
        r = clamp(r, -most - 1, most);
    if (HAS(f, relu))
        r = r < 0 ? 0 : r;
    *out = low((u64)r, wd);
    return true;
}

static bool integer_pair(const form *f, const u64 *in, u64 *out)
{
    const char *op = f->part[0];
    bool is_signed = type_of(f)[0] == 's';
    *out = 0;
    for (int at = 0; at < 32; at += 16) {
        s128 a = value(in[0] >> at & 0xffff, 16, is_signed), b = value(in[1] >> at & 0xffff, 16, is_signed);
        s128 r = op[0] == 'a' ? a + b : (a < b) == (op[1] == 'i') ? a : b;
        *out |= low((u64)(HAS(f, relu) && r < 0 ? 0 : r), 16) << at;
    }
    return true;
}

static u64 find(const form *f, u64 x, int w)
{
    bool sign = type_of(f)[0] == 's' && x >> (w - 1) & 1;
    for (int i = w - 1; i >= 0; i--)
        if ((x >> i & 1) != sign)
            return (u64)(HAS(f, shiftamt) ? w - 1 - i : i);
    return 0xffffffffu;
}

static u64 permute(const form *f, u64 a, u64 b, u64 c)
{
    u64 all = b << 32 | a, r = 0;
    int s = (int)(c & 3);
    for (int i = 0; i < 4; i++) {
        int pick = HAS(f, f4e)    ? s + i
                   : HAS(f, b4e)  ? (s - i) & 7
                   : HAS(f, rc8)  ? s
                   : HAS(f, ecl)  ? (i > s ? i : s)
                   : HAS(f, ecr)  ? (i < s ? i : s)
                   : HAS(f, rc16) ? (s & 1) * 2 + (i & 1)
                                         : (int)(c >> 4 * i & 15);
        u64 byte = all >> 8 * (pick & 7) & 255;
        r |= (pick & 8 ? (byte >> 7) * 255 : byte) << 8 * i;
    }
    return r;
}

static u64 find_nth(u64 mask, u64 base, int offset)
{
    int step = offset < 0 ? -1 : 1, left = offset < 0 ? -offset : offset;
    if (offset == 0)
        return mask >> base & 1 ? base : 0xffffffffu;
    for (int i = (int)base; i >= 0 && i < 32; i += step)
        if (mask >> i & 1 && --left == 0)
            return (u64)i;
    return 0xffffffffu;
}

static bool bits(const form *f, const u64 *in, u64 *out)
{
    const char *op = f->part[0], *t = type_of(f);
    int w = 8 * kind_bytes(f->source[0]);
    bool is_signed = t[0] == 's', clamps = HAS(f, clamp);
    u64 a = in[0], b = in[1], c = in[2], e = in[3], r = 0, sign = a >> (w - 1) & 1;
    if (!strcmp(f->part[f->parts - 1], "pred"))
        a = (s32)a < 0, b = (s32)b < 0, w = 1;
    if (IS(op, "popc"))
        while (a)
            r += a & 1, a >>= 1;
    else if (IS(op, "clz"))
        for (int i = w - 1; i >= 0 && !(a >> i & 1); i--)
            r++;
    else if (IS(op, "brev"))
        for (int i = 0; i < w; i++)
            r |= (a >> i & 1) << (w - 1 - i);
    else if (IS(op, "bfind"))
        r = find(f, a, w);
    else if (IS(op, "fns"))
        r = find_nth(a, b & 31, (int)(c & 127) - 64);
    else if (IS(op, "szext")) {
        u64 n = clamps ? b : b & 31;
        for (u64 i = 0; i < 32; i++)
            r |= (i < n ? a >> i & 1 : is_signed && n && n <= 32 ? a >> (n - 1) & 1 : 0) << i;
    } else if (IS(op, "bmsk")) {
        u64 at = clamps ? a : a & 31, n = clamps ? b : b & 31;
        for (u64 i = 0; i < 32; i++)
            r |= (u64)(i >= at && i - at < n) << i;
    } else if (IS(op, "bfe")) {
        int at = (int)(b & 255), n = (int)(c & 255);
        int last = at + n - 1 < w - 1 ? at + n - 1 : w - 1;
        u64 fill = n && is_signed ? a >> last & 1 : 0;
        for (int i = 0; i < w; i++)
            r |= (i < n && at + i < w ? a >> (at + i) & 1 : fill) << i;
    } else if (IS(op, "bfi")) {
        u64 at = c & 255, n = e & 255;
        r = b;
        for (u64 i = at; i < at + n && i < (u64)w; i++)
            r = (r & ~((u64)1 << i)) | (a >> (i - at) & 1) << i;
    } else if (IS(op, "and"))
        r = a & b;
    else if (IS(op, "or"))
        r = a | b;
    else if (IS(op, "xor"))
        r = a ^ b;
    else if (IS(op, "not"))
        r = low(~a, w);
    else if (IS(op, "cnot"))
        r = !a;
    else if (IS(op, "shl"))
        r = b < (u64)w ? low(a << b, w) : 0;
    else if (IS(op, "shr"))
        for (u64 i = 0; i < (u64)w; i++)
            r |= (i + b < (u64)w ? a >> (i + b) & 1 : is_signed ? sign : 0) << i;
    else if (IS(op, "shf")) {
        u64 n = clamps ? (c > 32 ? 32 : c) : c & 31, all = b << 32 | a;
        r = HAS(f, l) ? all << n >> 32 : low(all >> n, 32);
    } else if (IS(op, "prmt"))
        r = permute(f, a, b, c);
    else if (IS(op, "lop3")) {
        unsigned table = 0xca;
        const char *x = strstr(f->extra, "0x");
        if (x)
            table = (unsigned)strtoul(x, NULL, 16);
        for (int i = 0; i < 32; i++)
            r |= (u64)(table >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i;
        bool q = (s32)e < 0, p = HAS(f, and) ? r && q : r || q;
        if (!x && !p)
            r = e;
    } else {
        return false;
    }
    *out = r;
    return true;
}

static bool move(const form *f, const u64 *in, u64 *out)
{
    const char *op = f->part[0];
    float z;
    u32 c = (u32)in[2];
    memcpy(&z, &c, 4);
    if (IS(op, "selp"))
        *out = (s32)in[2] < 0 ? in[0] : in[1];
    else if (IS(op, "slct"))
        *out = (f->source[2] == KIND_F32 ? z >= 0 || (HAS(f, ftz) && z > -0x1p-126f)
                                         : (s32)in[2] >= 0) ? in[0] : in[1];
    else if (strstr(f->code, "{a, b, c, e}"))
        *out = in[0] | in[1] << 16 | in[2] << 32 | in[3] << 48;
    else if (strstr(f->code, "{w, y, z, x}"))
        *out = (in[0] & 0x0000ffffffff0000u) | in[0] >> 48 | in[0] << 48;
    else if (strstr(f->code, "{a, b}"))
        *out = in[0] | in[1] << 8 * kind_bytes(f->source[0]);
    else if (strstr(f->code, "{y, x}"))
        *out = low(in[0] >> 4 * kind_bytes(f->d) | in[0] << 4 * kind_bytes(f->d), 8 * kind_bytes(f->d));
    else
        *out = in[0];
    return true;
}

bool reference(const form *f, const u64 *in, u64 *out)
{
    const char *op = f->part[0];
    if (IS(f->class, "video"))
        return reference_video(f, in, out);
    if (reference_real(f, in, out))
        return true;
    if (IS(f->text, "mov.pred")) {
        *out = (s32)in[0] < 0;
        return true;
    }
    if (IS(f->class, "move"))
        return move(f, in, out);
    if (IS(f->class, "extended"))
        return extended(f, in, out);
    if (!strncmp(op, "set", 3))
        return compare(f, in, out);
    if (!strncmp(op, "dp", 2)) {
        *out = low((u64)dot(f, in), 32);
        return true;
    }
    if (strstr(type_of(f), "x2"))
        return integer_pair(f, in, out);
    return IS(f->class, "bits") ? bits(f, in, out) : integer(f, in, out);
}
