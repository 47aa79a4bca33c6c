using System.Collections.Concurrent;
using System.Text;
using Broker.Client;
using Broker.Leaf.Tests.Support;
using Broker.Streams;
using NATS.Client.Core;
using NATS.Client.JetStream;
using NATS.Client.JetStream.Models;
using NATS.Client.KeyValueStore;
using NATS.Client.ObjectStore;

namespace Broker.Leaf.Tests;

/// <summary>The official .NET client at the edge uses streams, buckets and object stores of the hub.</summary>
public sealed class JetStreamTests
{
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
    public async Task Row13_NATS_Net_uses_streams_buckets_and_objects_through_the_edge(string version, string? hubDomain, string? clientDomain)
    {
        using var store = new StoreFolder();
        await using LeafSite site = await LeafSite.StartAsync(version, hubConfiguration: store.Configuration(hubDomain));
        await using var nats = new NatsConnection(new NatsOpts { Url = $"nats://{site.Edge.EndPoints[0]}", RequestTimeout = Wait.Limit, CommandTimeout = Wait.Limit });
        var steps = new Steps();
        NatsJSOpts options = clientDomain is null ? new NatsJSOpts(nats.Opts) : new NatsJSOpts(nats.Opts, domain: clientDomain);
        await Wait.UntilAsync(() => site.Status.RemoteInterest >= 4, () => site.Status.ToString());
        var streams = new NatsJSContext(nats, options);

        await UseStreamsAsync(streams, nats, steps);
        await UseBucketsAsync(new NatsKVContext(streams), steps);
        await UseObjectsAsync(new NatsObjContext(streams), steps);

        Assert.Equal(38, steps.Count);
        Assert.Equal(0, site.Status.MessagesLost);
        Assert.Equal(1, site.Status.Connects);
    }

    [Theory]
    [MemberData(nameof(Sites))]
    public async Task Row13_npm_s_client_uses_streams_buckets_and_objects_through_the_edge(string version, string? hubDomain, string? clientDomain)
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
        string[] subjects = ["$JS.API.TEST", "$KV.b.k", "$OBJ.b.k", "plain"];
        var atEdge = new ConcurrentQueue<string>();
        var atHub = new ConcurrentQueue<string>();
        foreach (string subject in subjects)
        {
            edge.Subscribe(subject, (in message) => atEdge.Enqueue(Encoding.UTF8.GetString(message.Subject)));
            hub.Subscribe(subject, (in message) => atHub.Enqueue(Encoding.UTF8.GetString(message.Subject)));
        }

        await site.SettleAsync(hub, edge);
        foreach (string subject in subjects)
        {
            hub.Publish(subject, "hub"u8);
            edge.Publish(subject, "edge"u8);
        }

        await site.SettleAsync(hub, edge);

        // Each side also receives its own messages.
        Assert.Equal([.. subjects, "plain"], atEdge.Order(StringComparer.Ordinal));
        Assert.Equal([.. subjects, "plain"], atHub.Order(StringComparer.Ordinal));
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
        string[] subjects = ["$JS.API.TEST", "$KV.b.k", "$OBJ.b.k", "plain"];
        var atLeaf = new ConcurrentQueue<string>();
        var atHub = new ConcurrentQueue<string>();
        foreach (string subject in subjects)
        {
            leaf.Subscribe(subject, (in message) => atLeaf.Enqueue(Encoding.UTF8.GetString(message.Subject)));
            hub.Subscribe(subject, (in message) => atHub.Enqueue(Encoding.UTF8.GetString(message.Subject)));
        }

        await HubSite.SettleAsync(hub, leaf);
        foreach (string subject in subjects)
        {
            hub.Publish(subject, "hub"u8);
            leaf.Publish(subject, "leaf"u8);
        }

        await HubSite.SettleAsync(hub, leaf);

        Assert.Equal([.. subjects, "plain"], atLeaf.Order(StringComparer.Ordinal));
        Assert.Equal([.. subjects, "plain"], atHub.Order(StringComparer.Ordinal));
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

