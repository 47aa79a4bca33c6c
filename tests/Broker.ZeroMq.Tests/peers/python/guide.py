"""The basic programs of the ZeroMQ guide, as plain pyzmq programs that contain nothing about this library.

usage: guide.py PROGRAM ENDPOINT [ENDPOINT] [COUNT]; what is bound is printed first.
"""
import random
import sys
import time

import zmq

program, *rest = sys.argv[1:]
endpoints = [word for word in rest if not word.isdigit()]
count = next((int(word) for word in rest if word.isdigit()), 10)
context = zmq.Context()


def say(text):
    print(text, flush=True)


def bound(kind, endpoint):
    socket = context.socket(kind)
    socket.bind(endpoint)
    say(socket.getsockopt_string(zmq.LAST_ENDPOINT))
    return socket


def connected(kind, endpoint):
    socket = context.socket(kind)
    socket.connect(endpoint)
    return socket


def serve(socket):
    for _ in range(count):
        say("received " + socket.recv_string())
        socket.send_string("World")


if program == "hello-server":
    serve(bound(zmq.REP, endpoints[0]))
elif program == "hello-worker":
    serve(connected(zmq.REP, endpoints[0]))
elif program == "hello-client":
    client = connected(zmq.REQ, endpoints[0])
    for number in range(count):
        client.send_string("Hello")
        say("reply %d: %s" % (number, client.recv_string()))
elif program == "weather-server":
    publisher = bound(zmq.PUB, endpoints[0])
    while True:
        for place in range(10000, 10100):
            publisher.send_string("%d %d %d" % (place, random.randrange(-80, 135), random.randrange(10, 60)))
        time.sleep(0.001)
elif program == "weather-client":
    subscriber = connected(zmq.SUB, endpoints[0])
    subscriber.setsockopt_string(zmq.SUBSCRIBE, "10001 ")
    total = sum(int(subscriber.recv_string().split()[1]) for _ in range(count))
    say("average temperature for 10001: %d F" % (total // count))
elif program == "ventilator":
    workers = bound(zmq.PUSH, endpoints[0])
    sink = connected(zmq.PUSH, endpoints[1])
    sys.stdin.readline()
    sink.send(b"0")
    for _ in range(count):
        workers.send_string("%d" % random.randint(1, 10))
    say("sent")
elif program == "worker":
    ventilator = connected(zmq.PULL, endpoints[0])
    sink = connected(zmq.PUSH, endpoints[1])
    while True:
        time.sleep(int(ventilator.recv()) / 1000)
        sink.send(b"")
elif program == "sink":
    results = bound(zmq.PULL, endpoints[0])
    results.recv()
    for _ in range(count):
        results.recv()
    say("%d tasks are done" % count)
elif program == "broker":
    zmq.proxy(bound(zmq.ROUTER, endpoints[0]), bound(zmq.DEALER, endpoints[1]))
context.destroy(linger=10000)
