// Any bytes as a program's image: the fat binary, what it packs, the notes of its cubin.

#include "front/fatbin.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    char *image = malloc(bytes ? bytes : 1), *ptx, *cubin;
    size_t size;
    cubin_needs needs;
    if (!image)
        return 0;
    memcpy(image, data, bytes);
    for (unsigned cc = 75; cc <= 90; cc += 15) {
        fatbin_ptx(image, bytes, cc, &ptx, &size);
        free(ptx);
        if (!fatbin_cubin(image, bytes, cc, &cubin, &size))
            cubin_find(cubin, size, "add", &needs);
        free(cubin);
    }
    cubin_find(image, bytes, "add", &needs); // a cubin by itself
    unsigned char *to = malloc(4096);
    if (to)
        lz4_decode(data, bytes, to, 4096);
    free(to);
    free(image);
    return 0;
}
