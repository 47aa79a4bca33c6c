using System.Collections.Concurrent;
using Broker.Transport;
using Broker.ZeroMq;
using Broker.ZeroMq.Loops;

namespace Broker.Bridge.Tests.PubSub.Support;

/// <summary>A SUB program that counts how often it received each message.</summary>
internal sealed class Subscriber : IAsyncDisposable
{
    private readonly EventLoopGroup _loops = new(new EventLoopOptions { Loops = 1, ThreadName = "test sub" });
    private readonly LoopSubscriber _socket;
    private long _count;
    private long _probes;

    public Subscriber(params string[] prefixes)
    {
        _socket = new LoopSubscriber(_loops, OnMessage, new LoopSubscriberOptions
        {
            ReconnectInitial = TimeSpan.FromMilliseconds(10),
            OnEvent = Events.Enqueue,
        });
        foreach (string prefix in prefixes)
        {
            _socket.Subscribe(Shapes.Bytes(prefix));
        }
    }

    public ConcurrentDictionary<string, int> Received { get; } = new(StringComparer.Ordinal);

    public ConcurrentQueue<string> Order { get; } = new();

    /// <summary>The bodies of the received probes.</summary>
    public ConcurrentDictionary<string, bool> Marks { get; } = new(StringComparer.Ordinal);

    public ConcurrentQueue<ZeroMqEvent> Events { get; } = new();

    public LoopSubscriber Socket => _socket;

    public long Count => Volatile.Read(ref _count);

    public long Probes => Volatile.Read(ref _probes);

    public Subscriber Connect(string endpoint)
    {
        _socket.Connect(endpoint);
        return this;
    }

    public string Bind() => _socket.Bind("tcp://127.0.0.1:0").ToString();

    /// <summary>Asserts that it received each of these messages once and nothing else.</summary>
    public void AssertExactly(IReadOnlyCollection<string> expected)
    {
        var missing = expected.Where(e => !Received.ContainsKey(e)).ToList();
        var twice = Received.Where(r => r.Value > 1).Select(r => $"{r.Key} x{r.Value}").ToList();
        var strange = Received.Keys.Except(expected, StringComparer.Ordinal).ToList();
        Assert.True(
            missing.Count + twice.Count + strange.Count == 0,
            $"missing {missing.Count}: {Some(missing)}; more than once {twice.Count}: {Some(twice)}; not expected {strange.Count}: {Some(strange)}");
    }

    public async ValueTask DisposeAsync()
    {
        await _socket.DisposeAsync();
        _loops.Dispose();
    }

    private static string Some(List<string> texts) => string.Join(", ", texts.Take(5));

    private bool OnMessage(ZeroMqPeer peer, in ZmtpMessage message)
    {
        var frames = new List<byte[]>();
        foreach (ZmtpFrame frame in message)
        {
            frames.Add(frame.Body.ToArray());
        }

        if (frames[^1].AsSpan().StartsWith(Shapes.Probe))
        {
            Marks.TryAdd(Shapes.Text([frames[^1]]), true);
            Interlocked.Increment(ref _probes);
            return true;
        }

        string text = Shapes.Text([.. frames]);
        Received.AddOrUpdate(text, 1, (_, n) => n + 1);
        Order.Enqueue(text);
        Interlocked.Increment(ref _count);
        return true;
    }
}
