"""Sends commands to devices: controller.py ENDPOINT COUNT. Prints how many commands each device executed."""
import collections
import sys

import zmq

endpoint, count = sys.argv[1], int(sys.argv[2])
context = zmq.Context()
socket = context.socket(zmq.REQ)
socket.connect(endpoint)
done = collections.Counter()
for number in range(count):
    socket.send(f"command {number}".encode())
    device, rest = socket.recv().decode().split(" ", 1)
    assert rest == f"did command {number}", rest
    done[device] += 1
for device in sorted(done):
    print("did", device, done[device], flush=True)
print("commands", sum(done.values()), flush=True)
context.destroy(linger=0)
