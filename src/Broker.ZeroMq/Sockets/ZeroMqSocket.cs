using Broker.Transport;
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
/// A socket lives on the event loops of a group it is given and shares them with whatever else runs there; each peer belongs to one
/// loop, on which everything about it happens. No thread ever waits for a peer. Close sockets before the group is disposed.
/// </para>
/// <para>The methods here may be called on any thread.</para>
/// </remarks>
public abstract partial class ZeroMqSocket : IAsyncDisposable
{
    private readonly Lock _gate = new();
    private readonly ZeroMqSocketOptions _options;
    private long _lastPeer;

    private protected ZeroMqSocket(EventLoopGroup loops, ZeroMqSocketOptions options)
    {
        ArgumentNullException.ThrowIfNull(loops);
        ArgumentNullException.ThrowIfNull(options);
        options.Validate();
        _options = options;
        Loops = loops;
        InboundLimits = options.InboundLimits;
        Handshake = new ZmtpHandshakeOptions(options.SocketType, properties: options.Properties);
    }

    /// <summary>The loops its peers are spread over.</summary>
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
    public ZmtpSocketType SocketType => _options.SocketType;

    internal ZeroMqSocketOptions CommonOptions => _options;

    internal ZmtpLimits InboundLimits { get; }

    internal ZmtpHandshakeOptions Handshake { get; }

    /// <summary>As <see cref="CloseAsync"/> without a linger.</summary>
    public async ValueTask DisposeAsync()
    {
        await CloseAsync(TimeSpan.Zero).ConfigureAwait(false);
        GC.SuppressFinalize(this);
    }

    internal abstract PeerSession CreateSession(EventLoop loop, string endpoint, OutgoingLink? link);

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
