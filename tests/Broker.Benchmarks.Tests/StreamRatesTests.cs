using System.Globalization;
using Broker.Benchmarks.Streams;

namespace Broker.Benchmarks.Tests;

/// <summary>The comparison of two servers with streams, shortened.</summary>
public sealed class StreamRatesTests
{
    private static readonly string[] Rows =
    [
        "publish, 500 in flight", "publish, one at a time", "consume and acknowledge", "fetch 500 and acknowledge", "next and acknowledge", "read in order",
        "KV put, 64 in flight", "KV put, one at a time", "KV get, 64 in flight", "KV get, one at a time",
    ];

    [Fact]
    public async Task Each_row_of_the_comparison_of_two_servers_is_measured()
    {
        DirectoryInfo store = Directory.CreateTempSubdirectory("rates-");
        try
        {
            using var server = NatsServer.Start("-js", "-sd", store.FullName);
            await using MeasuredServer one = await MeasuredServer.ConnectAsync(server.Url, Environment.ProcessId);
            await using MeasuredServer two = await MeasuredServer.ConnectAsync(server.Url, Environment.ProcessId);
            using var output = new StringWriter(CultureInfo.InvariantCulture);

            await Wait.For(StreamRates.RunAsync(output, one, two, rounds: 1, scale: 1));

            string[] lines = output.ToString().Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries);
            Assert.StartsWith("A write of 512 B with a sync", lines[0], StringComparison.Ordinal);
            Assert.Equal(Rows, lines.Skip(3).Select(static line => line.Split('|')[1].Trim()));
        }
        finally
        {
            store.Delete(recursive: true);
        }
    }
}
