// Inside the judge: what its files share. Sections are named after the files.

#ifndef WORKBOOK_JUDGE_H
#define WORKBOOK_JUDGE_H

#include "protocol.h"
#include "workbook.h"

#include <jansson.h>
#include <sys/types.h>

// ---- options.c ------------------------------------------------------------------

typedef struct options {
    const char *step, *runner, *simt_device, *gpu, *ceilings, *records, *test, *watch;
    const char **wrap; // words before the runner's own, NULL at the end
    size_t wraps;
    double seconds; // the learner's process may work for, a test
    uint64_t seed, schedule;
    const char *checks; // what the emulator looks for
    bool emulated, budget, speed, list;
    int workers;
} options;

extern options option;
void options_read(int argc, char **argv);
// This program failed, not the learner: say so on stderr and exit with status 2.
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

// ---- tests.c --------------------------------------------------------------------

// Run what the options ask for, a record for each; the number of failed tests.
int tests_run(int *failed);
void tests_list(void);
const char *tests_name(void); // of the running test
int tests_case(void);

// ---- fail.c ---------------------------------------------------------------------

typedef enum outcome { PASSED, WRONG, CRASHED, HUNG, REFUSED, OURS } outcome;
const char *outcome_name(outcome word);

// What is known of the running test, from fail_reset on.
typedef struct failure {
    outcome word;
    char *message;
    json_t *fault, *mismatch;
    json_t *at; // the line to look at, where no fault has one
} failure;
extern failure failed;
void fail_reset(void);
// End the running test. The message may have several lines.
_Noreturn void fail_as(outcome word, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// ---- records.c ------------------------------------------------------------------

void records_open(const char *where); // a path, fd:N, or NULL for stdout
void records_write(json_t *record);   // takes the reference
// A JSON string of any bytes: at most `most` of them, bad UTF-8 replaced.
json_t *text_of(const char *bytes, size_t count, size_t most);

// ---- data.c ---------------------------------------------------------------------

void data_begin(const char *test, int i); // seed this test's numbers
void data_end(void);                      // free what wb_new gave
char *data_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
uint64_t data_secret(void); // from the system's entropy, not the seed
double now(void);           // seconds, monotonic

// ---- area.c ---------------------------------------------------------------------

// The memory file that carries arrays, and the bytes around and in them.
int area_fd(void);
void area_lay(wire_call *call, const wb_arg *arguments, size_t count);
// Complain of damage (guard zones, inputs), then hand the answers over.
void area_check(const wire_call *call, const wb_arg *arguments);
void area_take(const wire_call *call, const wb_arg *arguments);
const char *argument_name(const wb_arg *arguments, size_t i); // "d_out (argument 2)"
// The buffers' addresses on the device, as READY told them.
void area_placed(const wire_call *call, const wire_ready *ready);
// Where on the device an element of an answer lies, or of the array of that name if a test
// has copied it; 0: unknown.
uint64_t area_address(const void *at, const char *name, size_t offset);
// Is the element that lies at `at` in an answer still what it was poisoned with?
bool never_written(const void *at, size_t bytes);
// The input of the last call that has so many bytes, after `after`; NULL at the end.
const void *input_like(size_t bytes, size_t *after, const char **name);
// The first input of the last call that its kernels did not read all of: which elements they
// left out, "\nno kernel read ...", or "".
const char *area_unread(void);
void area_forget(void);

// ---- spawn.c --------------------------------------------------------------------

typedef struct child {
    pid_t keeper, pid; // the keeper starts, waits for and reports the runner
    int channel, output, status;
    bool ended; // and then:
    bool told;  // the keeper said how
    int how;    // as of waitpid
    int error;  // errno of a failed start
    long peak_kib;
} child;

bool spawn(child *c, const char *program, bool wrapped, int ring);
void child_read_status(child *c);
void child_kill(child *c); // and everything that it started
pid_t a_child(void);       // one that is not spared, or 0
void spare(pid_t pid);     // a child of the judge that is not the learner's
void spare_no_more(pid_t pid);

// ---- link.c ---------------------------------------------------------------------

// One runner and the talk with it.
typedef struct link_ {
    child c;
    const char *program;
    bool up, said_hello, ours; // ours: the ceilings, not the learner's
    uint64_t token;
    double left; // seconds that it may work
    wire_dying dying;
    char printed[64 * 1024 + 1];
    size_t printed_bytes, dropped;
    long peak_kib;
} link_;

typedef enum heard { HEARD, LATE, GONE, VIOLATED } heard;

extern link_ learner, ceilings;
void link_start(link_ *l);
void link_end(link_ *l);
heard link_ask(link_ *l, uint32_t type, const void *body, uint32_t bytes);
heard link_hear(link_ *l, uint32_t type, void *body, uint32_t bytes);
void link_drain(link_ *l);
const char *link_violation(void); // what was wrong with the last bad frame

// ---- call.c ---------------------------------------------------------------------

// Ask and hear, or end the test with the reason why not.
void exchange(link_ *l, uint32_t ask, const void *body, uint32_t bytes, uint32_t hear,
              void *answer, uint32_t answer_bytes);
void call_fill(wire_call *call, const char *name, const wb_arg *arguments,
               size_t count);
void call_started(const wire_ready *ready, const char *name);

// ---- gone.c ---------------------------------------------------------------------

// The learner's process stopped answering: end the test with the reason.
_Noreturn void gone(link_ *l, heard how, const char *doing);

// ---- speed.c --------------------------------------------------------------------

json_t *speed_record(void); // of wb_speed; borrowed, or NULL

// ---- device.c -------------------------------------------------------------------

void device_start(void);
int device_new_runner(void); // the descriptor that the runner inherits, or -1
void device_reset(void);
// Read the record of the call that began at device_reset; fails the test on a fault.
void device_judge(const wire_ready *ready, const wb_arg *arguments, size_t count);
// Stop what runs and read the record; the fault that a stop left, or NULL.
json_t *device_stop(void);
// What failed in the last call, "\n  add_v2<<<...>>> at kernel.cu:69", or "". Notes the line.
const char *device_failed(void);
// Who stored to this address in the last call's last launch; to be released, or NULL.
json_t *device_writer(uint64_t address);
// Which of these elements the call's kernels left unread; to be released, or NULL.
json_t *device_unread(uint64_t address, size_t count, size_t bytes);
json_t *device_record(void); // of the last call; borrowed, or NULL
void device_forget(void);    // the record of the last call
void device_end(void);
long device_peak_kib(void);
void gpu_about(wire_gpu *gpu);

// ---- words.c --------------------------------------------------------------------

typedef struct fault_words {
    const char *kind;
    outcome word;
    const char *says; // what happened, after "kernel k at file:line: "
    const char *next; // what to do
} fault_words;
const fault_words *words_of_fault(const json_t *fault);
// Several lines about a fault; places are found in the arguments' buffers.
char *words_for_fault(json_t *fault, const wire_ready *ready, const wb_arg *arguments,
                      size_t count);
// Where the program launched what, "level (line 53), sum (line 54)"; NULL: unknown.
char *words_for_launches(const json_t *record);
// The one line at which the last launch stores to global memory; NULL: none, or several.
const json_t *storing_line(const json_t *record);
const char *words_for_place(const json_t *at);  // "kernel.cu:41"
const char *words_for_thread(const json_t *at); // "block (0,0,0) thread (5,0,0)"
const char *words_for_signal(int signal); // "segmentation fault", ...
char *words_for_code(int code);           // "9, cudaErrorInvalidConfiguration: ..."

// ---- pattern.c ------------------------------------------------------------------

// Elements compared: how to see one, and which are wrong.
typedef struct comparison {
    const char *what;
    const void *got, *want; // want has want_bytes an element
    size_t n, got_bytes, want_bytes;
    const double *bound; // one, or one an element
    bool each_bound;
    bool (*wrong)(const struct comparison *c, size_t i);
    double (*value)(const void *array, size_t i);           // of got
    double (*expected)(const void *array, size_t i);        // of want
    void (*print)(char *text, const void *array, size_t i); // of got, 64 bytes
    void (*print_want)(char *text, const void *array, size_t i);
} comparison;
char *pattern_of(const comparison *c, size_t first, size_t last, size_t wrong);

#endif
