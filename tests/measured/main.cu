// Runs the cases, on a GPU or on the emulator:
//
//   measured once [CASE...]       each at its first size, a mark before each
//   measured times RUNS [CASE...] a line of JSON a case and size: the median of RUNS runs
//                                 after one that does not count, by events
//
// The mark is a launch of case_begins, whose grid is the case's number plus one: so a
// profiler's list of launches says which belong to which case.

#include "cases.h"
#include "steps.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static const case_list *const kernels[] = {&memory_cases, &compute_cases, &shared_cases,
                                           &atomic_cases, &product_cases};
static const step_list *const steps[] = {
    &hello_steps,  &hello_exercise,  &add_steps,       &add_exercise,
    &stride_steps, &stride_exercise, &reduction_steps, &reduction_exercise};

struct any_case {
    const kernel_case *kernel; // or
    const step_case *step;
    const char *name;
    const size_t *sizes;
};

static void must(int error, const char *what)
{
    if (!error)
        return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString((cudaError_t)error));
    exit(1);
}

static __global__ void case_begins()
{
}

static __global__ void fill(unsigned *out, size_t n)
{
    for (size_t i = thread_id(); i < n; i += thread_count())
        out[i] = 0x3f800000u | mix((unsigned)i) >> 9;
}

static std::vector<any_case> all_cases()
{
    std::vector<any_case> all;
    for (const case_list *l : kernels)
        for (int i = 0; i < l->count; i++)
            all.push_back({&l->cases[i], nullptr, l->cases[i].name, l->cases[i].n});
    for (const step_list *l : steps)
        for (int i = 0; i < l->count; i++)
            all.push_back({nullptr, &l->cases[i], l->cases[i].name, l->cases[i].n});
    for (int i = 0; i < proof_cases.count; i++)
        all.push_back({&proof_cases.cases[i], nullptr, proof_cases.cases[i].name, proof_cases.cases[i].n});
    return all;
}

static unsigned blocks(size_t n, size_t threads)
{
    return (unsigned)((n + threads - 1) / threads);
}

static void run(const any_case &c, const pool &p, size_t n)
{
    if (c.step) {
        must(c.step->run(&p, n), c.name);
        return;
    }
    const kernel_case *k = c.kernel;
    dim3 block(k->block_x, k->block_y), grid(k->grid);
    if (!k->grid && k->block_y > 1)
        grid = dim3(blocks(n, k->block_x), blocks(n, (size_t)k->block_y * k->per));
    else if (!k->grid)
        grid = dim3(blocks(n, (size_t)k->block_x * k->per));
    if (k->shared > 48 << 10)
        must(cudaFuncSetAttribute(k->run, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  (int)k->shared), c.name);
    k->run<<<grid, block, k->shared>>>(p.in, p.out, n);
    must(cudaGetLastError(), c.name);
}

static void time_case(const any_case &c, const pool &p, size_t n, int runs)
{
    cudaEvent_t start, stop;
    must(cudaEventCreate(&start), "cudaEventCreate");
    must(cudaEventCreate(&stop), "cudaEventCreate");
    std::vector<float> took;
    for (int i = 0; i <= runs; i++) {
        float ms = 0;
        if (getenv("MEASURED_MARKS")) // for a reader of the emulator's record
            case_begins<<<1, 1>>>();
        must(cudaEventRecord(start), "cudaEventRecord");
        run(c, p, n);
        must(cudaEventRecord(stop), "cudaEventRecord");
        must(cudaEventSynchronize(stop), c.name);
        must(cudaEventElapsedTime(&ms, start, stop), "cudaEventElapsedTime");
        if (i)
            took.push_back(ms);
    }
    std::sort(took.begin(), took.end());
    printf("{\"case\": \"%s\", \"n\": %zu, \"us\": %.3f, \"least\": %.3f}\n", c.name, n,
           1000 * took[took.size() / 2], 1000 * took[0]);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    int timed = argc > 2 && !strcmp(argv[1], "times") ? atoi(argv[2]) : 0;
    int first = timed ? 3 : 2;
    if (argc < 2 || (!timed && strcmp(argv[1], "once"))) {
        fprintf(stderr, "usage: %s once [CASE...] | times RUNS [CASE...]\n", argv[0]);
        return 2;
    }
    const char *limit = getenv("MEASURED_MOST"); // of sizes, to save time
    size_t most = limit ? strtoull(limit, nullptr, 10) : SIZE_MAX;
    pool p;
    float **pools[] = {&p.in, &p.out, &p.work};
    for (float **one : pools)
        must(cudaMalloc(one, MOST_WORDS * sizeof(float)), "cudaMalloc");
    fill<<<1056, 256>>>((unsigned *)p.in, MOST_WORDS);
    std::vector<any_case> all = all_cases();
    for (size_t i = 0; i < all.size(); i++) {
        bool asked = argc <= first;
        for (int k = first; k < argc; k++)
            asked |= !strcmp(argv[k], all[i].name);
        if (!asked)
            continue;
        must(cudaMemset(p.work, 0, (size_t)1 << 24), "cudaMemset");
        must(cudaMemset(p.out, 0, (size_t)1 << 24), "cudaMemset");
        must(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
        if (timed) {
            for (int k = 0; k < SIZES && all[i].sizes[k] && all[i].sizes[k] <= most; k++)
                time_case(all[i], p, all[i].sizes[k], timed);
            continue;
        }
        case_begins<<<(unsigned)i + 1, 1>>>();
        run(all[i], p, all[i].sizes[0]);
        must(cudaDeviceSynchronize(), all[i].name);
        printf("%zu %s %zu\n", i, all[i].name, all[i].sizes[0]);
    }
    must(cudaDeviceSynchronize(), "the end");
    return 0;
}
