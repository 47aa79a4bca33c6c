using Broker.Bridge;
using Broker.Client;
using Broker.NetMQ;
using NetMQ;
using NetMQPullSocket = NetMQ.Sockets.PullSocket;

namespace Broker.ZeroMqLoad.Ends;

// This part pushes within its process to a PULL of NetMQ, which is attached to a pipeline.
// Broker.ZeroMqLoad.Compatibility does not contain it.
internal sealed partial class Load
{
    private const string Inside = "inproc://load";

    partial void PushAttached() => PushAttachedAsync().GetAwaiter().GetResult();

    private async Task PushAttachedAsync()
    {
        await using ZeroMqBridge bridge = await ZeroMqBridge.StartAsync(
            new ZeroMqBridgeOptions { Client = new ClientOptions { Servers = [Endpoint], ConnectTimeout = StartLimit }, RequireServer = true });
        using var pull = new NetMQPullSocket();
        pull.Options.ReceiveHighWatermark = Mark;
        pull.Bind(Inside);
        using var poller = new NetMQPoller { pull };
        poller.RunAsync();
        await using NetMQAttachment attachment = await bridge.AttachAsync(
            poller, pull, new PushPullRouteOptions { Subject = Subject, HighWaterMark = Mark });
        var pusher = new Load { Role = Role.Push, Endpoint = Inside, Count = Count, WarmUp = WarmUp, Size = Size, Mark = Mark };

        // Another thread, as in a program with a poller.
        await Task.Factory.StartNew(
            new NetMqEnd(pusher, NetMqForm.Bytes).Push, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        await attachment.DisposeAsync();
        poller.Stop();
    }
}
