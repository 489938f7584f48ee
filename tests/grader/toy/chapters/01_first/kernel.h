extern "C" int first_v0(const float *d_in, float *d_out);
extern "C" int first_v1(const float *d_in, float *d_out);
