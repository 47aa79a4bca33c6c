using System.Diagnostics;
using System.Globalization;
using Broker.Client;
using Broker.Client.Streams;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Scale;

/// <summary>Fills a broker with many streams, consumers and keys, and starts it again.</summary>
internal sealed class ScaleRun(ScaleSettings settings, TextWriter output)
{
    private const string BucketName = "SCALE";

    public async Task RunAsync(CancellationToken cancellationToken)
    {
        if (OperatingSystem.IsWindows())
        {
            throw new DriverException("No process can be ended by a signal on Windows.");
        }

        string root = settings.Directory?.FullName ?? Path.Combine(Path.GetTempPath(), $"broker-scale-{Environment.ProcessId}");
        string many = Path.Combine(root, "many");
        string large = Path.Combine(root, "large");
        try
        {
            using var resources = new DriverResources();
            await output.WriteLineAsync("| | count | second tenth, per s | last tenth, per s | RSS MB |");
            await output.WriteLineAsync("|---|---|---|---|---|");
            await FillAsync(many, resources, cancellationToken);
            Directory.Delete(many, recursive: true);
            if (settings.Gigabytes > 0)
            {
                await FillLargeAsync(large, resources, cancellationToken);
            }
        }
        finally
        {
            foreach (string directory in new[] { many, large }.Where(Directory.Exists))
            {
                Directory.Delete(directory, recursive: true);
            }

            if (settings.Directory is null && Directory.Exists(root))
            {
                Directory.Delete(root);
            }
        }
    }

    private static string Number(string kind, int number) => string.Create(CultureInfo.InvariantCulture, $"{kind}-{number}");

    private static async Task<Bucket> FindBucketAsync(StreamsClient streams)
        => await streams.FindBucketAsync(BucketName, CancellationToken.None) ?? throw new DriverException("The bucket is not there.");

    private async Task FillAsync(string directory, DriverResources resources, CancellationToken cancellationToken)
    {
        Directory.CreateDirectory(directory);
        using (ServerProcess server = Start(directory, resources))
        {
            await using BrokerConnection connection = await ConnectAsync(server);
            using StreamsClient streams = connection.Streams();
            var steps = new ScaleSteps(settings.InFlight, server.Process, output);
            byte[] body = new byte[128];
            await steps.RunAsync("streams created", settings.Streams, async i => await streams.CreateStreamAsync(new StreamConfig(Number("S", i), Number("s", i)), cancellationToken), cancellationToken);
            await steps.RunAsync("messages, one after the other to each stream", 10 * settings.Streams, async i => await streams.PublishAsync(Number("s", i % settings.Streams), body), cancellationToken);
            await steps.RunAsync(
                "consumers created", settings.Consumers, async i => await streams.CreateConsumerAsync(Number("S", i % settings.Streams), new ConsumerConfig(Number("C", i)), cancellationToken), cancellationToken);
            await steps.RunAsync("consumers that fetch and acknowledge 10", settings.Consumers, async i => await FetchAsync(streams, Number("S", i % settings.Streams), Number("C", i)), cancellationToken);
            Bucket bucket = await streams.CreateBucketAsync(BucketName, cancellationToken);
            await steps.RunAsync("keys put", settings.Keys, async i => await bucket.PutAsync(Number("key", i), body, cancellationToken), cancellationToken);
            await steps.RunAsync("keys got", settings.Keys / 10, async i => await bucket.FindAsync(Number("key", i * 7 % settings.Keys), cancellationToken), cancellationToken);
            await steps.RunAsync("keys put again", settings.Keys / 10, async i => await bucket.PutAsync(Number("key", i * 7 % settings.Keys), body, cancellationToken), cancellationToken);
            await StopAsync(server, "TERM");
        }

        await ShowStartAsync(directory, resources, "after an orderly end", "TERM", CheckAsync);
        await ShowStartAsync(directory, resources, "again", "KILL", CheckAsync);
        await ShowStartAsync(directory, resources, "after a kill", "KILL", CheckAsync);
    }

