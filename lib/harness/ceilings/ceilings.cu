// The ceilings that speed is a ratio to.
//
// Linked with the same runner as a learner's object, and called in the same way: what
// is ours differs from what is theirs in nothing but the kernels. Each is
// int ceiling_NAME(const void *d_in, void *d_out, size_t bytes).

#include <cub/device/device_reduce.cuh>
#include <stdint.h>

// Device to device: reads and writes each byte.
extern "C" int ceiling_memcpy(const void *d_in, void *d_out, size_t bytes)
{
    return cudaMemcpyAsync(d_out, d_in, bytes, cudaMemcpyDeviceToDevice, 0);
}

// Reads every byte once, with four wide loads in flight a thread. The store never
// happens (the sum of four words that are all ones is no such number), but the compiler
// cannot know.
static __global__ void read_all(const uint4 *in, uint32_t *out, size_t n)
{
    uint32_t sum = 0;
    size_t step = (size_t)gridDim.x * blockDim.x;
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i + 3 * step < n; i += 4 * step) {
        uint4 a = in[i], b = in[i + step], c = in[i + 2 * step], d = in[i + 3 * step];
        sum += (a.x ^ a.y ^ a.z ^ a.w) + (b.x ^ b.y ^ b.z ^ b.w) +
               (c.x ^ c.y ^ c.z ^ c.w) + (d.x ^ d.y ^ d.z ^ d.w);
    }
    for (; i < n; i += step) {
        uint4 a = in[i];
        sum += a.x ^ a.y ^ a.z ^ a.w;
    }
    if (sum == 0x9e3779b9)
        *out = sum;
}

extern "C" int ceiling_read(const void *d_in, void *d_out, size_t bytes)
{
    static int blocks;
    if (blocks == 0) {
        int sms = 0, per_sm = 0;
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, read_all, 256, 0);
        blocks = sms * per_sm;
    }
    read_all<<<blocks, 256>>>((const uint4 *)d_in, (uint32_t *)d_out,
                              bytes / sizeof(uint4));
    return cudaGetLastError();
}

// Temporary storage is made by the first call, which is never timed.
template <typename T> static int sum(const void *d_in, void *d_out, size_t bytes)
{
    static void *temporary;
    static size_t temporary_bytes;
    size_t needed = 0, n = bytes / sizeof(T);
    cub::DeviceReduce::Sum(nullptr, needed, (const T *)d_in, (T *)d_out, n);
    if (needed > temporary_bytes) {
        cudaFree(temporary);
        int code = cudaMalloc(&temporary, needed);
        if (code != cudaSuccess)
            return code;
        temporary_bytes = needed;
    }
    return cub::DeviceReduce::Sum(temporary, needed, (const T *)d_in, (T *)d_out, n);
}

extern "C" int ceiling_cub_sum_u32(const void *d_in, void *d_out, size_t bytes)
{
    return sum<uint32_t>(d_in, d_out, bytes);
}

extern "C" int ceiling_cub_sum_f32(const void *d_in, void *d_out, size_t bytes)
{
    return sum<float>(d_in, d_out, bytes);
}
