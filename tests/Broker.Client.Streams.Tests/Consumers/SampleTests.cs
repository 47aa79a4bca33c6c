using System.Globalization;
using Broker.Client.Streams.Tests.Support;
using OrderStream;

namespace Broker.Client.Streams.Tests.Consumers;

/// <summary>
/// Runs samples/OrderStream with each server, and checks the output that docs/streams-client.md shows.
/// </summary>
public sealed class SampleTests(SharedServers servers)
{
    private static readonly string[] Expected =
    [
        "tea is message 1", "milk is message 2", "milk is stored already", "bread is message 3",
        "shop.milk at attempt 1", "shop.bread at attempt 1", "shop.tea at attempt 2",
        "1: shop.tea", "2: shop.milk", "3: shop.bread",
    ];

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task The_sample_prints_what_the_page_shows(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        string url = servers.UrlOf(server);
        using var output = new StringWriter(CultureInfo.InvariantCulture);

        await Wait.For(PublishOnce.RunAsync(url, output));
        await Wait.For(HandleOrders.RunAsync(url, output));
        await Wait.For(ReadHistory.RunAsync(url, output));

        string[] lines = output.ToString().Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries);
        // Under load, the refused message may come before the others.
        Assert.Equal(Expected.Order(StringComparer.Ordinal), lines.Order(StringComparer.Ordinal));
        Assert.Equal(Expected[..4], lines[..4]);
        Assert.Equal(Expected[^3..], lines[^3..]);
    }

    [Fact]
    public void The_page_shows_the_output_of_the_sample()
    {
        string page = File.ReadAllText(Path.Combine(Repository.Root, "docs", "streams-client.md"));
        Assert.Contains(string.Join("\n    ", Expected), page, StringComparison.Ordinal);
    }
}
