"""A device that tells of events: sensor.py ENDPOINT NAME COUNT. Each line on standard input lets it go on."""
import sys
import threading

import zmq

endpoint, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
context = zmq.Context()
socket = context.socket(zmq.PUB)
socket.setsockopt(zmq.SNDHWM, 0)
socket.connect(endpoint)
topic = f"event.{name}".encode()
go = threading.Event()
threading.Thread(target=lambda: (sys.stdin.readline(), go.set()), daemon=True).start()

# A publisher is not told whether somebody listens: it says that it is there until its user has seen it.
while not go.wait(0.05):
    socket.send_multipart([topic, b"here"])
for number in range(count):
    socket.send_multipart([topic, str(number).encode()])
socket.send_multipart([topic, b"end"])
socket.close()
context.term()
