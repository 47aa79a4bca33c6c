/* One end of a link with libzmq: driver ROLE bind|connect ENDPOINT COUNT WARM SIZE VARIES MARK TOPICS [BACK PATTERN]
   Prints what Broker.ZeroMqLoad prints of its own ends. A publisher with topics sends two frames, the first one of so many, in random order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#define ORDER 65536
#define LONGEST_TOPIC 32

static double wall_start, cpu_start;

static double wall(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

static double cpu(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return used.ru_utime.tv_sec + used.ru_stime.tv_sec + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

static void start_meter(void)
{
    printf("measuring\n");
    fflush(stdout);
    wall_start = wall();
    cpu_start = cpu();
}

static void report(const char *role, long messages)
{
    double seconds = wall() - wall_start, processor = cpu() - cpu_start;
    printf("%s messages=%ld seconds=%.3f rate=%.0f cpu_ns=%.1f\n", role, messages, seconds, messages / seconds, processor * 1e9 / messages);
    fflush(stdout);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void require(int result)
{
    if (result < 0)
    {
        fprintf(stderr, "libzmq: %s\n", zmq_strerror(zmq_errno()));
        exit(1);
    }
}

static void *open_socket(void *context, int type, int mark, int binds, const char *endpoint)
{
    void *socket = zmq_socket(context, type);
    int linger = 30000;
    zmq_setsockopt(socket, ZMQ_SNDHWM, &mark, sizeof mark);
    zmq_setsockopt(socket, ZMQ_RCVHWM, &mark, sizeof mark);
    zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof linger);
    if (type == ZMQ_SUB)
    {
        zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "", 0);
    }

    require(binds ? zmq_bind(socket, endpoint) : zmq_connect(socket, endpoint));
    return socket;
}

static void publish(void *socket, char *body, long size, double seconds, long topics)
{
    char (*names)[LONGEST_TOPIC] = malloc(ORDER * sizeof *names);
    for (int i = 0; i < ORDER && topics > 0; i++)
    {
        snprintf(names[i], sizeof names[i], "device.%ld.state", rand() % topics);
    }

    /* Subscribers come meanwhile. */
    sleep(1);
    long sent = 0;
    start_meter();
    while ((sent & 255) != 0 || wall() - wall_start < seconds)
    {
        if (topics > 0)
        {
            const char *topic = names[sent & (ORDER - 1)];
            require(zmq_send(socket, topic, strlen(topic), ZMQ_SNDMORE));
        }

        require(zmq_send(socket, body, size, 0));
        sent++;
    }

    report("pub", sent);
    sleep(2);
}

/* A message counts by its last frame. */
static int has_more(void *socket)
{
    int more;
    size_t length = sizeof more;
    require(zmq_getsockopt(socket, ZMQ_RCVMORE, &more, &length));
    return more;
}

static void subscribe(void *context, int count, long warm, int mark, const char *endpoint, char *buffer, long size, long topics)
{
    void **sockets = malloc(count * sizeof *sockets);
    zmq_pollitem_t *items = calloc(count, sizeof *items);
    for (int i = 0; i < count; i++)
    {
        sockets[i] = open_socket(context, ZMQ_SUB, mark, 0, endpoint);
        items[i].socket = sockets[i];
        items[i].events = ZMQ_POLLIN;
    }

    long got = 0, before = 0;
    double first = 0, last = 0, used = 0;
    int measures = 0;
    while (zmq_poll(items, count, got == 0 ? 30000 : 1000) > 0)
    {
        first = first == 0 ? wall() : first;
        if (!measures && wall() - first >= warm / 1000.0)
        {
            measures = 1;
            before = got;
            start_meter();
        }

        for (int i = 0; i < count; i++)
        {
            for (int burst = 0; items[i].revents && burst < 1000 && zmq_recv(sockets[i], buffer, size, ZMQ_DONTWAIT) >= 0; burst++)
            {
                got += topics == 0 || !has_more(sockets[i]);
            }
        }

        last = wall();
        used = cpu();
    }

    if (!measures)
    {
        fprintf(stderr, "sub: %ld messages have come, in less time than there is before it measures\n", got);
        exit(1);
    }

    double idle = wall() - last;
    wall_start += idle;
    cpu_start += cpu() - used;
    printf("total=%ld\n", got);
    report("sub", got - before);
}

