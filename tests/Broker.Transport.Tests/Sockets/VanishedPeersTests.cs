using System.Net;
using System.Net.Sockets;
using System.Runtime.Versioning;

namespace Broker.Transport.Tests.Sockets;

/// <summary>A peer that has vanished is distinguished from one that only accepts no data.</summary>
[SupportedOSPlatform("linux")]
public sealed class VanishedPeersTests
{
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(2);

    public static TheoryData<bool, bool> Cases => new()
    {
        { false, false },
        { false, true },
        { true, false },
        { true, true },
    };

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task A_vanished_peer_is_found_while_data_waits(bool portable, bool wasFull)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "only Linux tells what was acknowledged");
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1, ForcePortable = portable });
        (Probe near, Socket far) = await ConnectAsync(group);
        using (far)
        {
            near.Connection.DetectVanished(Timeout);
            if (wasFull)
            {
                await FillAsync(near);
            }

            far.Vanish();
            await FillAsync(near);
            Assert.False(near.Connection.HasVanished(Timeout));
            await Wait.UntilAsync(() => near.Connection.HasVanished(Timeout), TestContext.Current.CancellationToken)
                .WaitAsync(ConnectionPairs.WaitLimit, TestContext.Current.CancellationToken);
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_peer_that_reads_nothing_has_not_vanished(bool portable)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "only Linux tells what was acknowledged");
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1, ForcePortable = portable });
        (Probe near, Socket far) = await ConnectAsync(group);
        using (far)
        {
            near.Connection.DetectVanished(Timeout);
            await FillAsync(near);
            for (int i = 0; i < 60; i++)
            {
                await Task.Delay(100, TestContext.Current.CancellationToken);
                Assert.False(near.Connection.HasVanished(Timeout));
            }

            Assert.False(near.Closed.IsCompleted);
            Assert.NotEqual(0, near.Connection.PendingBytes);
        }
    }

    private static async Task<(Probe Near, Socket Far)> ConnectAsync(EventLoopGroup group)
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var near = new Probe();
        CancellationToken cancellation = TestContext.Current.CancellationToken;
        await Dialer.ConnectAsync(group[0], listener.LocalEndpoint, near, cancellation);
        Socket far = await listener.AcceptSocketAsync(cancellation);
        await near.Opened.WaitAsync(ConnectionPairs.WaitLimit, cancellation);
        near.Connection.WriteDeadline = System.Threading.Timeout.InfiniteTimeSpan;
        return (near, far);
    }

    private static Task FillAsync(Probe near) => near.WriteAsync(new byte[8 * 1024 * 1024]);
}
