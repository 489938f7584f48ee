// What nvcc embeds in a program: the PTX inside it, and the machine code.

#ifndef SIMT_FATBIN_H
#define SIMT_FATBIN_H

#include <stdbool.h>
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

// The machine code for the same GPU, or the nearest to it, in the same way.
int fatbin_cubin(const void *container, size_t limit, unsigned cc, char **cubin,
                 size_t *bytes);

// What a kernel needs, from the machine code's notes. False: they are not there.
typedef struct cubin_needs {
    int registers, frame; // a thread: 32-bit registers, bytes of stack
} cubin_needs;
bool cubin_find(const char *cubin, size_t bytes, const char *kernel,
                cubin_needs *needs);

// LZ4 block: bytes written, or -1 if the data is damaged or `room` too small.
ptrdiff_t lz4_decode(const unsigned char *from, size_t bytes, unsigned char *to,
                     size_t room);

#endif
