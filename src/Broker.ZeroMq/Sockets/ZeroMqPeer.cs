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

    internal ZeroMqPeer(PeerSession session, long id, ZmtpPeer zmtp)
    {
        _session = session;
        Id = id;
        Zmtp = zmtp;
    }

    /// <summary>A number that no other peer of the socket has or had.</summary>
    public long Id { get; }

    /// <summary>The endpoint of ours by which it came.</summary>
    public string Endpoint => _session.Endpoint;

    /// <summary>Its address as an endpoint; the same as <see cref="Endpoint"/> for ipc.</summary>
    public string Address => _session.Address;

    /// <summary>Whether we connected to it; otherwise it connected to us.</summary>
    public bool IsOutgoing => _session.Link is not null;

    /// <summary>What it said of itself: protocol version, socket type, identity, properties.</summary>
    public ZmtpPeer Zmtp { get; }

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

    /// <summary>Ends the connection as a refusal for this reason. A peer that we connected to is connected to again.</summary>
    public void Close(string reason)
    {
        ArgumentNullException.ThrowIfNull(reason);
        _session.Loop.Run(() => _session.Refuse(reason));
    }

    internal PeerSession Session => _session;

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

    internal void CountDropped() => Interlocked.Increment(ref _dropped);
}
