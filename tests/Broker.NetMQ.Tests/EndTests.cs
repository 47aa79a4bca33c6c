using Broker.Bridge;
using NetMQ;
using NetMQ.Sockets;

namespace Broker.NetMQ.Tests;

/// <summary>Servers, pollers, sockets, bridges and attachments end in any order, and the process goes on.</summary>
public sealed class EndTests
{
    private static PushPullRouteOptions Work => new() { Subject = "work", StopTimeout = TimeSpan.FromMilliseconds(100) };

    private static NetMQAttachmentOptions Short => new() { Linger = TimeSpan.FromMilliseconds(50) };

    public static TheoryData<string> Orders => [.. Permute("APSBN", "")];

    [Theory]
    [MemberData(nameof(Orders))]
    public async Task Attachment_poller_socket_bridge_and_server_end_in_any_order(string order)
    {
        Site site = await Site.StartAsync();
        string name = $"inproc://order-{order}";
        PullSocket pull = site.Poll(new PullSocket("@" + name));
        using var pusher = new PushSocket(">" + name);
        NetMQAttachment attachment = await site.AttachAsync(pull, Work, Short);
        pusher.SendFrame("one");
        await Wait.UntilAsync(() => attachment.GetSnapshot().FromNetMQ == 1);
        foreach (char part in order)
        {
            switch (part)
            {
                case 'A':
                    await Wait.For(attachment.DisposeAsync().AsTask());
                    break;
                case 'P':
                    site.Poller.Stop();
                    site.Poller.Dispose();
                    break;
                case 'S' when site.Poller.IsDisposed:
                    pull.Dispose();
                    break;
                case 'S':
                    // NetMQ's own safe order: it ends the process if a polled socket is disposed.
                    site.Poller.RemoveAndDispose(pull);
                    break;
                case 'B':
                    await Wait.For(site.Bridge.DisposeAsync().AsTask());
                    break;
                default:
                    await site.StopServerAsync();
                    break;
            }
        }

        Assert.False(attachment.IsAttached);
        await Wait.For(site.DisposeAsync().AsTask());
    }

    [Fact]
    public async Task Messages_wait_while_the_server_is_away_and_arrive_when_it_is_back()
    {
        await using Site site = await Site.StartAsync();
        PullSocket pull = site.Poll(new PullSocket("@inproc://away-in"));
        PushSocket push = site.Poll(new PushSocket("@inproc://away-out"));
        using var pusher = new PushSocket(">inproc://away-in");
        using var puller = new PullSocket(">inproc://away-out");
        await using NetMQAttachment incoming = await site.AttachAsync(pull, Work, new NetMQAttachmentOptions { WhileServerAway = WhileServerAway.Wait });
        await using NetMQAttachment outgoing = await site.AttachAsync(push, Work);
        pusher.SendFrame("0");
        Assert.Equal("0", puller.ReceiveFrameString());
        await site.StopServerAsync();
        await Wait.UntilAsync(() => !site.Bridge.IsConnected);
        for (int i = 1; i <= 1000; i++)
        {
            pusher.SendFrame($"{i}");
        }

        await Wait.UntilAsync(() => incoming.IsPaused);
        await site.StartServerAsync();
        for (int i = 1; i <= 1000; i++)
        {
            Assert.True(puller.TryReceiveFrameString(Wait.Limit, out string? text));
            Assert.Equal($"{i}", text);
        }

        await Wait.UntilAsync(() => !incoming.IsPaused);
    }

    [Fact]
    public async Task Programs_never_wait_for_an_absent_server_if_messages_are_dropped()
    {
        await using Site site = await Site.StartAsync();
        PullSocket pull = site.Poll(new PullSocket("@inproc://drop"));
        using var pusher = new PushSocket(">inproc://drop");
        await using NetMQAttachment incoming = await site.AttachAsync(
            pull, Work, new NetMQAttachmentOptions { HighWaterMark = 50, WhileServerAway = WhileServerAway.Drop, Linger = TimeSpan.Zero });
        await site.StopServerAsync();
        await Wait.UntilAsync(() => !site.Bridge.IsConnected);
        for (int i = 0; i < 100_000; i++)
        {
            Assert.True(pusher.TrySendFrame(Wait.Limit, "message"));
        }

        await Wait.UntilAsync(() => incoming.GetSnapshot() is { FromNetMQ: 100_000, Dropped: > 90_000 });
        Assert.False(incoming.IsPaused);
    }

    [Fact]
    public async Task The_bridge_that_ends_is_an_event()
    {
        await using Site site = await Site.StartAsync();
        PullSocket pull = site.Poll(new PullSocket("@inproc://gone"));
        using var pusher = new PushSocket(">inproc://gone");
        NetMQAttachment attachment = await site.AttachAsync(pull, Work, Short);
        TaskCompletionSource<Exception> error = Wait.Source<Exception>();
        attachment.Error += (_, e) => error.SetResult(e.Exception);
        attachment.Error += (_, _) => throw new InvalidOperationException("The handler of a program may throw.");
        await site.Bridge.DisposeAsync();
        pusher.SendFrame("into the void");
        Assert.IsType<ObjectDisposedException>(await Wait.For(error));
        Assert.False(attachment.IsAttached);

        // The poller and the socket serve the program itself again.
        pull.ReceiveReady += static (_, e) => e.Socket.SkipFrame();
        pusher.SendFrame("for the program");
        await attachment.DisposeAsync();
        await attachment.DisposeAsync();
    }

    [Fact]
    public async Task A_socket_is_detached_and_attached_again_on_a_running_poller()
    {
        await using Site site = await Site.StartAsync();
        PullSocket pull = site.Poll(new PullSocket("@inproc://again-in"));
        PushSocket push = site.Poll(new PushSocket("@inproc://again-out"));
        using var pusher = new PushSocket(">inproc://again-in");
        using var puller = new PullSocket(">inproc://again-out");
        await using NetMQAttachment outgoing = await site.AttachAsync(push, Work);
        for (int i = 0; i < 5; i++)
        {
            NetMQAttachment attachment = await site.AttachAsync(pull, Work);
            for (int m = 0; m < 300; m++)
            {
                pusher.SendFrame($"{i} {m}");
            }

            await Wait.UntilAsync(() => attachment.GetSnapshot().ToRoute == 300);
            await attachment.DisposeAsync();
            for (int m = 0; m < 300; m++)
            {
                Assert.True(puller.TryReceiveFrameString(Wait.Limit, out string? text));
                Assert.Equal($"{i} {m}", text);
            }
        }

        Assert.Single(site.Bridge.Snapshot().Routes);
    }

    private static IEnumerable<string> Permute(string rest, string begun)
        => rest.Length == 0 ? [begun] : rest.SelectMany(part => Permute(rest.Replace(part.ToString(), "", StringComparison.Ordinal), begun + part));
}
