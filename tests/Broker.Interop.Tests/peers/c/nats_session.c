#include <pthread.h>
#include <unistd.h>
#include <nats/nats.h>
#include "hex.h"

enum { SLOTS = 16, WORDS = 32 };

typedef struct {
    char id[32];
    int answers;
    int is_complete;
    natsSubscription *subscription;
} slot;

static slot slots[SLOTS];
static pthread_mutex_t completing = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t completed = PTHREAD_COND_INITIALIZER;
static const char *seed;
static int64_t sign_after;

static const char *text_of(natsStatus status)
{
    const char *last = nats_GetLastError(NULL);
    return last && *last ? last : natsStatus_GetText(status);
}

static void print_text(const char *word, const char *text)
{
    flockfile(stdout);
    printf("%s %s\n", word, text);
    fflush(stdout);
    funlockfile(stdout);
}

static void print_headers(natsMsg *message)
{
    const char **keys = NULL;
    int key_count = 0;
    if (natsMsgHeader_Keys(message, &keys, &key_count) != NATS_OK)
        return;
    for (int i = 0; i < key_count; i++) {
        const char **values = NULL;
        int value_count = 0;
        if (natsMsgHeader_Values(message, keys[i], &values, &value_count) != NATS_OK)
            continue;
        for (int k = 0; k < value_count; k++) {
            char line[4096];
            int n = snprintf(line, sizeof line, "%s: %s", keys[i], values[k]);
            print_hex(line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
        }
        free((void *)values);
    }
    free((void *)keys);
}

static void on_message(natsConnection *connection, natsSubscription *subscription, natsMsg *message, void *closure)
{
    slot *of = closure;
    flockfile(stdout);
    printf("MSG %s", of->id);
    print_hex(natsMsg_GetSubject(message), strlen(natsMsg_GetSubject(message)));
    print_hex(natsMsg_GetData(message), (size_t)natsMsg_GetDataLength(message));
    print_headers(message);
    say("");
    funlockfile(stdout);
    for (int i = 0; i < of->answers && natsMsg_GetReply(message); i++)
        natsConnection_Publish(connection, natsMsg_GetReply(message), natsMsg_GetData(message), natsMsg_GetDataLength(message));
    natsMsg_Destroy(message);
}

/* Behind the last message's callback. The wait for a drain is over when the last message was taken for its callback. */
static void on_complete(void *closure)
{
    pthread_mutex_lock(&completing);
    ((slot *)closure)->is_complete = 1;
    pthread_cond_broadcast(&completed);
    pthread_mutex_unlock(&completing);
}

static void on_disconnected(natsConnection *connection, void *closure) { print_text("EVENT", "disconnected"); }
static void on_lame_duck(natsConnection *connection, void *closure) { print_text("EVENT", "lameduck"); }

static void on_reconnected(natsConnection *connection, void *closure)
{
    char url[256] = "", line[300];
    natsConnection_GetConnectedUrl(connection, url, sizeof url);
    snprintf(line, sizeof line, "reconnected %s", url);
    print_text("EVENT", line);
}

static void on_discovered(natsConnection *connection, void *closure)
{
    char line[4096] = "discovered ", **servers = NULL;
    int count = 0;
    natsConnection_GetDiscoveredServers(connection, &servers, &count);
    for (int i = 0; i < count; i++) {
        strncat(line, servers[i], sizeof line - strlen(line) - 2);
        strcat(line, ",");
        free(servers[i]);
    }
    free(servers);
    print_text("EVENT", line);
}

static void print_last(natsConnection *connection, const char *event, const char *otherwise)
{
    char line[1024];
    const char *last = NULL;
    natsConnection_GetLastError(connection, &last);
    snprintf(line, sizeof line, "%s %s", event, last && *last ? last : otherwise);
    print_text("EVENT", line);
}

static void on_closed(natsConnection *connection, void *closure) { print_last(connection, "closed", ""); }

static void on_error(natsConnection *connection, natsSubscription *subscription, natsStatus status, void *closure)
{
    print_last(connection, "error", natsStatus_GetText(status));
}

static natsStatus sign(char **error, unsigned char **signature, int *length, const char *nonce, void *closure)
{
    if (sign_after > 0)
        nats_Sleep(sign_after);
    return nats_Sign(seed, nonce, signature, length);
}

static const char *given(int argc, char **argv, const char *name)
{
    size_t n = strlen(name);
    for (int i = 2; i < argc; i++)
        if (strncmp(argv[i], name, n) == 0 && argv[i][n] == '=')
            return argv[i] + n + 1;
    return NULL;
}

static int is(const char *value, const char *expected) { return value && strcmp(value, expected) == 0; }

static natsStatus configure(natsOptions *options, int argc, char **argv)
{
    const char *servers[8], *value;
    int count = 0;
    for (char *rest = argv[1], *server; count < 8 && (server = strsep(&rest, ",")); )
        servers[count++] = server;
    natsStatus status = natsOptions_SetServers(options, servers, count);
    if (status == NATS_OK && (value = given(argc, argv, "user")))
        status = natsOptions_SetUserInfo(options, value, given(argc, argv, "pass"));
    if (status == NATS_OK && (value = given(argc, argv, "token")))
        status = natsOptions_SetToken(options, value);
    if ((value = given(argc, argv, "sign_after")))
        sign_after = atoi(value);
    if (status == NATS_OK && (seed = given(argc, argv, "nkey")))
        status = natsOptions_SetNKey(options, given(argc, argv, "public"), sign, NULL);
    if (status == NATS_OK && (value = given(argc, argv, "ca"))) {
        status = natsOptions_SetSecure(options, true);
        if (status == NATS_OK)
            status = natsOptions_LoadCATrustedCertificates(options, value);
    }
    if (status == NATS_OK && (value = given(argc, argv, "cert")))
        status = natsOptions_LoadCertificatesChain(options, value, given(argc, argv, "key"));
    if (status == NATS_OK) {
        natsOptions_SetTimeout(options, 60000);
        natsOptions_SetNoRandomize(options, true);
        natsOptions_SetAllowReconnect(options, !is(given(argc, argv, "reconnect"), "no"));
        natsOptions_SetMaxReconnect(options, 1 << 30);
        natsOptions_SetReconnectWait(options, 100);
        natsOptions_SetReconnectJitter(options, 0, 0);
        natsOptions_SetNoEcho(options, is(given(argc, argv, "echo"), "no"));
        natsOptions_SetVerbose(options, is(given(argc, argv, "verbose"), "yes"));
        natsOptions_SetPedantic(options, is(given(argc, argv, "pedantic"), "yes"));
        natsOptions_SetDisconnectedCB(options, on_disconnected, NULL);
        natsOptions_SetReconnectedCB(options, on_reconnected, NULL);
        natsOptions_SetLameDuckModeCB(options, on_lame_duck, NULL);
        natsOptions_SetDiscoveredServersCB(options, on_discovered, NULL);
        natsOptions_SetClosedCB(options, on_closed, NULL);
        natsOptions_SetErrorHandler(options, on_error, NULL);
    }
    return status;
}

/* A slot keeps the id it has first: a callback may be printing it, and to write the same again shows none for a moment. */
static slot *slot_of(const char *id)
{
    for (int i = 0; i < SLOTS; i++) {
        if (slots[i].id[0] == 0)
            snprintf(slots[i].id, sizeof slots[i].id, "%s", id);
        if (strcmp(slots[i].id, id) == 0)
            return &slots[i];
    }
    fputs("too many subscriptions\n", stderr);
    exit(2);
}

static natsStatus publish(natsConnection *connection, char **words, size_t *sizes, int count)
{
    natsMsg *message = NULL;
    natsStatus status = natsMsg_Create(&message, words[1], NULL, words[2], (int)sizes[2]);
    for (int i = 3; status == NATS_OK && i < count; i++) {
        char *value = strstr(words[i], ": ");
        *value = 0;
        status = natsMsgHeader_Add(message, words[i], value + 2);
    }
    if (status == NATS_OK)
        status = natsConnection_PublishMsg(connection, message);
    natsMsg_Destroy(message);
    return status;
}

static natsStatus burst(natsConnection *connection, const char *subject, int count)
{
    natsStatus status = NATS_OK;
    for (int i = 0; status == NATS_OK && i < count; i++) {
        char number[16];
        status = natsConnection_Publish(connection, subject, number, snprintf(number, sizeof number, "%d", i));
    }
    return status;
}

/* The library has no request with many replies: this is how its users write it. */
static natsStatus request_many(natsConnection *connection, char **words, size_t *sizes, natsMsg **replies, int *got)
{
    natsInbox *inbox = NULL;
    natsSubscription *subscription = NULL;
    int count = atoi(words[3]);
    natsStatus status = natsInbox_Create(&inbox);
    if (status == NATS_OK)
        status = natsConnection_SubscribeSync(&subscription, connection, inbox);
    if (status == NATS_OK)
        status = natsConnection_PublishRequest(connection, words[1], inbox, words[2], (int)sizes[2]);
    while (status == NATS_OK && *got < count && *got < WORDS)
        if ((status = natsSubscription_NextMsg(&replies[*got], subscription, atoi(words[4]))) == NATS_OK)
            ++*got;
    natsSubscription_Destroy(subscription);
    natsInbox_Destroy(inbox);
    return status == NATS_TIMEOUT ? NATS_OK : status;
}

static natsStatus run(natsConnection *connection, char **words, size_t *sizes, int count, natsMsg **replies, int *got)
{
    natsStatus status;
    if (is(words[0], "sub") || is(words[0], "respond")) {
        slot *of = slot_of(words[1]);
        of->is_complete = 0;
        of->answers = is(words[0], "respond") ? atoi(words[3]) : 0;
        status = is(words[0], "sub") && count > 3
            ? natsConnection_QueueSubscribe(&of->subscription, connection, words[2], words[3], on_message, of)
            : natsConnection_Subscribe(&of->subscription, connection, words[2], on_message, of);
        if (status == NATS_OK)
            status = natsSubscription_SetOnCompleteCB(of->subscription, on_complete, of);
        return status == NATS_OK ? natsConnection_Flush(connection) : status;
    }
    if (is(words[0], "unsub")) {
        natsSubscription *subscription = slot_of(words[1])->subscription;
        status = count > 2 ? natsSubscription_AutoUnsubscribe(subscription, atoi(words[2])) : natsSubscription_Unsubscribe(subscription);
        return status == NATS_OK ? natsConnection_Flush(connection) : status;
    }
    if (is(words[0], "pub"))
        return publish(connection, words, sizes, count);
    if (is(words[0], "ask"))
        return natsConnection_PublishRequest(connection, words[1], words[2], words[3], (int)sizes[3]);
    if (is(words[0], "burst"))
        return burst(connection, words[1], atoi(words[2]));
    if (is(words[0], "request")) {
        status = natsConnection_Request(&replies[0], connection, words[1], words[2], (int)sizes[2], atoi(words[3]));
        *got = status == NATS_OK;
        return status;
    }
    if (is(words[0], "many"))
        return request_many(connection, words, sizes, replies, got);
    if (is(words[0], "flush"))
        return natsConnection_FlushTimeout(connection, 60000);
    if (is(words[0], "rtt")) {
        int64_t nanoseconds;
        return natsConnection_GetRTT(connection, &nanoseconds);
    }
    if (is(words[0], "drain") && count == 1)
        return natsConnection_Drain(connection);
    if (is(words[0], "drain")) {
        slot *of = slot_of(words[1]);
        status = natsSubscription_Drain(of->subscription);
        if (status == NATS_OK)
            status = natsSubscription_WaitForDrainCompletion(of->subscription, 60000);
        pthread_mutex_lock(&completing);
        while (status == NATS_OK && !of->is_complete)
            pthread_cond_wait(&completed, &completing);
        pthread_mutex_unlock(&completing);
        return status;
    }
    return NATS_INVALID_ARG;
}

int main(int argc, char **argv)
{
    natsConnection *connection = NULL;
    natsOptions *options = NULL;
    if (argc < 2)
        return 2;
    natsStatus status = natsOptions_Create(&options);
    if (status == NATS_OK)
        status = configure(options, argc, argv);
    if (status == NATS_OK)
        status = natsConnection_Connect(&connection, options);
    if (status == NATS_OK)
        status = natsConnection_Flush(connection);
    if (status != NATS_OK) {
        print_text("FAILED", text_of(status));
        return 0;
    }
    print_text("READY", "");

    char *line = NULL;
    size_t capacity = 0;
    while (getline(&line, &capacity, stdin) > 0) {
        char *words[WORDS], *rest = NULL;
        size_t sizes[WORDS];
        int count = 0, got = 0;
        for (char *word = strtok_r(line, " \n", &rest); word && count < WORDS; word = strtok_r(NULL, " \n", &rest)) {
            sizes[count] = count == 0 ? strlen(word) : from_hex(word);
            words[count++] = word;
        }
        natsMsg *replies[WORDS];
        status = run(connection, words, sizes, count, replies, &got);
        flockfile(stdout);
        if (status == NATS_OK) {
            fputs("OK", stdout);
            for (int i = 0; i < got; i++)
                print_hex(natsMsg_GetData(replies[i]), (size_t)natsMsg_GetDataLength(replies[i]));
            say("");
        } else {
            print_text("ERR", natsStatus_GetText(status));
        }
        funlockfile(stdout);
        for (int i = 0; i < got; i++)
            natsMsg_Destroy(replies[i]);
    }
    /* The test is over: nobody waits for an orderly close. */
    _exit(0);
}
