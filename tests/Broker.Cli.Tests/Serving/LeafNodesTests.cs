using System.Globalization;
using Broker.Cli.Configuration;
using Broker.Cli.Serving;
using Broker.Cli.Tests.Configuration;
using Broker.Client;
using Broker.Leaf;
using Microsoft.Extensions.Logging.Abstractions;

namespace Broker.Cli.Tests.Serving;

/// <summary>The key <c>leafnodes</c>: the broker joins a real nats-server.</summary>
public sealed class LeafNodesTests
{
    [Fact]
    public async Task A_broker_with_leafnodes_in_its_file_joins_the_hub()
    {
        int port = FreePort.Next();
        using var hub = NatsServer.StartWithConfiguration(
            string.Create(CultureInfo.InvariantCulture, $"leafnodes {{ host: 127.0.0.1, port: {port}, authorization {{ user: edge, password: secret }} }}"));
        ServeSettings settings = Bind(
            $"port: -1\naccounts {{ A {{ users: [ {{ user: a, password: p }} ] }} }}\nleafnodes {{ remotes: [ {{ url: \"nats-leaf://edge:secret@127.0.0.1:{port}\", account: A }} ], reconnect: 2 }}");
        Assert.Equal(TimeSpan.FromSeconds(2), settings.LeafNodes!.ReconnectDelay);
        await using var host = new ServeHost();
        ServeAddresses addresses = await host.StartAsync(settings, NullLoggerFactory.Instance, TestContext.Current.CancellationToken);
        await using BrokerConnection atHub = await BrokerConnection.ConnectAsync(hub.Url, TestContext.Current.CancellationToken);
        await using BrokerConnection atEdge = await BrokerConnection.ConnectAsync(
            addresses.Nats[0].Replace("//", "//a:p@", StringComparison.Ordinal), TestContext.Current.CancellationToken);
        atHub.Subscribe("ask", static (in message) => message.Respond("answer"u8));

        await Wait.UntilAsync(
            async () =>
            {
                try
                {
                    return (await atEdge.RequestAsync("ask", default, TimeSpan.FromSeconds(1))).Body.Length == "answer".Length;
                }
                catch (Exception e) when (e is NoRespondersException or TimeoutException)
                {
                    return false;
                }
            },
            "an answer from the hub");
    }

