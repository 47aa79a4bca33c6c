using Broker.Transport;
using Broker.ZeroMq.Sockets;

namespace Broker.ZeroMq.Subscribing;

/// <summary>SUB or XSUB: receives the messages whose first frame begins with a prefix that was subscribed to.</summary>
/// <remarks>
/// Messages go to the handler on the loop of the peer they come from, whole and borrowed. Publishers filter, by the subscriptions they
/// are told of; what they send nevertheless is filtered here. On each connect and reconnect the peer is told of all subscriptions.
/// </remarks>
public sealed class SubscriberSocket : ZeroMqSocket
{
    private readonly LoopSubscriptions[] _subscriptions;
    private readonly Lock _order = new();

    /// <summary>Creates a socket without endpoints and subscriptions.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public SubscriberSocket(EventLoopGroup loops, ZeroMqMessageHandler onMessage, SubscriberOptions? options = null)
        : base(loops, options ??= new SubscriberOptions())
    {
        ArgumentNullException.ThrowIfNull(onMessage);
        Options = options;
        OnMessage = onMessage;
        _subscriptions = new LoopSubscriptions[loops.Count];
        for (int i = 0; i < _subscriptions.Length; i++)
        {
            _subscriptions[i] = new LoopSubscriptions();
        }
    }

    /// <summary>How it was set up.</summary>
    public SubscriberOptions Options { get; }

    internal ZeroMqMessageHandler OnMessage { get; }

    /// <summary>
    /// Asks for messages whose first frame begins with <paramref name="prefix"/>; the empty one asks for all. Additive: a prefix that was
    /// subscribed to twice must be given up twice. Any thread; takes effect when the loops come to it, in the order of the calls.
    /// </summary>
    public void Subscribe(ReadOnlySpan<byte> prefix) => Change(prefix.ToArray(), subscribe: true);

    /// <summary>Takes back one <see cref="Subscribe"/>; without one it does nothing. Any thread.</summary>
    public void Unsubscribe(ReadOnlySpan<byte> prefix) => Change(prefix.ToArray(), subscribe: false);

    internal LoopSubscriptions SubscriptionsOf(EventLoop loop) => _subscriptions[loop.Index];

    internal override PeerSession CreateSession(EventLoop loop, string endpoint, OutgoingLink? link) =>
        new SubscriberSession(this, loop, endpoint, link);

    private void Change(byte[] prefix, bool subscribe)
    {
        // Every loop must see the changes in the same order.
        lock (_order)
        {
            for (int i = 0; i < _subscriptions.Length; i++)
            {
                var subscriptions = _subscriptions[i];
                Loops[i].Post(() => subscriptions.Change(prefix, subscribe));
            }
        }
    }
}
