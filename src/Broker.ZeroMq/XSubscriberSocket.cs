using System.Text;
using Broker.ZeroMq.Loops;

namespace Broker.ZeroMq;

/// <summary>
/// XSUB: receives messages as <see cref="SubscriberSocket"/> does, and can also subscribe by sending a message of one
/// frame: byte 1 and a prefix subscribe, byte 0 and a prefix unsubscribe. All other messages that the application sends
/// go upstream to every publisher (RFC 29).
/// </summary>
/// <remarks>
/// A <see cref="ZeroMqProxy"/> between an <see cref="XPublisherSocket"/> and an XSUB socket forwards published messages
/// in one direction and subscriptions in the other direction.
/// </remarks>
public sealed class XSubscriberSocket : MessageSocket, ISendingSocket, IReceivingSocket
{
    private readonly LoopSubscriber _socket;

    /// <summary>Creates a socket without endpoints.</summary>
    /// <param name="options">The options; null for a new <see cref="ZeroMqSocketOptions"/>.</param>
    /// <param name="context">
    /// The context; null creates a separate context on the shared event loops of the process.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public XSubscriberSocket(ZeroMqSocketOptions? options = null, ZeroMqContext? context = null)
        : base(options, context)
    {
        _socket = Attach(() =>
        {
            RefuseConflation();
            var sink = new CopySink(CreateReceiveQueue());
            CreateSendQueue(new OneByOneSender(SubscribeOrSend), isOpen: true);
            return new LoopSubscriber(
                Context.Loops,
                sink.TryTake,
                new LoopSubscriberOptions(Options)
                {
                    AnnounceExtended = true,
                    Limits = Options.Limits,
                    MaxPendingBytes = Math.Max(Options.SendHighWaterBytes, 64 << 20),
                    MaxUpstreamMessages = Options.SendHighWaterMark,
                })
            {
                OnPeerDisconnected = sink.Disconnect,
            };
        });
    }

    /// <inheritdoc/>
    public bool HasRoom => Sender.Queue.HasRoom;

    /// <inheritdoc/>
    public bool HasMessages => Receiver.Queue.HasMessages;

    /// <summary>Subscribes to a prefix, as <see cref="SubscriberSocket.Subscribe(ReadOnlySpan{byte})"/> does.</summary>
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

    private bool SubscribeOrSend(ReadOnlySpan<byte> message)
    {
        ReadOnlySpan<byte> first = EncodedMessage.SplitFrame(message, out bool more, out _);
        if (more || first.IsEmpty || first[0] > 1)
        {
            _socket.SendUpstream(Loop, message);
        }
        else if (first[0] == 1)
        {
            _socket.Subscribe(first[1..]);
        }
        else
        {
            _socket.Unsubscribe(first[1..]);
        }

        return true;
    }
}
