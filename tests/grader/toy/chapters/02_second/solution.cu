// Chapter 2 of the toy.
int second(const float *d_in, float *d_out)
{
    // TODO(second): add two. (1 line)
    // BEGIN second
    d_out[0] = d_in[0] + 2; // FAKE second solved
    // END second
    return 0;
}
