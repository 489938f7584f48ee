// What a chapter's test.c is written with.
//
// A test.c is an ordinary Check suite that runs in the judge, a process that makes no
// CUDA call. It calls the learner's functions by name; they run in another process
// (the runner), which is linked with the learner's object. The judge draws the inputs,
// waits for the answer, and only then computes what the answer should have been.
//
//     START_TEST(adds_every_element)          // a test's name states a fact
//     {
//         size_t n = sizes[_i];
//         float *x = wb_random_f32(n, -1, 1), *y = wb_random_f32(n, -1, 1);
//         float *sum = wb_new(n * sizeof *sum);
//
//         wb_call("vector_add", WB_IN(x, n), WB_IN(y, n), WB_OUT(sum, n), wb_size(n));
//
//         double *want = wb_new(n * sizeof *want);
//         ...
//         wb_close_f32("sum", sum, want, 0, n);
//     }
//     END_TEST
//
// Everything that wb_new and wb_random_* return is the harness's and lives until the
// test ends. The first failed expectation ends the test.

#ifndef WORKBOOK_H
#define WORKBOOK_H

#include <check.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WB_LEN(array) (sizeof(array) / sizeof *(array))

// ---- What a test.c defines ------------------------------------------------------

// Add the tests of every step. wb_step(suite, "reduce_v0") makes the step's TCase; the
// judge runs one step a process, so wb_step_name() is known inside every function.
void workbook_tests(Suite *suite);
// One call on a fixed input, whose counters chapter.toml's budgets are about.
// (Emulator only; a step without budgets returns without a call.)
void workbook_budget(const char *step);
// Timed calls for the speed ratios (GPU only); likewise.
void workbook_speed(const char *step);

TCase *wb_step(Suite *suite, const char *step);
const char *wb_step_name(void);

// Check's own names add tests; the harness listens in, so that it knows each test's
// name and case, writes a record for each, and can list them.
void wb_add_test_(TCase *step, const TTest *test, int first, int end);
#undef tcase_add_test
#undef tcase_add_loop_test
#define tcase_add_test(step, test) wb_add_test_(step, test, 0, 1)
#define tcase_add_loop_test(step, test, first, end) wb_add_test_(step, test, first, end)
// A failed ck_assert_* is recorded as `wrong`, like a failed wb_*.
_Noreturn void wb_assert_failed_(const char *file, int line, const char *expression,
                                 const char *format, ...)
    __attribute__((format(printf, 4, 5)));
#define _ck_assert_failed wb_assert_failed_

// ---- Arguments of a call --------------------------------------------------------

// One argument. Pointers are the judge's; the learner's function sees device pointers
// (wb_in, wb_out, wb_inout) or its own process's host pointers (wb_host_*).
typedef struct wb_arg wb_arg;

wb_arg wb_in(const void *data, size_t bytes); // device; must come back unchanged
wb_arg wb_out(void *data, size_t bytes);      // device; starts poisoned with NaN, never written
wb_arg wb_inout(void *data, size_t bytes);    // device; starts with data
wb_arg wb_host_in(const void *data, size_t bytes);
wb_arg wb_host_out(void *data, size_t bytes);
wb_arg wb_host_inout(void *data, size_t bytes);
wb_arg wb_shifted(wb_arg pointer, size_t bytes); // base moved off its alignment (256)
wb_arg wb_same_as(int argument);                 // the pointer of an earlier argument
wb_arg wb_null(void);
wb_arg wb_size(size_t value);
wb_arg wb_i32(int32_t value);
wb_arg wb_u32(uint32_t value);
wb_arg wb_i64(int64_t value);
wb_arg wb_f32(float value);
wb_arg wb_f64(double value);

