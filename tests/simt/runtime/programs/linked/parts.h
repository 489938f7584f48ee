// What the three files of a relocatable program share.

#ifndef PARTS_H
#define PARTS_H

extern __device__ int total;
extern __device__ int table[4];
extern __constant__ float factors[2];
extern __managed__ int both_sides;
__device__ int twice(int x);
__device__ int from_each(int x);
typedef int unary(int);
extern __device__ unary *const chosen[2];

// Defined in every file that uses it: one function, one variable.
inline __device__ int &shared_by_all()
{
    static __device__ int count;
    return count;
}

struct shape {
    __device__ virtual int corners() const { return 0; }
};
struct square : shape {
    __device__ int corners() const override;
};
__device__ const shape *make_square(void *room);

void launch_second(int *out);
void launch_third(int *out);

#endif
