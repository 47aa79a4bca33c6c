using Broker.ZeroMq.Zmtp;
using Broker.ZeroMq.Zmtp.Handshake;

namespace Broker.ZeroMq.Sockets;

/// <summary>A peer whose handshake is complete. Thread-safe; the counters are a moment's truth and stay after the peer has gone.</summary>
public sealed class ZeroMqPeer
{
    private readonly PeerSession _session;
    private long _received;
    private long _filtered;
    private long _sentHere;
    private long _sentElsewhere;
    private long _dropped;

    internal ZeroMqPeer(PeerSession session, long id, ZmtpPeer zmtp, string userId)
    {
        _session = session;
        Id = id;
        Zmtp = zmtp;
        RoutingId = zmtp.Identity;
        UserId = userId;
    }

    /// <summary>A number that no other peer of the socket has or had.</summary>
    public long Id { get; }

    /// <summary>The endpoint of ours by which it came.</summary>
    public string Endpoint => _session.Endpoint;

    /// <summary>Its address as an endpoint; the same as <see cref="Endpoint"/> for ipc.</summary>
    public string Address => _session.Address;

    /// <summary>Whether we connected to it; otherwise it connected to us.</summary>
    public bool IsOutgoing => _session.Link is not null;

    /// <summary>Its socket type.</summary>
    public ZmtpSocketType SocketType => Zmtp.SocketType;

    /// <summary>
    /// The routing id it announced, or the one that our ROUTER gave it; empty when there is none. The memory is not reused.
    /// </summary>
    public ReadOnlyMemory<byte> RoutingId { get; internal set; }

    /// <summary>
    /// Who it is to the application: what <see cref="LoopSocketOptions.Authenticate"/> said; empty when that was not asked.
    /// </summary>
    public string UserId { get; }

    /// <summary>The version of ZMTP in its greeting.</summary>
    public Version ProtocolVersion => new(Zmtp.Major, Zmtp.Minor);

    /// <summary>What it said of itself in its handshake.</summary>
    internal ZmtpPeer Zmtp { get; }

    /// <summary>Whether it is still connected.</summary>
    public bool IsConnected => _session.Connection.IsOpen;

    /// <summary>Messages received from it, those that were filtered included.</summary>
    public long MessagesReceived => Volatile.Read(ref _received);

    /// <summary>Messages received from it that matched no subscription of ours.</summary>
    public long MessagesFiltered => Volatile.Read(ref _filtered);

    /// <summary>Messages put into its queue.</summary>
    public long MessagesSent => Volatile.Read(ref _sentHere) + Interlocked.Read(ref _sentElsewhere);

    /// <summary>Messages it should have got and did not, because its high-water mark was reached.</summary>
    public long MessagesDropped => Interlocked.Read(ref _dropped);

    /// <summary>Octets that wait for it.</summary>
    public long PendingBytes => _session.Connection.PendingBytes;

    /// <summary>
    /// Finds a property of its handshake's metadata by name, whatever the case. The value is valid as long as this object.
    /// </summary>
    public bool TryGetProperty(ReadOnlySpan<byte> name, out ReadOnlySpan<byte> value) => Zmtp.TryGetProperty(name, out value);

    /// <summary>
    /// Reads nothing more of this peer until <see cref="ResumeReceiving"/>, so that the kernel holds it up. A message that is being
    /// handled is not concerned. On its loop.
    /// </summary>
    /// <remarks>
    /// Meanwhile its PINGs are not answered, so a peer with heartbeats of its own may give us up; ours wait. That its connection ends is
    /// noticed at once where nothing of it is held, and a reset by epoll always.
    /// </remarks>
    /// <exception cref="InvalidOperationException">Not on the peer's loop.</exception>
    public void PauseReceiving() => _session.Pause();

    /// <summary>Ends a pause; what was held is delivered in a turn of the loop of its own. On its loop.</summary>
    /// <exception cref="InvalidOperationException">Not on the peer's loop.</exception>
    public void ResumeReceiving() => _session.Resume();

    /// <summary>Ends the connection as a refusal for this reason. A peer that we connected to is connected to again.</summary>
    public void Close(string reason)
    {
        ArgumentNullException.ThrowIfNull(reason);
        _session.Loop.Run(() => _session.Refuse(reason));
    }

    internal PeerSession Session => _session;

    /// <summary>What whoever queues its messages knows it by. On its loop.</summary>
    internal object? Source { get; set; }

    internal void CountReceived() => _received++;

    internal void CountFiltered() => _filtered++;

    // Most messages are published on the peer's own loop; those of other loops are counted apart, so that only they pay for an atomic.
    internal void CountSent(bool onOwnLoop)
    {
        if (onOwnLoop)
        {
            _sentHere++;
        }
        else
        {
            Interlocked.Increment(ref _sentElsewhere);
        }
    }

    internal void CountSent(int messages) => _sentHere += messages;

    internal void CountDropped() => Interlocked.Increment(ref _dropped);
}
