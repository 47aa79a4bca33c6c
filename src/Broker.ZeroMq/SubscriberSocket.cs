using System.Text;
using Broker.ZeroMq.Loops;

namespace Broker.ZeroMq;

/// <summary>SUB: receives the messages whose first frame begins with a subscribed prefix (RFC 29).</summary>
/// <example><code>
/// using var subscriber = new SubscriberSocket();
/// subscriber.Connect("tcp://127.0.0.1:5556");
/// subscriber.Subscribe("weather");
/// byte[][] frames = subscriber.ReceiveFrames();
/// </code></example>
public sealed class SubscriberSocket : MessageSocket, IReceivingSocket
{
    private readonly LoopSubscriber _socket;

    /// <summary>Creates a socket without endpoints.</summary>
    /// <param name="options">The options; null for a new <see cref="ZeroMqSocketOptions"/>.</param>
    /// <param name="context">
    /// The context; null creates a separate context on the shared event loops of the process.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public SubscriberSocket(ZeroMqSocketOptions? options = null, ZeroMqContext? context = null)
        : base(options, context)
    {
        _socket = Attach(() =>
        {
            var sink = new CopySink(CreateReceiveQueue());
            return new LoopSubscriber(
                Context.Loops, sink.TryTake, new LoopSubscriberOptions(Options) { Limits = Options.Limits })
            {
                OnPeerDisconnected = sink.Disconnect,
            };
        });
    }

    /// <inheritdoc/>
    public bool HasMessages => Receiver.Queue.HasMessages;

    /// <summary>
    /// Subscribes to messages whose first frame begins with the prefix; the empty prefix subscribes to all messages.
    /// Subscriptions are counted: a prefix that was subscribed to twice must be unsubscribed twice. Takes effect when
    /// the peers have received the subscription.
    /// </summary>
    public void Subscribe(ReadOnlySpan<byte> prefix) => _socket.Subscribe(prefix);

    /// <summary>Subscribes to a prefix in UTF-8. See <see cref="Subscribe(ReadOnlySpan{byte})"/>.</summary>
    public void Subscribe(string prefix) => _socket.Subscribe(Encoding.UTF8.GetBytes(prefix));

    /// <summary>
    /// Cancels one <see cref="Subscribe(ReadOnlySpan{byte})"/> of the same prefix. Does nothing if the prefix is not
    /// subscribed.
    /// </summary>
    public void Unsubscribe(ReadOnlySpan<byte> prefix) => _socket.Unsubscribe(prefix);

    /// <summary>
    /// Cancels one <see cref="Subscribe(string)"/> of the same prefix in UTF-8. Does nothing if the prefix is not
    /// subscribed.
    /// </summary>
    public void Unsubscribe(string prefix) => _socket.Unsubscribe(Encoding.UTF8.GetBytes(prefix));
}
