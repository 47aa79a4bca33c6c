// Drives libnats for the benchmarks: it counts and sums up what arrives, and publishes, without a call into managed code for a message.
#include <nats/nats.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    natsConnection *connection;
    natsSubscription *subscription;
    pthread_mutex_t lock;
    pthread_cond_t reached;
    volatile long received;
    unsigned long sum;
    long expected;
} driver;

static void on_message(natsConnection *nc, natsSubscription *sub, natsMsg *msg, void *closure)
{
    driver *d = closure;
    const unsigned char *data = (const unsigned char *)natsMsg_GetData(msg);
    int length = natsMsg_GetDataLength(msg);
    d->sum += (unsigned long)length + (length > 0 ? data[0] + data[length - 1] : 0);
    natsMsg_Destroy(msg);
    long now = d->received + 1;
    __atomic_store_n(&d->received, now, __ATOMIC_RELEASE);
    if (now == __atomic_load_n(&d->expected, __ATOMIC_ACQUIRE)) {
        pthread_mutex_lock(&d->lock);
        pthread_cond_signal(&d->reached);
        pthread_mutex_unlock(&d->lock);
    }
}

driver *driver_connect(const char *url, int at_once)
{
    natsOptions *options = NULL;
    driver *d = calloc(1, sizeof *d);
    pthread_mutex_init(&d->lock, NULL);
    pthread_cond_init(&d->reached, NULL);
    natsStatus status = natsOptions_Create(&options);
    if (status == NATS_OK)
        status = natsOptions_SetURL(options, url);
    if (status == NATS_OK)
        status = natsOptions_SetSendAsap(options, at_once != 0);
    if (status == NATS_OK)
        status = natsConnection_Connect(&d->connection, options);
    natsOptions_Destroy(options);
    if (status != NATS_OK) {
        free(d);
        return NULL;
    }

    return d;
}

int driver_subscribe(driver *d, const char *subject)
{
    int status = natsConnection_Subscribe(&d->subscription, d->connection, subject, on_message, d);
    if (status == NATS_OK)
        status = natsSubscription_SetPendingLimits(d->subscription, -1, -1);
    return status;
}

void driver_expect(driver *d, long total) { __atomic_store_n(&d->expected, total, __ATOMIC_RELEASE); }

volatile long *driver_received(driver *d) { return &d->received; }

unsigned long driver_sum(driver *d) { return d->sum; }

void driver_wait(driver *d)
{
    pthread_mutex_lock(&d->lock);
    while (__atomic_load_n(&d->received, __ATOMIC_ACQUIRE) < d->expected)
        pthread_cond_wait(&d->reached, &d->lock);
    pthread_mutex_unlock(&d->lock);
}

int driver_publish(driver *d, const char *subject, const void *body, int size, int messages)
{
    for (int i = 0; i < messages; i++) {
        int status = natsConnection_Publish(d->connection, subject, body, size);
        if (status != NATS_OK)
            return status;
    }

    return natsConnection_FlushTimeout(d->connection, 60000);
}

static int ask(driver *d, const char *subject, const void *body, int size)
{
    natsMsg *reply = NULL;
    int status = natsConnection_Request(&reply, d->connection, subject, body, size, 60000);
    if (status == NATS_OK && (natsMsg_GetDataLength(reply) != size || memcmp(natsMsg_GetData(reply), body, size) != 0))
        status = NATS_ERR;
    natsMsg_Destroy(reply);
    return status;
}

static long now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

int driver_request(driver *d, const char *subject, const void *body, int size, int count, long *taken)
{
    for (int i = 0; i < count; i++) {
        long begin = now_ns();
        int status = ask(d, subject, body, size);
        if (status != NATS_OK)
            return status;
        taken[i] = now_ns() - begin;
    }

    return NATS_OK;
}

typedef struct {
    driver *driver;
    const char *subject;
    const void *body;
    int size;
    int count;
    int status;
} asker;

static void *ask_on(void *argument)
{
    asker *a = argument;
    for (int i = 0; i < a->count && a->status == NATS_OK; i++)
        a->status = ask(a->driver, a->subject, a->body, a->size);
    return NULL;
}

int driver_request_together(driver *d, const char *subject, const void *body, int size, int threads, int each)
{
    pthread_t *ids = calloc(threads, sizeof *ids);
    asker *askers = calloc(threads, sizeof *askers);
    int status = NATS_OK;
    for (int i = 0; i < threads; i++) {
        askers[i] = (asker){ d, subject, body, size, each, NATS_OK };
        pthread_create(&ids[i], NULL, ask_on, &askers[i]);
    }

    for (int i = 0; i < threads; i++) {
        pthread_join(ids[i], NULL);
        if (askers[i].status != NATS_OK)
            status = askers[i].status;
    }

    free(ids);
    free(askers);
    return status;
}

void driver_close(driver *d)
{
    natsSubscription_Destroy(d->subscription);
    natsConnection_Destroy(d->connection);
    free(d);
}
