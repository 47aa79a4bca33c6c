using Broker.Transport;
using Broker.ZeroMq.Loops;

namespace Broker.ZeroMq;

/// <summary>
/// A peer with a completed handshake. Thread-safe. The counters may be out of date at once; they can still be read
/// after the peer has disconnected.
/// </summary>
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

    /// <summary>A number that is unique among all peers that the socket has had.</summary>
    public long Id { get; }

    /// <summary>The local endpoint that the connection belongs to.</summary>
    public string Endpoint => _session.Endpoint;

    /// <summary>The address of the peer as an endpoint; for ipc the same as <see cref="Endpoint"/>.</summary>
    public string Address => _session.Address;

    /// <summary>The event loop of the peer's connection.</summary>
    public EventLoop Loop => _session.Loop;

    /// <summary>Whether this socket connected to the peer. If false, the peer connected to this socket.</summary>
    public bool IsOutgoing => _session.Link is not null;

    /// <summary>The socket type of the peer.</summary>
    public ZmtpSocketType SocketType => Zmtp.SocketType;

    /// <summary>
    /// The routing id that the peer announced or that the ROUTER generated for it; empty if the peer has no id. The
    /// memory is not reused.
    /// </summary>
    public ReadOnlyMemory<byte> RoutingId { get; internal set; }

    /// <summary>
    /// The user id that <see cref="LoopSocketOptions.Authenticate"/> returned; empty if that callback was not called.
    /// </summary>
    public string UserId { get; }

    /// <summary>The ZMTP version in the peer's greeting.</summary>
    public Version ProtocolVersion => new(Zmtp.Major, Zmtp.Minor);

    /// <summary>The data of the peer's handshake.</summary>
    internal ZmtpPeer Zmtp { get; }

    /// <summary>Whether the peer is still connected.</summary>
    public bool IsConnected => _session.Connection.IsOpen;

    /// <summary>The number of messages received from the peer, including filtered messages.</summary>
    public long MessagesReceived => Volatile.Read(ref _received);

    /// <summary>The number of messages received from the peer that matched no subscription of this socket.</summary>
    public long MessagesFiltered => Volatile.Read(ref _filtered);

    /// <summary>The number of messages added to the peer's queue.</summary>
    public long MessagesSent => Volatile.Read(ref _sentHere) + Interlocked.Read(ref _sentElsewhere);

    /// <summary>The number of messages that the peer lost because its high-water mark was reached.</summary>
    public long MessagesDropped => Interlocked.Read(ref _dropped);

    /// <summary>The number of bytes that are queued for the peer.</summary>
    public long PendingBytes => _session.Connection.PendingBytes;

    /// <summary>
    /// Finds a property in the peer's handshake metadata by its name, ignoring case. The value is valid as long as this
    /// object.
    /// </summary>
    public bool TryGetProperty(ReadOnlySpan<byte> name, out ReadOnlySpan<byte> value)
        => Zmtp.TryGetProperty(name, out value);

    /// <summary>
    /// Reads no more bytes from this peer until <see cref="ResumeReceiving"/>, so that TCP flow control stops the peer.
    /// A message that is being handled is not affected. Must be called on the peer's loop.
    /// </summary>
    /// <remarks>
    /// While the peer is paused, its PINGs are not answered, so a peer that sends PINGs may close the connection. PINGs
    /// to the peer are suspended. The end of the connection is detected at once if no received bytes are buffered;
    /// epoll always detects a reset.
    /// </remarks>
    /// <exception cref="InvalidOperationException">The call is not on the peer's loop.</exception>
    public void PauseReceiving() => _session.Pause();

    /// <summary>
    /// Ends a pause. The buffered bytes are delivered in a separate iteration of the loop. Must be called on the peer's
    /// loop.
    /// </summary>
    /// <exception cref="InvalidOperationException">The call is not on the peer's loop.</exception>
    public void ResumeReceiving() => _session.Resume();

    /// <summary>
    /// Closes the connection and reports the peer as refused for this reason. If this socket connected to the peer, the
    /// socket reconnects.
    /// </summary>
    public void Close(string reason)
    {
        ArgumentNullException.ThrowIfNull(reason);
        _session.Loop.Run(() => _session.Refuse(reason));
    }

    internal PeerSession Session => _session;

    /// <summary>
    /// An object that the application stores with the peer, for example from a message handler. Use it on the peer's
    /// loop.
    /// </summary>
    public object? UserState { get; set; }

    /// <summary>An object that the owner of the peer's receive queue stores here. Used on the peer's loop.</summary>
    internal object? Source { get; set; }

    /// <summary>
    /// The number of <see cref="MessagesSent"/> that were counted for an earlier connection already, which had not sent
    /// them. Set on the peer's loop before these messages are counted.
    /// </summary>
    internal int MessagesSentAgain { get; set; }

    internal void CountReceived() => _received++;

    internal void CountFiltered() => _filtered++;

    // Most messages are published on the peer's own loop. Messages of other loops have a separate counter, so that only
    // these messages need an atomic operation.
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
