using Broker.Transport;

namespace Broker.ZeroMq.Loops;

/// <summary>
/// DEALER on an event loop that balances requests: it sends each request to the peer with the fewest pending requests,
/// and takes turns among peers with equally few. A send returns the peer that gets the request.
/// </summary>
/// <remarks>
/// Messages are sent and received unchanged. The caller recognizes the replies and calls
/// <see cref="BalancedPeer.Complete"/> for each request that is no longer pending. When a connection ends, the messages
/// that are still queued for its peer are dropped.
/// </remarks>
public sealed class LoopBalancer : SingleLoopSocket
{
    private readonly int _maxPending;
    private readonly bool _isOnDemand;
    private readonly List<BalancedPeer> _peers = [];
    private int _next;

    /// <summary>Creates a socket without endpoints.</summary>
    /// <param name="loop">The socket's loop, for example from <see cref="EventLoopGroup.Next"/>.</param>
    /// <param name="onMessage">Handles the received messages.</param>
    /// <param name="maxPending">How many pending requests a peer may have.</param>
    /// <param name="options">The options; null for a new <see cref="LoopBalancerOptions"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public LoopBalancer(
        EventLoop loop, ZeroMqMessageHandler onMessage, int maxPending, LoopRoutedOptions? options = null)
        : base(
            loop,
            options is LoopBalancerOptions { OnDemand: true } ? ZmtpSocketType.Router : ZmtpSocketType.Dealer,
            (options ?? new LoopBalancerOptions()) with { Immediate = true },
            new HandlerSink(onMessage ?? throw new ArgumentNullException(nameof(onMessage))))
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(maxPending, 1);
        _maxPending = maxPending;
        _isOnDemand = options is LoopBalancerOptions { OnDemand: true };
    }

    /// <summary>
    /// Called on the loop when a peer has connected, or when a full peer has room again. Set it before the first
    /// endpoint is bound or connected.
    /// </summary>
    public Action? OnWritable { get; set; }

    /// <summary>
    /// Called on the loop when a peer has disconnected. Set it before the first endpoint is bound or connected.
    /// </summary>
    public Action<BalancedPeer>? OnPeerLost { get; set; }

    /// <summary>The number of connected peers that can receive requests.</summary>
    public int PeerCount => _peers.Count;

    /// <summary>
    /// Sends a request and counts it as pending for the peer that receives it. Returns that peer, or null if no peer
    /// can take another request.
    /// </summary>
    /// <param name="message">The encoder; it is called once, or not at all if no peer has room.</param>
    public BalancedPeer? SendToNext<TMessage>(ref TMessage message)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        int size = message.EncodedSize;
        for (int attempts = _peers.Count; attempts > 0; attempts--)
        {
            if (Choose() is not { } peer)
            {
                return null;
            }

            if (peer.Pipe.TryWrite(ref message, size))
            {
                peer.Pending++;
                peer.IsReady = !_isOnDemand;
                return peer;
            }
        }

        return null;
    }

    /// <summary>Finds a connected peer; null if it has disconnected. Call it on the loop.</summary>
    public BalancedPeer? Find(ZeroMqPeer peer) => _peers.Find(balanced => balanced.Peer == peer);

    internal override void OnRoom(OutboundPipe pipe) => OnWritable?.Invoke();

    private protected override void OnPipeAdded(OutboundPipe pipe)
    {
        _peers.Add(new BalancedPeer(pipe) { IsReady = !_isOnDemand });
        OnWritable?.Invoke();
    }

    private protected override void OnPipeRemoved(OutboundPipe pipe)
    {
        int index = _peers.FindIndex(peer => peer.Pipe == pipe);
        if (index >= 0)
        {
            BalancedPeer lost = _peers[index];
            _peers.RemoveAt(index);
            OnPeerLost?.Invoke(lost);
        }
    }

    private BalancedPeer? Choose()
    {
        BalancedPeer? chosen = null;
        int least = _maxPending;
        int count = _peers.Count;
        for (int i = 0; i < count && least > 0; i++)
        {
            int at = _next + i < count ? _next + i : _next + i - count;
            BalancedPeer peer = _peers[at];
            if (peer.Pending < least && peer.IsReady && !peer.Pipe.IsFull)
            {
                chosen = peer;
                least = peer.Pending;
                if (least == 0)
                {
                    _next = at + 1 == count ? 0 : at + 1;
                    return chosen;
                }
            }
        }

        _next = _next + 1 < count ? _next + 1 : 0;
        return chosen;
    }
}
