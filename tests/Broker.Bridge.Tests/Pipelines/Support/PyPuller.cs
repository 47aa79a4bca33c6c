using System.Globalization;

namespace Broker.Bridge.Tests.Pipelines.Support;

/// <summary>A PULL of pyzmq that counts the messages that it takes.</summary>
internal sealed class PyPuller : PyPeer
{
    private const string Script = """
        import sys, threading, zmq
        how, endpoint, hwm, taking = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4] == 'on'
        socket = zmq.Context().socket(zmq.PULL)
        socket.setsockopt(zmq.RCVHWM, hwm)
        bound = ''
        if how == 'bind':
            socket.bind(endpoint)
            bound = socket.getsockopt(zmq.LAST_ENDPOINT).decode().strip('\0')
        else:
            socket.connect(endpoint)
        state = threading.Condition()
        count, disorder, most, seen, last = 0, 0, -1, {}, {}
        period, again, arrived = 0, 0, {}
        def run():
            global count, disorder, again
            while True:
                with state:
                    while not taking or count == most:
                        state.wait()
                if not socket.poll(50):
                    continue
                with state:
                    if not taking or count == most:
                        continue
                    frames = socket.recv_multipart()
                    name, number = frames[0].split(b' ')[0].rsplit(b'-', 1)
                    number = int(number)
                    seen.setdefault(name, {}).setdefault(number, 0)
                    seen[name][number] += 1
                    again += arrived.get((name, number)) == period
                    arrived[name, number] = period
                    if number <= last.get(name, -1):
                        disorder += 1
                    last[name] = number
                    if any(frames[1:]):
                        disorder += 1000000
                    count += 1
        threading.Thread(target=run, daemon=True).start()
        for line in sys.stdin:
            words = line.split()
            with state:
                if words[0] == 'take':
                    taking = words[1] == 'on'
                    most = count + int(words[2]) if len(words) > 2 else -1
                    state.notify()
                    print('ok')
                elif words[0] == 'count':
                    print(count)
                elif words[0] == 'distinct':
                    print(sum(len(n) for n in seen.values()))
                elif words[0] == 'period':
                    period += 1
                    print('ok')
                elif words[0] == 'again':
                    print(again)
                elif words[0] == 'disorder':
                    print(disorder)
                elif words[0] == 'numbers':
                    print(' '.join('%d:%d' % (n, c) for n, c in sorted(seen.get(words[1].encode(), {}).items())))
                elif words[0] == 'endpoint':
                    print(bound)
        """;

    /// <param name="endpoint">The endpoint to connect to; null to bind a free port.</param>
    /// <param name="mark">The value of ZMQ_RCVHWM.</param>
    /// <param name="takes">Whether it takes messages from the beginning.</param>
    internal PyPuller(string? endpoint, int mark = 100, bool takes = true)
        : base(
            "PULL",
            Script,
            endpoint is null ? "bind" : "connect",
            endpoint ?? "tcp://127.0.0.1:*",
            mark.ToString(CultureInfo.InvariantCulture),
            takes ? "on" : "off")
    {
    }

    /// <summary>Lets it take this many messages, all, or none.</summary>
    internal Task TakeAsync(bool takes = true, int? most = null) => AskAsync(takes ? $"take on {most?.ToString(CultureInfo.InvariantCulture)}" : "take off");

    internal Task<long> CountAsync() => AskNumberAsync("count");

    /// <summary>How many different messages it received.</summary>
    internal Task<long> DistinctAsync() => AskNumberAsync("distinct");

    /// <summary>Begins a new period.</summary>
    internal Task BeginPeriodAsync() => AskAsync("period");

    /// <summary>How many messages arrived again in the period in which they had arrived last.</summary>
    internal Task<long> AgainAsync() => AskNumberAsync("again");

    /// <summary>How many messages arrived after a later one of the same pusher.</summary>
    internal Task<long> DisorderAsync() => AskNumberAsync("disorder");

    /// <summary>The numbers of a pusher's messages that arrived, and how often each arrived.</summary>
    internal async Task<Dictionary<long, int>> NumbersAsync(string pusher)
    {
        string line = await AskAsync($"numbers {pusher}");
        return line.Split(' ', StringSplitOptions.RemoveEmptyEntries).Select(pair => pair.Split(':')).ToDictionary(
            pair => long.Parse(pair[0], CultureInfo.InvariantCulture), pair => int.Parse(pair[1], CultureInfo.InvariantCulture));
    }

    internal Task<string> EndpointAsync() => AskAsync("endpoint");
}
