// What the programs with planted faults share.
//
// Every program is compiled twice: with -DFAULT it has the fault of each of its cases,
// without it has none. A case begins with a line
//
//     //: name | kinds | sanitizer's tools | what is wrong
//
// `kinds` are those that the emulator must report, at the line marked HERE (and, for two
// places, AND HERE) and nowhere else; `tools` those of compute-sanitizer that are able to
// see it, or -. ../cases.py reads these lines. The program's argument picks the case.

#ifndef FAULT_H
#define FAULT_H

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

#ifdef FAULT
#define PICK(faulty, right) faulty
#define FAULTY(...) __VA_ARGS__
#define RIGHT(...)
#else
#define PICK(faulty, right) right
#define FAULTY(...)
#define RIGHT(...) __VA_ARGS__
#endif

struct fault_case {
    const char *name;
    void (*run)();
    bool blind; // nobody looks at its errors
    fault_case *next;
    static inline fault_case *first = nullptr;
    fault_case(const char *name, void (*run)(), bool blind)
        : name(name), run(run), blind(blind), next(first)
    {
        first = this;
    }
};

#define CASE_AS(name, blind)                                                          \
    static void name();                                                               \
    static fault_case name##_case(#name, name, blind);                                \
    static void name()
#define CASE(name) CASE_AS(name, false)
#define BLIND_CASE(name) CASE_AS(name, true)

// Device memory that main() frees: never written, and all zero.
static void *taken[16];
static int taken_count;
template <typename T> static T *fresh(size_t n)
{
    T *p = nullptr;
    if (cudaMalloc(&p, n * sizeof(T)) != cudaSuccess)
        printf("no memory\n");
    return static_cast<T *>(taken[taken_count++] = p);
}
template <typename T> static T *zeros(size_t n)
{
    T *p = fresh<T>(n);
    cudaMemset(p, 0, n * sizeof(T));
    return p;
}
template <typename T> static void show(const T *p, size_t n = 1) // bring it to the host
{
    T here[64];
    cudaMemcpy(here, p, n * sizeof(T), cudaMemcpyDeviceToHost);
}

int main(int count, char **arguments)
{
    const fault_case *c = fault_case::first;
    while (c && (count < 2 || strcmp(c->name, arguments[1])))
        c = c->next;
    if (!c) {
        for (c = fault_case::first; c; c = c->next)
            puts(c->name);
        return 2;
    }
    c->run();
    if (!c->blind) {
        cudaError_t e = cudaDeviceSynchronize();
        cudaError_t last = cudaGetLastError();
        printf("%s, %s\n", cudaGetErrorName(e), cudaGetErrorName(last));
    }
    for (int i = 0; i < taken_count; i++)
        cudaFree(taken[i]);
    return 0;
}

#endif
