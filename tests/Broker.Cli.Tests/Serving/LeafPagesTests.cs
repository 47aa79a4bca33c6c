using System.Globalization;
using System.Text.Json;
using Broker.Cli.Configuration;
using Broker.Cli.Serving;
using Broker.Cli.Tests.Configuration;
using Broker.Client;
using Microsoft.Extensions.Logging.Abstractions;

namespace Broker.Cli.Tests.Serving;

/// <summary>The page <c>/leafz</c> and the part of <c>/varz</c> about remotes, beside those of the hub.</summary>
public sealed class LeafPagesTests
{
    [Fact]
    public async Task The_page_lists_the_link_and_the_interest_of_the_hub()
    {
        int port = FreePort.Next();
        using var hub = NatsServer.StartWithConfiguration(
            string.Create(CultureInfo.InvariantCulture, $"server_name: hub\nleafnodes {{ host: 127.0.0.1, port: {port} }}"), "-m", "-1");
        await using BrokerConnection atHub = await BrokerConnection.ConnectAsync(hub.Url, TestContext.Current.CancellationToken);
        atHub.Subscribe("wanted.>", static (in _) => { });
        await atHub.FlushAsync(TestContext.Current.CancellationToken);
        await using var host = new ServeHost();
        ServeAddresses addresses = await host.StartAsync(
            ServeConfig.Bind(Parsing.Parse($"port: -1\nhttp: \"127.0.0.1:-1\"\nleafnodes {{ remotes: [ {{ url: \"nats-leaf://u:secret@127.0.0.1:{port}\" }} ] }}"), new ServeSettings()),
            NullLoggerFactory.Instance,
            TestContext.Current.CancellationToken);
        using var http = new HttpClient { BaseAddress = new Uri(addresses.Monitoring[0]) };
        string page = "";

        await Wait.UntilAsync(
            async () => (page = await http.GetStringAsync("/leafz?subs=1", TestContext.Current.CancellationToken)).Contains("\"wanted.", StringComparison.Ordinal),
            () => page);

        JsonElement ours = Leaf(page);
        JsonElement theirs = Leaf(await hub.Http.GetStringAsync("/leafz?subs=1", TestContext.Current.CancellationToken));
        Assert.Equal("wanted.>", Assert.Single(ours.GetProperty("subscriptions_list").EnumerateArray()).GetString());
        Assert.Equal("hub", ours.GetProperty("name").GetString());
        Assert.Equal("$G", ours.GetProperty("account").GetString());
        Assert.Equal(port, ours.GetProperty("port").GetInt32());
        string[] names = [.. theirs.EnumerateObject().Select(static p => p.Name).Where(static n => n != "rtt")];
        // Version 2.9 has no name here; later versions have it first.
        Assert.Equal(names.Prepend("name").Distinct(), ours.EnumerateObject().Select(static p => p.Name));
        Assert.DoesNotContain("subscriptions_list", await http.GetStringAsync("/leafz", TestContext.Current.CancellationToken), StringComparison.Ordinal);
        Assert.Contains("\"leafnodes\": 0", await http.GetStringAsync("/leafz?acc=other", TestContext.Current.CancellationToken), StringComparison.Ordinal);
        string varz = await http.GetStringAsync("/varz", TestContext.Current.CancellationToken);
        Assert.Contains("\"leafnodes\": 1", varz, StringComparison.Ordinal);
        Assert.Contains($"\"127.0.0.1:{port}\"", varz, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", page + varz, StringComparison.Ordinal);
    }

    private static JsonElement Leaf(string page) => Assert.Single(JsonDocument.Parse(page).RootElement.GetProperty("leafs").EnumerateArray());
}
