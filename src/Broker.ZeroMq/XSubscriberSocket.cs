using System.Text;
using Broker.ZeroMq.Queues;
using Broker.ZeroMq.Subscribing;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq;

/// <summary>
/// XSUB: receives what was subscribed to, as <see cref="SubscriberSocket"/> does; subscribes also by sending messages of one frame, 1 and the
/// prefix to subscribe, 0 and the prefix to cancel. All else that is sent goes upstream to every publisher (RFC 29).
/// </summary>
/// <remarks>So an <see cref="XPublisherSocket"/> and one of these, joined by a <see cref="ZeroMqProxy"/>, pass on subscriptions and what is published.</remarks>
public sealed class XSubscriberSocket : MessageSocket, ISendingSocket, IReceivingSocket
{
    private readonly LoopSubscriber _socket;

    /// <summary>Creates a socket without endpoints.</summary>
    /// <param name="options">Default: those of a new <see cref="ZeroMqSocketOptions"/>.</param>
    /// <param name="context">Default: one of its own, on the shared loops.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public XSubscriberSocket(ZeroMqSocketOptions? options = null, ZeroMqContext? context = null)
        : base(options, context)
    {
        RefuseConflation();
        var sink = new CopySink(MakeInbound());
        _socket = new LoopSubscriber(
            Context.Loops,
            sink.TryTake,
            new LoopSubscriberOptions(Options)
            {
                AnnounceExtended = true,
                Limits = Options.Limits,
                MaxPendingBytes = Math.Max(Options.SendHighWaterBytes, 64 << 20),
                MostUpstreamMessages = Options.SendHighWaterMark,
            })
        {
            OnPeerGone = sink.Forget,
        };
        MakeOutbound(new OneByOneSender(Pass), isOpen: true);
        Serve(_socket);
    }

    /// <inheritdoc/>
    public bool HasRoom => CanSend;

    /// <inheritdoc/>
    public bool HasMessages => CanReceive;

    /// <summary>As <see cref="SubscriberSocket.Subscribe(ReadOnlySpan{byte})"/>.</summary>
    public void Subscribe(ReadOnlySpan<byte> prefix) => _socket.Subscribe(prefix);

    /// <summary>As the other one, with a prefix in UTF-8.</summary>
    public void Subscribe(string prefix) => _socket.Subscribe(Encoding.UTF8.GetBytes(prefix));

    /// <summary>Takes back one <see cref="Subscribe(ReadOnlySpan{byte})"/>; without one it does nothing.</summary>
    public void Unsubscribe(ReadOnlySpan<byte> prefix) => _socket.Unsubscribe(prefix);

    /// <summary>As the other one, with a prefix in UTF-8.</summary>
    public void Unsubscribe(string prefix) => _socket.Unsubscribe(Encoding.UTF8.GetBytes(prefix));

    private bool Pass(ReadOnlySpan<byte> message)
    {
        var first = EncodedMessage.SplitFrame(message, out bool more, out _);
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
