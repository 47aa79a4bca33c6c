using Broker.Transport;

namespace Broker.ZeroMq.Loops;

/// <summary>
/// The base of all loop sockets. It binds and connects any number of endpoints, performs the peers' handshakes, and
/// implements limits, heartbeats and reconnects.
/// </summary>
/// <remarks>
/// <para>
/// The caller passes the event loops to the socket; other code may use the same loops. Each peer belongs to one loop,
/// which does all the work for this peer. No thread ever waits for a peer. Close the sockets before the group is
/// disposed.
/// </para>
/// <para>The members of this class may be called on any thread.</para>
/// </remarks>
public abstract partial class LoopSocket : IAsyncDisposable
{
    private readonly Lock _gate = new();
    private readonly LoopSocketOptions _options;
    private readonly EventLoop? _singleLoop;
    private readonly Action _onMemoryAvailable;
    private readonly SessionRegistry _registry = new();
    private readonly EndpointListener _listener;
    private long _lastPeer;
    private long _messagesRefused;
    private long _peersRefused;

    /// <param name="loops">The group of the peers' loops.</param>
    /// <param name="singleLoop">
    /// The loop of all peers; null to assign each new peer to the next loop of the group.
    /// </param>
    /// <param name="type">The socket type that the handshake announces.</param>
    /// <param name="options">The options; the constructor validates them.</param>
    private protected LoopSocket(
        EventLoopGroup loops, EventLoop? singleLoop, ZmtpSocketType type, LoopSocketOptions options)
    {
        ArgumentNullException.ThrowIfNull(loops);
        ArgumentNullException.ThrowIfNull(options);
        options.Validate();
        _options = options;
        _singleLoop = singleLoop;
        _listener = new EndpointListener(this, singleLoop);
        _onMemoryAvailable = OnMemoryAvailable;
        Loops = loops;
        type = TypeOf(type, options);
        SocketType = type;
        InboundLimits = options.InboundLimits;
        Inproc = options.Inproc;
        Handshake = new ZmtpHandshakeOptions(type, options.AnnouncedRoutingId, options.Properties);
        OutgoingHandshake = new ZmtpHandshakeOptions(
            type, options.AnnouncedRoutingId, options.Properties, reconnects: true);
    }

    /// <summary>The group of the peers' event loops.</summary>
    public EventLoopGroup Loops { get; }

    /// <summary>The number of connections, including connections that are still in their handshake.</summary>
    public int ConnectionCount
    {
        get
        {
            lock (_gate)
            {
                return _registry.Count;
            }
        }
    }

    /// <summary>The socket type that the handshake announces.</summary>
    public ZmtpSocketType SocketType { get; }

    /// <summary>
    /// Returns the socket's counters, which count from its creation. May be called on any thread. The call iterates
    /// over the peers.
    /// </summary>
    public ZeroMqCounts GetCounts()
    {
        lock (_gate)
        {
            return _registry.GetCounts(Dropped) with
            {
                MessagesRefused = MessagesRefused,
                PeersRefused = Interlocked.Read(ref _peersRefused),
            };
        }
    }

    /// <summary>The number of dropped messages, as the derived socket counts them.</summary>
    private protected virtual long Dropped => 0;

    /// <summary>
    /// How many messages were refused because they have more frames or bytes than the limits of the socket permit. Each
    /// of these messages has ended its connection, and <see cref="LoopSocketOptions.OnEvent"/> got the reason. May be
    /// read on any thread.
    /// </summary>
    public long MessagesRefused => Interlocked.Read(ref _messagesRefused);

    /// <summary>
    /// Counts a message that the decoder refused with this error, if the error is about the size or the number of
    /// frames.
    /// </summary>
    internal void CountRefused(ZmtpError error)
    {
        if (error is ZmtpError.FrameTooLarge or ZmtpError.MessageTooLarge or ZmtpError.TooManyFrames)
        {
            Interlocked.Increment(ref _messagesRefused);
        }
    }

    internal void CountRefusedPeer() => Interlocked.Increment(ref _peersRefused);

    private static ZmtpSocketType TypeOf(ZmtpSocketType type, LoopSocketOptions options)
    {
        if (options.DraftType is not { } draft)
        {
            return type;
        }

        return draft.Basis() == type
            ? draft
            : throw new ArgumentException($"A {type} socket cannot have the draft type {draft}.", nameof(options));
    }

    internal LoopSocketOptions CommonOptions => _options;

    internal ZmtpLimits InboundLimits { get; }

    /// <summary>
    /// The names of inproc endpoints; null if the socket cannot use inproc. Set it before the first endpoint is bound
    /// or connected.
    /// </summary>
    internal InprocNames? Inproc { get; set; }

    /// <summary>How many bytes may be on the way to an inproc peer: sent, but not yet processed by the peer.</summary>
    internal virtual long InprocWindow => InProcessLink.DefaultWindow;

    /// <summary>This side of the handshake with peers that connect to this socket.</summary>
    internal ZmtpHandshakeOptions Handshake { get; }

    /// <summary>This side of the handshake with peers that this socket connects to.</summary>
    internal ZmtpHandshakeOptions OutgoingHandshake { get; }

    /// <summary>Closes the socket without a linger time. See <see cref="CloseAsync(TimeSpan)"/>.</summary>
    public async ValueTask DisposeAsync()
    {
        await CloseAsync(TimeSpan.Zero).ConfigureAwait(false);
        GC.SuppressFinalize(this);
    }

    /// <summary>
    /// The reason why this socket type refuses a peer with a completed handshake; null to accept the peer. Called on
    /// the peer's loop.
    /// </summary>
    internal virtual string? RefusalOf(PeerSession session) => null;

    internal abstract PeerSession CreateSession(EventLoop loop, string endpoint, OutgoingLink? link);

    /// <summary>Called before the first attempt to connect to an endpoint. Runs on the caller's thread.</summary>
    private protected virtual void OnConnecting(OutgoingLink link)
    {
    }

    /// <summary>
    /// Called when an endpoint that the socket connects to is removed. The messages that wait for a connection to this
    /// endpoint must be dropped. Runs on the caller's thread.
    /// </summary>
    private protected virtual void OnDisconnecting(OutgoingLink link)
    {
    }

    /// <summary>
    /// Counts messages that waited for a connection and will not be sent. May be called on any thread.
    /// </summary>
    private protected void CountAbandoned(int messages)
    {
        lock (_gate)
        {
            _abandoned += messages;
        }
    }

    /// <summary>
    /// Requests a call of <see cref="OnMemoryAvailable"/> when memory is no longer short. The call may come at once.
    /// May be called on any thread.
    /// </summary>
    internal void NotifyWhenMemoryAvailable() => Loops.MemoryBudget.NotifyWhenAvailable(_onMemoryAvailable);

    /// <summary>
    /// Called when memory is no longer short: messages that were refused because of the shortage may be sent again.
    /// Called on any thread and possibly under locks, so an override may only post work.
    /// </summary>
    private protected virtual void OnMemoryAvailable()
    {
    }

    internal long NextPeerId() => Interlocked.Increment(ref _lastPeer);

    internal void Report(ZeroMqEvent what)
    {
        try
        {
            _options.OnEvent?.Invoke(what);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            // The documentation of the option says that exceptions are ignored.
        }
    }

    internal void ReportReconnect(string endpoint, TimeSpan wait)
    {
        try
        {
            _options.OnReconnect?.Invoke(endpoint, wait);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            // The documentation of this option says the same.
        }
    }
}
