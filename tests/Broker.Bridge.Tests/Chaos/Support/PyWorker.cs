using Broker.Bridge.Tests.Pipelines.Support;

namespace Broker.Bridge.Tests.Chaos.Support;

/// <summary>A REP of pyzmq that writes each request to a file before it replies.</summary>
internal sealed class PyWorker(string endpoint, string file) : PyPeer("REP", Script, endpoint, file)
{
    private const string Script = """
        import sys, zmq
        socket = zmq.Context().socket(zmq.REP)
        socket.connect(sys.argv[1])
        with open(sys.argv[2], 'ab', buffering=0) as done:
            while True:
                body = socket.recv()
                done.write(body + b'\n')
                socket.send(b'done ' + body)
        """;
}
