using System.Diagnostics;
using Broker.Client;
using HdrHistogram;

namespace Broker.Cli.Bench;

/// <summary>One measurement of one server: connects, creates the traffic, counts, and disconnects.</summary>
/// <param name="settings">The traffic.</param>
/// <param name="connect">Opens a connection to the server.</param>
/// <param name="isRefused">Returns whether the server has refused a part of the traffic.</param>
internal sealed class BenchRound(BenchSettings settings, Func<Task<BrokerConnection>> connect, Func<bool> isRefused) : IAsyncDisposable
{
    // A subscriber that receives nothing for so long does not receive the rest either.
    private static readonly TimeSpan Silence = TimeSpan.FromSeconds(5);

    private static readonly TimeSpan Pace = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(100);

    private readonly List<BrokerConnection> _connections = [];
    private readonly List<BenchCounter> _sent = [];
    private readonly List<BenchCounter> _received = [];
    private readonly LongConcurrentHistogram _times = BenchTimes.NewRecorder();
    private readonly string[] _subjects = [.. Enumerable.Range(0, settings.Subjects).Select(number => settings.SubjectOf(number))];
    private readonly ReadOnlyMemory<byte>[] _bodies = settings.Size.CreateBodies();
    private long _unanswered;
    private volatile bool _isMeasuring;

    /// <summary>The messages that were published or replied to so far. Can be read on any thread.</summary>
    public long Messages { get; private set; }

    /// <summary>Measures once.</summary>
    /// <param name="round">The number of the round in the result.</param>
    /// <param name="stop">Ends the measurement without a result.</param>
    /// <exception cref="ClientException">The server refuses the traffic, or a connection is lost.</exception>
    public async Task<BenchResult> MeasureAsync(int round, CancellationToken stop)
    {
        if (settings.Pattern != BenchPattern.Publish)
        {
            for (int i = 0; i < settings.Subscribers; i++)
            {
                await SubscribeAsync(stop);
            }
        }

        var senders = new List<BrokerConnection>();
        for (int i = 0; i < settings.Publishers; i++)
        {
            senders.Add(await ConnectAsync());
        }

        using var end = CancellationTokenSource.CreateLinkedTokenSource(stop);
        _isMeasuring = settings.Count is not null;
        BenchMoment first = Now();
        Task[] loops = [.. senders.SelectMany((connection, i) => Start(connection, i, end.Token))];
        BenchMoment last;
        if (settings.Count is null)
        {
            await WaitAsync(loops, settings.WarmUp, stop);
            _isMeasuring = true;
            first = Now();
            await WaitAsync(loops, settings.Time, stop);
            last = Now();
            _isMeasuring = false;
            await end.CancelAsync();
            await EndAsync(loops, stop);
        }
        else
        {
            await EndAsync(loops, stop);
            last = Now();
        }

        return new BenchResult(senders[0].Server ?? "", round)
        {
            Time = Stopwatch.GetElapsedTime(first.Time, last.Time),
            Messages = last.Messages - first.Messages,
            Bytes = last.Bytes - first.Bytes,
            Received = last.Received - first.Received,
            Lost = Missing() + Volatile.Read(ref _unanswered),
            Times = BenchTimes.Of(_times),
        };
    }

    public async ValueTask DisposeAsync()
    {
        foreach (BrokerConnection connection in _connections)
        {
            await connection.DisposeAsync();
        }
    }

    private async Task<BrokerConnection> ConnectAsync()
    {
        BrokerConnection connection = await connect();
        _connections.Add(connection);
        return connection;
    }

    private async Task SubscribeAsync(CancellationToken stop)
    {
        BrokerConnection connection = await ConnectAsync();
        if (settings.Pattern == BenchPattern.Request)
        {
            // Several responders share the requests.
            connection.Subscribe(settings.Filter, static (in m) => m.Respond(m.Body), settings.Queue ?? "bench");
        }
        else
        {
            var counter = new BenchCounter();
            _received.Add(counter);
            connection.Subscribe(settings.Filter, (in m) => counter.Count(m.Body.Length), settings.Queue);
        }

        await connection.FlushAsync(stop);
    }

