using System.Net.Sockets;

namespace Broker.Transport.Tests.Outbound;

/// <summary>
/// Tests what the runtime's gathered send allocates, which the portable poller relies on
/// (docs/decisions/021-gathered-sends.md).
/// </summary>
public sealed class GatheredSendTests
{
    [Fact]
    public async Task A_gathered_send_of_eight_segments_allocates_nothing()
    {
        using var listener = new TcpListener(System.Net.IPAddress.Loopback, 0);
        listener.Start();
        using var near = new Socket(SocketType.Stream, ProtocolType.Tcp);
        await near.ConnectAsync(listener.LocalEndpoint, TestContext.Current.CancellationToken);
        using Socket far = await listener.AcceptSocketAsync(TestContext.Current.CancellationToken);
        near.Blocking = false;
        far.Blocking = false;
        byte[] buffer = new byte[64];
        var eight = new List<ArraySegment<byte>>(8);
        Run(1_000);

        int sent = 0;
        Assert.Equal(0, Allocations.Of(() => sent = Run(1_000)));
        Assert.True(sent > 0);

        int Run(int count)
        {
            int bytes = 0;
            for (int i = 0; i < count; i++)
            {
                for (int piece = 0; piece < 8; piece++)
                {
                    eight.Add(new ArraySegment<byte>(buffer, piece, 8));
                }

                bytes += near.Send(eight, SocketFlags.None, out _);
                eight.Clear();
                far.Receive(buffer, SocketFlags.None, out _);
            }

            return bytes;
        }
    }
}