int main(int count, char **values)
{
    if (count < 10)
    {
        return 2;
    }

    const char *role = values[1], *endpoint = values[3];
    int binds = strcmp(values[2], "bind") == 0, varies = atoi(values[7]), mark = atoi(values[8]);
    long messages = atol(values[4]), warm = atol(values[5]), size = atol(values[6]), topics = atol(values[9]);
    void *context = zmq_ctx_new();
    char *body = calloc(1, size + LONGEST_TOPIC);
    long sizes[4096];
    srand(12);
    for (int i = 0; i < 4096; i++)
    {
        sizes[i] = varies ? rand() % (size + 1) : size;
    }

    if (strcmp(role, "proxy") == 0)
    {
        if (count < 12)
        {
            return 2;
        }

        int publishes = strcmp(values[11], "publish") == 0, requests = strcmp(values[11], "request") == 0;
        int front = publishes ? ZMQ_XSUB : requests ? ZMQ_ROUTER : ZMQ_PULL, back = publishes ? ZMQ_XPUB : requests ? ZMQ_DEALER : ZMQ_PUSH;
        void *front_socket = open_socket(context, front, mark, 1, endpoint), *back_socket = open_socket(context, back, mark, 1, values[10]);
        printf("measuring\n");
        fflush(stdout);
        zmq_proxy(front_socket, back_socket, NULL);
        return 0;
    }

    if (strcmp(role, "sub") == 0)
    {
        subscribe(context, messages, warm, mark, endpoint, body, size + LONGEST_TOPIC, topics);
        return 0;
    }

    int type = strcmp(role, "push") == 0 ? ZMQ_PUSH : strcmp(role, "pull") == 0 ? ZMQ_PULL
        : strcmp(role, "req") == 0 ? ZMQ_REQ : strcmp(role, "rep") == 0 ? ZMQ_REP : ZMQ_PUB;
    void *socket = open_socket(context, type, mark, binds, endpoint);
    if (type == ZMQ_PUB)
    {
        publish(socket, body, size, messages / 1000.0, topics);
    }
    else if (type == ZMQ_PUSH || type == ZMQ_PULL)
    {
        for (long i = 0; i < warm + messages; i++)
        {
            if (i == warm)
            {
                start_meter();
            }

            require(type == ZMQ_PUSH ? zmq_send(socket, body, sizes[i & 4095], 0) : zmq_recv(socket, body, size, 0));
        }

        report(role, messages);
    }
    else if (type == ZMQ_REP)
    {
        for (long i = 0; i < warm + messages; i++)
        {
            int got = zmq_recv(socket, body, size, 0);
            require(got);
            require(zmq_send(socket, body, got, 0));
        }
    }
    else
    {
        double *times = malloc(messages * sizeof *times);
        for (long i = 0; i < warm + messages; i++)
        {
            if (i == warm)
            {
                start_meter();
            }

            double began = wall();
            require(zmq_send(socket, body, size, 0));
            require(zmq_recv(socket, body, size, 0));
            if (i >= warm)
            {
                times[i - warm] = wall() - began;
            }
        }

        report(role, messages);
        qsort(times, messages, sizeof *times, ascending);
        printf("req p50_us=%.1f p99_us=%.1f p999_us=%.1f\n", times[messages / 2] * 1e6, times[messages * 99 / 100] * 1e6, times[messages * 999 / 1000] * 1e6);
    }

    zmq_close(socket);
    zmq_ctx_term(context);
    return 0;
}
