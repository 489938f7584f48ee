// A device in a process of its own, and programs that use it, for the tests.

#ifndef DEVICE_H
#define DEVICE_H

#include "wire/host.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct ended { // how a program ended
    int status;        // of waitpid
    char *printed;     // NUL at its end
    size_t bytes;
} ended;

simt_host *start_device(const char *variable); // environment: path of simt-device
// A file beside the built programs.
char *built(const char *name);
// Run a program; ring: descriptor for SIMT_RING, or -1.
ended run_program(const char *name, const char *argument, int ring, bool keep_errors);
// The same, with a fresh connection.
ended run_remote(simt_host *host, const char *name, const char *argument);
char *read_all(int fd, size_t *bytes);

#endif
