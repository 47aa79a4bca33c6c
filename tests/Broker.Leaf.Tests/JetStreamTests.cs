using System.Collections.Concurrent;
using System.Text;
using Broker.Client;
using Broker.Leaf.Tests.Steps;
using Broker.Leaf.Tests.Support;
using Broker.Streams;
using NATS.Client.Core;
using NATS.Client.JetStream;

namespace Broker.Leaf.Tests;

/// <summary>The official .NET client at the edge uses streams, buckets and object stores of the hub.</summary>
public sealed class JetStreamTests
{
    private static readonly string[] OfStreams = ["$JS.API.TEST", "$KV.b.k", "$OBJ.b.k", "plain"];

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    public static TheoryData<string> Versions => HubVersion.All;

    public static TheoryData<string, string?, string?> Sites
    {
        get
        {
            var sites = new TheoryData<string, string?, string?>();
            foreach (string version in (string[])[HubVersion.Installed, NewerNatsServers.Trixie, NewerNatsServers.Sid])
            {
                sites.Add(version, "hub", null);
                sites.Add(version, "hub", "hub");
                sites.Add(version, null, null);
            }

            return sites;
        }
    }

    [Theory]
    [MemberData(nameof(Sites))]
    public async Task NATS_Net_uses_streams_buckets_and_objects_through_the_edge(string version, string? hubDomain, string? clientDomain)
    {
        using var store = new StoreFolder();
        await using LeafSite site = await LeafSite.StartAsync(version, hubConfiguration: store.Configuration(hubDomain));
        await using var nats = new NatsConnection(new NatsOpts { Url = $"nats://{site.Edge.EndPoints[0]}", RequestTimeout = Wait.Limit, CommandTimeout = Wait.Limit });
        NatsJSOpts options = clientDomain is null ? new NatsJSOpts(nats.Opts) : new NatsJSOpts(nats.Opts, domain: clientDomain);
        await Wait.UntilAsync(() => site.Status.RemoteInterest >= 4, () => site.Status.ToString());

        var steps = new NatsNetSteps();
        await steps.RunAllAsync(new NatsJSContext(nats, options), nats);

        Assert.Equal(38, steps.Results.Count);
        Assert.Equal(0, site.Status.MessagesLost);
        Assert.Equal(1, site.Status.Connects);
    }

    [Theory]
    [MemberData(nameof(Sites))]
    public async Task Npm_s_client_uses_streams_buckets_and_objects_through_the_edge(string version, string? hubDomain, string? clientDomain)
    {
        string node = Programs.Require("node");
        string folder = Path.Combine(Repository.Root, "tests", "Broker.Leaf.Tests", "peers", "node");
        Missing.Unless(Directory.Exists(Path.Combine(folder, "node_modules", "@nats-io", "jetstream")), "the npm package @nats-io/jetstream");
        using var store = new StoreFolder();
        await using LeafSite site = await LeafSite.StartAsync(version, hubConfiguration: store.Configuration(hubDomain));
        await Wait.UntilAsync(() => site.Status.RemoteInterest >= 4, () => site.Status.ToString());
        await using var program = PeerProcess.Start("streams.mjs", node, Path.Combine(folder, "streams.mjs"), $"nats://{site.Edge.EndPoints[0]}", clientDomain ?? "");

        string line;
        do
        {
            line = await program.ReadLineAsync();
        }
        while (line.StartsWith("STEP ", StringComparison.Ordinal));

        Assert.Equal("DONE 50", line);
        Assert.Equal(0, site.Status.MessagesLost);
        Assert.Equal(1, site.Status.Connects);
    }