    private static async Task UseStreamsAsync(NatsJSContext streams, NatsConnection nats, Steps steps)
    {
        await steps.RunAsync("account", async () => Assert.Equal(0, (await streams.GetAccountInfoAsync(Ended)).Streams));
        await steps.RunAsync("create stream", async () => await streams.CreateStreamAsync(new StreamConfig("ORDERS", ["orders.>"]), Ended));
        await steps.RunAsync("get stream", async () => Assert.Equal("ORDERS", (await streams.GetStreamAsync("ORDERS", cancellationToken: Ended)).Info.Config.Name));
        for (int i = 0; i < 3; i++)
        {
            ulong sequence = (ulong)i + 1;
            await steps.RunAsync("publish", async () => Assert.Equal(sequence, (await streams.PublishAsync($"orders.{sequence}", $"order {sequence}", cancellationToken: Ended)).Seq));
        }

        await steps.RunAsync("core publish", async () => await nats.PublishAsync("orders.core", "core", cancellationToken: Ended));
        INatsJSConsumer consumer = null!;
        await steps.RunAsync("create consumer", async () => consumer = await streams.CreateOrUpdateConsumerAsync("ORDERS", new ConsumerConfig("pull"), Ended));
        for (int i = 1; i <= 3; i++)
        {
            string subject = $"orders.{i}";
            await steps.RunAsync("next", async () =>
            {
                INatsJSMsg<string> message = (await consumer.NextAsync<string>(cancellationToken: Ended))!;
                Assert.Equal(subject, message.Subject);
                await message.AckAsync(new AckOpts { DoubleAck = true }, Ended);
            });
        }

        await steps.RunAsync("fetch", async () =>
        {
            await foreach (INatsJSMsg<string> message in consumer.FetchAsync<string>(new NatsJSFetchOpts { MaxMsgs = 1 }, cancellationToken: Ended))
            {
                Assert.Equal("orders.core", message.Subject);
                await message.AckAsync(new AckOpts { DoubleAck = true }, Ended);
            }
        });
        await steps.RunAsync("acknowledged", async () =>
        {
            await consumer.RefreshAsync(Ended);
            Assert.Equal("0 0", $"{consumer.Info.NumAckPending} {consumer.Info.NumPending}");
        });
        await steps.RunAsync("ordered consumer", async () =>
        {
            INatsJSConsumer ordered = await streams.CreateOrderedConsumerAsync("ORDERS", cancellationToken: Ended);
            int count = 0;
            await foreach (INatsJSMsg<string> message in ordered.ConsumeAsync<string>(cancellationToken: Ended))
            {
                Assert.StartsWith("orders.", message.Subject, StringComparison.Ordinal);
                if (++count == 4)
                {
                    break;
                }
            }
        });
        await steps.RunAsync("list", async () =>
        {
            var names = new List<string>();
            await foreach (string name in streams.ListStreamNamesAsync(cancellationToken: Ended))
            {
                names.Add(name);
            }

            Assert.Equal(["ORDERS"], names);
        });
        await steps.RunAsync("purge", async () => Assert.True((await streams.PurgeStreamAsync("ORDERS", new StreamPurgeRequest(), Ended)).Purged == 4));
        await steps.RunAsync("delete consumer", async () => Assert.True(await streams.DeleteConsumerAsync("ORDERS", "pull", Ended)));
        await steps.RunAsync("delete stream", async () => Assert.True(await streams.DeleteStreamAsync("ORDERS", Ended)));
    }

