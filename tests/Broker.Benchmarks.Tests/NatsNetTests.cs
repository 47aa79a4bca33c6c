using System.Globalization;
using Broker.Benchmarks.NatsNet;

namespace Broker.Benchmarks.Tests;

/// <summary>The comparison with NATS.Net, shortened.</summary>
public sealed class NatsNetTests
{
    private static readonly string[] Plain = ["publish", "receive", "receive, an await for each", "request", "request, 64 at a time"];

    private static readonly string[] OfStreams =
    [
        "publish to a stream, 500 in flight", "publish to a stream, one at a time", "consume and acknowledge", "fetch 500 and acknowledge", "next and acknowledge",
        "read in order",
    ];

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Each_row_of_the_comparison_with_NATS_Net_is_measured(bool onDisk)
    {
        DirectoryInfo store = Directory.CreateTempSubdirectory("contest-");
        try
        {
            using var server = NatsServer.Start("-js", "-sd", store.FullName);
            using var output = new StringWriter(CultureInfo.InvariantCulture);

            await Wait.For(NatsNetRates.RunAsync(output, server.Url, rounds: 1, scale: 1, onDisk: onDisk));

            string[] lines = output.ToString().Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries);
            Assert.Equal(onDisk ? OfStreams : [.. Plain, .. OfStreams], lines.Skip(2).Select(static line => line.Split('|')[1].Trim()));
        }
        finally
        {
            store.Delete(recursive: true);
        }
    }
}
