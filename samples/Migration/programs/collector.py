"""Collects the lines of all services: collector.py ENDPOINT TOTAL.

Prints its endpoint, the number of received lines, and the number of different lines.
"""
import sys

import zmq

endpoint, total = sys.argv[1], int(sys.argv[2])
context = zmq.Context()
socket = context.socket(zmq.PULL)
socket.bind(endpoint)
print("at", socket.getsockopt(zmq.LAST_ENDPOINT).decode().rstrip("\0"), flush=True)
lines, distinct = 0, set()
while lines < total:
    distinct.add(socket.recv())
    lines += 1
print("lines", lines, len(distinct), flush=True)
context.destroy(linger=0)
