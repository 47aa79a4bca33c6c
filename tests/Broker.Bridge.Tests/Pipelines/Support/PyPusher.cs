using System.Globalization;

namespace Broker.Bridge.Tests.Pipelines.Support;

/// <summary>A PUSH of pyzmq that sends numbered messages and blocks if it must.</summary>
internal sealed class PyPusher : PyPeer
{
    private const string Script = """
        import sys, threading, zmq
        how, endpoint, name, hwm, size, frames = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]), int(sys.argv[6])
        socket = zmq.Context().socket(zmq.PUSH)
        socket.setsockopt(zmq.SNDHWM, hwm)
        socket.setsockopt(zmq.LINGER, -1)
        bound = ''
        if how == 'bind':
            socket.bind(endpoint)
            bound = socket.getsockopt(zmq.LAST_ENDPOINT).decode().strip('\0')
        else:
            socket.connect(endpoint)
        sent, wanted, ready = 0, 0, threading.Semaphore(0)
        pad = b' ' + b'.' * size if size else b''
        def run():
            global sent
            while True:
                ready.acquire()
                while sent < wanted:
                    body = b'%s-%d%s' % (name.encode(), sent, pad)
                    socket.send_multipart([body] + [b''] * (frames - 1))
                    sent += 1
        threading.Thread(target=run, daemon=True).start()
        for line in sys.stdin:
            words = line.split()
            if words[0] == 'send':
                wanted += int(words[1])
                ready.release()
                print('ok')
            elif words[0] == 'sent':
                print(sent)
            elif words[0] == 'endpoint':
                print(bound)
        """;

    /// <param name="endpoint">The endpoint to connect to; null to bind a free port.</param>
    /// <param name="name">The first part of its messages.</param>
    /// <param name="mark">The value of ZMQ_SNDHWM.</param>
    /// <param name="size">The number of bytes in each message after its number.</param>
    /// <param name="frames">The number of frames. The frames after the first are empty.</param>
    internal PyPusher(string? endpoint, string name, int mark = 100, int size = 0, int frames = 1)
        : base(
            $"PUSH {name}", Script, endpoint is null ? "bind" : "connect", endpoint ?? "tcp://127.0.0.1:*", name, Text(mark), Text(size), Text(frames))
    {
        Name = name;
    }

    internal string Name { get; }

    /// <summary>Lets it send this many more messages as fast as it can.</summary>
    internal Task SendAsync(int messages) => AskAsync($"send {Text(messages)}");

    /// <summary>How many messages its socket has taken.</summary>
    internal Task<long> SentAsync() => AskNumberAsync("sent");

    internal Task<string> EndpointAsync() => AskAsync("endpoint");

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