    // Each loop has its share of the messages.
    private IEnumerable<Task> Start(BrokerConnection connection, int number, CancellationToken end)
    {
        var counter = new BenchCounter();
        _sent.Add(counter);
        int loops = settings.Pattern == BenchPattern.Request ? settings.InFlight : 1;
        for (int i = 0; i < loops; i++)
        {
            long share = Share(settings.Count, settings.Publishers * loops, (number * loops) + i);
            yield return settings.Pattern == BenchPattern.Request
                ? Task.Run(() => RequestAsync(connection, counter, share, end), CancellationToken.None)
                : Task.Run(() => PublishAsync(connection, counter, share, end), CancellationToken.None);
        }
    }

    private static long Share(long? count, int parts, int part)
        => count is { } all ? (all / parts) + (part < all % parts ? 1 : 0) : long.MaxValue;

    private async Task PublishAsync(BrokerConnection connection, BenchCounter counter, long count, CancellationToken end)
    {
        for (long i = 0; i < count && !end.IsCancellationRequested; i++)
        {
            ReadOnlyMemory<byte> body = _bodies[i % _bodies.Length];
            await connection.PublishAsync(_subjects[i % _subjects.Length], body, cancellationToken: CancellationToken.None);
            counter.Count(body.Length);
        }

        await connection.FlushAsync(CancellationToken.None);
    }

    private async Task RequestAsync(BrokerConnection connection, BenchCounter counter, long count, CancellationToken end)
    {
        for (long i = 0; i < count && !end.IsCancellationRequested; i++)
        {
            ReadOnlyMemory<byte> body = _bodies[i % _bodies.Length];
            long begin = Stopwatch.GetTimestamp();
            try
            {
                await connection.RequestAsync(_subjects[i % _subjects.Length], body, cancellationToken: CancellationToken.None);
            }
            catch (TimeoutException)
            {
                Interlocked.Increment(ref _unanswered);
                continue;
            }

            if (_isMeasuring)
            {
                BenchTimes.RecordSince(_times, begin);
            }

            counter.CountShared(body.Length);
        }
    }

    // A loop only ends before the time if it fails.
    private async Task WaitAsync(Task[] loops, TimeSpan time, CancellationToken stop)
    {
        long begin = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(begin) is var passed && passed < time)
        {
            TimeSpan left = time - passed;
            await Task.WhenAny([Task.Delay(left < Look ? left : Look, stop), .. loops]);
            await CheckAsync(Array.Find(loops, static loop => loop.IsCompleted), stop);
        }
    }

    // The publishers have ended when the server has confirmed their messages, and the subscribers when they have
    // received everything.
    private async Task EndAsync(Task[] loops, CancellationToken stop)
    {
        var all = Task.WhenAll(loops);
        do
        {
            await Task.WhenAny(all, Task.Delay(Look, stop));
            await CheckAsync(Array.Find(loops, static loop => loop.IsFaulted), stop);
        }
        while (!all.IsCompleted);

        // A publisher may have failed after the last look, or the server may have refused its last message.
        await CheckAsync(all, stop);
        long begin = Stopwatch.GetTimestamp();
        for (long before = -1; Missing() > 0 && Stopwatch.GetElapsedTime(begin) < Silence;)
        {
            long received = Now().Received;
            if (received != before)
            {
                before = received;
                begin = Stopwatch.GetTimestamp();
            }

            await Task.Delay(Pace, stop);
        }
    }

    private Task CheckAsync(Task? ended, CancellationToken stop)
    {
        Messages = Now().Messages;
        stop.ThrowIfCancellationRequested();
        return isRefused() ? throw new IOException("The server refuses the messages.") : ended ?? Task.CompletedTask;
    }

    private long Missing()
        => settings.Pattern == BenchPattern.PublishAndSubscribe ? Math.Max(0, (Now().Messages * settings.Copies) - Now().Received) : 0;

    private BenchMoment Now()
    {
        long time = Stopwatch.GetTimestamp();
        return new BenchMoment(time, _sent.Sum(static c => c.Messages), _sent.Sum(static c => c.Bytes), _received.Sum(static c => c.Messages));
    }
}
