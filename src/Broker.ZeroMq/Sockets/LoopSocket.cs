using Broker.Transport;
using Broker.Transport.InProcess;
using Broker.ZeroMq.Endpoints;
using Broker.ZeroMq.Zmtp;
using Broker.ZeroMq.Zmtp.Framing;
using Broker.ZeroMq.Zmtp.Handshake;

namespace Broker.ZeroMq.Sockets;

/// <summary>
/// What all socket types have in common: any number of endpoints bound and connected at the same time, peers with their handshake,
/// limits, heartbeats and reconnects.
/// </summary>
/// <remarks>
/// <para>
/// A socket lives on event loops that it is given and shares them with whatever else runs there; each peer belongs to one
/// loop, on which everything about it happens. No thread ever waits for a peer. Close sockets before the group is disposed.
/// </para>
/// <para>The methods here may be called on any thread.</para>
/// </remarks>
public abstract partial class LoopSocket : IAsyncDisposable
{
    private readonly Lock _gate = new();
    private readonly LoopSocketOptions _options;
    private readonly EventLoop? _home;
    private readonly Action _onEnoughMemory;
    private long _lastPeer;

    /// <param name="loops">Where peers live.</param>
    /// <param name="home">The one loop of all peers; null for all of the group's in turn.</param>
    /// <param name="type">What it announces itself as.</param>
    /// <param name="options">Already validated by nobody.</param>
    private protected LoopSocket(EventLoopGroup loops, EventLoop? home, ZmtpSocketType type, LoopSocketOptions options)
    {
        ArgumentNullException.ThrowIfNull(loops);
        ArgumentNullException.ThrowIfNull(options);
        options.Validate();
        _options = options;
        _home = home;
        _onEnoughMemory = OnEnoughMemory;
        Loops = loops;
        SocketType = type;
        InboundLimits = options.InboundLimits;
        Inproc = options.Inproc;
        Handshake = new ZmtpHandshakeOptions(type, options.AnnouncedRoutingId, options.Properties);
    }

    /// <summary>The group of the loops that its peers live on.</summary>
    public EventLoopGroup Loops { get; }

    /// <summary>Connections now, those in their handshake included.</summary>
    public int ConnectionCount
    {
        get
        {
            lock (_gate)
            {
                return _sessions.Count;
            }
        }
    }

    /// <summary>What it announces itself as.</summary>
    public ZmtpSocketType SocketType { get; }

    internal LoopSocketOptions CommonOptions => _options;

    internal ZmtpLimits InboundLimits { get; }

    /// <summary>The names of inproc endpoints; null when it has none. Set before the first endpoint.</summary>
    internal InprocNames? Inproc { get; set; }

    /// <summary>How much is sent to a peer in this process before that has looked at what was sent before.</summary>
    internal virtual long InprocWindow => InProcessLink.DefaultWindow;

    internal ZmtpHandshakeOptions Handshake { get; }

    /// <summary>As <see cref="CloseAsync"/> without a linger.</summary>
    public async ValueTask DisposeAsync()
    {
        await CloseAsync(TimeSpan.Zero).ConfigureAwait(false);
        GC.SuppressFinalize(this);
    }

    /// <summary>
    /// Why the socket's pattern has no place for a peer whose handshake is complete; null for having one. On the peer's loop.
    /// </summary>
    internal virtual string? RefusalOf(PeerSession session) => null;

    internal abstract PeerSession CreateSession(EventLoop loop, string endpoint, OutgoingLink? link);

    /// <summary>An endpoint is connected to, and not dialled yet. On the caller's thread.</summary>
    private protected virtual void OnConnecting(OutgoingLink link)
    {
    }

    /// <summary>An endpoint is given up, and so is what waits for a connection to it. On the caller's thread.</summary>
    private protected virtual void OnDisconnecting(OutgoingLink link)
    {
    }

    /// <summary>Messages that waited for a connection and will not be sent. Any thread.</summary>
    private protected void CountAbandoned(int messages)
    {
        lock (_gate)
        {
            _abandoned += messages;
        }
    }

    /// <summary>Has <see cref="OnEnoughMemory"/> called once memory is no longer short, which may be now. Any thread.</summary>
    internal void AwaitEnough() => Loops.HeldBudget.AwaitEnough(_onEnoughMemory);

    /// <summary>What peers were refused because memory was short may be sent again. Any thread, under any lock: it only posts.</summary>
    private protected virtual void OnEnoughMemory()
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
            // As documented at the option.
        }
    }
}
