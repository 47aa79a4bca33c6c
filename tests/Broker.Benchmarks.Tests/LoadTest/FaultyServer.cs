using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Servers;

namespace Broker.Benchmarks.Tests.LoadTest;

/// <summary>The fault of a <see cref="FaultyServer"/>. It affects one message.</summary>
public enum Fault
{
    None,
    Loses,
    Doubles,
    Swaps,
    Truncates,
    ChangesPayload,
    ChangesSubject,
    ChangesReply,
    CountsTooFew,
    CountsTooMany,
}

/// <summary>
/// The part of a server that the load test needs. It is slow and simple, and has one selectable fault.
/// </summary>
internal sealed class FaultyServer : IDisposable
{
    private const int Victim = 57;

    private readonly Fault _fault;
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly TcpListener _monitoring = new(IPAddress.Loopback, 0);
    private readonly Lock _lock = new();
    private readonly List<Socket> _sockets = [];
    private readonly List<Subscription> _subscriptions = [];
    private Action? _held;
    private long _published;
    private long _received;
    private int _delivered;
    private int _turn;

    private FaultyServer(Fault fault)
    {
        _fault = fault;
        Listen(_listener, Serve);
        Listen(_monitoring, Tell);
        var address = new ServerAddress((IPEndPoint)_listener.LocalEndpoint, null);
        Target = new Target(address, Process.GetCurrentProcess(), new BufferPool())
        {
            MonitoringPage = new Uri($"http://{_monitoring.LocalEndpoint}/varz"),
        };
    }

    public Target Target { get; }

    public static FaultyServer With(Fault fault) => new(fault);

    public void Dispose()
    {
        _listener.Stop();
        _monitoring.Stop();
        lock (_lock)
        {
            _sockets.ForEach(socket => socket.Dispose());
        }
    }

    private void Listen(TcpListener listener, Action<NetworkStream> serve)
    {
        listener.Start();
        InBackground(() =>
        {
            while (true)
            {
                Socket socket = listener.AcceptSocket();
                socket.NoDelay = true;
                lock (_lock)
                {
                    _sockets.Add(socket);
                }

                InBackground(() =>
                {
                    using var stream = new NetworkStream(socket, ownsSocket: true);
                    serve(stream);
                });
            }
        });
    }

    private static void InBackground(Action action) => new Thread(() =>
    {
        try
        {
            action();
        }
        catch (Exception e) when (e is IOException or SocketException or ObjectDisposedException or InvalidOperationException)
        {
            // The peer or the test has closed the connection.
        }
    })
    { IsBackground = true }.Start();

    private void Serve(NetworkStream stream)
    {
        try
        {
            Answer(stream);
        }
        finally
        {
            lock (_lock)
            {
                _subscriptions.RemoveAll(subscription => subscription.Stream == stream);
            }
        }
    }

    private void Answer(NetworkStream stream)
    {
        var input = new BufferedStream(stream, 64 * 1024);
        Send(stream, "INFO {\"version\":\"0\"}\r\n"u8);
        while (ReadLine(input) is { } line)
        {
            string[] words = line.Split(' ');
            switch (words[0])
            {
                case "PING":
                    Send(stream, "PONG\r\n"u8);
                    break;
                case "SUB":
                    lock (_lock)
                    {
                        _subscriptions.Add(new Subscription(stream, words[1], words.Length == 4 ? words[2] : null, words[^1]));
                    }

                    break;
                case "PUB":
                    byte[] payload = new byte[int.Parse(words[^1], System.Globalization.CultureInfo.InvariantCulture)];
                    input.ReadExactly(payload);
                    input.ReadExactly(new byte[2]);
                    Publish(words[1], words.Length == 4 ? words[2] : null, payload);
                    break;
            }
        }
    }

    private void Publish(string subject, string? reply, byte[] payload)
    {
        lock (_lock)
        {
            _received += ++_published != Victim ? 1 : _fault switch { Fault.CountsTooFew => 0, Fault.CountsTooMany => 2, _ => 1 };
            Subscription[] plain = [.. _subscriptions.Where(s => s.Queue is null && s.Matches(subject))];
            Subscription[] members = [.. _subscriptions.Where(s => s.Queue is not null && s.Matches(subject))];
            Subscription[] all = members.Length == 0 ? plain : [.. plain, members[_turn++ % members.Length]];
            foreach (Subscription to in all)
            {
                Deliver(to, subject, reply, payload);
            }
        }
    }

    private void Deliver(Subscription to, string subject, string? reply, byte[] payload)
    {
        bool isVictim = ++_delivered == Victim;
        Fault fault = isVictim ? _fault : Fault.None;
        if (fault == Fault.ChangesPayload)
        {
            payload = [.. payload];
            payload[^1] ^= 1;
        }

        byte[] frame = Frames.Message(
            fault == Fault.ChangesSubject ? subject + "x" : subject,
            int.Parse(to.Sid, System.Globalization.CultureInfo.InvariantCulture),
            fault == Fault.Truncates ? payload[..^1] : payload,
            fault == Fault.ChangesReply ? reply + "x" : reply);
        switch (fault)
        {
            case Fault.Loses:
                return;
            case Fault.Doubles:
                Send(to.Stream, frame);
                break;
            case Fault.Swaps:
                _held = () => Send(to.Stream, frame);
                return;
        }

        Send(to.Stream, frame);
        if (_held is { } held)
        {
            _held = null;
            held();
        }
    }

    private void Tell(NetworkStream stream)
    {
        var input = new BufferedStream(stream);
        while (ReadLine(input) is { } line)
        {
            if (line.Length == 0)
            {
                string body;
                lock (_lock)
                {
                    body = $"{{\"in_msgs\":{_received}}}";
                }

                Send(stream, Encoding.ASCII.GetBytes($"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {body.Length}\r\n\r\n{body}"));
            }
        }
    }

    private static void Send(NetworkStream stream, ReadOnlySpan<byte> bytes)
    {
        lock (stream)
        {
            try
            {
                stream.Write(bytes);
            }
            catch (Exception e) when (e is IOException or ObjectDisposedException)
            {
                // One subscriber has disconnected. The others still receive.
            }
        }
    }

    private static string? ReadLine(BufferedStream input)
    {
        var line = new StringBuilder();
        int read;
        while ((read = input.ReadByte()) >= 0 && read != '\n')
        {
            line.Append((char)read);
        }

        return read < 0 ? null : line.ToString().TrimEnd('\r');
    }

    private sealed record Subscription(NetworkStream Stream, string Filter, string? Queue, string Sid)
    {
        public bool Matches(string subject) => Filter == subject || (Filter.EndsWith(".>", StringComparison.Ordinal) && subject.StartsWith(Filter[..^1], StringComparison.Ordinal));
    }
}
