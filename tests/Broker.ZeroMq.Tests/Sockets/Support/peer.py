"""A plain libzmq socket that does what its standard input says: one command per line, one answer per line.

usage: peer.py TYPE bind|connect ENDPOINT [OPTION=VALUE ...]
Frames are hexadecimal, separated by commas; an empty frame is "-".
"""
import select
import sys
import threading

import zmq


def encode(frames):
    return ",".join(frame.hex() or "-" for frame in frames)


def decode(text):
    return [b"" if part == "-" else bytes.fromhex(part) for part in text.split(",")]


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main():
    kind, mode, endpoint = sys.argv[1:4]
    context = zmq.Context()
    socket = context.socket(getattr(zmq, kind))
    socket.linger = 2000
    for option in sys.argv[4:]:
        name, value = option.split("=")
        socket.setsockopt(getattr(zmq, name), int(value))
    getattr(socket, mode)(endpoint)
    say("ready " + socket.getsockopt(zmq.LAST_ENDPOINT).rstrip(b"\0").decode())

    reads = kind not in ("PUB", "PUSH")
    paused = False
    counted = None
    flooding = False
    while True:
        # Asking for the events lets libzmq take in what peers sent, such as subscriptions to a PUB.
        if not flooding:
            socket.getsockopt(zmq.EVENTS)
        wait = 20
        while reads and not paused:
            try:
                frames = socket.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                break
            except zmq.ZMQError as error:
                # A REQ that has asked nothing, or a REP that has not replied.
                if error.errno != zmq.EFSM:
                    raise
                break
            wait = 0
            if counted is None:
                say("message " + encode(frames))
            elif frames[0] == b"END":
                say("counted %d %d" % tuple(counted))
                counted = None
            else:
                counted[0] += 1
                counted[1] += frames != [frames[0], frames[0] * 100]
        if not select.select([sys.stdin], [], [], wait / 1000)[0]:
            continue
        words = sys.stdin.readline().split()
        if not words or words[0] == "quit":
            break
        command, rest = words[0], words[1:]
        if command == "subscribe":
            socket.setsockopt(zmq.SUBSCRIBE, decode(rest[0])[0])
        elif command == "unsubscribe":
            socket.setsockopt(zmq.UNSUBSCRIBE, decode(rest[0])[0])
        elif command == "send":
            socket.send_multipart(decode(rest[0]))
        elif command == "flood":
            # COUNT,SIZE: numbered messages in the background, as fast as the socket takes them.
            count, size = (int(word) for word in decode(rest[0]))

            def flood():
                for number in range(count):
                    socket.send_multipart([b"%d" % number, bytes(size)])

            # From now on the socket is that thread's.
            flooding = True
            threading.Thread(target=flood, daemon=True).start()
        elif command == "pause":
            paused = True
        elif command == "resume":
            paused = False
        elif command == "count":
            counted = [0, 0]
        say("done " + command)
    context.destroy()


main()
