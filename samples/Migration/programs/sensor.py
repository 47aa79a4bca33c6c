"""A device that publishes events: sensor.py ENDPOINT NAME COUNT. It continues after each line on standard input."""
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

# A publisher does not know its subscribers. It publishes a test message until a line arrives on standard input.
while not go.wait(0.05):
    socket.send_multipart([topic, b"here"])
for number in range(count):
    socket.send_multipart([topic, str(number).encode()])
socket.send_multipart([topic, b"end"])
socket.close()
context.term()
