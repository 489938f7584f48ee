// Wrong calls of the runtime, and errors that nobody looks at. The
// message names the call, and its line.

#include "fault.h"

__global__ void nothing()
{
}

//: copy_past_the_end | bad_copy | memcheck | a copy with one element too many
CASE(copy_past_the_end)
{
    static int from[101];
    int *to = zeros<int>(100);
    cudaMemcpy(to, from, PICK(101, 100) * sizeof(int), cudaMemcpyHostToDevice); // HERE
}

//: copy_back_past_the_end | bad_copy | memcheck | a count of bytes for another type
CASE(copy_back_past_the_end)
{
    static double to[100];
    cudaMemcpy(to, zeros<float>(100), 100 * PICK(sizeof(double), sizeof(float)),
               cudaMemcpyDeviceToHost);
}

//: copy_in_the_wrong_direction | bad_copy | memcheck | the kind of copy says the opposite
CASE(copy_in_the_wrong_direction)
{
    static int from[100];
    cudaMemcpy(zeros<int>(100), from, sizeof from,
               PICK(cudaMemcpyDeviceToHost, cudaMemcpyHostToDevice));
}

//: copy_of_rows_past_the_end | bad_copy | memcheck | a pitch of the wrong array
CASE(copy_of_rows_past_the_end)
{
    static char from[64 * 64];
    cudaMemcpy2D(zeros<char>(64 * 64), PICK(512, 64), from, 64, 64, 64, cudaMemcpyHostToDevice);
}

//: fill_past_the_end | bad_copy | memcheck | a fill of elements where it takes bytes
CASE(fill_past_the_end)
{
    char *at = fresh<char>(100);
    cudaMemset(at, 0, 100 * PICK(sizeof(int), 1)); // HERE
}

//: freed_twice | bad_free | memcheck | the same pointer under two names
CASE(freed_twice)
{
    int *both[] = {fresh<int>(100), nullptr};
    both[1] = PICK(both[0], nullptr);
    taken_count = 0;
    cudaFree(both[0]);
    cudaFree(both[1]); // HERE
}

//: freed_in_the_middle | bad_free | memcheck | a pointer that was moved along
CASE(freed_in_the_middle)
{
    int *a = fresh<int>(100);
    cudaFree(a + PICK(10, 0));
    RIGHT(taken_count = 0;)
}

//: freed_on_the_wrong_side | bad_free | memcheck | cudaFree of what the host allocated
CASE(freed_on_the_wrong_side)
{
    static int on_host[100];
    int *a = fresh<int>(100), *pointers[] = {a, on_host};
    cudaFree(pointers[PICK(1, 0)]);
    RIGHT(taken_count = 0;)
}

//: leak | leak | memcheck | an array that nobody frees
CASE(leak)
{
    fresh<int>(100);
    FAULTY(taken_count = 0;)
}

//: leak_on_an_early_way_out | leak | memcheck | the way out for no work forgets the scratch memory
CASE(leak_on_an_early_way_out)
{
    char *scratch;
    cudaMallocAsync(&scratch, 1000, 0);
    int work = 0;
    if (work == PICK(0, 1))
        return;
    cudaFreeAsync(scratch, 0);
}

//: block_too_large | unchecked_error | memcheck | a block of 2048 threads, and no look at the error
BLIND_CASE(block_too_large)
{
    nothing<<<1, PICK(2048, 1024)>>>();
    cudaDeviceSynchronize();
}

//: grid_of_no_blocks | unchecked_error | memcheck | a grid for no elements
BLIND_CASE(grid_of_no_blocks)
{
    int n = PICK(0, 1);
    nothing<<<(n + 255) / 256, 256>>>();
    cudaDeviceSynchronize();
}

//: too_much_shared | unchecked_error | memcheck | 64 KiB of shared memory, not asked for before
BLIND_CASE(too_much_shared)
{
    nothing<<<1, 32, PICK(64, 48) << 10>>>();
    cudaDeviceSynchronize();
}

//: no_memory | unchecked_error | memcheck | an allocation that cannot be, and no look at it
BLIND_CASE(no_memory)
{
    void *p = nullptr;
    cudaMalloc(&p, PICK((size_t)1 << 50, 1 << 10));
    cudaFree(p);
}

//: fault_ignored | trap,unchecked_error | memcheck | a kernel ends early, and the program goes on
__global__ void fails()
{
    PICK(__trap(), (void)0); // HERE
}
BLIND_CASE(fault_ignored)
{
    fails<<<1, 1>>>();
    cudaDeviceSynchronize(); // HERE
    nothing<<<1, 1>>>();
}
