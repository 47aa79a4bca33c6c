using System.Diagnostics;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Rows;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.SlowReaders;

/// <summary>
/// One client publishes to a new process of a server as fast as the server reads, and each subscriber reads at a given
/// speed. Another client measures round trips meanwhile.
/// </summary>
internal sealed class SlowReadersRun(SlowReadersSettings settings, ServerCommand command, DriverResources resources)
{
    private const string Subject = "load";
    private static readonly TimeSpan MemoryInterval = TimeSpan.FromMilliseconds(100);

    // The server may read a publisher or write to a subscriber this late.
    private static readonly TimeSpan Silence = TimeSpan.FromSeconds(60);

    private readonly byte[] _payload = Payloads.Pattern(SlowReadersSettings.PayloadSize);

    public SlowReadersOutcome Run(int readers, bool areSlow, CancellationToken cancellationToken)
    {
        var outcome = new SlowReadersOutcome(command.Name, readers, areSlow) { Expected = settings.Messages * readers };
        try
        {
            using var server = ServerProcess.Start(command, resources);
            var target = new Target(server, resources.Buffers);
            using Session session = target.OpenSession();

            // The end of the server ends every wait of this measurement.
            using CancellationTokenRegistration stop = cancellationToken.Register(server.Process.Kill);
            Measure(target, session, outcome);
        }
        catch (Exception e) when (e is DriverException or System.Net.Sockets.SocketException)
        {
            cancellationToken.ThrowIfCancellationRequested();
            outcome.Failure = e.Message;
        }

        return outcome;
    }

    private void Measure(Target target, Session session, SlowReadersOutcome outcome)
    {
        byte[] frame = Frames.Message(Subject, 1, _payload);
        RawConnection[] connections = session.Dial(outcome.Readers);
        foreach (RawConnection connection in connections)
        {
            connection.SetReceiveTimeout(Silence);
            connection.Send(Frames.Subscribe(Subject, null, 1));
            connection.Fence();
        }

        RawConnection publisher = session.Dial();
        publisher.SetReceiveTimeout(Silence);
        using var bystander = new Bystander(session);
        using var tally = new Tally(long.MaxValue);
        Drain[] drains = [.. connections.Select(connection => new Drain(connection, frame, tally, pace: outcome.AreSlow ? new Pace(settings.BytesPerSecond) : null))];
        Worker[] reading = [.. drains.Select(drain => session.Start("reader", drain.Run))];
        using var memory = new PeakMemory(target.Cpu, MemoryInterval);

        target.Cpu.Start();
        bystander.Start();
        long from = Stopwatch.GetTimestamp();
        new FrameBlock(Frames.Publish(Subject, _payload)).Send(publisher, settings.Messages);
        publisher.Fence();
        outcome.PublishSeconds = Stopwatch.GetElapsedTime(from).TotalSeconds;
        outcome.Closed = Await(connections, reading, drains);
        outcome.Seconds = Stopwatch.GetElapsedTime(from).TotalSeconds;

        outcome.Bystander = bystander.Stop();
        outcome.RoundTrips = bystander.RoundTrips(TimeSpan.Zero);
        outcome.LaterBystander = bystander.Delays(SlowReadersSettings.Beginning);
        outcome.LaterRoundTrips = bystander.RoundTrips(SlowReadersSettings.Beginning);
        outcome.CpuSeconds = target.Cpu.Stop();
        outcome.PeakResidentBytes = memory.Stop();
        outcome.Received = drains.Sum(drain => drain.Bytes / frame.Length);
        outcome.Failure = Array.Find(drains, drain => drain is { Error: not null, WasClosed: false }) is { } failed ? $"A subscriber received '{failed.Error}'." : null;
    }

    /// <summary>Waits for the subscribers; returns the number of those that the server closed.</summary>
    private static int Await(RawConnection[] connections, Worker[] reading, Drain[] drains)
    {
        for (int i = 0; i < reading.Length; i++)
        {
            try
            {
                connections[i].Send(Wire.Ping);
            }
            catch (ConnectionCutException)
            {
                // The server has closed this subscriber, and its drain knows it.
            }
        }

        foreach (Worker worker in reading)
        {
            worker.Join();
        }

        return drains.Count(drain => drain.WasClosed);
    }
}
