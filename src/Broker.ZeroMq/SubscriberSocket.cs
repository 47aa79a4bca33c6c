using System.Text;
using Broker.ZeroMq.Queues;
using Broker.ZeroMq.Subscribing;

namespace Broker.ZeroMq;

/// <summary>SUB: receives the messages whose first frame begins with a prefix that was subscribed to (RFC 29).</summary>
public sealed class SubscriberSocket : MessageSocket, IReceivingSocket
{
    private readonly LoopSubscriber _socket;

    /// <summary>Creates a socket without endpoints.</summary>
    /// <param name="options">Default: those of a new <see cref="ZeroMqSocketOptions"/>.</param>
    /// <param name="context">Default: one of its own, on the shared loops.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public SubscriberSocket(ZeroMqSocketOptions? options = null, ZeroMqContext? context = null)
        : base(options, context)
    {
        var sink = new CopySink(MakeInbound());
        _socket = new LoopSubscriber(Context.Loops, sink.TryTake, new LoopSubscriberOptions(Options) { Limits = Options.Limits })
        {
            OnPeerGone = sink.Forget,
        };
        Serve(_socket);
    }

    /// <inheritdoc/>
    public bool HasMessages => CanReceive;

    /// <summary>
    /// Asks for messages whose first frame begins with the prefix; the empty one asks for all. Additive: a prefix that was subscribed to
    /// twice must be given up twice. Takes effect as peers hear of it.
    /// </summary>
    public void Subscribe(ReadOnlySpan<byte> prefix) => _socket.Subscribe(prefix);

    /// <summary>As the other one, with a prefix in UTF-8.</summary>
    public void Subscribe(string prefix) => _socket.Subscribe(Encoding.UTF8.GetBytes(prefix));

    /// <summary>Takes back one <see cref="Subscribe(ReadOnlySpan{byte})"/>; without one it does nothing.</summary>
    public void Unsubscribe(ReadOnlySpan<byte> prefix) => _socket.Unsubscribe(prefix);

    /// <summary>As the other one, with a prefix in UTF-8.</summary>
    public void Unsubscribe(string prefix) => _socket.Unsubscribe(Encoding.UTF8.GetBytes(prefix));
}
