"""Runs commands from standard input on libzmq sockets: one JSON object per line in, one per line out, in order.

A frame is a hexadecimal string, or [length, byte] for a frame of equal bytes. Long frames are reported as [length, byte]
if all their bytes are equal, and as {"size", "crc"} otherwise.
"""
import itertools
import json
import select
import sys
import threading
import zlib

import zmq
from zmq.utils.monitor import parse_monitor_message

SHORT = 1024

context = zmq.Context()
sockets = {}
monitors = {}
numbers = itertools.count()
zap = {"users": {}, "keys": [], "asked": 0}


def encode(frame):
    if len(frame) <= SHORT:
        return frame.hex()
    if frame == frame[:1] * len(frame):
        return [len(frame), frame[0]]
    return {"size": len(frame), "crc": zlib.crc32(frame)}


def decode(frame):
    return bytes.fromhex(frame) if isinstance(frame, str) else bytes([frame[1]]) * frame[0]


def answer_zap():
    socket = context.socket(zmq.REP)
    socket.linger = 0
    socket.bind("inproc://zeromq.zap.01")
    while True:
        try:
            version, sequence, domain, address, identity, mechanism, *credentials = socket.recv_multipart()
        except zmq.ZMQError:
            return
        zap["asked"] += 1
        if mechanism == b"PLAIN":
            good = zap["users"].get(credentials[0].decode()) == credentials[1].decode()
        else:
            good = credentials[0].hex() in zap["keys"]
        status = b"200" if good else b"400"
        # Without a user id: a libzmq REQ mistakes the user id for a reply of its peer and closes the connection.
        socket.send_multipart([version, sequence, status, b"", b"", b""])


def set_option(socket, name, value):
    if isinstance(value, str):
        value = value.encode()
    elif isinstance(value, list):
        value = bytes.fromhex(value[0])
    socket.setsockopt(getattr(zmq, name), value)


def wait(socket, timeout):
    return socket.poll(timeout, zmq.POLLIN) != 0


def op_socket(name, type, options=None):
    socket = context.socket(getattr(zmq, type))
    socket.linger = 0
    sockets[name] = socket
    for option, value in (options or {}).items():
        set_option(socket, option, value)
    return {}


def op_bind(name, endpoint):
    sockets[name].bind(endpoint)
    return {"endpoint": sockets[name].getsockopt(zmq.LAST_ENDPOINT).rstrip(b"\0").decode()}


def op_connect(name, endpoint):
    sockets[name].connect(endpoint)
    return {}


def op_disconnect(name, endpoint):
    sockets[name].disconnect(endpoint)
    return {}


def op_option(name, option, value):
    set_option(sockets[name], option, value)
    return {}


def op_send(name, frames, timeout=120000):
    sockets[name].sndtimeo = timeout
    try:
        sockets[name].send_multipart([decode(frame) for frame in frames])
    except zmq.ZMQError as error:
        return {"refused": error.errno}
    return {}


def op_receive(name, timeout=120000):
    if not wait(sockets[name], timeout):
        return {"frames": None}
    return {"frames": [encode(frame) for frame in sockets[name].recv_multipart()]}


def op_property(name, property, timeout=120000):
    """The properties of the peer that sent the next message."""
    if not wait(sockets[name], timeout):
        return {"value": None}
    return {"value": sockets[name].recv(copy=False).get(property)}


def op_close(name):
    socket = sockets.pop(name)
    if name in monitors:
        # Before its reader is closed: libzmq's I/O thread would wait forever for a monitor without a reader.
        socket.disable_monitor()
        monitors.pop(name).close(0)
    socket.close(0)
    return {}


def op_zap(users=None, keys=None):
    zap["users"] = users or {}
    zap["keys"] = keys or []
    if "thread" not in zap:
        zap["thread"] = threading.Thread(target=answer_zap, daemon=True)
        zap["thread"].start()
    return {"asked": zap["asked"]}


def op_monitor(name):
    # Without a high-water mark: libzmq's I/O thread also waits for a full monitor.
    monitor = context.socket(zmq.PAIR)
    monitor.linger = 0
    monitor.rcvhwm = 0
    # A new address each time: the address of a closed monitor becomes free only later, on the I/O thread.
    address = f"inproc://monitor-{next(numbers)}"
    sockets[name].monitor(address, zmq.EVENT_ALL)
    monitor.connect(address)
    monitors[name] = monitor
    return {}


def op_event(name, event, timeout=120000):
    wanted = getattr(zmq, event)
    while wait(monitors[name], timeout):
        seen = parse_monitor_message(monitors[name].recv_multipart())
        if seen["event"] == wanted:
            return {"value": int(seen["value"])}
    return {"value": None}


def next_line():
    # Without regular calls a libzmq socket accepts no new peer and sends it no subscriptions.
    while not select.select([0], [], [], 0.01)[0]:
        for each in sockets.values():
            each.getsockopt(zmq.EVENTS)
    return sys.stdin.readline()


while line := next_line():
    command = json.loads(line)
    try:
        result = globals()["op_" + command.pop("op")](**command)
    except Exception as error:
        result = {"error": f"{type(error).__name__}: {error}"}
    sys.stdout.write(json.dumps(result) + "\n")
    sys.stdout.flush()

for socket in list(sockets.values()):
    socket.close(0)
