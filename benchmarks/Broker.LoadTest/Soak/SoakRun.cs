using System.Diagnostics;
using Broker.Client;
using Broker.Client.Streams;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Soak;

/// <summary>One soak: a server with streams on the disk, its clients, and what the server uses meanwhile.</summary>
internal sealed class SoakRun(SoakSettings settings, TextWriter progress)
{
    private static readonly TimeSpan DrainLimit = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan DrainPause = TimeSpan.FromMilliseconds(200);

    /// <summary>Runs until the duration has passed or the token is cancelled.</summary>
    public async Task<SoakReport> RunAsync(CancellationToken cancellationToken)
    {
        string directory = settings.Directory?.FullName ?? Path.Combine(Path.GetTempPath(), $"broker-soak-{Environment.ProcessId}");
        Directory.CreateDirectory(directory);
        try
        {
            using var resources = new DriverResources();
            using ServerProcess server = await Task.Run(() => ServerProcess.Start(KnownServers.WithStreams(directory), resources), CancellationToken.None);
            return await RunAsync(server, directory, cancellationToken);
        }
        finally
        {
            if (settings.Directory is null)
            {
                Directory.Delete(directory, recursive: true);
            }
        }
    }

    private async Task<SoakReport> RunAsync(ServerProcess server, string directory, CancellationToken cancellationToken)
    {
        var report = new SoakReport(settings);
        var counts = new SoakCounts();
        string address = $"nats://{server.Address.EndPoint}";
        await using BrokerConnection connection = await BrokerConnection.ConnectAsync(address, CancellationToken.None);
        using StreamsClient streams = connection.Streams();
        Bucket bucket = await SoakStreams.CreateAsync(streams, settings, CancellationToken.None);
        var traffic = new SoakTraffic(streams, settings, counts);
        var changes = new SoakChanges(streams, bucket, address, settings, counts);
        using var writing = new CancellationTokenSource();
        using var reading = new CancellationTokenSource();
        Task[] readers = [.. Enumerable.Range(0, SoakStreams.Readers.Count).Select(reader => traffic.ConsumeAsync(reader, reading.Token))];
        Task[] writers = [traffic.PublishAsync(writing.Token), changes.ChangeKeysAsync(writing.Token), changes.ChangeStreamsAsync(writing.Token), changes.ReadAsync(writing.Token)];
        try
        {
            await SampleAsync(new SoakProbe(server, directory), report, counts, traffic, cancellationToken);
        }
        finally
        {
            await writing.CancelAsync();
            await Task.WhenAll(writers);
            var waited = Stopwatch.StartNew();
            while (traffic.Outstanding > 0 && waited.Elapsed < DrainLimit)
            {
                await Task.Delay(DrainPause, CancellationToken.None);
            }

            await reading.CancelAsync();
            await Task.WhenAll(readers);
        }

        report.Conclude(counts, traffic.Outstanding);
        return report;
    }

    private async Task SampleAsync(SoakProbe probe, SoakReport report, SoakCounts counts, SoakTraffic traffic, CancellationToken cancellationToken)
    {
        using (probe)
        {
            var clock = Stopwatch.StartNew();
            bool isExplained = false;
            while (clock.Elapsed < settings.Duration && !cancellationToken.IsCancellationRequested)
            {
                await Task.Delay(settings.Interval, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                progress.WriteLine(report.Add(await probe.ReadAsync(clock.Elapsed), counts, traffic.Outstanding));
                if (!isExplained && counts.FirstLate is { } late)
                {
                    isExplained = true;
                    progress.WriteLine($"The first late answer: {late}");
                }
            }
        }
    }
}