    [Theory]
    [InlineData("leafnodes {\n remotes: [ { url: \"nats-leaf://h\",\n  zzzz: red } ] }", "unknown key at test.conf:3:3")]
    [InlineData("leafnodes {\n remotes: [ { account: \"$G\" } ] }", "\"url\" or \"urls\" is missing at test.conf:2:")]
    [InlineData("leafnodes { remotes: [ { url: \"nats://u:secret@h:7422\" }, { url: \"nats-leaf://h\" } ] }", "another remote has the same address and account at")]
    [InlineData("leafnodes { colour: red }", "unknown key \"colour\" at test.conf:1:13")]
    [InlineData("leafnodes { listen: \"hub.example.org:7422\" }", "\"listen\" must be an IP address, localhost, or *")]
    [InlineData("leafnodes { port: 7422, authorization { user: a } }", "a user of \"leafnodes\" must have a \"user\" and a \"password\", or an \"nkey\" at")]
    [InlineData("leafnodes { port: 7422, authorization { user: a, password: \"secret\", account: B } }", "\"account\" must be the name of one of the accounts")]
    [InlineData("leafnodes { port: 7422, authorization { users: [ { user: a, password: \"secret\" }, { user: a, password: x } ] } }", "there are two users \"a\" at")]
    [InlineData("leafnodes { port: 7422, tls { cert_file: \"no-such-file\" } }", "")]
    public void A_wrong_key_is_refused_with_its_position(string text, string problem)
    {
        ConfigException e = Assert.Throws<ConfigException>(() => Bind(text));

        Assert.StartsWith(problem, Assert.Single(e.Problems).ToString(), StringComparison.Ordinal);
        Assert.DoesNotContain("secret", e.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_nats_server_joins_a_broker_with_a_port_for_leaf_nodes_and_a_reload_ends_its_user()
    {
        string ours = string.Create(CultureInfo.InvariantCulture, $"127.0.0.1:{FreePort.Next()}");
        ServeSettings with = Bind(
            $"port: -1\naccounts {{ A {{ users: [ {{ user: a, password: p }} ] }} }}\nleafnodes {{ listen: \"{ours}\", authorization {{ user: edge, password: secret, account: A }}, compression: off }}");
        await using var host = new ServeHost();
        ServeAddresses addresses = await host.StartAsync(with, NullLoggerFactory.Instance, TestContext.Current.CancellationToken);
        using var leaf = NatsServer.StartWithConfiguration(
            $"leafnodes {{ remotes: [ {{ url: \"nats-leaf://edge:secret@{ours}\" }} ] }}", "-m", "-1");
        await using BrokerConnection atLeaf = await BrokerConnection.ConnectAsync(leaf.Url, TestContext.Current.CancellationToken);
        await using BrokerConnection atHub = await BrokerConnection.ConnectAsync(
            addresses.Nats[0].Replace("//", "//a:p@", StringComparison.Ordinal), TestContext.Current.CancellationToken);
        atLeaf.Subscribe("ask", static (in message) => message.Respond("answer"u8));

        await Wait.UntilAsync(
            async () =>
            {
                try
                {
                    return (await atHub.RequestAsync("ask", default, TimeSpan.FromSeconds(1))).Body.Length == "answer".Length;
                }
                catch (Exception e) when (e is NoRespondersException or TimeoutException)
                {
                    return false;
                }
            },
            "an answer from the leaf node");

        await host.ReloadAsync(with with { LeafNodes = with.LeafNodes! with { Listen = with.LeafNodes.Listen! with { Users = [new(new("edge", "other"), "A")] } } });
        await Wait.UntilAsync(
            async () => (await leaf.Http.GetStringAsync("/leafz", TestContext.Current.CancellationToken)).Contains("\"leafnodes\": 0", StringComparison.Ordinal),
            "the end of the link");
    }

    [Fact]
    public async Task A_reload_adds_and_removes_remotes()
    {
        int port = FreePort.Next();
        using var hub = NatsServer.StartWithConfiguration(string.Create(CultureInfo.InvariantCulture, $"leafnodes {{ host: 127.0.0.1, port: {port} }}"), "-m", "-1");
        await using var host = new ServeHost();
        await host.StartAsync(Bind("port: -1"), NullLoggerFactory.Instance, TestContext.Current.CancellationToken);
        ServeSettings with = Bind($"port: -1\nleafnodes {{ remotes: [ {{ url: \"nats-leaf://127.0.0.1:{port}\" }} ] }}");

        Assert.Empty(FixedSettings.Changed(Bind("port: -1"), with));
        await host.ReloadAsync(with);
        await WaitForLeafsAsync(1);
        await host.ReloadAsync(Bind("port: -1"));
        await WaitForLeafsAsync(0);
        await host.ReloadAsync(with);
        await WaitForLeafsAsync(1);

        Task WaitForLeafsAsync(int count) => Wait.UntilAsync(
            async () => (await hub.Http.GetStringAsync("/leafz", TestContext.Current.CancellationToken)).Contains($"\"leafnodes\": {count}", StringComparison.Ordinal),
            $"{count} leaf nodes at the hub");
    }

    [Theory]
    [InlineData("nats-leaf://a:x@h", "nats-leaf://a:x@h", true)]
    [InlineData("nats-leaf://a:x@h", "nats-leaf://a:y@h", false)]
    [InlineData("nats-leaf://h", "nats-leaf://h\", nkey: \"SUAAOCAJBIFQYDIOB4IBCEQTCQKRMFYYDENBWHA5DYPSAIJCEMSCKJR2OM", false)]
    [InlineData("nats-leaf://h\", nkey: \"SUAAOCAJBIFQYDIOB4IBCEQTCQKRMFYYDENBWHA5DYPSAIJCEMSCKJR2OM", "nats-leaf://h\", nkey: \"SUAAOCAJBIFQYDIOB4IBCEQTCQKRMFYYDENBWHA5DYPSAIJCEMSCKJR2OM", true)]
    [InlineData("nats-leaf://h\", deny_imports: \"a", "nats-leaf://h\", deny_imports: \"b", false)]
    public void A_remote_is_the_same_if_nothing_in_its_block_has_changed(string before, string after, bool same)
    {
        LeafRemoteOptions one = Remote(before);

        Assert.Equal(same, one.Equals(Remote(after)));
        static LeafRemoteOptions Remote(string url) => Bind($"leafnodes {{ remotes: [ {{ url: \"{url}\" }} ] }}").LeafNodes!.Remotes[0];
    }

    private static ServeSettings Bind(string text)
        => ServeConfig.Bind(Parsing.Parse(text), new ServeSettings());
}
