// The talk with a runner: frames with deadlines, and its printed text on the side.
//
// Every wait here ends: at an answer, at the deadline, or when the process has gone.
// What the process prints is drained as it comes (a full pipe would stop it), the first
// 64 KiB are kept for the learner, and none of it is ever read as a result.

#include "judge.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

link_ learner, ceilings = {.ours = true};
static const char *violation = "";

const char *link_violation(void)
{
    return violation;
}

void link_start(link_ *l)
{
    int ring = option.emulated && !l->ours ? device_new_runner() : -1;
    l->said_hello = false;
    l->dying = (wire_dying){0};
    l->token = 0;
    if (!spawn(&l->c, l->program, !l->ours, ring))
        fail_as(OURS, "cannot start a process: %s", strerror(errno));
    l->up = true;
    wire_hello hello;
    heard how = link_hear(l, WIRE_HELLO, &hello, sizeof hello);
    if (how != HEARD)
        gone(l, how, NULL);
    if (hello.version != WIRE_VERSION)
        fail_as(OURS, "the runner is of another edition: clean the build folder");
    l->said_hello = true;
}

void link_end(link_ *l)
{
    if (!l->up)
        return;
    l->up = false;
    link_drain(l);
    child_kill(&l->c);
    if (l->c.peak_kib > l->peak_kib)
        l->peak_kib = l->c.peak_kib;
}

void link_drain(link_ *l)
{
    static char waste[64 * 1024];
    // Bounded: a flood must not keep the judge from its clock.
    for (int i = 0; i < 64; i++) {
        size_t room = sizeof l->printed - 1 - l->printed_bytes;
        char *to = room ? l->printed + l->printed_bytes : waste;
        ssize_t got = read(l->c.output, to, room ? room : sizeof waste);
        if (got <= 0)
            return;
        if (room)
            l->printed_bytes += (size_t)got;
        else
            l->dropped += (size_t)got;
    }
}

heard link_ask(link_ *l, uint32_t type, const void *body, uint32_t bytes)
{
    char byte;
    if (recv(l->c.channel, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0) {
        wire_head head;
        // Last words may lie there, with the end behind them.
        if (recv(l->c.channel, &head, sizeof head, MSG_PEEK | MSG_DONTWAIT) ==
                sizeof head &&
            head.magic == WIRE_MAGIC && head.type == WIRE_DYING)
            return link_hear(l, 0, NULL, 0);
        violation = "an answer to no question";
        return VIOLATED;
    }
    l->token = data_secret();
    wire_head head = {WIRE_MAGIC, type, l->token, bytes, 0};
    struct iovec parts[] = {{&head, sizeof head}, {(void *)body, bytes}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = body ? 2 : 1};
    ssize_t sent = sendmsg(l->c.channel, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    return sent == (ssize_t)(sizeof head + bytes) ? HEARD : GONE;
}

// One step of reading: 1 when `have` reached `want`, 0 to go on, -1 at the end.
static int take(link_ *l, void *to, size_t *have, size_t want)
{
    ssize_t got = recv(l->c.channel, (char *)to + *have, want - *have, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return l->c.ended ? -1 : 0; // what it wrote before its end has been read
    if (got <= 0)
        return -1;
    *have += (size_t)got;
    return *have == want;
}

static bool proper(const link_ *l, const wire_head *h, uint32_t type, uint32_t bytes)
{
    if (h->magic != WIRE_MAGIC)
        violation = "bytes that are no frame";
    else if (h->type == WIRE_DYING)
        return h->bytes == sizeof l->dying;
    else if (h->type != type || h->bytes != bytes)
        violation = "a frame of another kind than asked for";
    else if (h->token != l->token)
        violation = "an answer without the question's token";
    else
        return true;
    return false;
}

static heard hear_until(link_ *l, uint32_t type, void *body, uint32_t bytes, double end)
{
    wire_head head;
    size_t have = 0, have_body = 0;
    for (;;) {
        struct pollfd p[] = {{l->c.channel, POLLIN, 0},
                             {l->c.output, POLLIN, 0},
                             {l->c.status, POLLIN, 0}};
        double left = end - now();
        if (left <= 0)
            return LATE;
        if (!l->c.ended)
            poll(p, 3, (int)(left * 1000) + 1);
        link_drain(l);
        child_read_status(&l->c);

        bool whole = have == sizeof head;
        void *to = !whole ? (void *)&head : head.type == WIRE_DYING ? &l->dying : body;
        int step = whole ? take(l, to, &have_body, head.bytes)
                         : take(l, to, &have, sizeof head);
        if (step < 0)
            return GONE;
        if (step == 0)
            continue;
        if (!whole && !proper(l, &head, type, bytes))
            return VIOLATED;
        if (whole && head.type == WIRE_DYING)
            have = have_body = 0; // its end follows
        else if (whole)
            return HEARD;
    }
}

heard link_hear(link_ *l, uint32_t type, void *body, uint32_t bytes)
{
    double begin = now();
    heard how = hear_until(l, type, body, bytes, begin + l->left);
    l->left -= now() - begin;
    link_drain(l);
    return how;
}
