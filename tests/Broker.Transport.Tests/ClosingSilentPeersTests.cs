using System.Net;
using System.Net.Sockets;
using Broker.Testing.Time;
using Broker.Transport.Linux;

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
    public void A_peer_that_says_nothing_and_was_told_nothing_is_hardly_waited_for(bool portable)
    {
        Connect(portable);
        _probe.Connection.Close(ConnectionPairs.Patience);
        Turn();
        Assert.Equal(0, _peer.Receive(new byte[1]));
        Assert.False(_probe.Closed.IsCompleted);

        // Only Linux reports that all sent bytes are acknowledged.
        _time.Advance(OperatingSystem.IsLinux() ? Moment : Grace);
        Turn();
        Assert.True(_probe.Closed.IsCompleted);
    }

    [Theory]
    [MemberData(nameof(Portable))]
    public void A_peer_with_last_words_to_read_is_waited_for(bool portable)
    {
        Connect(portable);
        _probe.Connection.GetWriteBuffer(Loop).Write("bye"u8);
        _probe.Connection.Close(ConnectionPairs.Patience);
        Turn();
        StaysForItsGrace();
        Assert.Equal(3, _peer.Receive(new byte[10]));
        Assert.Equal(0, _peer.Receive(new byte[10]));
    }

    [Theory]
    [MemberData(nameof(Portable))]
    public void A_peer_of_which_bytes_have_come_is_waited_for(bool portable)
    {
        Connect(portable);
        Say(10);
        _probe.Connection.Close(ConnectionPairs.Patience);
        Turn();
        StaysForItsGrace();
    }

    [Theory]
    [MemberData(nameof(Portable))]
    public void A_peer_that_goes_on_talking_is_waited_for(bool portable)
    {
        Connect(portable);
        _probe.Connection.Close(ConnectionPairs.Patience);
        Turn();
        Say(10);
        StaysForItsGrace();
    }

    [Theory]
    [MemberData(nameof(Portable))]
    public void A_peer_that_is_waited_for_and_ends_its_side_is_let_go_at_once(bool portable)
    {
        Connect(portable);
        Say(10);
        _probe.Connection.Close(ConnectionPairs.Patience);
        Turn();
        _peer.Shutdown(SocketShutdown.Send);
        TurnUntil(() => _probe.Closed.IsCompleted);
    }

    private void StaysForItsGrace()
    {
        _time.Advance(Moment);
        Turn();
        Assert.False(_probe.Closed.IsCompleted);
        _time.Advance(Grace);
        Turn();
        Assert.True(_probe.Closed.IsCompleted);
    }

    private void Connect(bool portable)
    {
        _group = new EventLoopGroup(new EventLoopOptions { CallerDriven = true, ForcePortable = portable, TimeProvider = _time });
        Loop.Attach();
        _listener = Listener.Start(_group, new IPEndPoint(IPAddress.Loopback, 0), (_, _) => _probe);
        _peer.Connect(_listener.EndPoint);
        TurnUntil(() => _probe.Opened.IsCompleted);
    }

    // Returns when the other side's system has received it.
    private void Say(int bytes)
    {
        _peer.Send(new byte[bytes]);
        if (OperatingSystem.IsLinux())
        {
            Assert.True(SpinWait.SpinUntil(
                () => LibC.TryGetCount(_peer.SafeHandle, LibC.SIOCOUTQ, out int count) && count == 0, ConnectionPairs.Patience));
        }
    }

    private void Turn()
    {
        while (Loop.RunOnce(TimeSpan.FromMilliseconds(1)))
        {
        }
    }

    private void TurnUntil(Func<bool> condition)
    {
        DateTime end = DateTime.UtcNow + ConnectionPairs.Patience;
        while (!condition())
        {
            Assert.True(DateTime.UtcNow < end, "it did not come about");
            Loop.RunOnce(TimeSpan.FromMilliseconds(50));
        }
    }
}
