using System.Diagnostics;
using System.Globalization;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Report;
using Broker.LoadTest.Rows;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Churn;

/// <summary>
/// Publishes at full rate to a new process of one server, first alone, and then while connections open and close.
/// </summary>
internal sealed class ChurnRun(ChurnSettings settings, ServerCommand command, DriverResources resources, TextWriter progress)
{
    private static readonly TimeSpan WarmUp = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan WaitLimit = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan ClosingLimit = TimeSpan.FromSeconds(10);

    // The runtime opens a few files during the run. A leak would be more: it grows with thousands of connections.
    private const int HandlesOfItsOwn = 16;

    private readonly ChurnOutcome _outcome = new(command.Name);
    private readonly LatencyWindow _latency = new();
    private readonly LateWatch _late = new(WaitLimit);
    private readonly List<(double Seconds, double Bytes)> _memory = [];
    private readonly Stopwatch _watch = new();

    public ChurnOutcome Run(CancellationToken cancellationToken)
    {
        try
        {
            using var server = ServerProcess.Start(command, resources);
            var target = new Target(server, resources.Buffers);
            using Session session = target.OpenSession();
            using var fullRate = new FullRate(target, _latency);
            Measure(target, session, fullRate, cancellationToken);
        }
        catch (Exception e) when (e is DriverException or System.Net.Sockets.SocketException)
        {
            _outcome.Failures.Add(e.Message);
        }

        return _outcome;
    }

    private void Measure(Target target, Session session, FullRate fullRate, CancellationToken cancellationToken)
    {
        progress.WriteLine($"{command.Name}: without churn");
        _watch.Start();
        Observe(target, fullRate, null, WarmUp, cancellationToken);
        _latency.Mark();
        Observe(target, fullRate, null, settings.Before, cancellationToken);
        _outcome.Before = _latency.Mark();
        int? handles = OpenFiles.Count(target.Server);

        progress.WriteLine($"{command.Name}: with churn");
        var churn = new ConnectionChurn(target, settings.ConnectionsPerSecond);
        Worker[] workers = churn.Start(session);
        _watch.Restart();
        _memory.Clear();
        try
        {
            Observe(target, fullRate, churn, settings.Duration, cancellationToken);
        }
        finally
        {
            churn.Stop();
        }

        _outcome.During = _latency.Mark();
        foreach (Worker worker in workers)
        {
            worker.Join();
        }

        fullRate.Stop();
        Conclude(target, fullRate, churn, handles);
    }

    private void Observe(Target target, FullRate fullRate, ConnectionChurn? churn, TimeSpan duration, CancellationToken cancellationToken)
    {
        TimeSpan end = _watch.Elapsed + duration;
        TimeSpan next = _watch.Elapsed + settings.Interval;
        long before = fullRate.Received;
        while (_watch.Elapsed < end)
        {
            cancellationToken.WaitHandle.WaitOne(Look);
            cancellationToken.ThrowIfCancellationRequested();
            target.Server.ThrowIfEnded();
            if (fullRate.IsOver)
            {
                // This throws the exception of a worker if there is one.
                fullRate.Stop();
                throw new ConnectionCutException("The connection of the publisher or of the reader was closed.");
            }

            _late.Look(_watch.Elapsed, fullRate.Confirmed, fullRate.Received);
            _memory.Add((_watch.Elapsed.TotalSeconds, target.Cpu.ReadResidentBytes()));
            if (churn is null || _watch.Elapsed < next)
            {
                continue;
            }

            Report(target, churn, (fullRate.Received - before) / settings.Interval.TotalSeconds);
            before = fullRate.Received;
            next += settings.Interval;
        }
    }

    private void Report(Target target, ConnectionChurn churn, double rate)
    {
        Latency? latency = _latency.Look();
        string[] cells =
        [
            Whole(_watch.Elapsed.TotalSeconds),
            Whole(churn.Connections),
            Format.Digits(_memory[^1].Bytes / 1e6),
            OpenFiles.Count(target.Server)?.ToString(CultureInfo.InvariantCulture) ?? Format.Nothing,
            Format.Count(rate),
            latency is null ? Format.Nothing : Format.Digits(latency.P50),
            latency is null ? Format.Nothing : Format.Digits(latency.P99),
            Whole(churn.LostWakeUps + _late.Late),
        ];
        _outcome.Intervals.Add(cells);
        progress.WriteLine($"{cells[0],4} s: {cells[1]} connections, RSS {cells[2]} MB, {cells[3]} handles, {cells[4]} msg/s, p50 {cells[5]} µs, p99 {cells[6]} µs, {cells[7]} lost wake-ups");
    }

    private void Conclude(Target target, FullRate fullRate, ConnectionChurn churn, int? handlesBefore)
    {
        _outcome.Connections = churn.Connections;
        _outcome.OnVisits = churn.Messages;
        _outcome.FullRate = (fullRate.Confirmed, fullRate.Received);
        _outcome.LostWakeUps = churn.LostWakeUps + _late.Late;
        _outcome.BytesPerMinute = Slope.Of([.. _memory.Where(sample => sample.Seconds > settings.Duration.TotalSeconds / 5)]) * 60;
        _outcome.Handles = (handlesBefore, HandlesOnceClosed(target, handlesBefore));

        void FailIf(bool wrong, string what)
        {
            if (wrong)
            {
                _outcome.Failures.Add(what);
            }
        }

        FailIf(fullRate.Received != fullRate.Confirmed, $"{fullRate.Confirmed} messages were published at full rate and {fullRate.Received} delivered.");
        FailIf(churn.Messages.Expected != churn.Messages.Received, $"{churn.Messages.Expected} messages were expected on the churn connections, and {churn.Messages.Received} were received.");
        FailIf(_outcome.LostWakeUps > 0, $"{_outcome.LostWakeUps} times a message was not delivered within {WaitLimit.TotalSeconds:0} s.");
        FailIf(churn.Refused > 0, $"{churn.Refused} connections were refused or cut.");
        FailIf(churn.FirstProblem is not null, $"The first error of a churn connection: {churn.FirstProblem}");
        FailIf(_outcome.Handles.After > _outcome.Handles.Before + HandlesOfItsOwn, $"{_outcome.Handles.Before} handles were open before the run, and {_outcome.Handles.After} after all connections were closed.");
    }

    // The server detects the last resets a moment later.
    private static int? HandlesOnceClosed(Target target, int? before)
    {
        long from = Stopwatch.GetTimestamp();
        int? now = OpenFiles.Count(target.Server);
        while (now > before + HandlesOfItsOwn && Stopwatch.GetElapsedTime(from) < ClosingLimit)
        {
            Thread.Sleep(Look);
            now = OpenFiles.Count(target.Server);
        }

        return now;
    }

    private static string Whole(double value) => value.ToString("0", CultureInfo.InvariantCulture);
}
