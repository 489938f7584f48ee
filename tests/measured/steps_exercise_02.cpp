// Exercise 2's steps: an image of 1000 columns.

#include "kernel.h"
#include "steps.h"

#define BYTES(x) ((unsigned char *)p->x)

static const step_case list[] = {
    {"grey_rgb", STEP(grey_rgb(BYTES(in), 3072, BYTES(out), 1024, 1000, (int)n)), {1 << 10, 1 << 13}},
    {"grey_rgba", STEP(grey_rgba(BYTES(in), 4096, BYTES(out), 1024, 1000, (int)n)), {1 << 10, 1 << 13}},
    {"grey_planar", STEP(grey_planar(BYTES(in), BYTES(in) + 1024 * n, BYTES(in) + 2048 * n, 1024, BYTES(out), 1024, 1000, (int)n)), {1 << 10, 1 << 13}},
    {"grey_fours", STEP(grey_fours(BYTES(in), BYTES(in) + 1024 * n, BYTES(in) + 2048 * n, 1024, BYTES(out), 1024, 1000, (int)n)), {1 << 10, 1 << 13}},
};
STEPS(add_exercise, list)
