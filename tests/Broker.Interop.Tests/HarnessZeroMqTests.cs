using System.Text;
using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests;

/// <summary>
/// Tests the ZeroMQ peers with each other, without the broker, so that later failures are caused by the broker.
/// </summary>
public sealed class HarnessZeroMqTests
{
    public static TheoryData<string, string> Pairs { get; } = new()
    {
        { "pyzmq", "libzmq" },
        { "libzmq", "zeromq.js" },
        { "zeromq.js", "pyzmq" },
        { "NetMQ", "libzmq" },
        { "pyzmq", "NetMQ" },
    };

    [Theory]
    [MemberData(nameof(Pairs))]
    public async Task A_publisher_that_binds_reaches_a_subscriber_that_connects(string publisher, string subscriber)
    {
        string address = FreePort.NextAddress();
        await using Publisher pub = await Peers.ZeroMq(publisher).PublishAsync(address, "bind");
        await using Subscriber sub = await Peers.ZeroMq(subscriber).SubscribeAsync(address, "weather");
        await pub.SendUntilReceivedAsync("weather", sub);

        await pub.SendAsync("traffic.oslo", "not subscribed");
        await pub.SendAsync("weather.oslo", "4", "", "C");

        Message message = await sub.ReadAsync();
        Assert.Equal(["weather.oslo", "4", "", "C"], message.Frames.Select(Encoding.UTF8.GetString));
    }

    [Theory]
    [MemberData(nameof(Pairs))]
    public async Task A_publisher_that_connects_reaches_a_subscriber_that_binds(string publisher, string subscriber)
    {
        string address = FreePort.NextAddress();
        await using Subscriber sub = await Peers.ZeroMq(subscriber).SubscribeAsync(address, "", "bind");
        await using Publisher pub = await Peers.ZeroMq(publisher).PublishAsync(address);
        await pub.SendUntilReceivedAsync("", sub);

        byte[] topic = [0x00, 0x0d, 0x0a, 0xff, (byte)' ', (byte)'>'];
        await pub.SendAsync(topic, []);

        Message message = await sub.ReadAsync();
        Assert.Equal([topic, []], message.Frames);
        Assert.StartsWith("DONE ", await pub.FinishAsync(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_subscriber_ends_after_its_count()
    {
        string address = FreePort.NextAddress();
        await using Publisher pub = await Peers.Python.PublishAsync(address, "bind");
        await using Subscriber sub = await Peers.Libzmq.SubscribeAsync(address, "t", count: 1);

        await pub.SendUntilReceivedAsync("t", sub);

        Assert.Equal("DONE 1", await sub.Process.ReadLineAsync());
        Assert.Equal(0, await sub.Process.WaitForExitAsync());
    }
}
