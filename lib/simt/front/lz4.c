// LZ4 block data, as nvcc --compress-mode=speed writes it.
//
// A block is a row of sequences: a token (two nibbles), literals, then a match: so many
// bytes from so far back. A nibble of 15 goes on in the bytes that follow.

#include "fatbin.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct input {
    const unsigned char *at, *end;
} input;

static bool length(input *in, size_t *n)
{
    if (*n != 15)
        return true;
    unsigned char more;
    do {
        if (in->at == in->end || *n > SIZE_MAX / 2)
            return false;
        more = *in->at++;
        *n += more;
    } while (more == 255);
    return true;
}

ptrdiff_t lz4_decode(const unsigned char *from, size_t bytes, unsigned char *to,
                     size_t room)
{
    input in = {from, from + bytes};
    size_t out = 0;
    while (in.at < in.end) {
        unsigned char token = *in.at++;
        size_t literals = token >> 4, match = token & 15;
        if (!length(&in, &literals) || literals > (size_t)(in.end - in.at) ||
            literals > room - out)
            return -1;
        memcpy(to + out, in.at, literals);
        in.at += literals;
        out += literals;
        if (in.at == in.end) // the last sequence has no match
            break;
        if (in.end - in.at < 2)
            return -1;
        size_t back = in.at[0] | (size_t)in.at[1] << 8;
        in.at += 2;
        if (!length(&in, &match))
            return -1;
        match += 4;
        if (!back || back > out || match > room - out)
            return -1;
        for (; match; match--, out++) // may overlap what it writes
            to[out] = to[out - back];
    }
    return (ptrdiff_t)out;
}
