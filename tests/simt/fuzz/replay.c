// Runs a fuzzer's entry point over files, without the fuzzer: each once, in order, in the
// time that is given to it.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum { SECONDS_EACH = 20, MOST = 1 << 20 };

int main(int count, char **names)
{
    static uint8_t data[MOST];
    for (int i = 1; i < count; i++) {
        FILE *f = fopen(names[i], "rb");
        size_t bytes = f ? fread(data, 1, sizeof data, f) : 0;
        if (!f) {
            perror(names[i]);
            return EXIT_FAILURE;
        }
        fclose(f);
        fprintf(stderr, "%s\n", names[i]); // the last one named is the one that failed
        alarm(SECONDS_EACH);
        LLVMFuzzerTestOneInput(data, bytes);
    }
    printf("%d passed, 0 failed\n", count - 1);
    return EXIT_SUCCESS;
}
