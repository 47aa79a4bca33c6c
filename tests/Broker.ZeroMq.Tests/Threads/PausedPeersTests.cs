using Broker.ZeroMq.Tests.Sockets;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Threads;

/// <summary>Peers of a socket from which nobody receives: they are paused and then disconnect.</summary>
public sealed class PausedPeersTests
{
    private readonly Inbox<ZeroMqPeer> _peers = new();

    [Fact]
    public async Task A_sub_frees_paused_publishers_that_disconnect()
    {
        await using var sub = new SubscriberSocket(new ZeroMqSocketOptions { ReceiveHighWaterMark = 1, AcceptPeer = Take });
        sub.Subscribe("");
        await CheckAsync(sub, "PUB");
    }

    [Fact]
    public async Task An_xsub_frees_paused_publishers_that_disconnect()
    {
        await using var xsub = new XSubscriberSocket(new ZeroMqSocketOptions { ReceiveHighWaterMark = 1, AcceptPeer = Take });
        xsub.Subscribe("");
        await CheckAsync(xsub, "PUB");
    }

    [Fact]
    public async Task An_xpub_frees_paused_subscribers_that_disconnect()
    {
        await using var xpub = new XPublisherSocket(new XPublisherSocketOptions { ReceiveHighWaterMark = 1, AcceptPeer = Take });
        await CheckAsync(xpub, "XSUB");
    }

    [Fact]
    public async Task A_pull_frees_paused_senders_that_disconnect()
    {
        await using var pull = new PullSocket(new ZeroMqSocketOptions { ReceiveHighWaterMark = 1, AcceptPeer = Take });
        await CheckAsync(pull, "PUSH");
    }

    private string? Take(ZeroMqPeer peer)
    {
        _peers.Add(peer);
        return null;
    }

    private async Task CheckAsync(MessageSocket socket, string type)
    {
        var endpoint = ZeroMqEndpoint.Parse(socket.Bind("tcp://127.0.0.1:*"));
        for (int i = 0; i < 10; i++)
        {
            using RawPeer raw = new RawPeer(endpoint).Handshake(type);
            raw.Send([.. Enumerable.Repeat(Wire.Message([9, 9]), 10)]);
            ZeroMqPeer peer = await _peers.TakeAsync();
            await Wait.UntilAsync(() => socket.Receiver.Queue.PausedSources == 1);
            peer.Close("it has been held for long enough");
            await Wait.UntilAsync(() => socket.Receiver.Queue.PausedSources == 0);
        }
    }
}
