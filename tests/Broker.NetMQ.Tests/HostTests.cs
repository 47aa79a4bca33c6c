using Broker.Bridge;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using NetMQ;
using NetMQ.Sockets;

namespace Broker.NetMQ.Tests;

/// <summary>A host attaches sockets when it starts and ends the attachments when it stops.</summary>
public sealed class HostTests
{
    [Fact]
    public async Task A_host_attaches_a_socket_to_its_bridge()
    {
        using var pull = new PullSocket("@inproc://hosted");
        using var poller = new NetMQPoller { pull };
        poller.RunAsync();
        NetMQAttachment? attachment = null;
        HostApplicationBuilder builder = Host.CreateApplicationBuilder(["--Broker:InProcessOnly=true"]);
        builder.Services.AddBroker().AddZeroMqBridge().AddNetMQAttachment(async (_, bridge)
            => attachment = await bridge.AttachAsync(poller, pull, new PushPullRouteOptions { Subject = "work" }));
        using IHost host = builder.Build();
        await host.StartAsync(TestContext.Current.CancellationToken);
        using var push = new PushSocket(">inproc://hosted");
        push.SendFrame("message");
        await Wait.UntilAsync(() => attachment!.GetSnapshot().FromNetMQ == 1);
        Assert.True(attachment!.IsAttached);
        await host.StopAsync(TestContext.Current.CancellationToken);
        Assert.False(attachment.IsAttached);
    }
}
