// Sends an answer of the right form in place of the runner.
// outcome: refused
// words: without the question's token

#include "../../../lib/harness/protocol.h"

#include <stddef.h>
#include <unistd.h>

int twice(const float *d_in, float *d_out, size_t n)
{
    (void)d_in, (void)d_out, (void)n;
    struct {
        wire_head head;
        wire_returned body;
    } forged = {{WIRE_MAGIC, WIRE_RETURNED, 7, sizeof(wire_returned), 0}, {0}};
    return write(WIRE_CHANNEL_FD, &forged, sizeof forged) < 0;
}
