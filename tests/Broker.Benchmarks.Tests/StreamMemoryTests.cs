using System.Globalization;
using Broker.Benchmarks.Streams;

namespace Broker.Benchmarks.Tests;

/// <summary>The memory of streams and the PINGs beside them, shortened.</summary>
public sealed class StreamMemoryTests
{
    [Fact]
    public async Task The_memory_of_streams_consumers_and_keys_is_measured()
    {
        DirectoryInfo store = Directory.CreateTempSubdirectory("memory-");
        try
        {
            using var server = NatsServer.Start("-js", "-sd", store.FullName);
            await using MeasuredServer one = await MeasuredServer.ConnectAsync(server.Url, Environment.ProcessId);
            using var output = new StringWriter(CultureInfo.InvariantCulture);

            await Wait.For(StreamMemory.RunAsync(output, one, one, streams: 10, consumers: 10, keys: 20, TimeSpan.Zero));

            Assert.Equal(["stream, 10 of them", "consumer, 10 of them", "key, 20 of them"], RowsOf(output));
        }
        finally
        {
            store.Delete(recursive: true);
        }
    }

    [Fact]
    public async Task Pings_beside_a_stream_on_the_disk_and_in_memory_are_measured()
    {
        DirectoryInfo store = Directory.CreateTempSubdirectory("pings-");
        try
        {
            using var server = NatsServer.Start("-js", "-sd", store.FullName);
            await using MeasuredServer one = await MeasuredServer.ConnectAsync(server.Url, Environment.ProcessId);
            using var output = new StringWriter(CultureInfo.InvariantCulture);

            await Wait.For(StreamPings.RunAsync(output, one, rounds: 1, TimeSpan.FromMilliseconds(100)));

            Assert.Equal(["p50", "p90", "p99"], RowsOf(output));
        }
        finally
        {
            store.Delete(recursive: true);
        }
    }

    private static string[] RowsOf(StringWriter output)
        => [.. output.ToString().Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries).Skip(2).Select(static line => line.Split('|')[1].Trim())];
}
