"""A device that executes commands: device.py ENDPOINT NAME. Prints its endpoint."""
import sys

import zmq

endpoint, name = sys.argv[1], sys.argv[2].encode()
context = zmq.Context()
socket = context.socket(zmq.REP)
socket.bind(endpoint)
print("at", socket.getsockopt(zmq.LAST_ENDPOINT).decode().rstrip("\0"), flush=True)
while True:
    command = socket.recv()
    socket.send(name + b" did " + command)
