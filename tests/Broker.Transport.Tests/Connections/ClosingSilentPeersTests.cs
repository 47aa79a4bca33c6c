using System.Net;
using System.Net.Sockets;
using Broker.Testing;

namespace Broker.Transport.Tests;

/// <summary>
/// Tests how long a closed connection waits for a peer that does not answer the end of the stream with its own. The
/// test sets the time and runs the loop on its own thread, so no test is asynchronous.
/// </summary>
public sealed class ClosingSilentPeersTests : IDisposable
{
    private static readonly TimeSpan Moment = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan Grace = TimeSpan.FromSeconds(1);

    private readonly VirtualTime _time = new();
    private readonly Probe _probe = new();
    private readonly Socket _peer = new(SocketType.Stream, ProtocolType.Tcp) { ReceiveTimeout = 30_000, SendTimeout = 30_000 };
    private EventLoopGroup? _group;
    private Listener? _listener;

    public static TheoryData<bool> Portable => OperatingSystem.IsWindows() ? [true] : [false, true];

    private EventLoop Loop => _group![0];

    public void Dispose()
    {
        _peer.Dispose();
        _listener?.Dispose();
        _group?.Dispose();
    }

    [Theory]
    [MemberData(nameof(Portable))]
    public void An_idle_peer_is_waited_for_a_few_milliseconds_only(bool portable)
    {
        Connect(portable);
        _probe.Connection.Close(ConnectionPairs.WaitLimit);
        RunIteration();
        Assert.Equal(0, _peer.Receive(new byte[1]));
        Assert.False(_probe.Closed.IsCompleted);

        // Only Linux reports that all sent bytes are acknowledged.
        _time.Advance(OperatingSystem.IsLinux() ? Moment : Grace);
        RunIteration();
        Assert.True(_probe.Closed.IsCompleted);
    }

    [Theory]
    [MemberData(nameof(Portable))]
    public void A_peer_that_has_not_read_everything_is_waited_for(bool portable)
    {
        Connect(portable);
        _probe.Connection.GetWriteBuffer(Loop).Write("bye"u8);
        _probe.Connection.Close(ConnectionPairs.WaitLimit);
        RunIteration();
        WaitsForItsGracePeriod();
        Assert.Equal(3, _peer.Receive(new byte[10]));
        Assert.Equal(0, _peer.Receive(new byte[10]));
    }

    [Theory]
    [MemberData(nameof(Portable))]
    public void A_peer_that_has_sent_unread_bytes_is_waited_for(bool portable)
    {
        Connect(portable);
        Say(10);
        _probe.Connection.Close(ConnectionPairs.WaitLimit);
        RunIteration();
        WaitsForItsGracePeriod();
    }

    [Theory]
    [MemberData(nameof(Portable))]
    public void A_peer_that_continues_to_send_is_waited_for(bool portable)
    {
        Connect(portable);
        _probe.Connection.Close(ConnectionPairs.WaitLimit);
        RunIteration();
        Say(10);
        WaitsForItsGracePeriod();
    }

    [Theory]
    [MemberData(nameof(Portable))]
    public void A_waiting_connection_closes_at_once_when_the_peer_ends_its_stream(bool portable)
    {
        Connect(portable);
        Say(10);
        _probe.Connection.Close(ConnectionPairs.WaitLimit);
        RunIteration();
        _peer.Shutdown(SocketShutdown.Send);
        RunUntil(() => _probe.Closed.IsCompleted);
    }

    private void WaitsForItsGracePeriod()
    {
        _time.Advance(Moment);
        RunIteration();
        Assert.False(_probe.Closed.IsCompleted);
        _time.Advance(Grace);
        RunIteration();
        Assert.True(_probe.Closed.IsCompleted);
    }

    private void Connect(bool portable)
    {
        _group = new EventLoopGroup(new EventLoopOptions { CallerDriven = true, ForcePortable = portable, TimeProvider = _time });
        Loop.Attach();
        _listener = Listener.Start(_group, new IPEndPoint(IPAddress.Loopback, 0), (_, _) => _probe);
        _peer.Connect(_listener.EndPoint);
        RunUntil(() => _probe.Opened.IsCompleted);
    }

    // Returns when the other side's system has received it.
    private void Say(int bytes)
    {
        _peer.Send(new byte[bytes]);
        if (OperatingSystem.IsLinux())
        {
            Assert.True(SpinWait.SpinUntil(
                () => LibC.TryGetCount(_peer.SafeHandle, LibC.SIOCOUTQ, out int count) && count == 0, ConnectionPairs.WaitLimit));
        }
    }

    private void RunIteration()
    {
        while (Loop.RunOnce(TimeSpan.FromMilliseconds(1)))
        {
        }
    }

    private void RunUntil(Func<bool> condition)
    {
        DateTime end = DateTime.UtcNow + ConnectionPairs.WaitLimit;
        while (!condition())
        {
            Assert.True(DateTime.UtcNow < end, "it did not come about");
            Loop.RunOnce(TimeSpan.FromMilliseconds(50));
        }
    }
}
