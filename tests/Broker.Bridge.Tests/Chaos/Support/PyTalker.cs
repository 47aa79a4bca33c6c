using System.Globalization;
using Broker.Bridge.Tests.Pipelines.Support;

namespace Broker.Bridge.Tests.Chaos.Support;

/// <summary>
/// A DEALER or PAIR of pyzmq that sends numbered messages without waiting for replies, until it is paused.
/// </summary>
internal sealed class PyTalker(string type, string endpoint, string name) : PyPeer($"{type} {name}", Script, type, endpoint, name)
{
    private const string Script = """
        import sys, time, zmq
        type, endpoint, name = sys.argv[1:4]
        socket = zmq.Context().socket(getattr(zmq, type))
        socket.linger = 0
        socket.connect(endpoint)
        poller = zmq.Poller()
        poller.register(socket, zmq.POLLIN)
        poller.register(0, zmq.POLLIN)
        sent, got, others, flows, said, due = 0, 0, 0, True, set(), time.monotonic()
        def say():
            global sent
            try:
                socket.send_multipart([b'', b'%s-%d' % (name.encode(), sent)], zmq.NOBLOCK)
                sent += 1
            except zmq.Again:
                pass
        while True:
            ready = dict(poller.poll(5))
            if flows and time.monotonic() >= due:
                due = time.monotonic() + 0.005
                for _ in range(10):
                    say()
            while socket.poll(0):
                envelope, answer = socket.recv_multipart()
                word, number = answer.rsplit(b'-', 1)
                if word == b'done ' + name.encode():
                    assert envelope == b'' and int(number) < sent
                    said.add(int(number))
                    got += 1
                else:
                    others += 1
            if 0 in ready:
                line = sys.stdin.readline().strip()
                if line == 'pause':
                    flows = False
                elif line == 'say':
                    say()
                print(sent, got, len(said), others, max(said, default=-1), flush=True)
        """;

    public Task<State> PauseAsync() => StateAsync("pause");

    /// <summary>Sends one message if its queue has space.</summary>
    public Task<State> SayAsync() => StateAsync("say");

    public Task<State> LookAsync() => StateAsync("look");

    private async Task<State> StateAsync(string line)
    {
        long[] counts = [.. (await AskAsync(line)).Split(' ').Select(count => long.Parse(count, CultureInfo.InvariantCulture))];
        return new State(counts[0], counts[1], counts[2], counts[3], counts[4]);
    }

    /// <summary>
    /// The number of sent messages, of replies, of different replies and of replies to other programs, and the number
    /// of the last message.
    /// </summary>
    internal sealed record State(long Said, long Got, long Distinct, long Others, long Last);
}
