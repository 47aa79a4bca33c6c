/*
 * The smallest possible server of this protocol: it shows what the kernel and the clients need for a message. It has
 * one thread, and subscriptions to subjects or with ">" at the end. It has no queue groups, headers, limits or clock,
 * and it trusts its clients. It is a floor to compare servers with, and not a real server.
 *
 *   gcc -O2 -o floor floor.c
 *   floor PORT [LOOKS]     polls LOOKS times for events before it sleeps; the default is 400
 *
 * After one read, it sends with one write to each client. A client that does not read blocks all others.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_CLIENTS = 4096, MOST_SUBSCRIPTIONS = 4096, MOST_NAME = 64, READ_SIZE = 64 * 1024, INPUT_SIZE = 2 * 1024 * 1024 };

static const char info[] = "INFO {\"server_id\":\"FLOOR\",\"version\":\"0\",\"proto\":1,\"max_payload\":1048576}\r\n";

struct client {
    int fd;
    size_t held; /* received bytes of an incomplete operation */
    char *input;
    size_t written, room;
    char *output;
};

struct subscription {
    int client; /* -1 where there is none */
    size_t subject_length, sid_length;
    char subject[MOST_NAME], sid[MOST_NAME];
};

struct word {
    const char *at;
    size_t length;
};

static struct client clients[MOST_CLIENTS];
static struct subscription subscriptions[MOST_SUBSCRIPTIONS];
static int subscription_count;
static int changed[MOST_CLIENTS];
static int changed_count;

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static void put(int index, const char *bytes, size_t length)
{
    struct client *to = &clients[index];
    if (to->written == 0)
        changed[changed_count++] = index;
    if (to->written + length > to->room) {
        to->room = 2 * (to->written + length);
        to->output = realloc(to->output, to->room);
        if (to->output == NULL)
            fail("realloc");
    }
    memcpy(to->output + to->written, bytes, length);
    to->written += length;
}