// These also carry the array's name into messages ("buffer d_out (argument 2)"): call
// the array what kernel.h calls the parameter.
#define WB_ARRAY_(of, array, n) \
    wb_array(of(array, (n) * sizeof *(array)), #array, sizeof *(array))
#define WB_IN(array, n) WB_ARRAY_(wb_in, array, n)
#define WB_OUT(array, n) WB_ARRAY_(wb_out, array, n)
#define WB_INOUT(array, n) WB_ARRAY_(wb_inout, array, n)
wb_arg wb_named(wb_arg argument, const char *name);
wb_arg wb_array(wb_arg argument, const char *name, size_t element); // bytes of an element

// ---- Calling --------------------------------------------------------------------

// Call int name(...) and wait for the device. The test fails unless the function
// returns 0 and the device is free of errors, findings (races) and guard-zone damage.
// On return the out and inout arrays hold the answer.
#define wb_call(name, ...) WB_CALL_(wb_call_, name, __VA_ARGS__)
// The same, but returns what the function returned, whatever it is; device faults and
// damage still fail the test.
#define wb_try(name, ...) WB_CALL_(wb_try_, name, __VA_ARGS__)
// The same for a call that is meant to make a kernel fail. Nothing can be copied back
// from a device that has failed, so its arguments are no device arrays; the next call
// gets a fresh runner.
#define wb_fault(name, ...) WB_CALL_(wb_fault_, name, __VA_ARGS__)
// Call double name(...): a function of the host alone.
#define wb_double(name, ...) WB_CALL_(wb_double_, name, __VA_ARGS__)

#define WB_CALL_(function, name, ...)                                                  \
    function(name, (const wb_arg[]){__VA_ARGS__},                                      \
             WB_LEN(((const wb_arg[]){__VA_ARGS__})))

void wb_call_(const char *name, const wb_arg *arguments, size_t count);
int wb_try_(const char *name, const wb_arg *arguments, size_t count);
int wb_fault_(const char *name, const wb_arg *arguments, size_t count);
double wb_double_(const char *name, const wb_arg *arguments, size_t count);

// End this runner; the next call gets a fresh one (no state of the learner's left).
void wb_fresh(void);

// What the learner's process printed since the test began (at most 64 KiB are kept).
const char *wb_printed(void);

// ---- Data -----------------------------------------------------------------------

// From the run's seed (printed on failure; SEED=n repeats it) and the test's name.
uint32_t wb_random(void);
double wb_uniform(double low, double high);
void *wb_new(size_t bytes); // zeroed
float *wb_random_f32(size_t n, double low, double high);
double *wb_random_f64(size_t n, double low, double high);
int32_t *wb_random_i32(size_t n, int32_t low, int32_t high); // both included
uint32_t *wb_random_u32(size_t n);
unsigned char *wb_random_bytes(size_t n);
// Fixed data for budgets and speed: the same on every machine and run.
uint32_t *wb_fixed_u32(size_t n);
float *wb_fixed_f32(size_t n); // from -1 to 1

// ---- Expecting ------------------------------------------------------------------

// Each names the array, the first wrong index, got, expected, the error and its bound,
// how many differ and the pattern ("every element from 256 on", "never written").
void wb_equal_u32(const char *what, const uint32_t *got, const uint32_t *want,
                  size_t n);
void wb_equal_i32(const char *what, const int32_t *got, const int32_t *want, size_t n);
void wb_equal_u64(const char *what, const uint64_t *got, const uint64_t *want,
                  size_t n);
void wb_equal_bytes(const char *what, const void *got, const void *want, size_t n);
// Bit for bit, so -0 differs from 0, but any NaN equals any NaN.
void wb_equal_f32(const char *what, const float *got, const float *want, size_t n);
// !(|got - want| <= bound) fails; a NaN is right only where want is NaN, an infinity
// only where want is the same infinity.
void wb_close_f32(const char *what, const float *got, const double *want, double bound,
                  size_t n);
// The same with a bound an element.
void wb_near_f32(const char *what, const float *got, const double *want,
                 const double *bound, size_t n);
void wb_close_f64(const char *what, const double *got, const double *want, double bound,
                  size_t n);
// Fails with the message unless the condition holds.
#define wb_expect(condition, ...)                                                      \
    ((condition) ? (void)0 : wb_fail_(#condition, __FILE__, __LINE__, __VA_ARGS__))
// A cudaError_t for a message: "1 (cudaErrorInvalidValue)". Lives until the test ends.
const char *wb_error(int code);
_Noreturn void wb_fail_(const char *condition, const char *file, int line,
                        const char *format, ...) __attribute__((format(printf, 4, 5)));

// ---- The device -----------------------------------------------------------------

bool wb_emulated(void);
// Total of an emulator counter (lib/simt/README.md lists the names), or of
// "launches", "copy_h2d_bytes", "copy_d2h_bytes", "copy_d2h_calls", ..., since the
// last call began. Emulator only: fails the test elsewhere.
double wb_counter(const char *name);
// Number of multiprocessors of the device in use.
int wb_multiprocessors(void);

// ---- Speed (GPU) ----------------------------------------------------------------

// Time the call and the named ceilings in turns, on the same device, cold L2, medians,
// and record seconds, bytes / second and the ratio to each ceiling. `bytes` is what the
// call must move. Ceilings: "memcpy" (device to device, read + write), "read" (a
// read-only stream), "cub_sum_u32", "cub_sum_f32" (cub::DeviceReduce::Sum); NULL ends
// the list. Afterwards the answers are those of the last timed call: compare them.
#define wb_speed(bytes, ceilings, name, ...)                                           \
    wb_speed_(bytes, ceilings, name, (const wb_arg[]){__VA_ARGS__},                    \
              WB_LEN(((const wb_arg[]){__VA_ARGS__})))
void wb_speed_(double bytes, const char *const *ceilings, const char *name,
               const wb_arg *arguments, size_t count);

#include "arg.h" // the layout of wb_arg, for passing it by value

#endif
