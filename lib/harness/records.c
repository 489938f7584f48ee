// Result records: one JSON object a line, the only thing that the grader believes.

#include "judge.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int out = STDOUT_FILENO;

void records_open(const char *where)
{
    if (!where)
        return;
    if (strncmp(where, "fd:", 3) == 0) {
        char *end;
        long fd = strtol(where + 3, &end, 10);
        if (*end || end == where + 3 || fd < 0 || fcntl((int)fd, F_GETFD) < 0)
            die("--records: %s is no open descriptor", where);
        // Moved away from the numbers that a runner inherits, and never inherited.
        out = fcntl((int)fd, F_DUPFD_CLOEXEC, 64);
        close((int)fd);
    } else {
        out = open(where, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
    }
    if (out < 0)
        die("%s: %s", where, strerror(errno));
}

void records_write(json_t *record)
{
    char *line = json_dumps(record, JSON_COMPACT | JSON_REAL_PRECISION(15));
    if (!line)
        die("a record cannot be written as JSON");
    json_decref(record);
    size_t bytes = strlen(line);
    line[bytes++] = '\n'; // in place of the NUL: one write, so lines never mix
    for (size_t at = 0; at < bytes;) {
        ssize_t done = write(out, line + at, bytes - at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            die("cannot write the records: %s", strerror(errno));
        at += (size_t)done;
    }
    free(line);
}

// Bytes of the UTF-8 sequence at text, or 0.
static size_t sequence(const unsigned char *text, size_t left)
{
    unsigned char c = text[0];
    size_t n = c < 0x80                ? 1
               : c >= 0xc2 && c < 0xe0 ? 2
               : c >= 0xe0 && c < 0xf0 ? 3
               : c >= 0xf0 && c < 0xf5 ? 4
                                       : 0;
    if (n == 0 || n > left)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (c == 0xe0 && text[1] < 0xa0) || (c == 0xf0 && text[1] < 0x90);
    bool surrogate = c == 0xed && text[1] >= 0xa0;
    bool beyond = c == 0xf4 && text[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : n;
}

json_t *text_of(const char *bytes, size_t count, size_t most)
{
    count = count < most ? count : most;
    char *clean = malloc(3 * count + 1);
    size_t to = 0;
    for (size_t i = 0; i < count;) {
        size_t n = sequence((const unsigned char *)bytes + i, count - i);
        if (n == 0 || bytes[i] == 0) {
            memcpy(clean + to, "\xef\xbf\xbd", 3); // U+FFFD
            to += 3;
            i++;
        } else {
            memcpy(clean + to, bytes + i, n);
            to += n;
            i += n;
        }
    }
    json_t *text = json_stringn(clean, to);
    free(clean);
    return text ? text : json_string("");
}