    [Theory]
    [MemberData(nameof(Versions))]
    public async Task Subjects_of_streams_pass_no_link_of_an_account_with_streams_of_its_own(string version)
    {
        using var store = new StoreFolder();
        using var ours = new StoreFolder();
        await using LeafSite site = await LeafSite.StartAsync(version, hubConfiguration: store.Configuration("hub"), streams: ServerStreams.In(ours.Path));
        BrokerConnection hub = await site.AtHubAsync();
        BrokerConnection edge = await site.AtEdgeAsync();
        (string[] atEdge, string[] atHub) = await ExchangeAsync(edge, hub, () => site.SettleAsync(hub, edge));

        // Each side also receives its own messages.
        Assert.Equal([.. OfStreams, "plain"], atEdge);
        Assert.Equal([.. OfStreams, "plain"], atHub);
        Message info = await edge.RequestAsync("$JS.hub.API.INFO", default, Wait.Limit, cancellationToken: Ended);
        Assert.Contains("\"domain\":\"hub\"", info.Text, StringComparison.Ordinal);
        info = await edge.RequestAsync("$JS.API.INFO", default, Wait.Limit, cancellationToken: Ended);
        Assert.DoesNotContain("\"domain\"", info.Text, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Versions))]
    public async Task Subjects_of_streams_of_an_account_do_not_pass_to_leaf_nodes_that_have_joined(string version)
    {
        using var ours = new StoreFolder();
        await using HubSite site = await HubSite.StartAsync(streams: ServerStreams.In(ours.Path));
        BrokerConnection leaf = await site.AtRealLeafAsync(version);
        BrokerConnection hub = await site.AtHubAsync();
        (string[] atLeaf, string[] atHub) = await ExchangeAsync(leaf, hub, () => HubSite.SettleAsync(hub, leaf));

        Assert.Equal([.. OfStreams, "plain"], atLeaf);
        Assert.Equal([.. OfStreams, "plain"], atHub);
    }

    [Fact]
    public void The_stored_subject_is_taken_from_the_reply_of_a_stream()
    {
        ReadOnlySpan<byte> reply = "$JS.ACK.s.c.1.2.3.4.5@orders.new"u8;
        Assert.True(JetStreamMapping.TakeStoredSubject(ref reply).SequenceEqual("orders.new"u8));
        Assert.True(reply.SequenceEqual("$JS.ACK.s.c.1.2.3.4.5"u8));
        foreach (string other in new[] { "_INBOX.a@b", "$JS.ACK.s.c.1", "$JS.ACK.s@", "" })
        {
            ReadOnlySpan<byte> kept = Encoding.UTF8.GetBytes(other);
            Assert.True(JetStreamMapping.TakeStoredSubject(ref kept).IsEmpty);
            Assert.Equal(other, Encoding.UTF8.GetString(kept));
        }
    }

    [Theory]
    [InlineData("$JS.API.INFO", "$JS.d.API.INFO")]
    [InlineData("$JS.API.STREAM.INFO.s", "$JS.d.API.STREAM.INFO.s")]
    [InlineData("$KV.b.k", "$JS.d.API.$KV.b.k")]
    [InlineData("$OBJ.b.C.x", "$JS.d.API.$OBJ.b.C.x")]
    [InlineData("$JS.API.INFO.x", null)]
    [InlineData("$JS.API.OTHER.x", null)]
    [InlineData("$JS.x.API.INFO", null)]
    [InlineData("$KVX.b", null)]
    public void Only_the_subjects_of_JetStream_are_renamed(string subject, string? renamed)
    {
        byte[] destination = new byte[200];
        int length = new JetStreamMapping("d").Map(Encoding.UTF8.GetBytes(subject), destination);

        Assert.Equal(renamed ?? "", Encoding.UTF8.GetString(destination.AsSpan(0, length)));
        Assert.Equal(0, new JetStreamMapping("").Map(Encoding.UTF8.GetBytes(subject), destination));
    }

    [Fact]
    public async Task Without_the_streams_of_the_hub_a_request_to_a_stream_fails_at_once()
    {
        await using LeafSite site = await LeafSite.StartAsync();
        BrokerConnection edge = await site.AtEdgeAsync();

        await Assert.ThrowsAsync<NoRespondersException>(() => edge.RequestAsync("$JS.API.INFO", default, Wait.Limit, cancellationToken: Ended).AsTask());
    }

    // Both sides publish to the subjects of streams and to another one. Returns what each side received, in order.
    private static async Task<(string[] AtLeaf, string[] AtHub)> ExchangeAsync(BrokerConnection leaf, BrokerConnection hub, Func<Task> settle)
    {
        var atLeaf = new ConcurrentQueue<string>();
        var atHub = new ConcurrentQueue<string>();
        foreach (string subject in OfStreams)
        {
            leaf.Subscribe(subject, (in message) => atLeaf.Enqueue(Encoding.UTF8.GetString(message.Subject)));
            hub.Subscribe(subject, (in message) => atHub.Enqueue(Encoding.UTF8.GetString(message.Subject)));
        }

        await settle();
        foreach (string subject in OfStreams)
        {
            hub.Publish(subject, "hub"u8);
            leaf.Publish(subject, "leaf"u8);
        }

        await settle();
        return ([.. atLeaf.Order(StringComparer.Ordinal)], [.. atHub.Order(StringComparer.Ordinal)]);
    }

    private sealed class StoreFolder : IDisposable
    {
        private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("leaf-streams-");

        internal string Path => _folder.FullName;

        internal string Configuration(string? domain)
            => $"jetstream {{ store_dir: \"{_folder.FullName.Replace('\\', '/')}\", max_mem: 64MB, max_file: 64MB {(domain is null ? "" : $", domain: {domain}")} }}";

        public void Dispose() => _folder.Delete(recursive: true);
    }
}
