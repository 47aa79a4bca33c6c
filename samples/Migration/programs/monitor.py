"""Receives the events of devices: monitor.py ENDPOINT DEVICES.

Prints its endpoint, each device that it receives from, and the number of events.
"""
import sys

import zmq

endpoint, devices = sys.argv[1], int(sys.argv[2])
context = zmq.Context()
socket = context.socket(zmq.SUB)
socket.setsockopt(zmq.RCVHWM, 0)
socket.setsockopt(zmq.SUBSCRIBE, b"event.")
socket.bind(endpoint)
print("at", socket.getsockopt(zmq.LAST_ENDPOINT).decode().rstrip("\0"), flush=True)
heard, ended, events = set(), set(), 0
while len(ended) < devices:
    topic, body = socket.recv_multipart()
    if topic not in heard:
        heard.add(topic)
        print("receives", topic.decode(), flush=True)
    if body == b"end":
        ended.add(topic)
    elif body != b"here":
        events += 1
print("events", events, flush=True)
context.destroy(linger=0)
