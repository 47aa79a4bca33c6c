using System.Collections.Concurrent;
using System.Diagnostics;
using Broker.Client;
using Broker.Transport;

namespace Broker.HostileRun.Honest;

/// <summary>A publisher of 20,000 messages a second, and a subscriber that checks every number.</summary>
internal sealed class NumberedPair : IHonestTraffic
{
    public const int PerSecond = 20_000;

    private const string Subject = "honest.numbers";

    private readonly ConcurrentQueue<string> _faults = new();
    private readonly EventLoopGroup _loops = new(new EventLoopOptions { Loops = 1 });
    private readonly Arrivals _arrivals = new();
    private readonly Thread _thread;
    private BrokerConnection _publisher = null!;
    private BrokerConnection _subscriber = null!;
    private volatile bool _stops;
    private long _sent;

    private NumberedPair() => _thread = new Thread(Publish) { IsBackground = true, Name = "publisher" };

    public const string Title = "NATS pair";

    public string Name => Title;

    public TimeMeter Times { get; } = new();

    public long Sent => Volatile.Read(ref _sent);

    public IReadOnlyCollection<string> Faults => _faults;

    public static async Task<NumberedPair> StartAsync(int port)
    {
        var pair = new NumberedPair();
        try
        {
            pair._subscriber = await HonestClient.ConnectAsync(port, "subscriber", pair._loops, pair._faults);
            pair._subscriber.Subscribe(Subject, pair.OnMessage);
            await pair._subscriber.FlushAsync();
            pair._publisher = await HonestClient.ConnectAsync(port, "publisher", pair._loops, pair._faults);
            pair._thread.Start();
            return pair;
        }
        catch
        {
            await pair.DisposeAsync();
            throw;
        }
    }

    public async Task<HonestCounts> EndAsync()
    {
        _stops = true;
        _thread.Join();
        return await _arrivals.WaitAsync(Sent);
    }

    public async ValueTask DisposeAsync()
    {
        _stops = true;
        foreach (BrokerConnection? connection in new[] { _publisher, _subscriber })
        {
            if (connection is not null)
            {
                await connection.DisposeAsync();
            }
        }

        _loops.Dispose();
    }

    private void OnMessage(in MessageView message)
    {
        if (!NumberedMessage.TryRead(message.Body, out long number, out long timestamp))
        {
            _arrivals.AddWrong();
            return;
        }

        Times.RecordSince(timestamp);
        _arrivals.Add(number);
    }

    private void Publish()
    {
        byte[] message = new byte[NumberedMessage.Size];
        var watch = Stopwatch.StartNew();
        while (!_stops)
        {
            // All messages that are due bear one time, so that a wait for space counts for those behind it.
            long due = (long)(watch.Elapsed.TotalSeconds * PerSecond);
            long now = Stopwatch.GetTimestamp();
            while (_sent < due && !_stops)
            {
                NumberedMessage.Write(message, _sent, now);
                PublishStatus status = _publisher.PublishWithStatus(Subject, message);
                if (status == PublishStatus.Accepted)
                {
                    Volatile.Write(ref _sent, _sent + 1);
                }
                else if (status != PublishStatus.PendingLimit)
                {
                    _faults.Enqueue($"The publisher's message was refused: {status}.");
                    return;
                }
                else
                {
                    Thread.Sleep(1);
                }
            }

            Thread.Sleep(1);
        }
    }
}
