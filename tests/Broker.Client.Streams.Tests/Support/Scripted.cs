using System.Collections.Concurrent;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Broker.Client.Streams.Tests.Support;

/// <summary>
/// A server whose answers are in the hands of a test, so that the test decides what comes when. It serves one client at
/// a time. A real server cannot be used, because no client may publish with the reply subjects of streams.
/// </summary>
internal sealed class Scripted : IAsyncDisposable
{
    internal const string Stream = "S";
    internal const string Consumer = "C";

    private const string Info = """INFO {"server_id":"scripted","version":"2.12.0","headers":true,"max_payload":1048576} """ + "\r\n";
    private const string Api = "$JS.API.";

    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly ConcurrentQueue<Published> _published = new();
    private readonly ConcurrentDictionary<string, string> _filters = new();
    private readonly List<BrokerConnection> _clients = [];
    private readonly HashSet<Published> _taken = new(ReferenceEqualityComparer.Instance);
    private volatile Socket? _client;
    private volatile Socket? _asleep;

    private Scripted() => _listener.Start();

    /// <summary>The filters of the client's subscriptions.</summary>
    internal ICollection<string> Filters => _filters.Values;

    internal static Scripted Start()
    {
        var scripted = new Scripted();
        new Thread(scripted.AcceptAll) { IsBackground = true, Name = "scripted server" }.Start();
        return scripted;
    }

    /// <summary>The client that has connected last.</summary>
    internal StreamsClient Client { get; private set; } = null!;

    /// <summary>Connects a client, which the server disposes at its end.</summary>
    internal async Task<StreamsClient> ConnectAsync(TimeSpan? pingInterval = null)
    {
        BrokerConnection connection = await BrokerConnection.ConnectAsync(
            new ClientOptions
            {
                Servers = [string.Create(CultureInfo.InvariantCulture, $"nats://127.0.0.1:{((IPEndPoint)_listener.LocalEndpoint).Port}")],
                ReconnectWait = TimeSpan.FromMilliseconds(20),
                ReconnectJitter = TimeSpan.FromMilliseconds(5),
                ConnectTimeout = Wait.Limit,
                PingInterval = pingInterval ?? TimeSpan.FromHours(1),
            },
            TestContext.Current.CancellationToken);
        _clients.Add(connection);
        return Client = connection.Streams(new StreamsOptions { RequestTimeout = Wait.Limit, AcknowledgementTimeout = Wait.Limit });
    }

    /// <summary>Returns the consumer of this server.</summary>
    internal async Task<StreamConsumer> ConsumerAsync(TimeSpan? pingInterval = null)
    {
        Task<StreamConsumer> found = (await ConnectAsync(pingInterval)).GetConsumerAsync(Stream, Consumer, TestContext.Current.CancellationToken);
        AnswerConsumer((await NextAsync("CONSUMER.INFO")).ReplyTo);
        return await found;
    }

    /// <summary>Waits for a request of an operation that was not returned yet.</summary>
    internal Task<Published> NextAsync(string operation) => TakeAsync(p => p.Subject.StartsWith(Api + operation, StringComparison.Ordinal), operation);

    /// <summary>Waits for an acknowledgement, such as <c>-NAK</c>, and returns the sequence of its message.</summary>
    internal async Task<ulong> AcknowledgedAsync(string kind)
    {
        Published found = await TakeAsync(p => p.Subject.StartsWith("$JS.ACK.", StringComparison.Ordinal) && p.Body == kind, kind);
        return ulong.Parse(found.Subject.Split('.')[5], CultureInfo.InvariantCulture);
    }

    /// <summary>Waits for a message that was not returned yet.</summary>
    internal async Task<Published> TakeAsync(Func<Published, bool> isWanted, string what)
    {
        Published? found = null;
        await Wait.UntilAsync(() => (found = Take(isWanted)) is not null, what);
        return found!;
    }

    /// <summary>
    /// Serves each request of an operation until a task has ended. A client with short heartbeats may repeat a request
    /// on a busy machine before the answer has arrived.
    /// </summary>
    internal async Task<T> ServeAsync<T>(string operation, Action<Published> serve, Task<T> until)
    {
        await Wait.UntilAsync(
            () =>
            {
                while (Take(p => p.Subject.StartsWith(Api + operation, StringComparison.Ordinal)) is { } request)
                {
                    serve(request);
                }

                return until.IsCompleted;
            },
            operation);
        return await until;
    }

    /// <summary>Whether a message was published and not returned yet.</summary>
    internal bool Has(Func<Published, bool> isWanted) => _published.Any(p => !_taken.Contains(p) && isWanted(p));

    internal void Answer(string replyTo, string json) => Send(replyTo, "", "", json);

