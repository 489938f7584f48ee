// What PTX says of the video instructions, from the manual's own loops: take the parts,
// compute in wide integers, saturate, then merge or accumulate.

#include "forms.h"

#include <string.h>

static s64 take(u64 all, int bits, int at, bool is_signed)
{
    s64 v = (s64)(all >> bits * at & (((u64)1 << bits) - 1));
    return is_signed && v >> (bits - 1) ? v - ((s64)1 << bits) : v;
}

static s64 limit(s64 v, int bits, bool is_signed)
{
    s64 low = is_signed ? -((s64)1 << (bits - 1)) : 0, high = low + ((s64)1 << bits) - 1;
    return v < low ? low : v > high ? high : v;
}

static s64 compute(const form *f, s64 a, s64 b)
{
    static const char *const how[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    const char *op = f->part[0] + 1;
    s64 n = HAS(f, clamp) ? (b > 32 ? 32 : b) : b % 32;
    bool r[] = {a == b, a != b, a < b, a <= b, a > b, a >= b};
    if (!strncmp(op, "set", 3))
        for (int i = 0; i < 6; i++)
            if (!strcmp(f->part[3], how[i]))
                return r[i];
    return !strncmp(op, "add", 3)   ? a + b
           : !strncmp(op, "sub", 3) ? a - b
           : !strncmp(op, "abs", 3) ? (a < b ? b - a : a - b)
           : !strncmp(op, "min", 3) ? (a < b ? a : b)
           : !strncmp(op, "max", 3) ? (a < b ? b : a)
           : !strncmp(op, "avr", 3) ? (a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1)
           : !strncmp(op, "shl", 3) ? (s64)((u128)(s128)a << n)
                                    : a >> n;
}

// The parts that the code names behind each operand: " .b1 .h0"; the text after the k-th.
static const char *choice(const form *f, int k)
{
    const char *at = f->extra;
    for (int i = 0; at && i <= k; i++)
        at = strchr(at + (i > 0), '.');
    return at ? at + 1 : NULL;
}

static void scalar_part(const char *name, int *bits, int *at)
{
    *bits = name ? name[0] == 'b' ? 8 : 16 : 32;
    *at = name ? name[1] - '0' : 0;
}

static u64 scalar(const form *f, const u64 *in)
{
    bool set = f->part[0][1] == 's' && f->part[0][2] == 'e', into = strstr(f->code, " d<") || strstr(f->code, " d.");
    const char *type[3] = {set ? "u32" : f->part[1], f->part[set ? 1 : 2], f->part[set ? 2 : 3]};
    bool sd = type[0][0] == 's', mad = !strcmp(f->part[0], "vmad");
    int bits_a, bits_b, bits_d, at_a, at_b, at_d;
    bool parts = f->extra[0] && !mad;
    scalar_part(parts ? choice(f, into ? 1 : 0) : mad ? choice(f, 0) : NULL, &bits_a, &at_a);
    scalar_part(mad ? "h0" : parts && !into ? choice(f, 1) : NULL, &bits_b, &at_b);
    scalar_part(into ? choice(f, 0) : NULL, &bits_d, &at_d);
    s64 a = take(in[0], bits_a, at_a, type[1][0] == 's'), b = take(in[1], bits_b, at_b, type[2][0] == 's'), r;
    u32 c = (u32)in[2];
    if (mad) {
        int shift = !strcmp(f->part[f->parts - 1], "shr7") ? 7 : !strcmp(f->part[f->parts - 1], "shr15") ? 15 : 0;
        return (u32)((a * b + (sd ? (s64)(s32)c : (s64)c)) >> shift);
    }
    r = compute(f, a, b);
    if (HAS(f, sat))
        r = limit(r, bits_d, sd);
    u32 t = (u32)r;
    bool less = sd ? (s32)t < (s32)c : t < c;
    const char *last = f->part[f->parts - 1];
    if (!strcmp(last, "add"))
        return (u32)(t + c);
    if (!strcmp(last, "min") || !strcmp(last, "max"))
        return less == (last[1] == 'i') ? t : c;
    if (!into)
        return t;
    u32 ones = (u32)(((u64)1 << bits_d) - 1) << bits_d * at_d;
    return (c & ~ones) | ((t << bits_d * at_d) & ones);
}

static u64 lanes(const form *f, const u64 *in, int n)
{
    bool set = f->part[0][2] == 'e', sd = !set && f->part[1][0] == 's', chosen = f->extra[0];
    bool sa = f->part[set ? 1 : 2][0] == 's', sb = f->part[set ? 2 : 3][0] == 's';
    int bits = 32 / n;
    u64 all = in[1] << 32 | in[0], merged = in[2];
    u32 sum = (u32)in[2];
    const char *mask = chosen ? choice(f, 0) + 1 : "", *from_a = choice(f, 1), *from_b = choice(f, 2);
    for (int i = 0; i < n; i++) {
        if (chosen && !memchr(mask, '0' + i, strcspn(mask, " ")))
            continue;
        int at_a = chosen ? from_a[n - i] - '0' : i, at_b = chosen ? from_b[n - i] - '0' : n + i;
        s64 r = compute(f, take(all, bits, at_a, sa), take(all, bits, at_b, sb));
        if (HAS(f, sat))
            r = limit(r, bits, sd);
        u64 ones = (((u64)1 << bits) - 1) << bits * i;
        merged = (merged & ~ones) | ((u64)r << bits * i & ones);
        sum += (u32)r;
    }
    return !strcmp(f->part[f->parts - 1], "add") ? sum : merged;
}

bool reference_video(const form *f, const u64 *in, u64 *out)
{
    char last = f->part[0][strlen(f->part[0]) - 1];
    *out = last == '2' || last == '4' ? lanes(f, in, last - '0') : scalar(f, in);
    return true;
}
