using System.Net;
using System.Net.Sockets;
using System.Text;
using Broker.Bridge.Tests.PubSub.Support;

namespace Broker.Bridge.Tests.PubSub;

/// <summary>Lost messages are lost completely, do not affect others, and are counted.</summary>
public sealed class LossTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_restarted_server_gets_the_subscriptions_again_and_the_gap_is_counted()
    {
        var server = NatsServer.StartAt(FreePort.Next());
        await using Site site = await Site.StartAsync(0, remote: server);
        await using Subscriber all = await site.SubscriberAsync("");
        await using Subscriber some = await site.SubscriberAsync("a.b.");
        await using Publisher publisher = await site.PublisherAsync();
        await publisher.SendAsync(Enumerable.Range(0, 100).Select(i => Shapes.Frames("a.b.c", Shapes.Number(i))));
        await Wait.UntilAsync(() => all.Count == 100 && some.Count == 100, () => $"{all.Count}, {some.Count}");

        server.Kill();
        await Wait.UntilAsync(() => site.Log.Warnings.Any(), () => "the loss is not logged");
        PubSubRouteSnapshot before = site.Route.Snapshot();
        await publisher.SendAsync(Enumerable.Range(100, 50).Select(i => Shapes.Frames("a.b.c", Shapes.Number(i))));
        await Wait.UntilAsync(() => site.Route.Snapshot().Dropped == before.Dropped + 50, () => $"{site.Route.Snapshot()}");

        // Subscriptions change meanwhile.
        all.Socket.Unsubscribe(""u8);
        all.Socket.Subscribe("behind."u8);
        await using Subscriber late = new Subscriber("a.").Connect(site.Route.SubscriberEndpoints[0]);
        await Wait.UntilAsync(() => late.Socket.ConnectionCount == 1, () => "no late subscriber");

        server.Restart();
        await site.ReadyAsync(some, "a.b.");
        await site.ReadyAsync(late, "a.");
        await site.ReadyAsync(all, "behind.");
        await publisher.SendAsync(Enumerable.Range(200, 100).Select(i => Shapes.Frames("a.b.c", Shapes.Number(i))));
        await Wait.UntilAsync(() => some.Count == 200 && late.Count == 100, () => $"{some.Count}, {late.Count}");
        some.AssertExactly([.. Enumerable.Range(0, 100).Concat(Enumerable.Range(200, 100)).Select(i => $"a.b.c|{i}")]);
        Assert.Equal(100, all.Count);
        Assert.Equal(before.Dropped + 50, site.Route.Snapshot().Dropped);
        Assert.Empty(site.Log.Errors);
    }

    [Fact]
    public async Task Close_while_there_is_no_server_ends_at_once()
    {
        var server = NatsServer.StartAt(FreePort.Next());
        await using Site site = await Site.StartAsync(0, remote: server);
        await using Subscriber all = await site.SubscriberAsync("", "a.");
        await using Publisher publisher = await site.PublisherAsync();
        server.Kill();
        await Wait.UntilAsync(() => site.Log.Warnings.Any(), () => "the loss is not logged");
        await site.Bridge.StopIngressAsync(Token).WaitAsync(Wait.Limit, Token);
        Assert.Equal(0, await site.Bridge.CloseAsync(TimeSpan.FromSeconds(1)).WaitAsync(Wait.Limit, Token));
        Assert.Empty(site.Log.Errors);
    }

    [Fact]
    public async Task Messages_above_the_servers_limit_are_refused_and_counted_as_it_changes()
    {
        string folder = Directory.CreateTempSubdirectory("bridge-tests").FullName;
        string file = Path.Combine(folder, "server.conf");
        await File.WriteAllTextAsync(file, "max_payload: 1000", Token);
        var server = NatsServer.StartAt(FreePort.Next(), "-c", file);
        await using Site site = await Site.StartAsync(0, remote: server);
        await using Subscriber all = await site.SubscriberAsync("");
        await using Publisher publisher = await site.PublisherAsync();
        await publisher.SendAsync([Shapes.Frames("t", new string('x', 1000)), Shapes.Frames("t", new string('x', 800))]);
        await Wait.UntilAsync(() => all.Count == 1, () => $"{site.Route.Snapshot()}");
        Assert.Equal(1, site.Route.Snapshot().Refused);

        await File.WriteAllTextAsync(file, "max_payload: 5000", Token);
        server.Restart();
        await site.ReadyAsync(all, "");
        await Wait.UntilAsync(
            () => all.Count >= 2, () => $"{site.Route.Snapshot()}", () => _ = publisher.SendAsync(Shapes.Frames("raised", new string('x', 4000))));
        // None of these messages is still on its way to the next server, which would refuse it.
        await publisher.SendAsync(Shapes.Frames("behind"));
        await Wait.UntilAsync(() => all.Received.ContainsKey("behind"), () => $"{site.Route.Snapshot()}");
        await File.WriteAllTextAsync(file, "max_payload: 500", Token);
        server.Restart();
        await site.ReadyAsync(all, "");
        PubSubRouteSnapshot before = site.Route.Snapshot();
        await publisher.SendAsync([Shapes.Frames("t", new string('x', 800)), Shapes.Frames("last")]);
        await Wait.UntilAsync(() => all.Received.ContainsKey("last"), () => $"{site.Route.Snapshot()}");
        Assert.Equal(before.Refused + 1, site.Route.Snapshot().Refused);
        Assert.Equal(before.Dropped, site.Route.Snapshot().Dropped);
        Assert.Equal(site.Route.Snapshot().Refused, site.Route.Mapper.Counters[MapStatus.TooLarge]);
        Directory.Delete(folder, recursive: true);
    }

    [Fact]
    public async Task A_subscription_the_server_forbids_is_logged_once_and_harms_nothing()
    {
        var server = NatsServer.StartWithConfiguration(
            "authorization { users = [{ user: u, password: p, permissions: { publish: { deny: \"zmq.bad.>\" } } }] }");
        await using Site site = await Site.StartAsync(
            0, client: o => o with { User = "u", Password = "p" }, remote: server);
        await using Publisher publisher = new Publisher().Connect(site.Route.PublisherEndpoints[0]);
        await site.ReadyAsync(publisher);
        await publisher.SendAsync(Enumerable.Range(0, 500).Select(i => Shapes.Frames($"bad.{i}", "x")));
        await publisher.SendAsync(Shapes.Frames("good", "x"));
        await Wait.UntilAsync(() => site.Route.Snapshot().ToSubjects > 500, () => $"{site.Route.Snapshot()}");
        await site.Bridge.StopIngressAsync(Token);
        await Wait.UntilAsync(() => site.Log.Warnings.Any(), () => "the refusal is not logged");
        Assert.Single(site.Log.Warnings);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public async Task A_SUB_that_does_not_read_loses_whole_messages_and_others_lose_none(int loops)
    {
        const int Messages = 3000;
        await using Site site = await Site.StartAsync(loops, o => o with { HighWaterMark = 4 * 1024 * 1024 });
        await using Subscriber fast = await site.SubscriberAsync("t");
        using RawPeer slow = await RawPeer.ConnectAsync(site.Route.SubscriberEndpoints[0], "SUB");
        await slow.SendAsync(RawPeer.Subscription("t", true));
        // More messages were sent to SUBs than the fast SUB received.
        await Wait.UntilAsync(
            async () =>
            {
                (long heard, long went) = (fast.Probes, site.Route.Snapshot().ToZeroMq);
                await site.ReadyAsync(fast, "t");
                return site.Route.Snapshot().ToZeroMq - went > fast.Probes - heard;
            },
            "the slow one");
        await using Publisher publisher = await site.PublisherAsync();
        PubSubRouteSnapshot start = site.Route.Snapshot();
        string body = new('b', 10_000);
        for (int i = 0; i < Messages; i += 50)
        {
            int from = i;
            await publisher.SendAsync(Enumerable.Range(from, 50).Select(n => Shapes.Frames("t", Shapes.Number(n), body)));
            await Wait.UntilAsync(() => fast.Count >= from + 50, () => $"{fast.Count} of {from + 50}; {site.Route.Snapshot()}");
        }

        fast.AssertExactly([.. Enumerable.Range(0, Messages).Select(i => $"t|{i}|{body}")]);
        PubSubRouteSnapshot end = site.Route.Snapshot();
        Assert.Equal(2 * Messages, end.ToZeroMq - start.ToZeroMq + end.Dropped - start.Dropped);
        Assert.True(end.Dropped > 0, "nothing was dropped");
        Assert.Single(site.Log.Warnings);

        // The bridge sent whole messages: the messages that the SUB reads and those that the close counts add up.
        await site.Bridge.StopIngressAsync(Token);
        long sentToSlow = (2 * Messages) - (end.Dropped - start.Dropped) - Messages;
        long undelivered = await site.Bridge.CloseAsync(TimeSpan.Zero).WaitAsync(Wait.Limit, Token);
        byte[] read = await slow.ReadToEndAsync();
        Assert.InRange(undelivered, 1, sentToSlow);
        Assert.Equal(sentToSlow - undelivered, WholeMessages(read));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task A_PUB_is_read_more_slowly_while_a_NATS_subscriber_is_slow_and_nothing_is_lost(int loops)
    {
        const int Messages = 3000;
        const int Size = 10_000;
        await using Site site = await Site.StartAsync(
            loops, client: o => o with { MaxPendingBytes = 1024 * 1024 }, server: o => o.MaxPending = 8 * 1024 * 1024);
        using var reader = new TcpClient { ReceiveBufferSize = 8192 };
        await reader.ConnectAsync((IPEndPoint)site.Server!.EndPoints[0], Token);
        NetworkStream stream = reader.GetStream();
        await stream.WriteAsync("CONNECT {\"verbose\":false}\r\nSUB zmq.t 1\r\nPING\r\n"u8.ToArray(), Token);
        using var lines = new StreamReader(stream, Encoding.Latin1);
        while (await lines.ReadLineAsync(Token) != "PONG")
        {
        }

        using RawPeer publisher = await RawPeer.ConnectAsync(site.Route.PublisherEndpoints[0], "PUB");
        string body = new('b', Size);
        Task sends = publisher.SendAsync(
            [.. Enumerable.Range(0, Messages).SelectMany(i => Shapes.Encode(Shapes.Frames("t", $"{i:d8}{body}")))]);
        await Wait.UntilAsync(() => site.Server.Snapshot().Stalls > 0, () => $"{site.Server.Snapshot()}");
        for (int i = 0; i < Messages;)
        {
            string? line = await lines.ReadLineAsync(Token);
            if (line!.StartsWith("MSG ", StringComparison.Ordinal))
            {
                Assert.StartsWith($"{i:d8}", await lines.ReadLineAsync(Token), StringComparison.Ordinal);
                if (++i % 50 == 0)
                {
                    // Slower than the PUB, and faster than the server lets a publisher publish meanwhile.
                    await Task.Delay(1, Token);
                }
            }
        }

        await sends;
        Assert.Equal(0, site.Route.Snapshot().Dropped);
        Assert.Equal(Messages, site.Route.Snapshot().ToSubjects);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(0)]
    public async Task A_message_is_not_published_if_its_PUB_disconnects_in_the_middle(int loops)
    {
        await using Site site = await Site.StartAsync(loops);
        await using Subscriber all = await site.SubscriberAsync("");
        PubSubRouteSnapshot before = site.Route.Snapshot();
        using (RawPeer raw = await RawPeer.ConnectAsync(site.Route.PublisherEndpoints[0], "PUB"))
        {
            byte[] whole = Shapes.Encode(Shapes.Frames("t", "whole"));
            byte[] cut = Shapes.Encode(Shapes.Frames("t", "1", "2"));
            await raw.SendAsync([.. whole, .. cut.AsSpan(0, 6)]);
            await Wait.UntilAsync(() => all.Count == 1, () => "the whole one did not come");
        }

        await Wait.UntilAsync(() => site.Route.Snapshot().Publishers == 0, () => "the dead one is still there");
        await using Publisher publisher = await site.PublisherAsync();
        await publisher.SendAsync(Shapes.Frames("t", "after"));
        await Wait.UntilAsync(() => all.Count == 2, () => "nothing came after");
        all.AssertExactly(["t|whole", "t|after"]);
        Assert.Equal(0, site.Route.Snapshot().Refused);
    }

    [Fact]
    public async Task Peers_above_the_limit_are_refused()
    {
        await using Site site = await Site.StartAsync(1, o => o with { MaxPeers = 2 });
        await using Subscriber one = await site.SubscriberAsync("a");
        await using Subscriber two = await site.SubscriberAsync("a");
        using RawPeer three = await RawPeer.ConnectAsync(site.Route.SubscriberEndpoints[0], "SUB");
        await three.ReadToEndAsync();
        await Wait.UntilAsync(() => site.Log.Warnings.Any(), () => "the third is not logged");
        Assert.Equal(2, site.Route.Snapshot().Subscribers);
        Assert.Contains("too many peers", Assert.Single(site.Log.Warnings), StringComparison.Ordinal);
    }

    private static int WholeMessages(byte[] wire)
    {
        // Skips the greeting and READY. The rest are frames, and probes are not counted.
        int at = 64;
        int messages = 0;
        bool probe = false;
        while (at + 2 <= wire.Length)
        {
            int flags = wire[at];
            long length = (flags & 2) != 0
                ? at + 9 <= wire.Length ? System.Buffers.Binary.BinaryPrimitives.ReadInt64BigEndian(wire.AsSpan(at + 1)) : int.MaxValue
                : wire[at + 1];
            int header = (flags & 2) != 0 ? 9 : 2;
            if (at + header + length > wire.Length)
            {
                break;
            }

            probe |= wire.AsSpan(at + header, (int)length).StartsWith(Shapes.Probe);
            at += header + (int)length;
            if ((flags & 5) == 0)
            {
                messages += probe ? 0 : 1;
                probe = false;
            }
        }

        return messages;
    }
}
