using System.Globalization;
using Broker.Bridge.Tests.Pipelines.Support;

namespace Broker.Bridge.Tests.Chaos.Support;

/// <summary>A DEALER or PAIR of pyzmq that replies to each message with the message and its envelope.</summary>
internal sealed class PyAnswerer(string type, string endpoint) : PyPeer($"answering {type}", Script, type, endpoint)
{
    private const string Script = """
        import sys, threading, zmq
        type, endpoint = sys.argv[1:3]
        socket = zmq.Context().socket(getattr(zmq, type))
        socket.linger = 0
        socket.connect(endpoint)
        got, answered, seen = 0, 0, set()
        def run():
            global got, answered
            while True:
                frames = socket.recv_multipart()
                got += 1
                seen.add(frames[-1])
                socket.send_multipart(frames[:-1] + [b'done ' + frames[-1]])
                answered += 1
        threading.Thread(target=run, daemon=True).start()
        for line in sys.stdin:
            print(got, answered, len(seen), flush=True)
        """;

    public async Task<State> LookAsync()
    {
        long[] counts = [.. (await AskAsync("look")).Split(' ').Select(count => long.Parse(count, CultureInfo.InvariantCulture))];
        return new State(counts[0], counts[1], counts[2]);
    }

    /// <summary>The number of received messages, of replies, and of different messages.</summary>
    internal sealed record State(long Got, long Answered, long Distinct);
}
