// Messages on a local socket, with a descriptor where there is one. In a header because
// the judge, the device and the front end are linked apart and each needs little.

#ifndef SIMT_PASS_H
#define SIMT_PASS_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

union pass_control {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int))];
};

// fd: -1 for none. False: the peer is gone, or does not read.
static inline bool pass_send(int socket, const void *bytes, size_t count, int fd)
{
    struct iovec part = {(void *)(uintptr_t)bytes, count};
    union pass_control control;
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    memset(&control, 0, sizeof control);
    if (fd >= 0) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control.room;
        struct cmsghdr *c = CMSG_FIRSTHDR(&message);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(c), &fd, sizeof fd);
    }
    ssize_t sent;
    do
        sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)count;
}

// Exactly `count` bytes, or false. *fd is -1 if none came.
static inline bool pass_receive(int socket, void *bytes, size_t count, int *fd)
{
    struct iovec part = {bytes, count};
    union pass_control control;
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
                             .msg_controllen = sizeof control.room};
    *fd = -1;
    ssize_t got;
    do
        got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    struct cmsghdr *c = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
        c->cmsg_len == CMSG_LEN(sizeof *fd))
        memcpy(fd, CMSG_DATA(c), sizeof *fd);
    return got == (ssize_t)count;
}

#endif
