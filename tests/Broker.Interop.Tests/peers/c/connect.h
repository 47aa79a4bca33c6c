#ifndef CONNECT_H
#define CONNECT_H

#include <nats/nats.h>

/*
 * Connects as a program does that a busy machine lets wait for seconds. A server asks for a sign of life after two of them,
 * which this library takes for a wrong answer when it still waits for the first PONG: then it is tried again.
 */
static natsStatus connect_patiently(natsConnection **connection, const char *url)
{
    natsOptions *options = NULL;
    natsStatus status = natsOptions_Create(&options);
    if (status == NATS_OK)
        status = natsOptions_SetURL(options, url);
    if (status == NATS_OK)
        status = natsOptions_SetTimeout(options, 60000);
    if (status == NATS_OK) {
        for (int tries = 0; tries < 5; tries++) {
            status = natsConnection_Connect(connection, options);
            if (status != NATS_PROTOCOL_ERROR)
                break;
        }
    }
    natsOptions_Destroy(options);
    return status;
}

#endif
