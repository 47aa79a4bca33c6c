using Broker.Bridge;
using NetMQ;
using NetMQ.Sockets;

namespace Broker.NetMQ.Tests;

/// <summary>A nats-server that is killed and started again, and programs that end and start again.</summary>
public sealed class KillTests
{
    private const int Portion = 2000;
    private const int Kills = 3;

    private static PushPullRouteOptions Work => new() { Subject = "work" };

    [Fact]
    public async Task Messages_pass_once_and_in_order_though_the_nats_server_is_killed_meanwhile()
    {
        using var server = NatsServer.Start();
        await using Site site = await Site.StartAsync(client => client with { Servers = [server.Url] });
        PullSocket pull = site.Poll(new PullSocket("@inproc://kill-in"));
        PushSocket push = site.Poll(new PushSocket("@inproc://kill-out"));
        await using NetMQAttachment incoming = await site.AttachAsync(pull, Work);
        await using NetMQAttachment outgoing = await site.AttachAsync(push, Work);
        using var pusher = new PushSocket(">inproc://kill-in");
        using var puller = new PullSocket(">inproc://kill-out");
        Send(pusher, 0, Portion);
        Receive(puller, 0, Portion);
        for (int kill = 1; kill <= Kills; kill++)
        {
            // Half of the portion is under way when the server ends, and the rest comes while it is away.
            int first = kill * Portion;
            Send(pusher, first, Portion / 2);
            server.Kill();
            await Wait.UntilAsync(() => !site.Bridge.IsConnected);
            var sending = Task.Run(() => Send(pusher, first + (Portion / 2), Portion / 2), TestContext.Current.CancellationToken);
            server.Restart();
            Receive(puller, first, Portion);
            await Wait.For(sending);
        }

        Assert.Equal(0, incoming.GetSnapshot().Dropped + outgoing.GetSnapshot().Dropped);
        Assert.Equal((Kills + 1) * Portion, outgoing.GetSnapshot().ToNetMQ);
    }

    [Fact]
    public async Task A_program_that_ends_and_starts_again_attaches_again_and_finds_what_was_pushed_meanwhile()
    {
        await using Site site = await Site.StartAsync();
        PullSocket pull = site.Poll(new PullSocket("@inproc://restart-in"));
        await using NetMQAttachment incoming = await site.AttachAsync(pull, Work);
        using var pusher = new PushSocket(">inproc://restart-in");
        for (int life = 0; life < 3; life++)
        {
            // The other program: another bridge, poller and socket. Its first messages were pushed before it started.
            Send(pusher, life * Portion, Portion / 2);
            await using Site program = await Site.StartAsync(client => client with { Servers = [site.Url] });
            PushSocket push = program.Poll(new PushSocket($"@inproc://restart-out-{life}"));
            await using NetMQAttachment outgoing = await program.AttachAsync(push, Work);
            using var puller = new PullSocket($">inproc://restart-out-{life}");
            Receive(puller, life * Portion, Portion / 2);
            Send(pusher, (life * Portion) + (Portion / 2), Portion / 2);
            Receive(puller, (life * Portion) + (Portion / 2), Portion / 2);

            // All messages of this life are acknowledged when its bridge ends.
            await outgoing.DisposeAsync();
        }

        Assert.Equal(0, incoming.GetSnapshot().Dropped);
    }

    private static void Send(PushSocket pusher, int first, int count)
    {
        for (int i = first; i < first + count; i++)
        {
            Assert.True(pusher.TrySendFrame(Wait.Limit, BitConverter.GetBytes(i)));
        }
    }

    private static void Receive(PullSocket puller, int first, int count)
    {
        for (int i = first; i < first + count; i++)
        {
            Assert.True(puller.TryReceiveFrameBytes(Wait.Limit, out byte[]? body));
            Assert.Equal(i, BitConverter.ToInt32(body));
        }
    }
}
