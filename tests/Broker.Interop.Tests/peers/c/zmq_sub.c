#include <zmq.h>
#include "hex.h"

int main(int argc, char **argv)
{
    if (argc < 5)
        return 2;
    void *context = zmq_ctx_new();
    void *socket = zmq_socket(context, ZMQ_SUB);
    int linger = 0;
    zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof linger);
    size_t topic = from_hex(argv[3]);
    zmq_setsockopt(socket, ZMQ_SUBSCRIBE, argv[3], topic);
    if ((strcmp(argv[2], "bind") ? zmq_connect(socket, argv[1]) : zmq_bind(socket, argv[1])) != 0) {
        fprintf(stderr, "%s: %s\n", argv[1], zmq_strerror(zmq_errno()));
        return 1;
    }
    say("READY");

    int count = atoi(argv[4]), received = 0;
    while (count == 0 || received < count) {
        int more;
        fputs("MSG", stdout);
        do {
            zmq_msg_t frame;
            zmq_msg_init(&frame);
            if (zmq_msg_recv(&frame, socket, 0) < 0)
                return 1;
            print_hex(zmq_msg_data(&frame), zmq_msg_size(&frame));
            more = zmq_msg_more(&frame);
            zmq_msg_close(&frame);
        } while (more);
        say("");
        received++;
    }
    zmq_close(socket);
    zmq_ctx_term(context);
    printf("DONE %d\n", received);
    return 0;
}
