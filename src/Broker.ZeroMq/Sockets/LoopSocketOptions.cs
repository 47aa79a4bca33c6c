using System.Net;

namespace Broker.ZeroMq.Loops;

/// <summary>The options that all socket types share. Immutable; one instance may be used for several sockets.</summary>
public abstract record LoopSocketOptions
{
    /// <summary>The time limit for the greeting and the handshake of a peer. Default 30 s, as in libzmq.</summary>
    public TimeSpan HandshakeTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// The time limit for establishing an outgoing connection. Default: <see cref="HandshakeTimeout"/>.
    /// </summary>
    public TimeSpan? ConnectTimeout { get; init; }

    /// <summary>
    /// The most simultaneous connections, including connections that are still in their handshake. Default 10,000.
    /// </summary>
    public int MaxPeers { get; init; } = 10_000;

    /// <summary>
    /// Further properties of the READY command. Each name may occur once. Names for applications begin with <c>X-</c>;
    /// the names <c>Socket-Type</c> and <c>Identity</c> are reserved. Default none.
    /// </summary>
    public IReadOnlyCollection<KeyValuePair<string, string>> Properties { get; init; } = [];

    /// <summary>The security mechanism of all endpoints. Default <see cref="ZeroMqSecurity.Null"/>.</summary>
    public ZeroMqSecurity Security { get; init; } = ZeroMqSecurity.Null;

    /// <summary>
    /// Authenticates peers during the handshake, in the role of ZAP (RFC 27). The callback is called on the peer's loop
    /// for every peer that connects to this socket, and for all peers if this socket is the server of the mechanism. It
    /// must not block. If it returns an uncompleted task, the session waits for the task, at most for
    /// <see cref="HandshakeTimeout"/>; the wait blocks no thread, and nothing is read from the peer. If it throws, the
    /// peer is refused. Default none: a peer is admitted if its mechanism succeeds. PLAIN has no check of its own and
    /// therefore requires this option.
    /// </summary>
    public Func<ZeroMqCredentials, ValueTask<ZeroMqAdmission>>? Authenticate { get; init; }

    /// <summary>
    /// Accepts or refuses every peer after its handshake: null accepts the peer; any other text is the reason for the
    /// refusal, which is sent to the peer in an ERROR command. <see cref="ZeroMqPeer.TryGetProperty"/> returns the
    /// properties that the peer announced. The function is called on the peer's loop and must not block. Default none:
    /// all peers are accepted.
    /// </summary>
    public Func<ZeroMqPeer, string?>? AcceptPeer { get; init; }

    /// <summary>
    /// Called with events for a log, on loops and pool threads, possibly on several threads at the same time. The
    /// callback must not block and must not call the socket. Exceptions that it throws are ignored, because a failing
    /// log must not stop the traffic.
    /// </summary>
    public Action<ZeroMqEvent>? OnEvent { get; init; }

    /// <summary>
    /// Called each time the socket begins to wait before it connects to an endpoint again, with the endpoint and the
    /// length of the wait. <see cref="OnEvent"/> reports why, but the same reason only once. May be called on any
    /// thread. The callback must not block and must not call the socket. Exceptions that it throws are ignored.
    /// </summary>
    public Action<string, TimeSpan>? OnReconnect { get; init; }

    /// <summary>
    /// The addresses and networks that may connect to bound endpoints, such as <c>10.1.0.0/16</c>. Other peers are
    /// refused before anything is read. An IPv4 address on an IPv6 socket counts as the IPv4 address. Peers that use
    /// ipc have no address; use file permissions for them. <see cref="LoopSocket.Bind"/> can set another list for its
    /// endpoint. Default empty: all peers may connect.
    /// </summary>
    public IReadOnlyList<IPNetwork> AllowedAddresses { get; init; } = [];

    /// <summary>
    /// The names with which the socket can bind and connect <c>inproc://</c> endpoints, for example
    /// <c>ZeroMqContext.Inproc</c>. A thread-safe socket that is created with a context uses the names of that context.
    /// Default none: <c>inproc://</c> endpoints are refused.
    /// </summary>
    public InprocNames? Inproc { get; init; }

    /// <summary>
    /// The interval of PINGs to peers with ZMTP 3.1, and to peers of an older version that have sent a PING;
    /// <see cref="Timeout.InfiniteTimeSpan"/> sends none. Default 15 s for PUB and SUB, so that a dead or unresponsive
    /// peer uses a connection for at most half a minute; other sockets send none by default. PINGs of peers are always
    /// answered.
    /// </summary>
    public TimeSpan HeartbeatInterval { get; init; } = TimeSpan.FromSeconds(15);

