using System.Collections.Concurrent;
using System.Diagnostics;
using Broker.HostileRun.Site;
using Broker.ZeroMq;

namespace Broker.HostileRun.Honest;

/// <summary>A PUSH and a PULL socket with the bridge between them. The PULL checks every number.</summary>
internal sealed class PipelinePair : IHonestTraffic
{
    private const int PerSecond = 1_000;

    private static readonly TimeSpan Turn = TimeSpan.FromMilliseconds(100);

    private readonly ConcurrentQueue<string> _faults = new();
    private readonly Arrivals _arrivals = new();
    private readonly PushSocket _push = new();
    private readonly PullSocket _pull = new();
    private readonly Thread _pusher;
    private readonly Thread _puller;
    private volatile bool _stops;
    private volatile bool _ends;
    private long _sent;

    public PipelinePair(Endpoints endpoints)
    {
        _pull.Connect($"tcp://127.0.0.1:{endpoints.Pullers}");
        _push.Connect($"tcp://127.0.0.1:{endpoints.Pushers}");
        _pusher = new Thread(Push) { IsBackground = true, Name = "pusher" };
        _puller = new Thread(Pull) { IsBackground = true, Name = "puller" };
        _puller.Start();
        _pusher.Start();
    }

    public string Name => "PUSH/PULL pair";

    public TimeMeter Times { get; } = new();

    public long Sent => Volatile.Read(ref _sent);

    public IReadOnlyCollection<string> Faults => _faults;

    public async Task<HonestCounts> EndAsync()
    {
        _stops = true;
        _pusher.Join();
        HonestCounts counts = await _arrivals.WaitAsync(Sent);
        _ends = true;
        _puller.Join();
        return counts;
    }

    public async ValueTask DisposeAsync()
    {
        _stops = true;
        _ends = true;
        _pusher.Join();
        _puller.Join();
        await _push.CloseAsync(TimeSpan.Zero);
        await _pull.DisposeAsync();
    }

    private void Push()
    {
        byte[] message = new byte[NumberedMessage.Size];
        var watch = Stopwatch.StartNew();
        while (!_stops)
        {
            long due = (long)(watch.Elapsed.TotalSeconds * PerSecond);
            long now = Stopwatch.GetTimestamp();
            while (_sent < due && !_stops)
            {
                NumberedMessage.Write(message, _sent, now);
                if (_push.TrySend(message, Turn))
                {
                    Volatile.Write(ref _sent, _sent + 1);
                }
            }

            Thread.Sleep(1);
        }
    }

    // Messages of other PUSH programs are not wrong: whoever reaches the endpoint may push.
    private void Pull()
    {
        using var message = new ZeroMqMessage();
        while (!_ends)
        {
            if (_pull.TryReceive(message, Turn)
                && message.FrameCount == 1
                && NumberedMessage.TryRead(message.First, out long number, out long timestamp))
            {
                Times.RecordSince(timestamp);
                _arrivals.Add(number);
            }
        }
    }
}
