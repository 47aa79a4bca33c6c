#include <zmq.h>
#include "hex.h"

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    void *context = zmq_ctx_new();
    void *socket = zmq_socket(context, ZMQ_PUB);
    int linger = 2000;
    zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof linger);
    if ((strcmp(argv[2], "bind") ? zmq_connect(socket, argv[1]) : zmq_bind(socket, argv[1])) != 0) {
        fprintf(stderr, "%s: %s\n", argv[1], zmq_strerror(zmq_errno()));
        return 1;
    }
    say("READY");

    char *line = NULL;
    size_t capacity = 0;
    int sent = 0;
    while (getline(&line, &capacity, stdin) > 0) {
        char *rest = NULL, *word = strtok_r(line, " \n", &rest);
        while (word) {
            char *next = strtok_r(NULL, " \n", &rest);
            size_t n = from_hex(word);
            if (zmq_send(socket, word, n, next ? ZMQ_SNDMORE : 0) < 0)
                return 1;
            word = next;
        }
        sent++;
    }
    free(line);
    zmq_close(socket);
    zmq_ctx_term(context);
    printf("DONE %d\n", sent);
    return 0;
}
