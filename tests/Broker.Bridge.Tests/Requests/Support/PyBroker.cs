using Broker.Bridge.Tests.Pipelines.Support;

namespace Broker.Bridge.Tests.Requests.Support;

/// <summary>
/// A ROUTER program of pyzmq that stands between clients and its workers, in the shapes of the ZeroMQ guide: load
/// balancing (REQ workers), Paranoid Pirate and Majordomo (DEALER workers with heartbeats). Workers answer with
/// <c>done</c> and the request.
/// </summary>
internal sealed class PyBroker(string kind, int workers) : PyPeer($"{kind} broker", Script, kind, $"{workers}")
{
    private const string Script = """
        import sys, threading, zmq
        kind, count = sys.argv[1], int(sys.argv[2])
        context = zmq.Context()
        def bind():
            socket = context.socket(zmq.ROUTER)
            port = socket.bind_to_random_port('tcp://127.0.0.1')
            return socket, 'tcp://127.0.0.1:%d' % port
        front, outer = bind()
        back, inner = (front, outer) if kind == 'majordomo' else bind()
        def connect(type):
            socket = context.socket(type)
            socket.connect(inner)
            return socket
        def balance_worker():
            socket = connect(zmq.REQ)
            socket.send(b'READY')
            while True:
                client, empty, request = socket.recv_multipart()
                socket.send_multipart([client, b'', b'done ' + request])
        def pirate_worker():
            socket = connect(zmq.DEALER)
            socket.send(b'\x01')
            while True:
                if not socket.poll(100):
                    socket.send(b'\x02')
                    continue
                frames = socket.recv_multipart()
                if frames != [b'\x02']:
                    client, empty, request = frames
                    socket.send_multipart([client, b'', b'done ' + request])
        def majordomo_worker():
            socket = connect(zmq.DEALER)
            socket.send_multipart([b'', b'MDPW01', b'\x01', b'echo'])
            while True:
                if not socket.poll(100):
                    socket.send_multipart([b'', b'MDPW01', b'\x04'])
                    continue
                empty, header, command, *rest = socket.recv_multipart()
                if command == b'\x02':
                    client, empty, request = rest
                    socket.send_multipart([b'', b'MDPW01', b'\x03', client, b'', b'done ' + request])
        def queue():
            free = []
            poller = zmq.Poller()
            poller.register(back)
            while True:
                poller.register(front, zmq.POLLIN if free else 0)
                ready = dict(poller.poll())
                if ready.get(back, 0) & zmq.POLLIN:
                    worker, *rest = back.recv_multipart()
                    if kind == 'balance':
                        rest = rest[1:]
                    if worker not in free:
                        free.append(worker)
                    if len(rest) > 1:
                        front.send_multipart(rest)
                    elif kind == 'pirate':
                        back.send_multipart([worker, b'\x02'])
                if free and ready.get(front, 0) & zmq.POLLIN:
                    delimiter = [b''] if kind == 'balance' else []
                    client, empty, request = front.recv_multipart()
                    back.send_multipart([free.pop(0)] + delimiter + [client, b'', request])
        def majordomo():
            free, waiting = [], []
            while True:
                sender, empty, header, *rest = front.recv_multipart()
                if header == b'MDPC01':
                    waiting.append((sender, rest[0], rest[1]))
                elif rest[0] == b'\x01':
                    free.append(sender)
                elif rest[0] == b'\x03':
                    front.send_multipart([rest[1], b'', b'MDPC01', b'echo', rest[3]])
                    free.append(sender)
                else:
                    front.send_multipart([sender, b'', b'MDPW01', b'\x04'])
                while free and waiting:
                    client, service, request = waiting.pop(0)
                    front.send_multipart([free.pop(0), b'', b'MDPW01', b'\x02', client, b'', request])
        for _ in range(count):
            threading.Thread(target=globals()[kind + '_worker'], daemon=True).start()
        threading.Thread(target=majordomo if kind == 'majordomo' else queue, daemon=True).start()
        for line in sys.stdin:
            print(outer, flush=True)
        """;

    /// <summary>The endpoint for clients.</summary>
    public Task<string> EndpointAsync() => AskAsync("endpoint");
}