static void flush_all(void)
{
    for (int i = 0; i < changed_count; i++) {
        struct client *to = &clients[changed[i]];
        for (size_t sent = 0; sent < to->written && to->fd >= 0;) {
            ssize_t n = send(to->fd, to->output + sent, to->written - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
            if (n >= 0) {
                sent += (size_t)n;
            } else if (errno == EAGAIN) {
                struct pollfd ready = {.fd = to->fd, .events = POLLOUT};
                poll(&ready, 1, -1);
            } else {
                break;
            }
        }
        to->written = 0;
    }
    changed_count = 0;
}

static int is(struct word word, const char *text, size_t length)
{
    return word.length == length && strncasecmp(word.at, text, length) == 0;
}

static int split(const char *line, const char *end, struct word *words, int most)
{
    int count = 0;
    while (line < end && count < most) {
        while (line < end && (*line == ' ' || *line == '\t'))
            line++;
        const char *from = line;
        while (line < end && *line != ' ' && *line != '\t')
            line++;
        if (line > from)
            words[count++] = (struct word){from, (size_t)(line - from)};
    }
    return count;
}

static void subscribe(int client, struct word subject, struct word sid)
{
    int i = 0;
    while (i < subscription_count && subscriptions[i].client >= 0)
        i++;
    if (i == MOST_SUBSCRIPTIONS || subject.length > MOST_NAME || sid.length > MOST_NAME) {
        fprintf(stderr, "too many subscriptions, or too long\n");
        exit(1);
    }
    if (i == subscription_count)
        subscription_count++;
    struct subscription *made = &subscriptions[i];
    made->client = client;
    made->subject_length = subject.length;
    made->sid_length = sid.length;
    memcpy(made->subject, subject.at, subject.length);
    memcpy(made->sid, sid.at, sid.length);
}

static void unsubscribe(int client, const char *sid, size_t length)
{
    for (int i = 0; i < subscription_count; i++) {
        struct subscription *s = &subscriptions[i];
        if (s->client == client && (sid == NULL || (s->sid_length == length && memcmp(s->sid, sid, length) == 0)))
            s->client = -1;
    }
}

static int wants(const struct subscription *s, struct word subject)
{
    size_t length = s->subject_length;
    if (s->subject[length - 1] == '>')
        return subject.length >= length && memcmp(s->subject, subject.at, length - 1) == 0;
    return length == subject.length && memcmp(s->subject, subject.at, length) == 0;
}

/* Sends a PUB's subject and payload to all subscribers of the subject. */
static void publish(struct word subject, struct word reply, struct word size, const char *payload, size_t length)
{
    for (int i = 0; i < subscription_count; i++) {
        struct subscription *to = &subscriptions[i];
        if (to->client < 0 || !wants(to, subject))
            continue;
        char head[512];
        char *at = mempcpy(head, "MSG ", 4);
        at = mempcpy(at, subject.at, subject.length);
        *at++ = ' ';
        at = mempcpy(at, to->sid, to->sid_length);
        *at++ = ' ';
        if (reply.length != 0) {
            at = mempcpy(at, reply.at, reply.length);
            *at++ = ' ';
        }
        at = mempcpy(at, size.at, size.length);
        at = mempcpy(at, "\r\n", 2);
        put(to->client, head, (size_t)(at - head));
        put(to->client, payload, length + 2);
    }
}

/* Handles the complete operations and returns the number of bytes left. */
static size_t take(int index, char *bytes, size_t length)
{
    char *end = bytes + length;
    for (;;) {
        char *line_end = memchr(bytes, '\n', (size_t)(end - bytes));
        if (line_end == NULL)
            break;
        char *after = line_end + 1;
        struct word words[6] = {0};
        int count = split(bytes, line_end > bytes && line_end[-1] == '\r' ? line_end - 1 : line_end, words, 6);
        if ((count == 3 || count == 4) && is(words[0], "PUB", 3)) {
            struct word size = words[count - 1];
            size_t payload = strtoul(size.at, NULL, 10);
            if (words[1].length + words[2].length > 256 || payload > INPUT_SIZE / 2) {
                fprintf(stderr, "a message is too long\n");
                exit(1);
            }
            if ((size_t)(end - after) < payload + 2)
                break;
            publish(words[1], count == 4 ? words[2] : (struct word){0}, size, after, payload);
            after += payload + 2;
        } else if (count == 1 && is(words[0], "PING", 4)) {
            put(index, "PONG\r\n", 6);
        } else if (count == 3 && is(words[0], "SUB", 3)) {
            subscribe(index, words[1], words[2]);
        } else if (count == 2 && is(words[0], "UNSUB", 5)) {
            unsubscribe(index, words[1].at, words[1].length);
        } else if (count != 0 && !is(words[0], "CONNECT", 7) && !is(words[0], "PONG", 4)) {
            fprintf(stderr, "not for a floor: %.*s\n", (int)(line_end - bytes), bytes);
            exit(1);
        }
        bytes = after;
    }
    return (size_t)(end - bytes);
}

static void drop(int index)
{
    unsubscribe(index, NULL, 0);
    close(clients[index].fd);
    free(clients[index].input);
    free(clients[index].output);
    clients[index] = (struct client){.fd = -1};
}

static void read_from(int index)
{
    struct client *from = &clients[index];
    size_t room = INPUT_SIZE - from->held;
    ssize_t n = recv(from->fd, from->input + from->held, room < READ_SIZE ? room : READ_SIZE, MSG_DONTWAIT);
    if (n <= 0) {
        if (n == 0 || errno != EAGAIN)
            drop(index);
        return;
    }
    size_t length = from->held + (size_t)n;
    from->held = take(index, from->input, length);
    memmove(from->input, from->input + length - from->held, from->held);
}

static void admit(int listener, int events)
{
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
    if (fd < 0)
        return;
    int index = 0;
    while (index < MOST_CLIENTS && clients[index].fd >= 0)
        index++;
    if (index == MOST_CLIENTS) {
        close(fd);
        return;
    }
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    clients[index] = (struct client){.fd = fd, .input = malloc(INPUT_SIZE)};
    if (clients[index].input == NULL)
        fail("malloc");
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = (unsigned)index + 1};
    if (epoll_ctl(events, EPOLL_CTL_ADD, fd, &event) != 0)
        fail("epoll_ctl");
    put(index, info, sizeof info - 1);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: floor PORT [LOOKS]\n");
        return 2;
    }
    int looks = argc > 2 ? atoi(argv[2]) : 400;
    for (int i = 0; i < MOST_CLIENTS; i++)
        clients[i].fd = -1;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    int on = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(argv[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 1024) != 0)
        fail("listen");
    int events = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = 0};
    if (events < 0 || epoll_ctl(events, EPOLL_CTL_ADD, listener, &event) != 0)
        fail("epoll");
    for (;;) {
        struct epoll_event ready[256];
        int count = 0;
        for (int i = 0; i < looks && count == 0; i++)
            count = epoll_wait(events, ready, 256, 0);
        if (count == 0)
            count = epoll_wait(events, ready, 256, -1);
        for (int i = 0; i < count; i++) {
            int index = (int)ready[i].data.u32 - 1;
            if (index < 0)
                admit(listener, events);
            else if (clients[index].fd >= 0)
                read_from(index);
        }
        flush_all();
    }
}
