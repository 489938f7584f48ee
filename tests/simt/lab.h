// Shared by the tests of the device core: run a piece of PTX over arrays.

#ifndef LAB_H
#define LAB_H

#include "simt.h"

#include <check.h>
#include <stdint.h>

typedef uint64_t oracle(uint64_t a, uint64_t b, uint64_t c);

// One instruction over registers %a, %b, %c of the given PTX types (NULL: not used),
// result in %d. `ulps`: how far an f32 result may be off (0: bit for bit, any NaN
// equal to any NaN of the same width if `nan_alike`).
typedef struct op_case {
    const char *ptx;
    const char *d, *a, *b, *c;
    oracle *expected;
    double ulps;
} op_case;

extern const op_case integer_cases[], float_cases[], convert_cases[];
extern const size_t integer_count, float_count, convert_count;

// A device for a test: H200's numbers do not matter here.
simt_device *lab_open(int workers, bool races);
// Load a module and launch its kernel `k` with the parameters given as 64-bit words.
int lab_run(simt_device *d, const char *ptx, uint32_t grid, uint32_t block,
            const uint64_t *parameters, int count);
// The text of a whole kernel whose body is given; parameters p0, p1, ... in %p0, %p1.
const char *lab_kernel(const char *body);
// The same with functions and variables in front of it.
const char *lab_program(const char *functions, const char *body);

// A case of a suite whose tests ask for answers only, no counters and no faults: they hold
// on a GPU too (gpu/).
TCase *lab_answers(Suite *suite);
bool lab_on_gpu(void);

Suite *ops_suite(void);
Suite *kernel_suite(void);
Suite *counter_suite(void);
Suite *fault_suite(void);
Suite *ladder_suite(void);
Suite *texture_suite(void);
Suite *view_suite(void);

Suite *call_suite(void);
Suite *linking_suite(void);
Suite *cooperation_suite(void);
Suite *async_suite(void);
Suite *atomic_suite(void);
Suite *tensor_suite(void);
Suite *race_suite(void);
Suite *written_suite(void);

#endif
