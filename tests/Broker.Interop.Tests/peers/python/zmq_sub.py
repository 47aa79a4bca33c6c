import sys
import zmq

address, how, topic, count = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
socket = zmq.Context().socket(zmq.SUB)
socket.linger = 0
socket.subscribe(b"" if topic == "-" else bytes.fromhex(topic))
getattr(socket, how)(address)
print("READY", flush=True)

received = 0
while count == 0 or received < count:
    frames = socket.recv_multipart()
    print("MSG", *[frame.hex() or "-" for frame in frames], flush=True)
    received += 1
print("DONE", received, flush=True)
