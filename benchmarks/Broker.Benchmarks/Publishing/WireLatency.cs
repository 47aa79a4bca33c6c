using System.Diagnostics;
using System.Globalization;
using Broker.Benchmarks.Peers;
using Broker.Benchmarks.Running;
using Broker.Client;

namespace Broker.Benchmarks.Publishing;

/// <summary>
/// Measures how soon the last published bytes reach the other end, if the thread neither flushes nor publishes more. It
/// measures one message on an idle connection and the end of a burst. Nothing is asserted; with fewer than two free
/// processors, the result depends on the scheduler.
/// </summary>
internal static class WireLatency
{
    private const int Burst = 20_000;

    private static readonly byte[] Frame = "PUB foo 16\r\n0123456789abcdef\r\n"u8.ToArray();

    internal static void Run(TextWriter output, int rounds)
    {
        using var sink = new WatchingSink();
        BrokerConnection connection = BrokerConnection.ConnectAsync(
            new() { Servers = [string.Create(CultureInfo.InvariantCulture, $"127.0.0.1:{sink.Port}")], ConnectTimeout = TimeSpan.FromMinutes(1) })
            .GetAwaiter().GetResult();
        try
        {
            output.WriteLine("| to the wire, µs | p50 | p99 | longest |");
            output.WriteLine("|---|---|---|---|");
            foreach ((string name, int messages) in (ReadOnlySpan<(string, int)>)[("one, from idle", 1), ("the last of a burst", Burst)])
            {
                Measure(connection, sink, messages, Math.Min(rounds, 50));
                double[] micros = Measure(connection, sink, messages, rounds);
                Array.Sort(micros);
                output.WriteLine(string.Create(
                    CultureInfo.InvariantCulture,
                    $"| {name} | {micros[micros.Length / 2]:0} | {micros[micros.Length * 99 / 100]:0} | {micros[^1]:0} |"));
            }
        }
        finally
        {
            connection.DisposeAsync().AsTask().GetAwaiter().GetResult();
        }
    }

    private static double[] Measure(BrokerConnection connection, WatchingSink sink, int messages, int rounds)
    {
        double[] micros = new double[rounds];
        for (int round = 0; round < rounds; round++)
        {
            // The pause is long enough for all threads to go to sleep.
            Thread.Sleep(3);
            sink.Expect((long)messages * Frame.Length);
            for (int i = 0; i < messages; i++)
            {
                Agreement.Require(connection.PublishWithStatus("foo"u8, "0123456789abcdef"u8) == PublishStatus.Accepted);
            }

            long published = Stopwatch.GetTimestamp();
            // The thread itself may have sent the last bytes, so they may have arrived before the publish returned.
            micros[round] = Math.Max(0, Stopwatch.GetElapsedTime(published, sink.Wait()).TotalMicroseconds);
        }

        return micros;
    }
}
