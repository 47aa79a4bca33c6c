using System.Diagnostics;
using Broker.Client;

namespace Broker.Cli.Bench;

/// <summary>One measurement: opens the connections, lets the traffic run, counts, and closes the connections.</summary>
/// <param name="settings">What to measure, and for how long.</param>
/// <param name="traffic">The connections and their messages. This object disposes it.</param>
internal sealed class BenchRound(BenchSettings settings, IBenchTraffic traffic) : IAsyncDisposable
{
    // A subscriber that receives nothing for so long does not receive the rest either.
    private static readonly TimeSpan Silence = TimeSpan.FromSeconds(5);

    private const int MostMoments = 10_000;

    private static readonly TimeSpan Pace = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(100);

    private readonly List<BenchMoment> _moments = [];

    /// <summary>The messages that were published or replied to so far. Can be read on any thread.</summary>
    public long Messages { get; private set; }

    /// <summary>Measures once.</summary>
    /// <param name="round">The number of the round in the result.</param>
    /// <param name="stop">Ends the measurement without a result.</param>
    /// <exception cref="ClientException">The server refuses the traffic, or a connection is lost.</exception>
    public async Task<BenchResult> MeasureAsync(int round, CancellationToken stop)
    {
        await traffic.OpenAsync(stop);
        using var end = CancellationTokenSource.CreateLinkedTokenSource(stop);
        traffic.Counts.IsMeasuring = settings.Count is not null;
        BenchMoment first = Now();
        Task[] loops = traffic.Start(end.Token);
        using ServerProcess? process = traffic.Address is { } address ? ServerProcess.Find(address) : null;
        TimeSpan? usedBefore = process?.Used;
        BenchMoment last;
        TimeSpan? used;
        if (settings.Count is null)
        {
            await WaitAsync(loops, settings.WarmUp, stop);
            traffic.Counts.IsMeasuring = true;
            usedBefore = process?.Used;
            first = Now();
            await WaitAsync(loops, settings.Time, stop);
            last = Now();
            used = process?.Used - usedBefore;
            traffic.Counts.IsMeasuring = false;
            await end.CancelAsync();
            await EndAsync(loops, stop);
        }
        else
        {
            await EndAsync(loops, stop);
            last = Now();
            used = process?.Used - usedBefore;
        }

        TimeSpan time = Stopwatch.GetElapsedTime(first.Time, last.Time);

        return new BenchResult(traffic.Server, round)
        {
            Time = time,
            ServerProcessors = used is { } processors ? processors / time : double.NaN,
            Messages = last.Messages - first.Messages,
            Bytes = last.Bytes - first.Bytes,
            Received = last.Received - first.Received,
            Lost = Missing() + traffic.Counts.Unanswered,
            Times = traffic.Counts.Times,
            Moments = [first, .. _moments.Where(moment => moment.Time > first.Time && moment.Time < last.Time), last],
        };
    }

    public ValueTask DisposeAsync() => traffic.DisposeAsync();

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
        BenchMoment now = Now();
        Keep(now);
        Messages = now.Messages;
        stop.ThrowIfCancellationRequested();
        return traffic.WasRefused ? throw new IOException("The server refuses the messages.") : ended ?? Task.CompletedTask;
    }

    // A run of hours keeps as many moments as one of minutes, further apart.
    private void Keep(BenchMoment now)
    {
        if (_moments.Count == MostMoments)
        {
            BenchMoment[] every = [.. _moments.Where(static (_, at) => at % 2 == 0)];
            _moments.Clear();
            _moments.AddRange(every);
        }

        _moments.Add(now);
    }

    private long Missing()
        => settings.Pattern == BenchPattern.PublishAndSubscribe ? Math.Max(0, (Now().Messages * settings.Copies) - Now().Received) : 0;

    private BenchMoment Now() => traffic.Counts.Now();
}
