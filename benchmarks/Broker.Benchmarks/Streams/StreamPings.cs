using System.Globalization;
using Broker.Benchmarks.NatsNet.Clients;
using Broker.Client;
using Broker.Client.Streams;

namespace Broker.Benchmarks.Streams;

/// <summary>
/// How long a PING of another client takes while many messages are published to a stream, on the disk and in memory
/// alternately. The disk must not delay other clients.
/// </summary>
internal static class StreamPings
{
    private const string Stream = "PINGS";
    private const string Subject = "pings.stored";
    private const int InFlight = 500;

    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(1);

    /// <param name="output">The writer of the table.</param>
    /// <param name="server">The server.</param>
    /// <param name="rounds">The number of rounds with each storage.</param>
    /// <param name="duration">The length of a round.</param>
    internal static async Task RunAsync(TextWriter output, MeasuredServer server, int rounds, TimeSpan duration)
    {
        Task<BrokerConnection> connecting = BrokerConnection.ConnectAsync(server.Url);
        BrokerConnection other = await connecting.ConfigureAwait(false);
        var onDisk = new List<double>();
        var inMemory = new List<double>();
        try
        {
            // The first round compiles the code and does not count.
            for (int round = 0; round <= rounds; round++)
            {
                List<double> disk = await MeasureAsync(server.Streams, other, StorageType.File, duration).ConfigureAwait(false);
                List<double> memory = await MeasureAsync(server.Streams, other, StorageType.Memory, duration).ConfigureAwait(false);
                if (round > 0)
                {
                    onDisk.AddRange(disk);
                    inMemory.AddRange(memory);
                }
            }
        }
        finally
        {
            await other.DisposeAsync().ConfigureAwait(false);
        }

        await output.WriteLineAsync("| PING beside publishes, 500 in flight | on the disk, µs | in memory, µs | ratio |").ConfigureAwait(false);
        await output.WriteLineAsync("|---|---|---|---|").ConfigureAwait(false);
        foreach (int percent in (int[])[50, 90, 99])
        {
            (double disk, double memory) = (Percentile(onDisk, percent), Percentile(inMemory, percent));
            await output.WriteLineAsync(string.Create(CultureInfo.InvariantCulture, $"| p{percent} | {disk:N0} | {memory:N0} | {disk / memory:0.00} |")).ConfigureAwait(false);
        }
    }

    private static async Task<List<double>> MeasureAsync(StreamsClient streams, BrokerConnection other, StorageType storage, TimeSpan duration)
    {
        await streams.DeleteStreamAsync(Stream).ConfigureAwait(false);
        await streams.CreateStreamAsync(new StreamConfig(Stream, Subject) { Storage = storage, MaxMessages = 100_000 }).ConfigureAwait(false);
        using var ended = new CancellationTokenSource(duration);
        byte[] body = new byte[128];
        Task load = Workers.RunAsync(InFlight, InFlight, async () =>
        {
            while (!ended.IsCancellationRequested)
            {
                await streams.PublishAsync(Subject, body).ConfigureAwait(false);
            }
        });
        var times = new List<double>();
        while (!load.IsCompleted)
        {
            times.Add((await other.PingAsync().ConfigureAwait(false)).TotalMicroseconds);
            await Task.Delay(Pause).ConfigureAwait(false);
        }

        await load.ConfigureAwait(false);
        return times;
    }

    private static double Percentile(List<double> times, int percent) => times.Order().ElementAt(times.Count * percent / 100);
}
