// A context's record and its end.

#include "context.h"

#include <stdlib.h>
#include <string.h>

void wire_write_record(const wire_context *x, FILE *out)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);
    if (!memory)
        return;
    simt_write_record(x->device, memory);
    fclose(memory);
    while (bytes && text[bytes - 1] != '}') // leave room for one more member
        bytes--;
    if (bytes)
        fwrite(text, 1, bytes - 1, out);
    free(text);
    static const char *const names[] = {"copy_h2d", "copy_d2h", "copy_d2d", "fill"};
    fputs(",\"copies\":{", out);
    for (int i = 0; i < 4; i++)
        fprintf(out, "%s\"%s_calls\":%llu,\"%s_bytes\":%llu", i ? "," : "", names[i],
                (unsigned long long)x->calls[i], names[i],
                (unsigned long long)x->bytes[i]);
    fputs("}}\n", out);
}

void wire_reset_record(wire_context *x)
{
    simt_reset_record(x->device);
    memset(x->calls, 0, sizeof x->calls);
    memset(x->bytes, 0, sizeof x->bytes);
}

void wire_context_end(wire_context *x)
{
    free(x->blob);
    free(x->events);
    *x = (wire_context){0};
}
