using Broker.Bridge.Tests.Pipelines.Support;

namespace Broker.Bridge.Tests.Chaos.Support;

/// <summary>A PUB of pyzmq that publishes numbered messages below a topic until it is killed.</summary>
internal sealed class PyPublisher(string endpoint, string topic, string name) : PyPeer($"PUB {name}", Script, endpoint, topic, name)
{
    private const string Script = """
        import sys, time, zmq
        endpoint, topic, name = sys.argv[1], sys.argv[2].encode(), sys.argv[3].encode()
        socket = zmq.Context().socket(zmq.PUB)
        socket.connect(endpoint)
        number = 0
        while True:
            for _ in range(20):
                socket.send_multipart([topic, b'%s-%d' % (name, number)])
                number += 1
            time.sleep(0.005)
        """;
}