    /// <summary>Answers with the description of a consumer.</summary>
    internal void AnswerConsumer(string replyTo, string name = Consumer, int pending = 0)
        => Answer(replyTo, $$$"""{"stream_name":"{{{Stream}}}","name":"{{{name}}}","num_pending":{{{pending}}},"config":{"ack_policy":"explicit"},"new_field":{"a":[1]}}""");

    internal void Status(string replyTo, string status, string more = "", string answerTo = "")
        => Send(replyTo, answerTo, $"NATS/1.0 {status}\r\n{more}\r\n", "");

    /// <summary>Delivers a message to an inbox, as a server does.</summary>
    internal void Deliver(string inbox, ulong sequence, ulong consumerSequence, string body = "m", int pending = 0)
        => Send(inbox, $"$JS.ACK.{Stream}.{Consumer}.1.{sequence}.{consumerSequence}.1700000000000000000.{pending}", "", body);

    /// <summary>Answers no PING of the present connection, as if the machine had slept.</summary>
    internal void Sleep() => _asleep = _client;

    /// <summary>Loses the client. It may connect again.</summary>
    internal void Drop() => _client!.Close();

    public async ValueTask DisposeAsync()
    {
        _listener.Dispose();
        foreach (BrokerConnection client in _clients)
        {
            await client.DisposeAsync();
        }
    }

    private Published? Take(Func<Published, bool> isWanted)
    {
        Published? found = _published.FirstOrDefault(p => !_taken.Contains(p) && isWanted(p));
        if (found is not null)
        {
            _taken.Add(found);
        }

        return found;
    }

    // As with a real server, nobody receives a message without a subscription.
    private void Send(string subject, string replyTo, string headers, string body)
    {
        string? sid = _filters.FirstOrDefault(pair => subject == pair.Value || (pair.Value.EndsWith('*') && subject.StartsWith(pair.Value[..^1], StringComparison.Ordinal))).Key;
        if (sid is null)
        {
            return;
        }

        string lengths = headers.Length == 0 ? $"{body.Length}" : $"{headers.Length} {headers.Length + body.Length}";
        string verb = headers.Length == 0 ? "MSG" : "HMSG";
        Write($"{verb} {subject} {sid} {(replyTo.Length == 0 ? "" : replyTo + " ")}{lengths}\r\n{headers}{body}\r\n");
    }

    private void Write(string text)
    {
        if (_client is { } client)
        {
            lock (client)
            {
                client.Send(Encoding.Latin1.GetBytes(text));
            }
        }
    }

    private void AcceptAll()
    {
        try
        {
            while (true)
            {
                using Socket socket = _listener.AcceptSocket();
                socket.NoDelay = true;
                _filters.Clear();
                _client = socket;
                Write(Info);
                try
                {
                    Serve(new BufferedStream(new NetworkStream(socket)));
                }
                catch (Exception e) when (e is IOException or SocketException or ObjectDisposedException)
                {
                    // The client or the test has closed the connection.
                }
            }
        }
        catch (Exception e) when (e is SocketException or InvalidOperationException)
        {
            // The listener is disposed.
        }
    }

    private void Serve(BufferedStream input)
    {
        while (ReadLine(input) is { } line)
        {
            string[] words = line.Split(' ');
            switch (words[0])
            {
                case "PING" when _asleep == _client:
                    break;
                case "PING":
                    Write("PONG\r\n");
                    break;
                case "SUB":
                    _filters[words[^1]] = words[1];
                    break;
                case "UNSUB":
                    _filters.TryRemove(words[1], out _);
                    break;
                case "PUB":
                    ReceiveMessage(input, words[1], words.Length == 4 ? words[2] : "", 0, int.Parse(words[^1], CultureInfo.InvariantCulture));
                    break;
                case "HPUB":
                    ReceiveMessage(
                        input, words[1], words.Length == 5 ? words[2] : "", int.Parse(words[^2], CultureInfo.InvariantCulture), int.Parse(words[^1], CultureInfo.InvariantCulture));
                    break;
                default:
                    break;
            }
        }
    }

    private void ReceiveMessage(BufferedStream input, string subject, string replyTo, int headers, int length)
    {
        byte[] bytes = new byte[length + 2];
        input.ReadExactly(bytes);
        _published.Enqueue(new Published(subject, replyTo, Encoding.UTF8.GetString(bytes.AsSpan(headers, length - headers))));
    }

    private static string? ReadLine(BufferedStream input)
    {
        var line = new StringBuilder();
        for (int next = input.ReadByte(); next >= 0; next = input.ReadByte())
        {
            if (next == '\n')
            {
                return line.ToString().TrimEnd('\r');
            }

            line.Append((char)next);
        }

        return null;
    }

    /// <summary>A message that the client has published.</summary>
    internal sealed record Published(string Subject, string ReplyTo, string Body);
}