    private static async Task UseBucketsAsync(NatsKVContext buckets, Steps steps)
    {
        INatsKVStore bucket = null!;
        ulong revision = 0;
        await steps.RunAsync("create bucket", async () => bucket = await buckets.CreateStoreAsync(new NatsKVConfig("b") { History = 5 }, Ended));
        await steps.RunAsync("put", async () => revision = await bucket.PutAsync("k", "one", cancellationToken: Ended));
        await steps.RunAsync("get", async () => Assert.Equal("one", (await bucket.GetEntryAsync<string>("k", cancellationToken: Ended)).Value));
        await steps.RunAsync("update", async () => revision = await bucket.UpdateAsync("k", "two", revision, cancellationToken: Ended));
        await steps.RunAsync("wrong revision", () => Assert.ThrowsAsync<NatsKVWrongLastRevisionException>(() => bucket.UpdateAsync("k", "x", revision + 7, cancellationToken: Ended).AsTask()));
        await steps.RunAsync("create", async () => await bucket.CreateAsync("new", "first", cancellationToken: Ended));
        await steps.RunAsync("create again", () => Assert.ThrowsAsync<NatsKVCreateException>(() => bucket.CreateAsync("new", "second", cancellationToken: Ended).AsTask()));
        await steps.RunAsync("watch", async () =>
        {
            var seen = new HashSet<string>(StringComparer.Ordinal);
            await foreach (NatsKVEntry<string> entry in bucket.WatchAsync<string>(cancellationToken: Ended))
            {
                seen.Add($"{entry.Key}={entry.Value}");
                if (seen.Count == 2)
                {
                    break;
                }
            }

            Assert.Equal(["k=two", "new=first"], seen.Order(StringComparer.Ordinal));
        });
        await steps.RunAsync("watch changes", async () =>
        {
            await foreach (NatsKVEntry<string> entry in bucket.WatchAsync<string>("k", cancellationToken: Ended))
            {
                if (entry.Value == "two")
                {
                    await bucket.PutAsync("k", "three", cancellationToken: Ended);
                }

                if (entry.Value == "three")
                {
                    break;
                }
            }
        });
        await steps.RunAsync("history", async () =>
        {
            var values = new List<string?>();
            await foreach (NatsKVEntry<string> entry in bucket.HistoryAsync<string>("k", cancellationToken: Ended))
            {
                values.Add(entry.Value);
            }

            Assert.Equal(["one", "two", "three"], values);
        });
        await steps.RunAsync("delete", async () => await bucket.DeleteAsync("k", cancellationToken: Ended));
        await steps.RunAsync("deleted", () => Assert.ThrowsAsync<NatsKVKeyDeletedException>(() => bucket.GetEntryAsync<string>("k", cancellationToken: Ended).AsTask()));
        await steps.RunAsync("missing", () => Assert.ThrowsAsync<NatsKVKeyNotFoundException>(() => bucket.GetEntryAsync<string>("no", cancellationToken: Ended).AsTask()));
        await steps.RunAsync("status", async () => Assert.Equal("b", (await bucket.GetStatusAsync(Ended)).Bucket));
        await steps.RunAsync("delete bucket", async () => Assert.True(await buckets.DeleteStoreAsync("b", Ended)));
    }

    private static async Task UseObjectsAsync(NatsObjContext stores, Steps steps)
    {
        INatsObjStore objects = null!;
        byte[] content = new byte[300_000];
        new Random(1).NextBytes(content);
        await steps.RunAsync("create store", async () => objects = await stores.CreateObjectStoreAsync("o", Ended));
        await steps.RunAsync("put object", async () => await objects.PutAsync("file", content, Ended));
        await steps.RunAsync("get object", async () => Assert.Equal(content, await objects.GetBytesAsync("file", Ended)));
        await steps.RunAsync("object info", async () => Assert.True((await objects.GetInfoAsync("file", cancellationToken: Ended)).Size == (ulong)content.Length));
        await steps.RunAsync("delete object and store", async () =>
        {
            await objects.DeleteAsync("file", Ended);
            Assert.True(await stores.DeleteObjectStore("o", Ended));
        });
    }

    /// <summary>Counts steps, so that a step that is left out is noticed.</summary>
    private sealed class Steps
    {
        internal int Count { get; private set; }

        internal async Task RunAsync(string name, Func<Task> step)
        {
            try
            {
                await step().WaitAsync(Wait.Limit, Ended);
                Count++;
            }
            catch (Exception e)
            {
                throw new InvalidOperationException($"step {Count + 1}, {name}: {e.Message}", e);
            }
        }
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
