using System.Globalization;
using Broker.Bridge.Tests.Pipelines.Support;

namespace Broker.Bridge.Tests.Chaos.Support;

/// <summary>A REQ of pyzmq that sends one request after another until it is stopped.</summary>
internal sealed class PyClient(string endpoint, string name) : PyPeer("REQ", Script, endpoint, name)
{
    private const string Script = """
        import sys, threading, zmq
        endpoint, name = sys.argv[1], sys.argv[2]
        going = threading.Event()
        going.set()
        threading.Thread(target=lambda: (sys.stdin.readline(), going.clear()), daemon=True).start()
        socket = zmq.Context().socket(zmq.REQ)
        socket.connect(endpoint)
        asked, counts = 0, {'done': 0, 'lost': 0, 'late': 0, 'wrong': 0}
        while going.is_set():
            body = b'%s-%d' % (name.encode(), asked)
            socket.send(body)
            asked += 1
            answer = socket.recv()
            counts['done' if answer == b'done ' + body else 'lost' if answer == b'' else 'late' if answer == b'late' else 'wrong'] += 1
        print(asked, *counts.values(), flush=True)
        """;

    /// <summary>Lets it complete its current request, and returns the results of its requests.</summary>
    public async Task<Outcome> StopAsync()
    {
        int[] counts = [.. (await AskAsync("stop")).Split(' ').Select(count => int.Parse(count, CultureInfo.InvariantCulture))];
        return new Outcome(counts[0], counts[1], counts[2], counts[3], counts[4]);
    }

    /// <summary>
    /// The number of requests that were answered, lost with their worker, timed out, and answered wrongly.
    /// </summary>
    internal sealed record Outcome(int Asked, int Done, int Lost, int Late, int Wrong);
}
