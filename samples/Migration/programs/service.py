"""A service that sends log lines: service.py ENDPOINT NAME COUNT. It ends when all its lines have been sent."""
import sys

import zmq

endpoint, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
context = zmq.Context()
socket = context.socket(zmq.PUSH)
socket.connect(endpoint)
for number in range(count):
    socket.send(f"{name} {number}".encode())
print("logged", count, flush=True)
socket.close()
context.term()
