using System.Net;
using Broker.ZeroMq.Endpoints;
using Broker.ZeroMq.Mechanisms;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.Sockets;

/// <summary>What all socket types have in common. Immutable; one instance may serve several sockets.</summary>
public abstract record LoopSocketOptions
{
    /// <summary>How long a peer may take for greeting and handshake. Default 30 s, as in libzmq.</summary>
    public TimeSpan HandshakeTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>How long a connection that we make may take to be made. Default: <see cref="HandshakeTimeout"/>.</summary>
    public TimeSpan? ConnectTimeout { get; init; }

    /// <summary>Most connections at a time, those in their handshake included. Default 10,000.</summary>
    public int MaxPeers { get; init; } = 10_000;

    /// <summary>
    /// Further READY properties, each name once; names for application use begin with <c>X-</c>, and those of the socket's type and id are taken.
    /// Default none.
    /// </summary>
    public IReadOnlyCollection<KeyValuePair<string, string>> Properties { get; init; } = [];

    /// <summary>The security mechanism, for all endpoints. Default <see cref="ZeroMqSecurity.Null"/>.</summary>
    public ZeroMqSecurity Security { get; init; } = ZeroMqSecurity.Null;

    /// <summary>
    /// Asked about every peer that connects to this socket, and about all peers where this socket is the mechanism's server, in the middle
    /// of the handshake and on the peer's loop: in the role of ZAP (RFC 27). An answer that is not there at once is waited for within
    /// <see cref="HandshakeTimeout"/>, without a thread and without reading on. It must not block. What it throws refuses the peer.
    /// Default: none, and all are admitted whose mechanism's own proof holds; PLAIN has none, so there it must be set.
    /// </summary>
    public Func<ZeroMqCredentials, ValueTask<ZeroMqAdmission>>? Authenticate { get; init; }

    /// <summary>
    /// Asked about every peer after its handshake, on the peer's loop: null takes it, a reason refuses it and is sent to it in an ERROR
    /// command. <see cref="ZeroMqPeer.TryGetProperty"/> finds what the peer said of itself. Must not block. Default: all are taken.
    /// </summary>
    public Func<ZeroMqPeer, string?>? AcceptPeer { get; init; }

    /// <summary>
    /// Told what belongs into a log, on loops and pool threads, several at a time. Must not block; what it throws is ignored, since
    /// a log that fails must not take the traffic with it. It must not call the socket.
    /// </summary>
    public Action<ZeroMqEvent>? OnEvent { get; init; }

    /// <summary>
    /// Who may connect to the endpoints that are bound: addresses and networks, such as <c>10.1.0.0/16</c>; who has another address is
    /// turned away before anything is read. An IPv4 address that comes by an IPv6 socket counts as the IPv4 address. Peers by ipc
    /// have none and are the business of the file system. Default: everybody. <see cref="LoopSocket.Bind"/> may say otherwise for its
    /// endpoint.
    /// </summary>
    public IReadOnlyList<IPNetwork> AllowedAddresses { get; init; } = [];

    /// <summary>
    /// The names by which the socket binds and connects to <c>inproc://</c> endpoints; those of a context are <c>ZeroMqContext.Inproc</c>.
    /// Default: none, and such endpoints are refused; sockets for threads that were given a context have its own.
    /// </summary>
    public InprocNames? Inproc { get; init; }

    /// <summary>
    /// How often to send PING to peers of ZMTP 3.1; <see cref="Timeout.InfiniteTimeSpan"/> for never. Default for PUB and SUB 15 s, so
    /// that who is dead
    /// or dumb keeps a place for half a minute at most. PINGs of peers are always answered.
    /// </summary>
    public TimeSpan HeartbeatInterval { get; init; } = TimeSpan.FromSeconds(15);

    /// <summary>
    /// How long a peer by TCP is silent before the kernel asks whether it is there, three times, ten seconds apart: for peers before
    /// ZMTP 3.1, which know no PING. <see cref="Timeout.InfiniteTimeSpan"/> for never. Default 30 s.
    /// </summary>
    public TimeSpan KeepAliveTime { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// How long a peer that cannot be asked by PING may say nothing at all after its handshake and still be sure of its place: while
    /// there are <see cref="MaxPeers"/>, a newcomer gets the place of the one that has been dumb for longest. Default 30 s.
    /// </summary>
    public TimeSpan SilenceAllowed { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// How long after a PING a peer may be silent before it is given up. Anything received counts as an answer, and so does that
    /// the peer takes bytes which were waiting for it: a slow peer is not a dead one. Default: the interval.
    /// </summary>
    public TimeSpan? HeartbeatTimeout { get; init; }

    /// <summary>
    /// After how long a silence of ours the peer should give us up, sent with each PING; at most 6553.5 s. Default zero: no such hint.
    /// </summary>
    public TimeSpan HeartbeatTtl { get; init; }

    /// <summary>
    /// The wait before the first attempt to connect again; it doubles with each failure, up to <see cref="ReconnectMax"/>. Default 100 ms.
    /// <see cref="Timeout.InfiniteTimeSpan"/> to make one attempt and never another.
    /// </summary>
    public TimeSpan ReconnectInitial { get; init; } = TimeSpan.FromMilliseconds(100);

    /// <summary>
    /// The longest wait between attempts. Each wait is a random half to whole of its nominal length, so that the peers of a restarted
    /// program do not come back all at once. Default 5 s.
    /// </summary>
    public TimeSpan ReconnectMax { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>What a peer may make us hold in receive memory.</summary>
    internal abstract ZmtpLimits InboundLimits { get; }

    /// <summary>The routing id to announce; sent by socket types that have one.</summary>
    internal virtual ReadOnlyMemory<byte> AnnouncedRoutingId => default;

    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    internal virtual void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(HandshakeTimeout, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxPeers, 1);
        if (ReconnectInitial != Timeout.InfiniteTimeSpan)
        {
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(ReconnectInitial, TimeSpan.Zero);
            ArgumentOutOfRangeException.ThrowIfLessThan(ReconnectMax, ReconnectInitial);
        }

        if (ConnectTimeout is { } connect)
        {
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(connect, TimeSpan.Zero, nameof(ConnectTimeout));
        }

        ArgumentOutOfRangeException.ThrowIfNegative(HeartbeatTtl.Ticks, nameof(HeartbeatTtl));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(HeartbeatTtl.TotalMilliseconds / 100, ushort.MaxValue, nameof(HeartbeatTtl));
        ArgumentNullException.ThrowIfNull(AllowedAddresses);
        ArgumentNullException.ThrowIfNull(Security);
        if (Security.NeedsAuthentication && Authenticate is null)
        {
            throw new ArgumentException("A server of PLAIN admits by its Authenticate callback alone, and there is none.", nameof(Authenticate));
        }

        ArgumentOutOfRangeException.ThrowIfLessThan(SilenceAllowed, TimeSpan.Zero);
        if (KeepAliveTime != Timeout.InfiniteTimeSpan)
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(KeepAliveTime, TimeSpan.FromSeconds(1));
        }

        if (HeartbeatInterval != Timeout.InfiniteTimeSpan)
        {
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(HeartbeatInterval, TimeSpan.Zero);
        }

        if (HeartbeatTimeout is { } timeout)
        {
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(timeout, TimeSpan.Zero, nameof(HeartbeatTimeout));
        }
    }
}
