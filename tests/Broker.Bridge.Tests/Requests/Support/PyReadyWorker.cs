using Broker.Bridge.Tests.Pipelines.Support;

namespace Broker.Bridge.Tests.Requests.Support;

/// <summary>
/// A worker of pyzmq with a REQ socket, as in the load balancing pattern of the ZeroMQ guide: it asks for its first
/// request with a message of its own, and for the next one with each answer. It answers with its name and the request.
/// </summary>
internal sealed class PyReadyWorker(string endpoint, string name) : PyPeer($"worker {name}", Script, endpoint, name)
{
    private const string Script = """
        import sys, threading, zmq
        endpoint, name = sys.argv[1], sys.argv[2].encode()
        socket = zmq.Context().socket(zmq.REQ)
        socket.identity = name
        socket.connect(endpoint)
        served = 0
        def run():
            global served
            socket.send(b'READY')
            while True:
                client, empty, request = socket.recv_multipart()
                served += 1
                socket.send_multipart([client, b'', name + b' ' + request])
        threading.Thread(target=run, daemon=True).start()
        for line in sys.stdin:
            print(served, flush=True)
        """;

    public Task<long> ServedAsync() => AskNumberAsync("served");
}