    private async Task CheckAsync(StreamsClient streams)
    {
        BucketEntry? last = await (await FindBucketAsync(streams)).FindAsync(Number("key", settings.Keys - 1), CancellationToken.None);
        if (last is null)
        {
            throw new DriverException("The last key is not there after a start.");
        }
    }

    private static async Task FetchAsync(StreamsClient streams, string stream, string name)
    {
        StreamConsumer consumer = await streams.GetConsumerAsync(stream, name, CancellationToken.None);
        int count = 0;
        await foreach (StreamMessage message in consumer.FetchAsync(new FetchOptions { MaxMessages = 10 }, CancellationToken.None))
        {
            count++;
            await message.AckAsync();
        }

        if (count != 10)
        {
            throw new DriverException($"The consumer {name} of {stream} received {count} of 10 messages.");
        }
    }

    private async Task FillLargeAsync(string directory, DriverResources resources, CancellationToken cancellationToken)
    {
        Directory.CreateDirectory(directory);
        int count = (int)(settings.Gigabytes * 1e9 / settings.BodyBytes);
        using (ServerProcess server = Start(directory, resources))
        {
            await using BrokerConnection connection = await ConnectAsync(server);
            using StreamsClient streams = connection.Streams();
            var steps = new ScaleSteps(settings.InFlight, server.Process, output);
            byte[] body = new byte[settings.BodyBytes];
            await streams.CreateStreamAsync(new StreamConfig("LARGE", "large.>"), cancellationToken);
            await steps.RunAsync($"messages of {settings.BodyBytes} bytes", count, async i => await streams.PublishAsync(Number("large.", i % 10_000), body), cancellationToken);
            await StopAsync(server, "TERM");
        }

        Task CheckAllAsync(StreamsClient streams) => CheckCountAsync(streams, count);
        string size = string.Create(CultureInfo.InvariantCulture, $"{settings.Gigabytes:0.###} GB");
        await ShowStartAsync(directory, resources, $"with {size}, after an orderly end", "KILL", CheckAllAsync);
        await ShowStartAsync(directory, resources, $"with {size}, after a kill", "KILL", CheckAllAsync);
    }

    private static async Task CheckCountAsync(StreamsClient streams, int count)
    {
        StreamInfo info = await streams.GetStreamAsync("LARGE", cancellationToken: CancellationToken.None);
        if (info.State.Messages != (ulong)count)
        {
            throw new DriverException($"{info.State.Messages} of {count} messages are there after a start.");
        }
    }

    private async Task ShowStartAsync(string directory, DriverResources resources, string what, string end, Func<StreamsClient, Task> check)
    {
        long started = Stopwatch.GetTimestamp();
        using ServerProcess server = Start(directory, resources);
        await using BrokerConnection connection = await ConnectAsync(server);
        using StreamsClient streams = connection.Streams();
        await check(streams);
        server.Process.Refresh();
        await output.WriteLineAsync(string.Create(
            CultureInfo.InvariantCulture, $"| start {what}: {Stopwatch.GetElapsedTime(started).TotalSeconds:0.00} s | | | | {server.Process.WorkingSet64 / 1e6:0.0} |"));
        await StopAsync(server, end);
    }

    private static ServerProcess Start(string directory, DriverResources resources) => ServerProcess.Start(KnownServers.WithStreams(directory), resources);

    private static Task<BrokerConnection> ConnectAsync(ServerProcess server) => BrokerConnection.ConnectAsync($"nats://{server.Address.EndPoint}", CancellationToken.None);

    private static async Task StopAsync(ServerProcess server, string signal)
    {
        using var kill = Process.Start("kill", [$"-{signal}", server.Process.Id.ToString(CultureInfo.InvariantCulture)]);
        await server.Process.WaitForExitAsync(CancellationToken.None);
    }
}
