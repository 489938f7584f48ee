// The PTX inside what nvcc embeds in a program.

#ifndef SIMT_FATBIN_H
#define SIMT_FATBIN_H

#include <stddef.h>

enum { // what fatbin_ptx returns, as cudaError_t
    FATBIN_OK = 0,
    FATBIN_NO_MEMORY = 2,
    FATBIN_DAMAGED = 200,
    FATBIN_NO_PTX = 209,
};

// The best PTX in a container of at most `limit` bytes for a GPU of capability `cc` (80
// is 8.0): the newest that it can run, else the newest. *ptx is to be freed.
int fatbin_ptx(const void *container, size_t limit, unsigned cc, char **ptx,
               size_t *bytes);

// LZ4 block: bytes written, or -1 if the data is damaged or `room` too small.
ptrdiff_t lz4_decode(const unsigned char *from, size_t bytes, unsigned char *to,
                     size_t room);

#endif
