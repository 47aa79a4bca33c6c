#include <nats/nats.h>
#include "connect.h"
#include "hex.h"

int main(int argc, char **argv)
{
    natsConnection *connection = NULL;
    natsStatus status = argc < 2 ? NATS_INVALID_ARG : connect_patiently(&connection, argv[1]);
    if (status != NATS_OK) {
        fprintf(stderr, "%s\n", natsStatus_GetText(status));
        return 1;
    }
    say("READY");

    char *line = NULL;
    size_t capacity = 0;
    int asked = 0;
    while (getline(&line, &capacity, stdin) > 0) {
        char *rest = NULL, *subject = strtok_r(line, " \n", &rest), *payload = strtok_r(NULL, " \n", &rest);
        from_hex(subject);
        size_t n = from_hex(payload);
        natsMsg *reply = NULL;
        status = natsConnection_Request(&reply, connection, subject, payload, (int)n, 60000);
        if (status == NATS_OK) {
            fputs("MSG", stdout);
            print_hex(natsMsg_GetSubject(reply), strlen(natsMsg_GetSubject(reply)));
            print_hex(natsMsg_GetData(reply), (size_t)natsMsg_GetDataLength(reply));
            say("");
            natsMsg_Destroy(reply);
        } else {
            printf("ERR %s\n", natsStatus_GetText(status));
            fflush(stdout);
        }
        asked++;
    }
    free(line);
    natsConnection_Destroy(connection);
    printf("DONE %d\n", asked);
    return 0;
}
