// What the runtime's test programs share: one line for each thing seen.
//
// Each program prints facts that hold on a GPU too; NAME.out beside it was written by
// an H200, and the emulator must print the same.

#include <cstdio>
#include <cstring>
#include <cstdlib>

static inline void say_code(const char *what, cudaError_t code)
{
    printf("%s: %s\n", what, cudaGetErrorName(code));
}

// The call's result, then the last error that it left behind.
#define SAY(call)                                                                     \
    do {                                                                              \
        cudaError_t code_ = (call);                                                   \
        printf("%s: %s, last %s\n", #call, cudaGetErrorName(code_),                   \
               cudaGetErrorName(cudaGetLastError()));                                 \
    } while (0)

static inline void must(cudaError_t code)
{
    if (code != cudaSuccess) {
        printf("unexpected: %s\n", cudaGetErrorString(code));
        exit(1);
    }
}
