// Addresses that are no multiple of what is accessed.

#include "fault.h"

template <typename T> static __device__ T *at(char *bytes, int offset)
{
    return reinterpret_cast<T *>(bytes + offset);
}

//: misaligned_2 | misaligned | memcheck | a half at an odd byte
__global__ void store_2(char *bytes)
{
    *at<short>(bytes, PICK(1, 2)) = 7; // HERE
}
CASE(misaligned_2)
{
    store_2<<<1, 1>>>(zeros<char>(64));
}

//: misaligned_4 | misaligned | memcheck | a number behind a header of two bytes
__global__ void load_4(char *bytes, int *out)
{
    *out = *at<int>(bytes, PICK(2, 4)); // HERE
}
CASE(misaligned_4)
{
    load_4<<<1, 1>>>(zeros<char>(64), zeros<int>(1));
}

//: misaligned_8 | misaligned | memcheck | a double behind an int
__global__ void load_8(char *bytes, double *out)
{
    out[threadIdx.x] = *at<double>(bytes, threadIdx.x * PICK(12, 16)); // HERE
}
CASE(misaligned_8)
{
    load_8<<<1, 8>>>(zeros<char>(256), zeros<double>(8));
}

//: misaligned_16 | misaligned | memcheck | rows of an odd number of floats, read as float4
__global__ void load_16(const float *row, float4 *out, int width)
{
    out[threadIdx.x] = *reinterpret_cast<const float4 *>(row + threadIdx.x * width); // HERE
}
CASE(misaligned_16)
{
    load_16<<<1, 8>>>(zeros<float>(128), zeros<float4>(8), PICK(15, 16));
}

//: misaligned_atomic | misaligned | memcheck | an atomic on half of two numbers
__global__ void add_odd(char *bytes)
{
    atomicAdd(at<unsigned long long>(bytes, PICK(4, 8)), 1ull); // HERE
}
CASE(misaligned_atomic)
{
    add_odd<<<1, 1>>>(zeros<char>(64));
}

//: misaligned_shared | misaligned | memcheck | a vector in shared memory behind one number
__global__ void shared_vector(int *out)
{
    extern __shared__ int4 room[];
    int *words = reinterpret_cast<int *>(room);
    words[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x < 4) {
        int4 v = *reinterpret_cast<int4 *>(words + PICK(1, 4) + 4 * threadIdx.x); // HERE
        out[threadIdx.x] = v.x + v.y + v.z + v.w;
    }
}
CASE(misaligned_shared)
{
    shared_vector<<<1, 32, 32 * sizeof(int)>>>(zeros<int>(4));
}
