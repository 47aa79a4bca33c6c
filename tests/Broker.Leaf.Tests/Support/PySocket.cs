using System.Diagnostics;
using System.Globalization;

namespace Broker.Leaf.Tests.Support;

/// <summary>
/// An unmodified pyzmq program with one socket, which the test controls through lines of text.
/// </summary>
internal sealed class PySocket : IAsyncDisposable
{
    private const string Python = "/usr/bin/python3";

    private const string Script = """
        import sys, zmq
        socket = zmq.Context().socket(getattr(zmq, sys.argv[1]))
        socket.setsockopt(zmq.SNDHWM, 0)
        socket.setsockopt(zmq.RCVHWM, 0)
        socket.setsockopt(zmq.LINGER, 0)
        socket.connect(sys.argv[2])
        for line in sys.stdin:
            words = line.split()
            if words[0] == 'subscribe':
                socket.setsockopt(zmq.SUBSCRIBE, words[1].encode())
                print('ok')
            elif words[0] == 'publish':
                for number in range(int(words[2]), int(words[3])):
                    socket.send_multipart([words[1].encode(), b'%d' % number])
                print('ok')
            elif words[0] == 'push':
                for number in range(int(words[1]), int(words[2])):
                    socket.send(b'%d' % number)
                print('ok')
            elif words[0] == 'ask':
                answers = []
                for number in range(int(words[1]), int(words[2])):
                    socket.send(b'%d' % number)
                    answers.append(socket.recv().decode())
                print(' '.join(answers))
            elif words[0] == 'receive':
                got = []
                while len(got) < int(words[1]):
                    number = int(socket.recv_multipart()[-1])
                    if number >= int(words[2]):
                        got.append(str(number))
                print(' '.join(got))
            elif words[0] == 'poll':
                print(int(socket.poll(int(words[1])) != 0))
        """;

    private static readonly Lazy<bool> HasPyzmq = new(Look);

    private readonly PeerProcess _process;

    /// <param name="kind">The type of the socket, as in pyzmq: PUB, SUB, REQ, PUSH or PULL.</param>
    /// <param name="endpoint">The endpoint to connect to.</param>
    internal PySocket(string kind, string endpoint)
    {
        Require();
        _process = PeerProcess.Start(kind, Python, "-u", "-c", Script, kind, endpoint);
    }

    /// <summary>Skips the test if pyzmq is not installed.</summary>
    internal static void Require() => Missing.Unless(HasPyzmq.Value, "python3-zmq");

    public ValueTask DisposeAsync() => _process.DisposeAsync();

    internal Task SubscribeAsync(string prefix) => AskAsync($"subscribe {prefix}");

    /// <summary>Publishes the numbers of a range below a topic.</summary>
    internal Task PublishAsync(string topic, int first, int end) => AskAsync($"publish {topic} {Text(first)} {Text(end)}");

    /// <summary>Sends the numbers of a range.</summary>
    internal Task PushAsync(int first, int end) => AskAsync($"push {Text(first)} {Text(end)}");

    /// <summary>Sends the numbers of a range as requests, one after the other, and returns the replies.</summary>
    internal async Task<string[]> RequestAsync(int first, int end) => (await AskAsync($"ask {Text(first)} {Text(end)}")).Split(' ');

    /// <summary>Receives a count of numbers and leaves out numbers below a limit.</summary>
    internal async Task<int[]> ReceiveAsync(int count, int least)
        => [.. (await AskAsync($"receive {Text(count)} {Text(least)}")).Split(' ').Select(number => int.Parse(number, CultureInfo.InvariantCulture))];

    /// <summary>Whether a message arrives within a number of milliseconds.</summary>
    internal async Task<bool> PollAsync(int milliseconds) => await AskAsync($"poll {Text(milliseconds)}") == "1";

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);

    private static bool Look()
    {
        if (!File.Exists(Python))
        {
            return false;
        }

        using Process check = Process.Start(new ProcessStartInfo(Python, ["-c", "import zmq"]) { RedirectStandardError = true })!;
        check.WaitForExit();
        return check.ExitCode == 0;
    }

    private async Task<string> AskAsync(string line)
    {
        await _process.WriteLineAsync(line);
        return await _process.ReadLineAsync();
    }
}
