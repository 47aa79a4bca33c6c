#include <nats/nats.h>
#include "connect.h"
#include "hex.h"

static void print_headers(natsMsg *message)
{
    const char **keys = NULL;
    int count = 0;
    if (natsMsgHeader_Keys(message, &keys, &count) != NATS_OK)
        return;
    for (int i = 0; i < count; i++) {
        const char *value = NULL;
        char line[4096];
        if (natsMsgHeader_Get(message, keys[i], &value) == NATS_OK) {
            int n = snprintf(line, sizeof line, "%s: %s", keys[i], value);
            print_hex(line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
        }
    }
    free((void *)keys);
}

int main(int argc, char **argv)
{
    natsConnection *connection = NULL;
    natsSubscription *subscription = NULL;
    if (argc < 4)
        return 2;
    from_hex(argv[2]);
    const char *queue = argc > 4 && strncmp(argv[4], "queue=", 6) == 0 ? argv[4] + 6 : NULL;
    int echo = argc > 4 && strcmp(argv[4], "echo") == 0;
    natsStatus status = connect_patiently(&connection, argv[1]);
    if (status == NATS_OK)
        status = queue ? natsConnection_QueueSubscribeSync(&subscription, connection, argv[2], queue)
                       : natsConnection_SubscribeSync(&subscription, connection, argv[2]);
    if (status == NATS_OK)
        status = natsConnection_Flush(connection);
    if (status == NATS_OK)
        say("READY");

    int count = atoi(argv[3]), received = 0;
    while (status == NATS_OK && (count == 0 || received < count)) {
        natsMsg *message = NULL;
        status = natsSubscription_NextMsg(&message, subscription, 3600 * 1000);
        if (status != NATS_OK)
            break;
        fputs("MSG", stdout);
        print_hex(natsMsg_GetSubject(message), strlen(natsMsg_GetSubject(message)));
        print_hex(natsMsg_GetData(message), (size_t)natsMsg_GetDataLength(message));
        print_headers(message);
        say("");
        if (echo && natsMsg_GetReply(message)) {
            status = natsConnection_Publish(
                connection, natsMsg_GetReply(message), natsMsg_GetData(message), natsMsg_GetDataLength(message));
            natsConnection_Flush(connection);
        }
        natsMsg_Destroy(message);
        received++;
    }
    natsSubscription_Destroy(subscription);
    natsConnection_Destroy(connection);
    if (status != NATS_OK) {
        fprintf(stderr, "%s\n", natsStatus_GetText(status));
        return 1;
    }
    printf("DONE %d\n", received);
    return 0;
}
