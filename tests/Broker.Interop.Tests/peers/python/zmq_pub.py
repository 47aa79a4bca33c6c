import sys
import zmq

address, how = sys.argv[1:3]
socket = zmq.Context().socket(zmq.PUB)
socket.linger = 2000
getattr(socket, how)(address)
print("READY", flush=True)

sent = 0
for line in sys.stdin:
    socket.send_multipart([b"" if word == "-" else bytes.fromhex(word) for word in line.split()])
    sent += 1
socket.close()
print("DONE", sent, flush=True)
