// The judge's side of a device in a process of its own: start it, give each runner a
// fresh connection, ask what it saw, end it. Needs no CUDA.
//
// Everything is bounded in time. A call that finds the device gone says so with its
// result, and simt_host_end is still needed.

#ifndef SIMT_HOST_H
#define SIMT_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct simt_host simt_host;

typedef struct simt_host_config {
    const char *gpu; // as in simt_config; NULL: the default
    int workers;
    uint64_t limit; // instructions that one warp may execute
    const char *checks; // what to look for: "race,init", "all", NULL
    uint64_t schedule;  // as in simt_config
    const char *watch; // as in simt_config
} simt_host_config;

// Start the program at device_path. NULL: it does not start, or refuses the config.
simt_host *simt_host_start(const char *device_path, const simt_host_config *config);

// Drop all that is left of the last runner and make a fresh device for the next: 0, or
// -1 if the device does not answer.
int simt_host_new_runner(simt_host *host);
// The descriptor that the next runner inherits; SIMT_RING in its environment names it.
int simt_host_runner_fd(simt_host *host);

// Wait until the device is idle and forget what it has seen: 0, or -1.
int simt_host_reset_record(simt_host *host);
// What the device saw, as one line of JSON (to be freed), once it is idle. NULL: it is
// gone, or still busy after that time.
char *simt_host_record(simt_host *host, int timeout_ms);

// Who stored last to an address, by simt_write_writer (to be freed). NULL: not known.
char *simt_host_writer(simt_host *host, uint64_t address);
// Which of these elements no kernel read, by simt_write_unread (to be freed). NULL: none, or
// not known.
char *simt_host_unread(simt_host *host, uint64_t address, size_t count, size_t bytes);

// Ask a running launch to end: it faults at its line, and no other launch runs.
void simt_host_stop(simt_host *host);

// End the device's process at once.
void simt_host_end(simt_host *host);

#endif
