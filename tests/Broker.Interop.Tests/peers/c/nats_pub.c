#include <nats/nats.h>
#include "connect.h"
#include "hex.h"

int main(int argc, char **argv)
{
    natsConnection *connection = NULL;
    natsStatus status = argc < 2 ? NATS_INVALID_ARG : connect_patiently(&connection, argv[1]);
    if (status == NATS_OK)
        say("READY");

    char *line = NULL;
    size_t capacity = 0;
    int sent = 0;
    while (status == NATS_OK && getline(&line, &capacity, stdin) > 0) {
        char *rest = NULL, *subject = strtok_r(line, " \n", &rest), *payload = strtok_r(NULL, " \n", &rest), *header;
        from_hex(subject);
        size_t n = from_hex(payload);
        natsMsg *message = NULL;
        status = natsMsg_Create(&message, subject, NULL, payload, (int)n);
        while (status == NATS_OK && (header = strtok_r(NULL, " \n", &rest))) {
            from_hex(header);
            char *value = strstr(header, ": ");
            *value = 0;
            status = natsMsgHeader_Add(message, header, value + 2);
        }
        if (status == NATS_OK)
            status = natsConnection_PublishMsg(connection, message);
        if (status == NATS_OK)
            status = natsConnection_Flush(connection);
        natsMsg_Destroy(message);
        sent++;
    }
    free(line);
    natsConnection_Destroy(connection);
    if (status != NATS_OK) {
        fprintf(stderr, "%s\n", natsStatus_GetText(status));
        return 1;
    }
    printf("DONE %d\n", sent);
    return 0;
}
