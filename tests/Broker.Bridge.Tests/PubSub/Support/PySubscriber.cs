using Broker.Bridge.Tests.Pipelines.Support;

namespace Broker.Bridge.Tests.PubSub.Support;

/// <summary>A SUB of pyzmq.</summary>
internal sealed class PySubscriber(string endpoint) : PyPeer("SUB", Script, endpoint)
{
    private const string Script = """
        import sys, zmq
        socket = zmq.Context().socket(zmq.SUB)
        socket.setsockopt(zmq.RCVHWM, 0)
        socket.connect(sys.argv[1])
        for line in sys.stdin:
            words = line.rstrip('\n').split(' ')
            if words[0] == 'subscribe':
                socket.setsockopt(zmq.SUBSCRIBE, words[1].encode())
                print('ok')
            elif words[0] == 'hear':
                while not socket.recv_multipart()[-1].startswith(b'\1probe'):
                    pass
                print('ok')
            else:
                got = []
                while len(got) < int(words[1]):
                    frames = socket.recv_multipart()
                    if not frames[-1].startswith(b'\1probe'):
                        got.append(b' '.join(frames).decode())
                print('|'.join(got))
        """;

    internal Task SubscribeAsync(string prefix) => AskAsync($"subscribe {prefix}");

    /// <summary>Waits for a probe message and skips others.</summary>
    internal Task HearAsync() => AskAsync("hear");

    /// <summary>
    /// Returns the next messages, each as its frames with a space between them. Probe messages are left out.
    /// </summary>
    internal async Task<string[]> ReceiveAsync(int count) => (await AskAsync($"receive {Shapes.Number(count)}")).Split('|');
}
