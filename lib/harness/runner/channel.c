// Frames over the socket to the judge.

#include "runner.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

void channel_send(uint32_t type, uint64_t token, const void *body, uint32_t bytes)
{
    wire_head head = {WIRE_MAGIC, type, token, bytes, 0};
    struct iovec parts[] = {{&head, sizeof head}, {(void *)body, bytes}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    // A frame is far smaller than the socket's buffer, so it goes out whole.
    if (sendmsg(WIRE_CHANNEL_FD, &message, MSG_NOSIGNAL) < 0)
        _exit(0);
}

static bool read_all(void *to, size_t bytes)
{
    for (char *at = to; bytes > 0;) {
        ssize_t got = read(WIRE_CHANNEL_FD, at, bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        bytes -= (size_t)got;
    }
    return true;
}

bool channel_receive(wire_head *head, void *body, size_t room)
{
    return read_all(head, sizeof *head) && head->bytes <= room &&
           read_all(body, head->bytes);
}