    /// <summary>
    /// How long a TCP connection may be idle before the kernel sends three keep-alive probes at intervals of ten
    /// seconds. The probes are for peers older than ZMTP 3.1, which do not support PING.
    /// <see cref="Timeout.InfiniteTimeSpan"/> sends none. Default 30 s.
    /// </summary>
    public TimeSpan KeepAliveTime { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// How long a peer without PING support may send nothing after its handshake and still keep its connection. If
    /// there are already <see cref="MaxPeers"/> peers, a new peer replaces the peer that has been silent longest, if
    /// that peer has been silent for longer than this time. Default 30 s.
    /// </summary>
    public TimeSpan SilenceAllowed { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// How long a peer may be silent after a PING before its connection is closed. Any received byte counts as an
    /// answer, even a byte of an incomplete message. If bytes are queued for the peer, the peer may only be slow: its
    /// connection is closed only if its system acknowledges no bytes for this time (Linux). Default:
    /// <see cref="HeartbeatInterval"/>.
    /// </summary>
    public TimeSpan? HeartbeatTimeout { get; init; }

    /// <summary>
    /// The time-to-live that is sent with each PING: how long this socket may be silent before the peer should close
    /// the connection. At most 6553.5 s. Default zero: no time-to-live is sent.
    /// </summary>
    public TimeSpan HeartbeatTtl { get; init; }

    /// <summary>
    /// The wait before the first reconnect. The wait doubles with each failure, up to <see cref="ReconnectMax"/>. A
    /// connection also counts as a failure if it brought no message and ended within a second of its handshake, or
    /// within the length of the last wait. <see cref="Timeout.InfiniteTimeSpan"/> makes only one attempt to connect.
    /// Default 100 ms.
    /// </summary>
    public TimeSpan ReconnectInitial { get; init; } = TimeSpan.FromMilliseconds(100);

    /// <summary>
    /// The longest wait between attempts to connect. Each wait is a random value between half and all of its nominal
    /// length, so that the peers of a restarted program do not reconnect at the same moment. Default 5 s.
    /// </summary>
    public TimeSpan ReconnectMax { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// The size of the kernel's send buffer of each connection, in bytes. Default null: the system chooses it. Linux
    /// doubles the value for its own use.
    /// </summary>
    public int? SendBufferSize { get; init; }

    /// <summary>
    /// The size of the kernel's receive buffer of each connection, in bytes. Default null: the system chooses it. Linux
    /// doubles the value for its own use.
    /// </summary>
    public int? ReceiveBufferSize { get; init; }

    /// <summary>
    /// The type-of-service byte in the IP packets of TCP connections, from 0 to 255. Default null: the system's.
    /// </summary>
    public int? TypeOfService { get; init; }

    /// <summary>
    /// A draft type that the socket has in place of its own: CLIENT for a DEALER, SERVER or PEER for a ROUTER, RADIO
    /// for a PUB, DISH for a SUB, SCATTER for a PUSH, GATHER for a PULL. Peers must have the partner of the draft type.
    /// The messages of RADIO and DISH have the group as their first frame, and a DISH subscribes to whole groups of up
    /// to 255 bytes. SERVER and PEER give their peers ids of four bytes. The application keeps the rule that messages
    /// of CLIENT, SERVER, SCATTER and GATHER have one frame, apart from the routing id. Default none.
    /// </summary>
    public ZmtpSocketType? DraftType { get; init; }

    /// <summary>The limits of the receive memory of a peer.</summary>
    internal abstract ZmtpLimits InboundLimits { get; }

    /// <summary>The routing id to announce; empty for socket types that have none.</summary>
    internal virtual ReadOnlyMemory<byte> AnnouncedRoutingId => default;

    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range.</exception>
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

        ArgumentOutOfRangeException.ThrowIfLessThan(SendBufferSize ?? 1, 1, nameof(SendBufferSize));
        ArgumentOutOfRangeException.ThrowIfLessThan(ReceiveBufferSize ?? 1, 1, nameof(ReceiveBufferSize));
        ArgumentOutOfRangeException.ThrowIfNegative(TypeOfService ?? 0, nameof(TypeOfService));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(TypeOfService ?? 0, byte.MaxValue, nameof(TypeOfService));
        ArgumentOutOfRangeException.ThrowIfNegative(HeartbeatTtl.Ticks, nameof(HeartbeatTtl));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(
            HeartbeatTtl.TotalMilliseconds / 100, ushort.MaxValue, nameof(HeartbeatTtl));
        ArgumentNullException.ThrowIfNull(AllowedAddresses);
        ArgumentNullException.ThrowIfNull(Security);
        if (Security.NeedsAuthentication && Authenticate is null)
        {
            throw new ArgumentException(
                "A PLAIN server needs the Authenticate callback, which is not set.", nameof(Authenticate));
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
