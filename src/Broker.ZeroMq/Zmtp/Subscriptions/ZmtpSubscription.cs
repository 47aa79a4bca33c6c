using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.Zmtp.Subscriptions;

/// <summary>A subscription or cancellation, in whichever form the peer sent it. Borrows the message or command.</summary>
/// <remarks>
/// Peers of 3.1 send commands, peers of 3.0 messages (<c>01 topic</c>, <c>00 topic</c>). Both are accepted from everybody: libzmq and
/// others differ in which they send to whom.
/// </remarks>
internal readonly ref struct ZmtpSubscription
{
    private ZmtpSubscription(ZmtpSubscriptionKind kind, ReadOnlySpan<byte> topic)
    {
        Kind = kind;
        Topic = topic;
    }

    /// <summary>Subscribe, cancel, or neither.</summary>
    public ZmtpSubscriptionKind Kind { get; }

    /// <summary>The prefix; empty matches every message.</summary>
    public ReadOnlySpan<byte> Topic { get; }

    /// <summary>Looks at a command.</summary>
    public static ZmtpSubscription From(in ZmtpCommand command) => command.Kind switch
    {
        ZmtpCommandKind.Subscribe => new ZmtpSubscription(ZmtpSubscriptionKind.Subscribe, command.Data),
        ZmtpCommandKind.Cancel => new ZmtpSubscription(ZmtpSubscriptionKind.Cancel, command.Data),
        _ => default,
    };

    /// <summary>
    /// Looks at a message that came to a PUB or XPUB socket. Only a message of one frame can be a subscription; others are what an
    /// XSUB sends upstream.
    /// </summary>
    public static ZmtpSubscription From(in ZmtpMessage message)
    {
        if (message.FrameCount != 1)
        {
            return default;
        }

        var body = message.FirstFrame.Body;
        if (body.IsEmpty || body[0] > 1)
        {
            return default;
        }

        return new ZmtpSubscription(body[0] == 1 ? ZmtpSubscriptionKind.Subscribe : ZmtpSubscriptionKind.Cancel, body[1..]);
    }
}
