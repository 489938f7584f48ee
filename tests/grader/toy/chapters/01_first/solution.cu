// Chapter 1 of the toy: adding one.
#include "kernel.h"

extern "C" int first_v0(const float *d_in, float *d_out)
{
    // TODO(first_v0): write d_in[0] + 1
    // to d_out. (1 line)
    // BEGIN first_v0
    d_out[0] = d_in[0] + 1; // FAKE first_v0 solved
    return 0;
    // INSTEAD
    // return 0;
    // END first_v0
}

extern "C" int first_v1(const float *d_in, float *d_out)
{
    // TODO(first_v1): the same, padded. (1 line)
    // BEGIN first_v1
    d_out[0] = 1 + d_in[0]; // FAKE first_v1 solved
    return 0;
    // INSTEAD
    // return 0;
    // END first_v1
}
